import Biometrics
import EnrolmentStore
import Evaluation
import FaceMatching
import Liveness
import LivenessTraining
import TestSupport
import Testing

@testable import ReVerification

/// Bug: a capture that was judged live was not bound to the embedding that is matched, so that an attacker's own honest capture
/// with a victim's embedding beside it was verified.
@Suite("The face that is matched is the one that was judged live")
struct BoundFaceTests {
  private static let live = LivenessAssessment(.live, score: 0.9, threshold: 0.5, cues: ["a": 1])

  /// What becomes of a live assessment of a recording with these faces in its frames, `nil` for frames without.
  private func held(
    _ probe: [[Float]], beside frames: [[Float]?], of model: EmbeddingSpace? = Bank.space,
    _ binding: FaceBinding = .required, verify: Float = 0.5
  ) throws -> LivenessAssessment {
    let inputs = probe.map { UncheckedEmbedding($0, space: Bank.space) }
    return try BoundFace.held(
      Self.live,
      of: Attempt(
        key: "k", capture: SubmittedCapture(Self.recording(frames, of: model)), embeddings: inputs),
      probe: try fused(inputs, in: Bank.space),
      by: ReVerificationPolicy(
        verifyThreshold: SimilarityThreshold(verify)!, recogniseThreshold: SimilarityThreshold(1)!,
        faceBinding: binding))
  }

  /// Frames with these faces and nothing else.
  static func recording(_ frames: [[Float]?], of model: EmbeddingSpace?) -> Liveness.Capture {
    var recording = Liveness.Capture(
      challengeID: [UInt8](repeating: 0, count: 16), nonce: [UInt8](repeating: 0, count: 32),
      device: .init(model: "m", camera: "c", fieldOfView: 70, imageWidth: 480, imageHeight: 640),
      landmarker: .init(id: "l", version: "1", layout: .five),
      frames: frames.enumerated().map { index, face in
        var frame = Liveness.Capture.Frame(
          sequence: index, time: Double(index), box: .init(x: 0, y: 0, width: 1, height: 1), sharpness: 1,
          brightness: 0.5)
        frame.embedding = face
        return frame
      }, landmarks: [])
    recording.embeddingModel = model.map { .init($0) }
    return recording
  }

  private let six = [[Float]?](repeating: Face.anna, count: 6)

  @Test("the same face passes, with the lowest score as evidence; a score equal to the threshold is enough")
  func sameFace() throws {
    let lower = Face.like(anna: 0.5)
    let passed = try held([lower], beside: six)
    #expect(passed.verdict == .live && passed.reasons.isEmpty && passed.score == 0.9)
    #expect(passed.cues == ["a": 1, BoundFace.cue: 0.5])
    #expect(try held([lower], beside: six, verify: Float(0.5).nextUp).reasons == [.otherFace])
    #expect(try held([Face.anna, Face.like(anna: 0.8)], beside: six).verdict == .live)
  }

  @Test("another face, among the embeddings or in a frame, is refused whatever the means say")
  func otherFace() throws {
    let mixed = six.dropLast(2) + [Face.bert, Face.anna]
    for (probe, frames) in [
      ([Face.bert], six), ([Face.anna, Face.anna, Face.bert], six), ([Face.anna], Array(mixed)),
      ([Face.like(anna: 0.7, bert: 0.7)], Array(mixed.dropLast(2)) + [Face.carl, Face.anna]),
    ] {
      for binding in FaceBinding.allCases {
        let refused = try held(probe, beside: frames, binding)
        #expect(refused.verdict == .notLive && refused.reasons == [.otherFace] && refused.score == 0)
        #expect(refused.cues[BoundFace.cue]! < 0.5)
      }
    }
  }

  @Test(
    "without embeddings to compare a capture is inconclusive where the policy asks for them, and only there")
  func nothingToCompare() throws {
    let other = EmbeddingSpace.test(dimension: 4, model: "other")
    let gaps: [([[Float]?], EmbeddingSpace?, LivenessReason)] = [
      (six, other, .otherEmbeddingModel), (six, nil, .missingEmbeddings),
      ([[Float]?](repeating: nil, count: 6), Bank.space, .missingEmbeddings),
      (Array(six.prefix(4)), Bank.space, .missingEmbeddings),
      (six + [nil], Bank.space, .missingEmbeddings), ([nil] + six, Bank.space, .missingEmbeddings),
    ]
    for (frames, model, reason) in gaps {
      let refused = try held([Face.anna], beside: frames, of: model)
      #expect(refused.verdict == .unusable && refused.reasons == [reason] && refused.score == nil)
      #expect(try held([Face.anna], beside: frames, of: model, .whereGiven) == Self.live)
    }
    // Numbers that are no embedding can't be anybody's.
    let none = [[Float]?](repeating: [0, 0, 0, 0], count: 6)
    #expect(try held([Face.anna], beside: none, .whereGiven).reasons == [.otherFace])
  }

