/// How closely the whole path of a face, motion included, is a person's answer to the ovals.
///
/// A person answers late, softly and a little askew: after a lag, by two delays in turn, so that a step of the oval becomes
/// 1 − (1 + x) e⁻ˣ with x = (time − lag) / delay. Over a grid of lags and delays, width, x and y of the face are compared
/// with that answer; a constant factor of the width, a constant offset of x and one of y that grows with the face's size
/// are the person's own and taken away. What remains at the best place of the grid are small tremors, or an answer to
/// another challenge.
struct OvalTracking {
  private let path: FacePath
  private let schedule: ChallengeSchedule
  private let starts: [Double]

  /// Milliseconds.
  private static let lags = stride(from: 100.0, through: 450, by: 50)
  private static let delays = [110.0, 170]
  /// Tremors of people who follow, relative to the width and in image widths, so that the three count alike.
  private static let tremors = SIMD3(0.02, 0.01, 0.01)

  /// `nil` without three stages or the shape's place in each frame.
  init?(path: FacePath, schedule: ChallengeSchedule, starts: [Double]) {
    guard schedule.stages.count == 3, starts.count == 3, path.fits.count == path.times.count,
      path.times.count >= 8
    else { return nil }
    self.path = path
    self.schedule = schedule
    self.starts = starts
  }

  func write(to features: inout FeatureVector) {
    let frames = path.fits.indices.map { frame in
      let fit = path.fits[frame]
      return SIMD4(path.widths[frame], fit.centreX, fit.centreY, fit.size)
    }
    let sums = Sums(frames, stages: schedule.stages)
    var best = (error: Double.infinity, misses: SIMD3<Double>.zero, lag: 0.0)
    for delay in Self.delays {
      // Time since the second and the third oval in delays, and the exponential of its negative.
      let since = path.times.map { (SIMD2($0, $0) - SIMD2(starts[1], starts[2])) / delay }
      let decays = since.map { SIMD2(Elementary.exp(-max($0.x, 0)), Elementary.exp(-max($0.y, 0))) }
      for lag in Self.lags {
        let misses = sums.misses(frames, since, decays, lag: lag / delay)
        let relative = misses / Self.tremors
        let error = (relative * relative).sum()
        if error < best.error { best = (error, misses, lag) }
      }
    }
    guard best.error.isFinite else { return }
    features[.trackingError] = Elementary.log(best.error.squareRoot() + 1e-3)
    features[.trackingWidthError] = Elementary.log(best.misses.x + 1e-4)
    features[.trackingXError] = Elementary.log(best.misses.y + 1e-4)
    features[.trackingYError] = Elementary.log(best.misses.z + 1e-4)
    features[.trackingLag] = best.lag / 1000
  }

  /// Least squares by sums over the frames, whose elements are width, x, y and size.
  private struct Sums {
    let count: Double
    let total: SIMD4<Double>
    /// Σ width², x², y², size², and Σ y · size.
    let squares: SIMD4<Double>
    let ySize: Double
    /// The first oval, and the steps to the second and the third: width, x, y.
    let first, second, third: SIMD4<Double>

    init(_ frames: [SIMD4<Double>], stages: [ChallengeSchedule.Stage]) {
      count = Double(frames.count)
      var (total, squares, ySize) = (SIMD4<Double>.zero, SIMD4<Double>.zero, 0.0)
      for frame in frames {
        total += frame
        squares += frame * frame
        ySize += frame.z * frame.w
      }
      (self.total, self.squares, self.ySize) = (total, squares, ySize)
      let ovals = stages.map { SIMD4($0.width, $0.centreX, $0.centreY, 0) }
      (first, second, third) = (ovals[0], ovals[1] - ovals[0], ovals[2] - ovals[1])
    }

    /// Root mean squares of what answers after `lag` delays leave: of the width relative to its mean, of x and of y.
    func misses(
      _ frames: [SIMD4<Double>], _ since: [SIMD2<Double>], _ decays: [SIMD2<Double>], lag: Double
    ) -> SIMD3<Double> {
      var (g1, g2) = (SIMD4<Double>.zero, SIMD4<Double>.zero)
      var (sums, products, cross) = (SIMD2<Double>.zero, SIMD2<Double>.zero, 0.0)
      // e^(lag − since) of the one exponential of the time since.
      let factor = Elementary.exp(lag)
      for index in frames.indices {
        let x = since[index] - lag
        // The third oval comes after the second: nothing is answered yet.
        guard x.x > 0 else { continue }
        var response = 1 - (1 + x) * (decays[index] * factor)
        if x.y <= 0 { response.y = 0 }
        g1 += response.x * frames[index]
        sums += response
        products += response * response
        guard x.y > 0 else { continue }
        g2 += response.y * frames[index]
        cross += response.x * response.y
      }
      // m = first + g₁ second + g₂ third: Σ m, Σ m², Σ m · seen, Σ m · size.
      let mean = count * first + sums.x * second + sums.y * third
      let square =
        count * first * first + 2 * first * (sums.x * second + sums.y * third)
        + products.x * second * second + products.y * third * third + 2 * cross * second * third
      let product = first * total + second * g1 + third * g2
      let withSize = first * total.w + second * g1.w + third * g2.w
      let width = squares.x - product.x * product.x / max(square.x, 1e-12)
      let error = squares - 2 * product + square
      let sum = total - mean
      let x = error.y - sum.y * sum.y / count
      let sizes = squares.w - total.w * total.w / count
      let along = ySize - withSize.z - sum.z * total.w / count
      let y = error.z - sum.z * sum.z / count - along * along / max(sizes, 1e-12)
      func root(_ value: Double) -> Double { (max(value, 0) / count).squareRoot() }
      return SIMD3(root(width) / max(total.x / count, 1e-6), root(x), root(y))
    }
  }
}
