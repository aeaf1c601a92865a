import Liveness

/// How a landmarker sees: what it makes of true points.
///
/// A learned one shrinks every frame towards the affine image of the sequence's mean shape, so it reports only a part of
/// the true perspective change, and it imagines a little relief on whatever looks like a face. The ranges were set
/// by comparison with the real landmarkers' output of `shared/data/liveness`; see
/// `Documentation/Evaluation/Liveness.md`.
public struct LandmarkerProfile: Sendable {
  public let landmarker: Capture.Landmarker
  public let layout: LandmarkLayout
  /// The part of the true perspective change that it reports.
  let gain: ClosedRange<Double>
  /// The imagined relief's amplitude, in parts of the inter-ocular distance per unit of relief.
  let imagination: ClosedRange<Double>
  /// The standard deviation of its wavering about how much nearer parts are enlarged, in the same unit.
  let wavering: ClosedRange<Double>
  /// The jitter per coordinate, in inter-ocular distances.
  public let noise: ClosedRange<Double>
  /// The part of the jitter's variance that neighbouring points share.
  let sharedNoise: ClosedRange<Double>
  /// The correlation of the jitter of successive frames.
  let memory: ClosedRange<Double>
  /// Points lie on whole pixels, so many across the image; `nil` for a finer landmarker.
  let pixels: Double?

  /// Sees what is there, but for jitter of 0.5...2 % of the inter-ocular distance.
  public static func ideal(_ layout: LandmarkLayout, noise: ClosedRange<Double> = 0.005...0.02)
    -> LandmarkerProfile
  {
    LandmarkerProfile(
      landmarker: .init(id: "simulated-ideal", version: "1", layout: layout), layout: layout, gain: 1...1,
      imagination: 0...0, wavering: 0...0, noise: noise, sharedNoise: 0.5...0.5, memory: 0.6...0.6,
      pixels: nil)
  }

  /// Like MediaPipe Face Mesh 0.10.14.
  public static func faceMesh(_ layout: LandmarkLayout) -> LandmarkerProfile {
    LandmarkerProfile(
      landmarker: layout == .mesh
        ? .init(id: "mediapipe-facemesh", version: "0.10.14", layout: layout)
        : .init(id: "mediapipe-facemesh-68of468", version: "0.10.14", layout: layout),
      layout: layout, gain: 0.22...0.6, imagination: 0.006...0.024, wavering: 0.001...0.005,
      noise: 0.0015...0.007, sharedNoise: 0.8...0.99,
      memory: 0...0.85, pixels: nil)
  }

  /// Like dlib 20.0.1's 68-point predictor, which gives whole pixels.
  public static let dlib = LandmarkerProfile(
    landmarker: .init(id: "dlib-68", version: "20.0.1", layout: .sixtyEight), layout: .sixtyEight,
    gain: 0.15...0.55,
    imagination: 0.006...0.03, wavering: 0.002...0.008, noise: 0.003...0.014, sharedNoise: 0.4...0.8,
    memory: 0...0.5, pixels: 480)

  /// By the name that commands and model files use.
  public static let named: [String: LandmarkerProfile] = [
    "simulated-ideal-68": ideal(.sixtyEight), "simulated-ideal-468": ideal(.mesh),
    "mediapipe-facemesh-68of468": faceMesh(.sixtyEight), "mediapipe-facemesh-468": faceMesh(.mesh),
    "dlib-68": dlib,
  ]

  var isLearned: Bool { gain.lowerBound < 1 }

  /// What it reports of the true points of all frames; `noise` is the jitter of this capture.
  func see(
    _ frames: [[SIMD2<Double>]], noise: Double, withJitter: Bool, _ random: inout SimulationRandom
  ) -> [[SIMD2<Double>]] {
    var seen = isLearned ? shrunk(frames, &random) : frames
    if withJitter { addJitter(&seen, noise, &random) }
    if let pixels {
      for frame in seen.indices {
        for point in seen[frame].indices {
          seen[frame][point] = (seen[frame][point] * pixels).rounded(.toNearestOrEven) / pixels
        }
      }
    }
    return seen
  }

