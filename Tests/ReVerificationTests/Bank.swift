import Biometrics
import EnrolmentStore
import FaceMatching
import ReVerification
import TestSupport
import Testing

/// A bank with an engine, for tests: two workflows, users with faces at right angles to each other, one API key.
struct Bank {
  static let organisation: OrganisationID = "bank"
  static let onboarding: WorkflowID = "onboarding"
  static let payout: WorkflowID = "payout"
  static let secret = "live secret"
  static let space = EmbeddingSpace.test(dimension: 4)

  private(set) var box: StoreBox
  private(set) var store: FailingStore
  let clock: ManualClock
  let scorer: ScriptedScorer
  let seed: UInt64
  let observer = RecordingObserver()
  private(set) var engine: ReVerificationEngine
  /// The engine's gallery, and what its opening said of its progress.
  private(set) var gallery: Gallery
  private(set) var loaded: [Int] = []

  /// The store behind the failing one.
  var inner: any EnrolmentStore { box.store }

  /// Without a lock-out and a balance unless said otherwise.
  init(
    on kind: TestStore = .inMemory, policy: ReVerificationPolicy? = nil, balance: Credits? = nil,
    scorer: ScriptedScorer = ScriptedScorer(),
    seed: UInt64 = 1
  ) async throws {
    box = try await kind.make()
    store = FailingStore(box.store)
    clock = ManualClock()
    self.scorer = scorer
    self.seed = seed
    let policy = try policy ?? Self.policy()
    try await box.store.commit([
      .organisation(Organisation(id: Self.organisation)), .balance(balance, of: Self.organisation),
      .workflow(Workflow(id: Self.onboarding, organisation: Self.organisation, policy: policy)),
      .workflow(Workflow(id: Self.payout, organisation: Self.organisation, policy: policy)),
      .apiKey(APIKey(id: "key", secret: Self.secret, organisation: Self.organisation)),
    ])
    gallery = try Self.emptyGallery()
    engine = try await Self.engine(on: store, clock, scorer, seed: seed, gallery: gallery, observer: observer)
  }

  static func emptyGallery() throws -> Gallery {
    try Gallery(space: space, configuration: .init(threadCount: 1))
  }

  /// Most captures here are passive scores, which show no face.
  static func policy(
    verify: Float = 0.5, recognise: Float = 0.6, attempts: Int = 3, lockOut: LockOutPolicy? = nil,
    faceBinding: FaceBinding = .whereGiven
  ) throws -> ReVerificationPolicy {
    try ReVerificationPolicy(
      verifyThreshold: #require(SimilarityThreshold(verify)),
      recogniseThreshold: #require(SimilarityThreshold(recognise)), attempts: attempts, lockOut: lockOut,
      faceBinding: faceBinding)
  }

  static func engine(
    on store: any EnrolmentStore, _ clock: ManualClock, _ scorer: any LivenessScorer, seed: UInt64,
    claimLease: Duration = .zero, gallery: Gallery? = nil, observer: (any EngineObserver)? = nil,
    progress: (Int) -> Void = { _ in }
  ) async throws -> ReVerificationEngine {
    try await ReVerificationEngine.open(
      store: store, gallery: gallery ?? emptyGallery(), liveness: scorer, clock: clock,
      randomness: SeededRandomness(seed: seed), configuration: .init(claimLease: claimLease),
      observer: observer, progress: progress)
  }

  /// Ends the engine as a crash would, and opens another on what the store holds.
  mutating func reopen(seed: UInt64) async throws {
    box = try await box.reopened()
    store = FailingStore(box.store)
    gallery = try Self.emptyGallery()
    var loaded: [Int] = []
    engine = try await Self.engine(
      on: store, clock, scorer, seed: seed, gallery: gallery, observer: observer
    ) { loaded.append($0) }
    self.loaded = loaded
  }

