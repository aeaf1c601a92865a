import Biometrics
import Liveness
import LivenessTraining
import Testing

/// What must not matter to geometry and jitter: where and how large the face is in the picture, and how it is held.
@Suite("Invariance of the features")
struct InvarianceTests {
  private struct Case {
    let sequence: LandmarkSequence
    let focalLength: Double
  }

  private static func cases() -> [Case] {
    [AttackSpecies.bonaFide, .flatPhoto, .bentPhoto].flatMap { species in
      (0..<3).map { subject in
        let capture = Fixtures.simulator.capture(species, subject: subject, index: 0).capture
        return Case(
          sequence: capture.landmarkSequence(.sixtyEight), focalLength: capture.device.focalLength)
      }
    }
  }

  /// The sequence with every point moved.
  private func moved(
    _ sequence: LandmarkSequence, _ move: (Double, Double) -> (Double, Double)
  ) -> LandmarkSequence {
    var planes = sequence.coordinates
    let count = sequence.layout.points
    for frame in 0..<sequence.frames {
      for x in frame * 2 * count..<frame * 2 * count + count {
        (planes[x], planes[x + count]) = move(planes[x], planes[x + count])
      }
    }
    return LandmarkSequence(layout: sequence.layout, planes: planes)
  }

  private func expectSame(_ found: FeatureVector, _ expected: FeatureVector, _ tolerance: Double) {
    for feature in Feature.allCases {
      guard let value = expected[feature] else {
        #expect(found[feature] == nil)
        continue
      }
      let other = found[feature] ?? .nan
      #expect(
        (other - value).magnitude <= tolerance * max(1, value.magnitude), "\(feature): \(other), \(value)")
    }
  }

  @Test("shift, and scale of picture and focal length together, change nothing")
  func shiftAndScale() {
    for each in Self.cases() {
      let expected = Fixtures.extractor.measure(each.sequence, focalLength: each.focalLength).features
      let shifted = moved(each.sequence) { ($0 + 0.137, $1 - 0.212) }
      expectSame(Fixtures.extractor.measure(shifted, focalLength: each.focalLength).features, expected, 1e-8)
      // Half of the picture cut away: everything counts twice as many image widths, the focal length too.
      let scaled = moved(each.sequence) { (2 * $0, 2 * $1) }
      expectSame(
        Fixtures.extractor.measure(scaled, focalLength: 2 * each.focalLength).features, expected, 1e-12)
    }
  }

  @Test("rotation in the picture's plane changes nothing", arguments: [-90.0, -20, 7, 45, 180])
  func rotation(degrees: Double) {
    let (sine, cosine) = Elementary.sineCosine(degrees * .pi / 180)
    for each in Self.cases() {
      let expected = Fixtures.extractor.measure(each.sequence, focalLength: each.focalLength).features
      let rotated = moved(each.sequence) { (cosine * $0 - sine * $1, sine * $0 + cosine * $1) }
      expectSame(Fixtures.extractor.measure(rotated, focalLength: each.focalLength).features, expected, 1e-8)
    }
  }

  @Test("a mirrored capture that says so is decided as the unmirrored one")
  func mirror() throws {
    let detector = try Fixtures.detector()
    for species in [AttackSpecies.bonaFide, .flatPhoto, .bentPhoto] {
      let simulated = Fixtures.simulator.capture(species, subject: 1, index: 0)
      let decision = try detector.assess(simulated)
      let mirrored = try simulated.assessed(by: detector) { capture in
        capture.device.isMirrored = true
        for frame in capture.frames.indices {
          for index in frame * 136..<frame * 136 + 68 {
            capture.landmarks[index] = 1 - capture.landmarks[index]
          }
        }
      }
      expectSame(mirrored.features, decision.features, 1e-3)
      #expect(mirrored.verdict == decision.verdict)
    }
  }

  @Test("mirrored points under the names of the other side are judged alike")
  func mirroredNames() throws {
    let mirrorImage = Self.mirrorImage
    for each in Self.cases() {
      let expected = Fixtures.extractor.measure(each.sequence, focalLength: each.focalLength).features
      var planes = each.sequence.coordinates
      for frame in 0..<each.sequence.frames {
        for (point, other) in mirrorImage.enumerated() {
          let base = frame * 136
          planes[base + point] = 1 - each.sequence.coordinates[base + other]
          planes[base + 68 + point] = each.sequence.coordinates[base + 68 + other]
        }
      }
      let found = Fixtures.extractor.measure(
        LandmarkSequence(layout: .sixtyEight, planes: planes), focalLength: each.focalLength
      ).features
      // The mesh's 68 points are not quite symmetric.
      for feature in [Feature.parallaxGain, .reliefGain, .planeResidual, .reliefAmplitude] {
        let (value, other) = (try #require(expected[feature]), try #require(found[feature]))
        #expect(
          (value - other).magnitude <= 0.05 * max(0.2, value.magnitude), "\(feature): \(value), \(other)")
      }
    }
  }

  /// For each of the 68 points the one on the other side.
  private static let mirrorImage: [Int] = {
    let template = CanonicalFace.template(.sixtyEight)
    return (0..<68).map { point in
      (0..<68).min { left, right in
        func distance(_ other: Int) -> Double {
          let (dx, dy) = (template.x[other] + template.x[point], template.y[other] - template.y[point])
          return dx * dx + dy * dy
        }
        return distance(left) < distance(right)
      }!
    }
  }()

  @Test("half the frame rate changes geometry by little")
  func frameRate() throws {
    for each in Self.cases() {
      let width = 2 * each.sequence.layout.points
      let halved = LandmarkSequence(
        layout: .sixtyEight,
        planes: stride(from: 0, to: each.sequence.frames, by: 2).flatMap {
          Array(each.sequence.coordinates[$0 * width..<($0 + 1) * width])
        })
      let all = Fixtures.extractor.measure(each.sequence, focalLength: each.focalLength).features
      let half = Fixtures.extractor.measure(halved, focalLength: each.focalLength).features
      for feature in [Feature.parallaxGain, .reliefGain, .planeResidual, .reliefAmplitude, .sizeRatio] {
        let (value, other) = (try #require(all[feature]), try #require(half[feature]))
        #expect(
          (value - other).magnitude <= 0.15 * max(0.2, value.magnitude), "\(feature): \(value), \(other)")
      }
    }
  }
}