  /// Towards the affine images of the mean shape.
  private func shrunk(_ frames: [[SIMD2<Double>]], _ random: inout SimulationRandom) -> [[SIMD2<Double>]] {
    let count = Double(layout.points)
    let sizes = frames.map { interOcular($0) }
    var mean = [SIMD2<Double>](repeating: .zero, count: layout.points)
    for (points, size) in zip(frames, sizes) {
      let centre = points.reduce(SIMD2<Double>.zero, +) / count
      for index in points.indices { mean[index] += (points[index] - centre) / (size * Double(frames.count)) }
    }
    let fit = PlaneFit(mean)
    let residuals = frames.map { points in fit.residual(points) }
    var constant = [SIMD2<Double>](repeating: .zero, count: layout.points)
    for (residual, size) in zip(residuals, sizes) {
      for index in constant.indices { constant[index] += residual[index] / (size * Double(frames.count)) }
    }
    let gain = random.uniform(self.gain)
    let amplitude = random.uniform(imagination)
    let relief = imaginedRelief(fit)
    let template = CanonicalFace.template(layout)
    let enlarged = fit.residual(mean.indices.map { mean[$0] * template.relief[$0] })
    // About a fifth of a second at usual frame rates.
    let wavering = random.uniform(self.wavering)
    let waver = random.smooth(frames.indices.map(Double.init), tau: 4).map { $0 * wavering }
    return frames.indices.map { frame in
      let wobble = SIMD2(random.normal(amplitude), random.normal(amplitude)) * sizes[frame]
      return frames[frame].indices.map { index in
        let kept = constant[index] * sizes[frame]
        let residual = residuals[frame][index]
        return frames[frame][index] - residual + kept + (residual - kept) * gain + wobble * relief[index]
          + enlarged[index] * (waver[frame] * sizes[frame])
      }
    }
  }

  private func imaginedRelief(_ fit: PlaneFit) -> [Double] {
    let template = CanonicalFace.template(layout)
    return fit.residual(template.relief.map { SIMD2($0, 0) }).map(\.x)
  }

  private func addJitter(
    _ frames: inout [[SIMD2<Double>]], _ noise: Double, _ random: inout SimulationRandom
  ) {
    let field = SmoothField.of(layout)
    let (shared, memory) = (random.uniform(sharedNoise), random.uniform(self.memory))
    let (new, sharedPart, ownPart) = (
      (1 - memory * memory).squareRoot(), shared.squareRoot(), (1 - shared).squareRoot()
    )
    var (weightsX, weightsY) = (
      [Double](repeating: 0, count: field.size), [Double](repeating: 0, count: field.size)
    )
    var own = [SIMD2<Double>](repeating: .zero, count: layout.points)
    for frame in frames.indices {
      let (kept, fresh) = frame == 0 ? (0, 1) : (memory, new)
      for index in weightsX.indices {
        weightsX[index] = weightsX[index] * kept + random.normal(fresh)
        weightsY[index] = weightsY[index] * kept + random.normal(fresh)
      }
      for index in own.indices {
        own[index] = own[index] * kept + SIMD2(random.normal(fresh), random.normal(fresh))
      }
      let scale = noise * interOcular(frames[frame])
      for index in frames[frame].indices {
        let smooth = SIMD2(field.value(weightsX, at: index), field.value(weightsY, at: index))
        frames[frame][index] += (smooth * sharedPart + own[index] * ownPart) * scale
      }
    }
  }

  private func interOcular(_ points: [SIMD2<Double>]) -> Double {
    let eyes = layout.eyes
    func centre(_ indices: [Int]) -> SIMD2<Double> {
      indices.reduce(SIMD2<Double>.zero) { $0 + points[$1] } / Double(indices.count)
    }
    let d = centre(eyes.first) - centre(eyes.second)
    return (d.x * d.x + d.y * d.y).squareRoot()
  }
}