  func addUser(_ id: UserID) async throws {
    try await inner.commit([
      .user(User(id: id, organisation: Self.organisation, email: #require(EmailAddress(Self.email(of: id)))))
    ])
  }

  static func email(of user: UserID) -> String { "\(user)@example.com" }

  /// Enrols one face of a user, whom it makes known first.
  @discardableResult
  func enrol(
    _ session: SessionID, of user: UserID, _ face: [Float], on workflow: WorkflowID = onboarding,
    approvedAt: Int64 = 0
  ) async throws -> Enrolment.Status {
    if try await inner.user(user, in: Self.organisation) == nil { try await addUser(user) }
    return try await engine.enrol(
      SessionApproval(
        id: session, organisation: Self.organisation, workflow: workflow, user: user,
        approvedAt: Instant(millisecondsSince1970: approvedAt),
        embeddings: [UncheckedEmbedding(face, space: Self.space)])
    ).status
  }

  /// Begins for a user who is eligible.
  func begin(_ user: UserID = "anna", on workflow: WorkflowID = onboarding) async throws -> Begun {
    let result = try await engine.begin(
      workflowID: workflow, email: Self.email(of: user), apiKey: Self.secret)
    guard case .begun(let begun) = result else {
      throw Unexpected("begin gave \(result)")
    }
    return begun
  }

  func submit(_ attempt: Attempt, to begun: Begun) async throws -> Answer {
    try await engine.submit(attempt, to: begun.id)
  }

  func records() async throws -> [DecisionRecord] {
    try await engine.decisionRecords(of: Self.organisation, limit: .max).map(\.record)
  }

  /// The decisions that ended a re-verification.
  func endings(of id: ReVerificationID) async throws -> [DecisionRecord] {
    try await records().filter { record in
      if case .retry = record.conclusion { return false }
      return record.reVerification == id
    }
  }
}

/// Keeps what was observed.
final class RecordingObserver: EngineObserver {
  private let seen = Guarded<[EngineEvent]>([])

  var events: [EngineEvent] { seen.withLock { $0 } }

  var conspicuous: [EnrolmentChecks] {
    events.compactMap { if case .conspicuous(_, _, let checks) = $0 { checks } else { nil } }
  }

  func observe(_ event: EngineEvent) {
    seen.withLock { $0.append(event) }
  }
}

struct Unexpected: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}

/// Faces at right angles to each other, and mixtures of them.
enum Face {
  static let anna: [Float] = [1, 0, 0, 0]
  static let bert: [Float] = [0, 1, 0, 0]
  static let carl: [Float] = [0, 0, 1, 0]
  static let stranger: [Float] = [0, 0, 0, 1]

  /// A face whose cosine with each of the three is as given; the rest of it is like nobody.
  static func like(anna: Double = 0, bert: Double = 0, carl: Double = 0) -> [Float] {
    let rest = 1 - anna * anna - bert * bert - carl * carl
    precondition(rest >= 0, "no unit vector has these cosines")
    return [Float(anna), Float(bert), Float(carl), Float(rest.squareRoot())]
  }
}

/// The engine's captures, for tests that speak of those of `Liveness` too.
typealias SubmittedCapture = Capture

extension Capture {
  static let live = Capture(passiveScores: [0.9, 0.9, 0.9])
  static let spoof = Capture(passiveScores: [0.1, 0.1, 0.1])
  static let poor = Capture(passiveScores: [0.9])
}

extension Attempt {
  static func test(_ key: IdempotencyKey, _ face: [Float] = Face.stranger, _ capture: Capture = .live)
    -> Attempt
  {
    Attempt(key: key, capture: capture, embeddings: [UncheckedEmbedding(face, space: Bank.space)])
  }
}

/// That `work` throws the engine's error with this code.
func expect(
  _ code: ReVerificationError.Code, sourceLocation: SourceLocation = #_sourceLocation,
  _ work: () async throws -> Void
) async {
  await #expect(sourceLocation: sourceLocation) {
    try await work()
  } throws: { error in
    (error as? ReVerificationError)?.code == code
  }
}
