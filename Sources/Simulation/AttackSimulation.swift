import Biometrics
import EnrolmentStore
import Evaluation
import FaceMatching
import Liveness
import LivenessTraining
import ReVerification

/// Plays attacks of every species on enrolled users through the engine, liveness judged from recordings.
///
/// The face handed in always matches: what is refused is refused for its liveness, or for being another than the one that was
/// judged. Captures are simulated, so the counts say nothing of people.
public struct AttackSimulation: Sendable {
  /// How the re-verifications of one species ended.
  public struct Row: Sendable, Codable {
    /// `bona_fide`, the attack's species, or `embedding_swapped`: an attacker's own honest capture beside the victim's embedding.
    public let species: String
    public let verified: Int
    public let played: Int
    /// What the attempts that did not pass were refused for, the most frequent first.
    public let reasons: [Reason]
    public let isStoppable: Bool
  }

  public struct Reason: Sendable, Codable {
    public let reason: LivenessReason
    public let count: Int
  }

  private let model: LivenessModel
  private let profile: LandmarkerProfile
  private let seed: UInt64
  private let perSpecies: Int

  private static let organisation: OrganisationID = "organisation"
  private static let workflow: WorkflowID = "onboarding"
  private static let secret = "a simulation's key"
  private static let space = EmbeddingSpace(
    model: "synthetic", weightsDigest: "none", dimension: 256, preprocessing: "none")
  static let swapped = "embedding_swapped"

  /// `perSpecies` re-verifications of each species, of one attempt each. The model must be of a landmarker that can be
  /// simulated; `nil` otherwise.
  public init?(model: LivenessModel, seed: UInt64, perSpecies: Int) {
    guard let profile = LandmarkerProfile.named.values.first(where: { $0.landmarker == model.landmarker })
    else {
      return nil
    }
    self.model = model.judging(embeddingsOf: Self.space)
    self.profile = profile
    self.seed = seed
    self.perSpecies = perSpecies
  }

  /// Plays all, live people first, and gives a row for each species.
  public func run() async throws -> [Row] {
    let clock = SimulationClock()
    let randomness = SeededRandomness(seed: seed)
    let scorer = CaptureLivenessScorer(
      detector: try LivenessDetector(models: [model]), model: "liveness-\(try model.digest().prefix(16))",
      challengeKey: randomness.bytes(32), replayKey: randomness.bytes(32), clock: clock)
    let engine = try await ReVerificationEngine.open(
      store: try store(), gallery: try Gallery(space: Self.space, configuration: .init(threadCount: 1)),
      liveness: scorer, clock: clock, randomness: randomness)
    for user in 0..<perSpecies {
      clock.advance(by: .seconds(1))
      _ = try await engine.enrol(
        SessionApproval(
          id: SessionID("session-\(user)"), organisation: Self.organisation, workflow: Self.workflow,
          user: UserID("user-\(user)"), approvedAt: clock.now(), embeddings: [embedding(user)]))
    }
    let simulator = CaptureSimulator(seed: seed &+ 0x6174_7461, profile: profile)
    var endings: [ReVerificationID: (name: String, isVerified: Bool)] = [:]
    for (name, species) in Self.plays {
      for user in 0..<perSpecies {
        clock.advance(by: .seconds(24 * 60 * 60))
        guard
          case .begun(let begun) = try await engine.begin(
            workflowID: Self.workflow, email: "user-\(user)@example.org", apiKey: Self.secret),
          let schedule = scorer.schedule(for: begun.challenge)
        else { continue }
        // Whoever swaps embeddings is somebody else, and shows himself.
        let shown = name == Self.swapped ? perSpecies + user : user
        let capture = simulator.capture(
          species, subject: shown, index: 0, answering: schedule, face: face(shown)
        )
        .capture
        clock.advance(by: .seconds(8))
        let answer = try await engine.submit(
          Attempt(key: "attempt", capture: Capture(capture), embeddings: [embedding(user)]), to: begun.id)
        endings[begun.id] = (name, answer.isVerified)
      }
    }
    return try await rows(endings, engine)
  }

  private static let plays =
    AttackSpecies.allCases.map { ($0.rawValue, $0) } + [(swapped, AttackSpecies.bonaFide)]

  private func embedding(_ person: Int) -> UncheckedEmbedding {
    UncheckedEmbedding(
      SyntheticCohort(seed: seed, dimension: Self.space.dimension).embedding(subject: person, image: 0),
      space: Self.space)
  }

  private func face(_ person: Int) -> SimulatedFace {
    SimulatedFace(model: .init(Self.space), embedding: embedding(person).values)
  }

  private func store() throws -> InMemoryStore {
    let store = InMemoryStore()
    let policy = try ReVerificationPolicy(
      verifyThreshold: SimilarityThreshold(0.5)!, recogniseThreshold: SimilarityThreshold(0.6)!, attempts: 1)
    var changes: [StoreChange] = [
      .organisation(Organisation(id: Self.organisation)),
      .workflow(Workflow(id: Self.workflow, organisation: Self.organisation, policy: policy)),
      .apiKey(APIKey(id: "key", secret: Self.secret, organisation: Self.organisation)),
    ]
    for user in 0..<perSpecies {
      changes.append(
        .user(
          User(
            id: UserID("user-\(user)"), organisation: Self.organisation,
            email: EmailAddress("user-\(user)@example.org")!)))
    }
    try store.commit(changes)
    return store
  }

  /// Counts endings by species, and reasons from the decision records.
  private func rows(
    _ endings: [ReVerificationID: (name: String, isVerified: Bool)], _ engine: ReVerificationEngine
  ) async throws -> [Row] {
    var reasons: [String: [LivenessReason: Int]] = [:]
    var last: Int64 = 0
    while case let page = try await engine.decisionRecords(of: Self.organisation, after: last),
      let end = page.last
    {
      for decision in page {
        guard let name = endings[decision.record.reVerification]?.name,
          let first = decision.record.evidence?.liveness.reasons.first
        else { continue }
        reasons[name, default: [:]][first, default: 0] += 1
      }
      last = end.sequence
    }
    return Self.plays.compactMap { name, species in
      let own = endings.values.filter { $0.name == name }
      guard !own.isEmpty else { return nil }
      return Row(
        species: name, verified: own.count { $0.isVerified }, played: own.count,
        reasons: (reasons[name] ?? [:])
          .sorted { $0.value != $1.value ? $0.value > $1.value : $0.key.rawValue < $1.key.rawValue }
          .map { Reason(reason: $0.key, count: $0.value) },
        isStoppable: species.isStoppable(withColours: true))
    }
  }
}

extension Answer {
  fileprivate var isVerified: Bool {
    if case .ended(.verified) = self { return true }
    return false
  }
}
