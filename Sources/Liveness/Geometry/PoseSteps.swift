/// How a face's pose changes from frame to frame.
///
/// A pose is what the affine map of a frame and the turning of its residual say: where the face is, how large, how it is
/// rotated, foreshortened and turned. In each, a body that starts or stops keeps its direction from frame to frame, and
/// what it does of itself turns back by little. A frame out of its order is gone to and left again, in all of them at once,
/// and would lie better in another frame's place.
struct PoseSteps {
  /// By frame: x and y in face sizes, foreshortening along the axes and across, the two turns, the logarithm of the size,
  /// the sine of the rotation. The first six are pairs that a rotation of the picture rotates.
  private var poses: [SIMD8<Double>]
  /// Of each frame to the next; x and y over the square root of the face's size, with which jitter and tremor grow.
  private var steps: [SIMD8<Double>]

  /// So many reversals are summed, and so many frames tried in each other's places: six frames out of order have up to
  /// twelve neighbours.
  private static let summed = 8
  private static let tried = 12
  private static let exchanges = 6

  /// Of affine maps and of the residuals' coefficients, whose fourth and fifth are the turns.
  init(_ fits: [AffineFit], coefficients: [SIMD8<Double>]) {
    let sizes = fits.map(\.size)
    let median = sizes.median
    // L is a rotation and scale (a, b) plus a reflection (c, d), which is the foreshortening.
    let directions = fits.map { fit in
      let (a, b) = (fit.xx + fit.yy, fit.yx - fit.xy)
      return SIMD2(a, b) / max((a * a + b * b).squareRoot(), 1e-12)
    }
    var mean = directions.reduce(SIMD2<Double>.zero, +)
    mean /= max((mean * mean).sum().squareRoot(), 1e-12)
    poses = fits.indices.map { frame in
      let (fit, turn, direction) = (fits[frame], coefficients[frame], directions[frame])
      let size = 2 * sizes[frame]
      return SIMD8(
        fit.centreX / median, fit.centreY / median, (fit.xx - fit.yy) / size, (fit.yx + fit.xy) / size,
        turn[3], turn[4], Elementary.log(sizes[frame]), mean.x * direction.y - mean.y * direction.x)
    }
    steps = []
    steps.reserveCapacity(poses.count)
    for frame in poses.indices.dropFirst() {
      var step = poses[frame] - poses[frame - 1]
      let share = (2 * median / (sizes[frame] + sizes[frame - 1])).squareRoot()
      step[0] *= share
      step[1] *= share
      steps.append(step)
    }
    let scale = usualBends
    for index in poses.indices { poses[index] *= scale }
    for index in steps.indices { steps[index] *= scale }
  }

  /// One over the usual bend of each coordinate, the median change from one step to the next. The median length of a pair
  /// of independent normal numbers is about √3 times the median size of one. Turns and rotation, which jitter blurs least,
  /// count twice.
  private var usualBends: SIMD8<Double> {
    let bends = steps.indices.dropFirst().map { index in
      let bend = steps[index] - steps[index - 1]
      return bend * bend
    }
    func scale(_ weight: Double, _ square: (SIMD8<Double>) -> Double) -> Double {
      (weight / max(bends.map(square).median, 1e-18)).squareRoot()
    }
    guard !bends.isEmpty else { return .zero }
    let (place, shape, turn) = (
      scale(3) { $0[0] + $0[1] }, scale(3) { $0[2] + $0[3] }, scale(6) { $0[4] + $0[5] }
    )
    return SIMD8(place, place, shape, shape, turn, turn, scale(1) { $0[6] }, scale(2) { $0[7] })
  }

  /// Writes the sum of the greatest reversals, −(step before · step after), and how disordered the path is: that sum, and
  /// by how much the path gets shorter when frames change places.
  func write(to features: inout FeatureVector) {
    guard steps.count >= 3 else { return }
    let reversals = (1..<steps.count).map { -(steps[$0 - 1] * steps[$0]).sum() }
    let order = Self.greatest(Self.tried, of: reversals)
    let sum = order.prefix(Self.summed).reduce(0) { $0 + reversals[$1] }
    let logarithm = Elementary.log(max(sum, 1e-3))
    features[.pathReversals] = logarithm
    // The weight of the gain was chosen on simulated captures.
    let gain = gainOfExchanges(among: order.map { $0 + 1 }.sorted())
    features[.pathDisorder] = logarithm + 0.4 * Elementary.log(1 + gain)
  }

  /// Where the `count` greatest of `values` stand, the greatest first; of equal ones the earlier comes first.
  private static func greatest(_ count: Int, of values: [Double]) -> [Int] {
    var (rest, found) = (values, [Int]())
    while found.count < min(count, values.count) {
      var best = found.isEmpty ? 0 : -1
      for index in rest.indices where rest[index] > (best < 0 ? -.infinity : rest[best]) { best = index }
      guard best >= 0 else { break }
      found.append(best)
      rest[best] = -.infinity
    }
    return found
  }

  /// By how much Σ |step|² falls when, again and again, those two of `frames` change places that shorten the path most.
  private func gainOfExchanges(among frames: [Int]) -> Double {
    var (poses, gain) = (self.poses, 0.0)
    for _ in 0..<Self.exchanges {
      var best = (gain: 0.0, first: 0, second: 0)
      for (index, first) in frames.enumerated() {
        for second in frames[(index + 1)...] where second > first + 1 {
          let (a, b) = (poses[first], poses[second])
          func length(_ pose: SIMD8<Double>, at place: Int) -> Double {
            let (before, after) = (pose - poses[place - 1], pose - poses[place + 1])
            return (before * before + after * after).sum()
          }
          let gain =
            length(a, at: first) + length(b, at: second) - length(b, at: first) - length(a, at: second)
          if gain > best.gain { best = (gain, first, second) }
        }
      }
      guard best.gain > 0 else { break }
      gain += best.gain
      poses.swapAt(best.first, best.second)
    }
    return gain
  }
}