  @Test("passive scores alone show no face, and are inconclusive where one is required")
  func passiveAlone() throws {
    func held(_ binding: FaceBinding) throws -> LivenessAssessment {
      let inputs = [UncheckedEmbedding(Face.anna, space: Bank.space)]
      return BoundFace.held(
        Self.live, of: Attempt(key: "k", capture: .live, embeddings: inputs),
        probe: try fused(inputs, in: Bank.space), by: try Bank.policy(faceBinding: binding))
    }
    let refused = try held(.required)
    #expect(refused.verdict == .unusable && refused.reasons == [.missingEmbeddings] && refused.score == nil)
    #expect(try held(.whereGiven) == Self.live)
  }

  @Test(
    "by the default an upstream passive check alone verifies nobody, and uses an attempt",
    arguments: TestStore.all)
  func passiveThroughEngine(on kind: TestStore) async throws {
    let bank = try await Bank(on: kind, policy: Bank.policy(faceBinding: .required))
    try await bank.enrol("s1", of: "anna", Face.anna)
    let answer = try await bank.submit(.test("1", Face.anna), to: bank.begin())
    #expect(answer == .retry(.captureUnusable, attemptsRemaining: 2))
    let record = try #require(try await bank.records().last)
    #expect(record.evidence?.liveness.reasons == [.missingEmbeddings] && record.evidence?.scores == nil)
    #expect(try await bank.engine.replay(record) == .confirmed)
  }

  // MARK: Through the engine

  private static let space = EmbeddingSpace.test(dimension: 128)
  private static let cohort = SyntheticCohort(seed: 3, dimension: 128)
  private static func face(_ person: Int) -> [Float] { cohort.embedding(subject: person, image: 0) }

  /// An engine that judges recordings, with one user, whose face is the cohort's number 0.
  private struct Room {
    let clock = ManualClock()
    let scorer: CaptureLivenessScorer
    let engine: ReVerificationEngine
    let bank: Bank

    /// The liveness model's embeddings are of `space`, as the frames' are.
    init(_ binding: FaceBinding, of space: EmbeddingSpace = BoundFaceTests.space) async throws {
      let package = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3)
      var model = try LivenessModel.load(
        path: package.joined(separator: "/") + "/models/liveness/simulated-ideal-68.json")
      model.embeddingModel = .init(space)
      scorer = try CaptureLivenessScorer(
        detector: LivenessDetector(models: [model]), model: "test",
        challengeKey: [UInt8](repeating: 1, count: 32), replayKey: [UInt8](repeating: 2, count: 32),
        clock: clock)
      bank = try await Bank(
        policy: ReVerificationPolicy(
          verifyThreshold: SimilarityThreshold(0.5)!, recogniseThreshold: SimilarityThreshold(0.6)!,
          lockOut: nil,
          faceBinding: binding))
      engine = try await Bank.engine(
        on: bank.inner, clock, scorer, seed: 1,
        gallery: Gallery(space: BoundFaceTests.space, configuration: .init(threadCount: 1)))
      try await bank.addUser("anna")
      _ = try await engine.enrol(
        SessionApproval(
          id: "s1", organisation: Bank.organisation, workflow: Bank.onboarding, user: "anna",
          approvedAt: clock.now(),
          embeddings: [UncheckedEmbedding(BoundFaceTests.face(0), space: BoundFaceTests.space)]))
    }

    /// Whether the liveness model lets it pass; nothing is remembered.
    private func isLive(_ capture: SubmittedCapture, _ challenge: Challenge, at now: Instant) throws -> Bool {
      try scorer.reassess(capture, for: challenge, at: now, findings: []).verdict == .live
    }

    /// What is answered to a live capture of `person`, with the embedding of `claimed`, and the decision's record.
    func submit(
      _ person: Int, embedding claimed: Int, of space: EmbeddingSpace = BoundFaceTests.space
    ) async throws -> (Answer, DecisionRecord) {
      try await submit(person, beside: BoundFaceTests.face(claimed), of: space)
    }

