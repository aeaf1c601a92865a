/// The columns that a moving head's residual is made of, freed of their affine parts.
struct ResidualBasis {
  let shape: ReferenceShape
  /// M∘x and M∘y (a tilting plane), M∘D (parallax), D eₓ and D e_y (turning). With too few points only the third.
  let columns: [[Double]]
  let all: NormalEquations
  /// Of the two columns of a tilting plane alone.
  let planar: NormalEquations
  let planarColumns: [[Double]]
  /// M∘x, M∘y and M∘D, then D: what residuals are multiplied with.
  private let raw: [Double]

  var hasTurns: Bool { columns.count == 5 }
  /// Where parallax stands among the columns.
  var parallax: Int { hasTurns ? 2 : 0 }

  init(_ shape: ReferenceShape) {
    self.shape = shape
    let (x, y, relief) = (shape.x, shape.y, shape.relief)
    func scaled(_ factor: [Double]) -> ([Double], [Double]) {
      (zip(x, factor).map { $0 * $1 }, zip(y, factor).map { $0 * $1 })
    }
    func free(_ column: ([Double], [Double])) -> [Double] { shape.affineFree(column.0, column.1) }
    let none = [Double](repeating: 0, count: shape.points)
    planarColumns = [free(scaled(x)), free(scaled(y))]
    planar = NormalEquations(gramMatrix(planarColumns), size: 2)
    // Five columns need more residual coordinates than six affine parameters leave of three or five points.
    if 2 * shape.points - 6 >= 8 {
      columns = planarColumns + [free(scaled(relief)), free((relief, none)), free((none, relief))]
    } else {
      columns = [free(scaled(relief))]
    }
    let gram = gramMatrix(columns)
    var trace = 0.0
    for i in columns.indices { trace += gram[i * columns.count + i] }
    all = NormalEquations(gram, size: columns.count, ridge: 1e-12 * trace)
    raw = [scaled(x), scaled(y), scaled(relief)].flatMap { $0.0 + $0.1 } + relief
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
