/// The columns that a moving head's residual is made of, freed of their affine parts.
struct ResidualBasis {
  let shape: ReferenceShape
  /// M∘x and M∘y (a tilting plane), M∘D (parallax), D eₓ and D e_y (turning). With too few points only the third.
  let columns: [[Double]]
  let all: NormalEquations
  /// Of the two columns of a tilting plane alone.
  let planar: NormalEquations
  let planarColumns: [[Double]]
  /// M∘x, M∘y and M∘D, each over both coordinates, then D: what residuals are multiplied with.
  private let raw: [Double]

  var hasTurns: Bool { columns.count == 5 }
  /// Where parallax stands among the columns.
  var parallax: Int { hasTurns ? 2 : 0 }

  init(_ shape: ReferenceShape) {
    self.shape = shape
    let count = shape.points
    raw = [Double](unsafeUninitializedCapacity: 7 * count) { raw, filled in
      let base = raw.baseAddress!
      for (index, factor) in [shape.x, shape.y, shape.relief].enumerated() {
        multiply(shape.x, factor, into: base + 2 * index * count, count)
        multiply(shape.y, factor, into: base + (2 * index + 1) * count, count)
      }
      (base + 6 * count).initialize(from: shape.relief, count: count)
      filled = 7 * count
    }
    // Five columns need more residual coordinates than six affine parameters leave of three or five points.
    let isWhole = 2 * count - 6 >= 8
    (planarColumns, columns) = raw.withUnsafeBufferPointer { raw in
      let base = raw.baseAddress!
      func free(_ index: Int) -> [Double] {
        shape.affineFree(base + 2 * index * count, base + (2 * index + 1) * count)
      }
      let (planar, parallax) = ([free(0), free(1)], free(2))
      guard isWhole else { return (planar, [parallax]) }
      let relief = base + 6 * count
      return (planar, planar + [parallax, shape.affineFree(relief, nil), shape.affineFree(nil, relief)])
    }
    planar = NormalEquations(gramMatrix(planarColumns), size: 2)
    let gram = gramMatrix(columns)
    var trace = 0.0
    for i in columns.indices { trace += gram[i * columns.count + i] }
    all = NormalEquations(gram, size: columns.count, ridge: 1e-12 * trace)
  }

  /// Works on x∘x, x∘y and y∘y of the shape.
  func withSquares<Result>(
    _ body: (_ xx: UnsafePointer<Double>, _ xy: UnsafePointer<Double>, _ yy: UnsafePointer<Double>) -> Result
  ) -> Result {
    raw.withUnsafeBufferPointer { raw in
      let (base, count) = (raw.baseAddress!, shape.points)
      return body(base, base + count, base + 3 * count)
    }
  }

  /// Inner products of a residual, itself free of affine parts, with M∘x, M∘y, M∘D, D eₓ and D e_y.
  func products(with residual: UnsafePointer<Double>) -> SIMD8<Double> {
    let (count, width) = (shape.points, 2 * shape.points)
    return raw.withUnsafeBufferPointer { raw in
      let columns = raw.baseAddress!
      let relief = columns + 3 * width
      return SIMD8(
        dot(residual, columns, width), dot(residual, columns + width, width),
        dot(residual, columns + 2 * width, width), dot(residual, relief, count),
        dot(residual + count, relief, count), 0, 0, 0)
    }
  }

  /// Those of the products that belong to `columns`.
  func own(_ products: SIMD8<Double>) -> SIMD8<Double> {
    hasTurns ? products : SIMD8(products[2], 0, 0, 0, 0, 0, 0, 0)
  }
}

/// Inner products of all pairs of `columns`, row by row.
func gramMatrix(_ columns: [[Double]]) -> [Double] {
  let size = columns.count
  var gram = [Double](repeating: 0, count: size * size)
  for i in 0..<size {
    for j in 0...i {
      let product = dot(columns[i], columns[j], columns[i].count)
      gram[i * size + j] = product
      gram[j * size + i] = product
    }
  }
  return gram
}

extension NormalEquations {
  /// What is left of `vector` after its projection on `columns`, whose Gram matrix this is.
  func remainder(of vector: [Double], columns: [[Double]]) -> [Double] {
    let weights = solve(products(of: vector, with: columns))
    var rest = vector
    for (index, column) in columns.enumerated() {
      addScaled(column, by: -weights[index], to: &rest, rest.count)
    }
    return rest
  }

  /// The inner products of `vector` with each of `columns`, at most eight.
  func products(of vector: [Double], with columns: [[Double]]) -> SIMD8<Double> {
    var products = SIMD8<Double>.zero
    for (index, column) in columns.enumerated() { products[index] = dot(column, vector, vector.count) }
    return products
  }
}
