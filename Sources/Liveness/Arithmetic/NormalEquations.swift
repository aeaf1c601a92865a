/// A symmetric positive definite system of up to eight unknowns, solved by the inverse of its Cholesky factor.
///
/// Pivots below 1e-14 of the largest diagonal element count as zero, and their unknowns are zero: a column that
/// depends on those before it explains nothing more.
struct NormalEquations {
  private let size: Int
  /// Columns of the inverse, as many as unknowns.
  private var inverse: [SIMD8<Double>]

  /// Of the Gram matrix `gram` (`size` × `size`, at most 8 × 8), with `ridge` added on its diagonal.
  init(_ gram: [Double], size: Int, ridge: Double = 0) {
    precondition(size <= 8 && gram.count == size * size, "a Gram matrix is square, and this one small")
    self.size = size
    var factor = gram
    var usable = [Bool](repeating: true, count: size)
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
    inverse = (0..<size).map { Self.column($0, size, factor, usable) }
  }

  /// The solution for a right side of 1 at `index` and 0 elsewhere.
  private static func column(_ index: Int, _ size: Int, _ factor: [Double], _ usable: [Bool]) -> SIMD8<Double>
  {
    var x = SIMD8<Double>.zero
    for i in index..<size {
      var sum = i == index ? 1.0 : 0
      for k in index..<i { sum -= factor[i * size + k] * x[k] }
      x[i] = usable[i] ? sum / factor[i * size + i] : 0
    }
    for i in stride(from: size - 1, through: 0, by: -1) {
      var sum = x[i]
      for k in i + 1..<size { sum -= factor[k * size + i] * x[k] }
      x[i] = usable[i] ? sum / factor[i * size + i] : 0
    }
    return x
  }

  /// The solution x of G x = `right`; elements beyond the unknowns are not looked at, and zero in the solution.
  func solve(_ right: SIMD8<Double>) -> SIMD8<Double> {
    var x = SIMD8<Double>.zero
    for i in 0..<size { x += right[i] * inverse[i] }
    return x
  }

  /// The squared length of the projection on the columns behind the Gram matrix of what has the inner products
  /// `right` with them: rightᵀ G⁻¹ right.
  func explained(_ right: SIMD8<Double>) -> Double {
    let x = solve(right)
    var sum = 0.0
    for i in 0..<size { sum += right[i] * x[i] }
    return sum
  }
}
