import Liveness

/// A logistic regression by Newton's method, for a few features and many rows.
///
/// Rows count by `weights`; coefficients are drawn to zero by `ridge`, the intercept is not. Deterministic.
struct LogisticRegression {
  private(set) var coefficients: [Double]
  private(set) var intercept: Double

  /// Fits the probability of `targets` (0...1). With `nonNegative` features of negative coefficients are left out, the
  /// most negative first.
  init(
    rows: [[Double]], targets: [Double], weights: [Double], ridge: Double, nonNegative: Bool = false
  ) {
    let size = rows.first?.count ?? 0
    var used = Array(0..<size)
    coefficients = [Double](repeating: 0, count: size)
    intercept = 0
    while true {
      let solution = Self.newton(rows, used, targets, weights, ridge)
      let worst = used.indices.min { solution[$0] < solution[$1] }
      if nonNegative, let worst, solution[worst] < 0 {
        used.remove(at: worst)
        continue
      }
      for (place, column) in used.enumerated() { coefficients[column] = solution[place] }
      intercept = solution[used.count]
      return
    }
  }

  /// Coefficients of the `used` columns, then the intercept.
  private static func newton(
    _ rows: [[Double]], _ used: [Int], _ targets: [Double], _ weights: [Double], _ ridge: Double
  ) -> [Double] {
    let size = used.count + 1
    var solution = [Double](repeating: 0, count: size)
    for _ in 0..<60 {
      var gradient = [Double](repeating: 0, count: size)
      var hessian = [Double](repeating: 0, count: size * size)
      var column = [Double](repeating: 1, count: size)
      for (index, row) in rows.enumerated() {
        var sum = solution[size - 1]
        for (place, source) in used.enumerated() {
          column[place] = row[source]
          sum += solution[place] * row[source]
        }
        let probability = Elementary.logistic(sum)
        let error = weights[index] * (targets[index] - probability)
        let curvature = weights[index] * max(probability * (1 - probability), 1e-9)
        for i in 0..<size {
          gradient[i] += error * column[i]
          for j in 0...i { hessian[i * size + j] += curvature * column[i] * column[j] }
        }
      }
      for i in 0..<size {
        for j in 0..<i { hessian[j * size + i] = hessian[i * size + j] }
        if i < size - 1 {
          gradient[i] -= ridge * solution[i]
          hessian[i * size + i] += ridge
        }
      }
      let step = solveSymmetric(hessian, gradient)
      var largest = 0.0
      for i in 0..<size {
        // A bounded step keeps separable data from running away.
        let bounded = min(max(step[i], -4), 4)
        solution[i] += bounded
        largest = max(largest, bounded.magnitude)
      }
      if largest < 1e-9 { break }
    }
    return solution
  }

  /// `weights` scaled so that both classes have the same sum, one on average.
  static func balanced(_ isPositive: [Bool], _ weights: [Double]) -> [Double] {
    var (positives, negatives) = (0.0, 0.0)
    for (isPositive, weight) in zip(isPositive, weights) {
      if isPositive { positives += weight } else { negatives += weight }
    }
    let half = Double(isPositive.count) / 2
    return zip(isPositive, weights).map { $0 ? $1 * half / max(positives, 1) : $1 * half / max(negatives, 1) }
  }
}

/// The solution of a symmetric positive definite system, by Cholesky's factor.
private func solveSymmetric(_ matrix: [Double], _ right: [Double]) -> [Double] {
  let size = right.count
  var factor = matrix
  for i in 0..<size {
    for j in 0...i {
      var sum = matrix[i * size + j]
      for k in 0..<j { sum -= factor[i * size + k] * factor[j * size + k] }
      factor[i * size + j] = i == j ? max(sum, 1e-12).squareRoot() : sum / factor[j * size + j]
    }
  }
  var x = right
  for i in 0..<size {
    for k in 0..<i { x[i] -= factor[i * size + k] * x[k] }
    x[i] /= factor[i * size + i]
  }
  for i in stride(from: size - 1, through: 0, by: -1) {
    for k in i + 1..<size { x[i] -= factor[k * size + i] * x[k] }
    x[i] /= factor[i * size + i]
  }
  return x
}
