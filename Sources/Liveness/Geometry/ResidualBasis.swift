/// The columns that a moving head's residual is made of, freed of their affine parts.
struct ResidualBasis {
  let shape: ReferenceShape
  /// M∘x and M∘y (a tilting plane), M∘D (parallax), D eₓ and D e_y (turning). With too few points only the third.
  let columns: [[Double]]
  let all: NormalEquations
  /// Of the two columns of a tilting plane alone.
  let planar: NormalEquations
  let planarColumns: [[Double]]
  private let raw: [[Double]]

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
    raw = [scaled(x), scaled(y), scaled(relief)].map { $0.0 + $0.1 }
  }

  /// Inner products of a residual, itself free of affine parts, with M∘x, M∘y, M∘D, D eₓ and D e_y.
  func products(with residual: UnsafePointer<Double>) -> [Double] {
    let count = shape.points
    return [
      dot(residual, raw[0], 2 * count), dot(residual, raw[1], 2 * count), dot(residual, raw[2], 2 * count),
      dot(residual, shape.relief, count), dot(residual + count, shape.relief, count),
    ]
  }

  /// Those of the products that belong to `columns`.
  func own(_ products: [Double]) -> [Double] { hasTurns ? products : [products[2]] }
}

/// Inner products of all pairs of `columns`, row by row.
func gramMatrix(_ columns: [[Double]]) -> [Double] {
  columns.flatMap { left in columns.map { dot(left, $0, left.count) } }
}

extension NormalEquations {
  /// What is left of `vector` after its projection on `columns`, whose Gram matrix this is.
  func remainder(of vector: [Double], columns: [[Double]]) -> [Double] {
    let weights = solve(columns.map { dot($0, vector, vector.count) })
    var rest = vector
    for (column, weight) in zip(columns, weights) { addScaled(column, by: -weight, to: &rest, rest.count) }
    return rest
  }
}
