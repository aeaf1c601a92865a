import Liveness

/// A random field over the face's points that is smooth over 1.5 cm, of variance 1.
///
/// A sum of waves of random direction and length whose spectrum is that of a Gaussian covariance: Rahimi & Recht,
/// "Random features for large-scale kernel machines" (2007).
struct SmoothField {
  private static let waves = 24
  private static let length = 1.5
  private static let all = Dictionary(
    uniqueKeysWithValues: LandmarkLayout.allCases.map { ($0, SmoothField($0)) })

  static func of(_ layout: LandmarkLayout) -> SmoothField { all[layout]! }

  /// Cosines and sines of the waves, by point.
  private let values: [Double]
  var size: Int { 2 * Self.waves }

  private init(_ layout: LandmarkLayout) {
    var random = SimulationRandom(1)
    let directions = (0..<Self.waves).map { _ in
      SIMD3(random.normal(1 / Self.length), random.normal(1 / Self.length), random.normal(1 / Self.length))
    }
    let scale = 1 / Double(Self.waves).squareRoot()
    values = CanonicalFace.select(CanonicalFace.points, layout).flatMap { point in
      directions.flatMap { direction in
        let (sine, cosine) = Elementary.sineCosine(
          direction.x * point.x + direction.y * point.y + direction.z * point.z)
        return [cosine * scale, sine * scale]
      }
    }
  }

  /// The field at a point for the weights of its waves.
  func value(_ weights: [Double], at point: Int) -> Double {
    let base = point * size
    return weights.withUnsafeBufferPointer { weights in
      values.withUnsafeBufferPointer { values in
        var (sum, index) = (0.0, 0)
        while index < weights.count {
          sum += weights[index] * values[base &+ index]
          index &+= 1
        }
        return sum
      }
    }
  }
}

/// Least squares by the affine functions of given points.
struct PlaneFit {
  private let points: [SIMD2<Double>]
  private let centre: SIMD2<Double>
  private let inverse: (xx: Double, xy: Double, yy: Double)

  init(_ points: [SIMD2<Double>]) {
    self.points = points
    let centre = points.reduce(SIMD2<Double>.zero, +) / Double(points.count)
    self.centre = centre
    var (xx, xy, yy) = (0.0, 0.0, 0.0)
    for point in points {
      let d = point - centre
      xx += d.x * d.x
      xy += d.x * d.y
      yy += d.y * d.y
    }
    let determinant = xx * yy - xy * xy
    inverse = (yy / determinant, -xy / determinant, xx / determinant)
  }

  /// What is left of `values`, one at each point, after their best affine function.
  func residual(_ values: [SIMD2<Double>]) -> [SIMD2<Double>] {
    let mean = values.reduce(SIMD2<Double>.zero, +) / Double(values.count)
    var (byX, byY) = (SIMD2<Double>.zero, SIMD2<Double>.zero)
    for (point, value) in zip(points, values) {
      let d = point - centre
      byX += value * d.x
      byY += value * d.y
    }
    let (a, b) = (byX * inverse.xx + byY * inverse.xy, byX * inverse.xy + byY * inverse.yy)
    return zip(points, values).map { point, value in
      let d = point - centre
      return value - mean - a * d.x - b * d.y
    }
  }
}
