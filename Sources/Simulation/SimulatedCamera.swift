import Biometrics
import Evaluation
import Liveness
import LivenessTraining
import ReVerification

import struct ReVerification.Capture

/// What the people of a simulation show to the camera, and what judges it: upstream passive scores, or simulated captures
/// that answer the challenge.
struct SimulatedCamera: Sendable {
  let scorer: any LivenessScorer
  private let recorder: Recorder?

  private struct Recorder: Sendable {
    let scorer: CaptureLivenessScorer
    let simulator: CaptureSimulator
    let space: EmbeddingSpace
    let clock: SimulationClock
  }

  /// Upstream passive scores of a live and of a failing capture.
  private static let (livePassiveScore, failingPassiveScore) = (0.9, 0.1)

  /// Throws `SimulationError.otherLandmarker` for a model of a landmarker that can't be simulated, and what the detector
  /// says of a model that it can't use.
  init(_ options: ReVerificationSimulation.Options, space: EmbeddingSpace, clock: SimulationClock) throws {
    guard let model = options.livenessModel?.judging(embeddingsOf: space) else {
      scorer = UpstreamPassiveScorer(threshold: options.livenessThreshold)
      recorder = nil
      return
    }
    guard let profile = LandmarkerProfile.named.values.first(where: { $0.landmarker == model.landmarker })
    else { throw SimulationError.otherLandmarker }
    // Keys of their own, the same for every model: so that each is shown the same captures.
    let keys = SeededRandomness(seed: options.seed ^ 0x6b65_7973)
    let judge = CaptureLivenessScorer(
      detector: try LivenessDetector(models: [model]), model: "liveness-\(try model.digest().prefix(16))",
      challengeKey: keys.bytes(32), replayKey: keys.bytes(32), clock: clock)
    scorer = judge
    recorder = Recorder(
      scorer: judge, simulator: CaptureSimulator(seed: options.seed &+ 0x6361_6d65, profile: profile),
      space: space, clock: clock)
  }

  /// Those that nothing stops would be no failed liveness; `AttackSimulation` counts them too.
  private static let stoppable = AttackSpecies.attacks.filter { $0.isStoppable(withColours: true) }

  /// The attack that fails liveness in a scene: each that can be stopped in turn; nil for scenes of live people.
  func species(of scene: Scene, _ number: Int) -> AttackSpecies? {
    guard recorder != nil, scene.truth == .failedLiveness else { return nil }
    return Self.stoppable[number % Self.stoppable.count]
  }

  /// What is shown at an attempt, whose probe is `embedding`; with simulated captures, time passes meanwhile.
  func capture(
    _ scene: Scene, _ number: Int, attempt: Int, for challenge: Challenge, embedding: [Float]
  ) -> Capture {
    guard let recorder, let schedule = recorder.scorer.schedule(for: challenge) else {
      let score = scene.truth == .failedLiveness ? Self.failingPassiveScore : Self.livePassiveScore
      return Capture(passiveScores: Array(repeating: score, count: 5))
    }
    let shown = recorder.simulator.capture(
      species(of: scene, number) ?? .bonaFide, subject: scene.shown.number, index: number << 4 | attempt,
      answering: schedule, face: SimulatedFace(model: .init(recorder.space), embedding: embedding))
    recorder.clock.advance(by: .seconds(8))
    return Capture(shown.capture)
  }
}

extension LivenessModel {
  /// Lets the policy `standard` pass from `threshold` on, whatever cues are on.
  mutating func judge(by threshold: Double) {
    func judge(_ policies: inout [String: Policy]) {
      guard let policy = policies["standard"] else { return }
      policies["standard"] = .init(pass: threshold, retry: min(policy.retry, threshold))
    }
    judge(&policies)
    for index in reductions.indices { judge(&reductions[index].policies) }
  }

  /// The same for embeddings of `space`, which simulated frames have in place of those that the model was made with: both are
  /// made up in one way.
  func judging(embeddingsOf space: EmbeddingSpace) -> LivenessModel {
    var model = self
    model.embeddingModel = .init(space)
    return model
  }
}