    func submit(
      _ person: Int, beside values: [Float], of space: EmbeddingSpace = BoundFaceTests.space
    ) async throws -> (Answer, DecisionRecord) {
      let result = try await engine.begin(
        workflowID: Bank.onboarding, email: Bank.email(of: "anna"), apiKey: Bank.secret)
      guard case .begun(let begun) = result, let schedule = begun.schedule else {
        throw Unexpected("\(result)")
      }
      let simulator = CaptureSimulator(seed: 4711, profile: .ideal(.sixtyEight))
      for subject in 0..<20 {
        let shown = simulator.capture(
          .bonaFide, subject: subject, index: person, answering: schedule,
          face: SimulatedFace(model: .init(space), embedding: BoundFaceTests.face(person)))
        let capture = SubmittedCapture(shown.capture)
        guard try isLive(capture, begun.challenge, at: shown.received) else { continue }
        clock.set(to: shown.received)
        let probe = UncheckedEmbedding(values, space: BoundFaceTests.space)
        let answer = try await engine.submit(
          Attempt(key: "1", capture: capture, embeddings: [probe]), to: begun.id)
        let records = try await engine.decisionRecords(of: Bank.organisation)
        return (answer, try #require(records.last).record)
      }
      throw Unexpected("no simulated capture passed")
    }
  }

  @Test(
    "an attacker's own live capture beside a victim's embedding is refused, no score is formed, and it replays"
  )
  func swapped() async throws {
    for binding in FaceBinding.allCases {
      let room = try await Room(binding)
      let (answer, record) = try await room.submit(1, embedding: 0)
      #expect(answer == .retry(.livenessFailed, attemptsRemaining: 2))
      #expect(record.evidence?.liveness.reasons == [.otherFace] && record.evidence?.scores == nil)
      #expect(try await room.engine.replay(record) == .confirmed)
    }
  }

  @Test("the user's own capture and embedding are verified, and replay bit for bit")
  func own() async throws {
    let room = try await Room(.required)
    let (answer, record) = try await room.submit(0, embedding: 0)
    guard case .ended(.verified) = answer else { throw Unexpected("\(answer)") }
    let score = try #require(record.evidence?.liveness.cues[BoundFace.cue])
    #expect(score > 0.5 && score < 1)
    #expect(try await room.engine.replay(record) == .confirmed)
    let scores = try #require(record.evidence?.scores)
    let frames = try #require(scores.frames)
    #expect(frames.claimed.map(\.session) == ["s1"] && frames.claimed[0].score != scores.claimed[0].score)
    #expect(frames.claimed[0].score.value > 0.9)
    // A record from before frames were scored replays without; an edited score does not.
    let older = MatchScores(claimed: scores.claimed)
    #expect(try await room.engine.replay(record.with(scores: older)) == .confirmed)
    let first = frames.claimed[0]
    let edited = ScoredReference(
      session: first.session, user: first.user, workflow: first.workflow, approvedAt: first.approvedAt,
      score: SimilarityScore(first.score.value.nextDown))
    let forged = scores.beside(MatchScores(claimed: [edited]))
    #expect(try await room.engine.replay(record.with(scores: forged)) == .differs([.frameScores]))
  }

  /// Bug: likeness to the probe was asked of the frames, and of the probe likeness to the references; a mixture of two faces has
  /// both, so that an attacker's own capture and one stolen picture were enough.
  @Test(
    "an embedding mixed of the attacker's face and the victim's matches, and the face in the frames does not")
  func mixed() async throws {
    func unit(_ person: Int) -> [Float] {
      let face = Self.face(person)
      let norm = face.reduce(0) { $0 + $1 * $1 }.squareRoot()
      return face.map { $0 / norm }
    }
    let half = zip(unit(0), unit(1)).map { $0 + $1 }
    for binding in FaceBinding.allCases {
      let room = try await Room(binding)
      let (answer, record) = try await room.submit(1, beside: half)
      let evidence = try #require(record.evidence)
      #expect(evidence.liveness.verdict == .live && (evidence.liveness.cues[BoundFace.cue] ?? 0) >= 0.5)
      let scores = try #require(evidence.scores)
      #expect(MatchScores(claimed: scores.claimed).verdict(by: record.policy!) == .verified("s1"))
      #expect(try #require(scores.frames).claimed[0].score.value < 0.5)
      #expect(answer == .retry(.faceNotMatched, attemptsRemaining: 2))
      #expect(try await room.engine.replay(record) == .confirmed)
    }
  }

  @Test(
    "frames of another embedding model can't be judged where embeddings of the matching space are required")
  func otherModel() async throws {
    let other = EmbeddingSpace.test(dimension: 128, model: "other")
    let room = try await Room(.required, of: other)
    let (answer, record) = try await room.submit(0, embedding: 0, of: other)
    #expect(answer == .retry(.captureUnusable, attemptsRemaining: 2))
    #expect(record.evidence?.liveness.reasons == [.otherEmbeddingModel])
    #expect(try await room.engine.replay(record) == .confirmed)
    let lax = try await Room(.whereGiven, of: other)
    let (verified, _) = try await lax.submit(0, embedding: 0, of: other)
    guard case .ended(.verified) = verified else { throw Unexpected("\(verified)") }
  }
}
