/// A symmetric positive definite system of a few unknowns, by its Cholesky factor.
///
/// Pivots below 1e-14 of the largest diagonal element count as zero, and their unknowns are zero: a column that
/// depends on those before it explains nothing more.
struct NormalEquations {
  private let size: Int
  /// Lower triangular, row by row.
  private var factor: [Double]
  private var usable: [Bool]

  /// Of the Gram matrix `gram` (`size` × `size`), with `ridge` added on its diagonal.
  init(_ gram: [Double], size: Int, ridge: Double = 0) {
    precondition(gram.count == size * size, "a Gram matrix is square")
    self.size = size
    factor = gram
    usable = [Bool](repeating: true, count: size)
    var largest = 0.0
    for i in 0..<size { largest = max(largest, gram[i * size + i]) }
    for i in 0..<size {
      for j in 0...i {
        var sum = gram[i * size + j] + (i == j ? ridge : 0)
        for k in 0..<j { sum -= factor[i * size + k] * factor[j * size + k] }
        if i == j {
          usable[i] = sum > largest * 1e-14
          factor[i * size + i] = usable[i] ? sum.squareRoot() : 1
        } else {
          factor[i * size + j] = usable[j] ? sum / factor[j * size + j] : 0
        }
      }
      if !usable[i] { for j in 0..<i { factor[i * size + j] = 0 } }
    }
  }

  /// The solution x of G x = `right`.
  func solve(_ right: [Double]) -> [Double] {
    var x = forward(right)
    for i in stride(from: size - 1, through: 0, by: -1) {
      var sum = x[i]
      for k in i + 1..<size { sum -= factor[k * size + i] * x[k] }
      x[i] = usable[i] ? sum / factor[i * size + i] : 0
    }
    return x
  }

  /// The squared length of the projection on the columns behind the Gram matrix of what has the inner products
  /// `right` with them: rightᵀ G⁻¹ right.
  func explained(_ right: [Double]) -> Double {
    var sum = 0.0
    for value in forward(right) { sum += value * value }
    return sum
  }

  private func forward(_ right: [Double]) -> [Double] {
    var y = right
    for i in 0..<size {
      var sum = right[i]
      for k in 0..<i { sum -= factor[i * size + k] * y[k] }
      y[i] = usable[i] ? sum / factor[i * size + i] : 0
    }
    return y
  }
}
