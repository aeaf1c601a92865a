import Biometrics
import EnrolmentStore
import Evaluation
import FaceMatching
import Liveness
import LivenessTraining
import ReVerification

/// Plays attacks of every species on enrolled users through the engine, liveness judged from recordings.
///
/// The face handed in always matches, or is mixed so as to: what is refused is refused for its liveness, or for being another than
/// the one that was judged. Captures are simulated, so the counts say nothing of people.
public struct AttackSimulation: Sendable {
  /// How the re-verifications of one species ended.
  public struct Row: Sendable, Codable {
    /// `bona_fide`, the attack's species, or an attacker's own capture that is judged live beside the victim's embedding
    /// (`embedding_swapped`) or one halfway between both (`embedding_mixed`).
    public let species: String
    public let verified: Int
    /// Of those with other embeddings, the captures alone that are live otherwise.
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
  static let mixed = "embedding_mixed"
  /// How many captures an attacker with other embeddings makes at most until one is live.
  private static let patience = 20

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
    let detector = try LivenessDetector(models: [model])
    let scorer = CaptureLivenessScorer(
      detector: detector, model: "liveness-\(try model.digest().prefix(16))",
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
        // Whoever swaps or mixes embeddings is somebody else, and shows himself.
        let isOther = name == Self.swapped || name == Self.mixed
        let shown = isOther ? perSpecies + user : user
        let tries = (0..<(isOther ? Self.patience : 1)).lazy.map { index in
          simulator.capture(species, subject: shown, index: index, answering: schedule, face: face(shown))
        }
        let received = clock.now() + .seconds(8)
        let found = try tries.first { made in
          guard isOther else { return true }
          return try detector.assess(made.capture, answering: schedule, received: received).verdict == .pass
        }
        guard let found else { continue }
        clock.advance(by: .seconds(8))
        let probe = name == Self.mixed ? mixed(shown, user) : embedding(user)
        let answer = try await engine.submit(
          Attempt(key: "attempt", capture: Capture(found.capture), embeddings: [probe]), to: begun.id)
        endings[begun.id] = (name, answer.isVerified)
      }
    }
    return try await rows(endings, engine)
  }

  private static let plays =
    AttackSpecies.allCases.map { ($0.rawValue, $0) } + [
      (swapped, AttackSpecies.bonaFide), (mixed, .bonaFide),
    ]

  private func embedding(_ person: Int) -> UncheckedEmbedding {
    UncheckedEmbedding(
      SyntheticCohort(seed: seed, dimension: Self.space.dimension).embedding(subject: person, image: 0),
      space: Self.space)
  }

  /// Halfway between two people: as like one as the other.
  private func mixed(_ one: Int, _ other: Int) -> UncheckedEmbedding {
    func unit(_ values: [Float]) -> [Float] {
      let norm = values.reduce(0) { $0 + $1 * $1 }.squareRoot()
      return values.map { $0 / norm }
    }
    let halves = zip(unit(embedding(one).values), unit(embedding(other).values))
    return UncheckedEmbedding(halves.map { $0 + $1 }, space: Self.space)
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
