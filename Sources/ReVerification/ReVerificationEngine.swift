import Biometrics
import EnrolmentStore
import FaceMatching

/// Re-verifies users: is the person now in front of the camera the one who was verified before?
///
/// Drives `ReVerification` values kept in a store. What it decides is durable before anybody hears of it; all calls
/// may be made at any time, from anywhere, as often as needed. A call once made is carried through, even when the
/// calling task is cancelled.
public actor ReVerificationEngine {
  public struct Configuration: Hashable, Sendable {
    /// How long after it was made another engine's claim is taken for lost. Zero, right for an engine that has its
    /// store to itself, takes it for lost at once, so that a restart goes on without delay. Engines that share a
    /// store need more than their longest evaluation takes.
    public var claimLease: Duration
    /// Whether capture and probe of each judged attempt are kept, so that its decision can be made again (`replay`). They are
    /// biometric data: they are encrypted, go by the workflow's retention period, and are erased with their user.
    public var keepsEvidence: Bool

    public init(claimLease: Duration = .zero, keepsEvidence: Bool = true) {
      self.claimLease = claimLease
      self.keepsEvidence = keepsEvidence
    }
  }

  let store: any EnrolmentStore
  let feed: GalleryFeed
  let liveness: any LivenessScorer
  let clock: any WallClock
  let randomness: any RandomSource
  let configuration: Configuration
  let observer: any EngineObserver
  /// This opening's name, by which its own claims are told from those of others.
  let id: EngineID

  private var attemptTurns = Turns<ClaimedUser>()
  private var galleryTurns = Turns<OrganisationID>()
  /// What is to be said of sessions that are in the gallery, in order.
  private var preparations: [OrganisationID: [StoreChange]] = [:]
  /// Where each organisation's gallery came from when the engine opened.
  public private(set) var origins: [OrganisationID: GalleryOrigin] = [:]
  private var calls: [Call: Task<Result<Answer, ReVerificationError>, Never>] = [:]
  private var running: [ReVerificationID: ClaimID] = [:]

  /// Whose attempts are judged one after the other: a failure is stored, and so locks out, before the next is claimed.
  struct ClaimedUser: Hashable {
    let organisation: OrganisationID
    let user: UserID
  }

  /// A submission: equal ones are one, and get one answer.
  private struct Call: Hashable {
    let id: ReVerificationID
    let key: IdempotencyKey
    let content: Digest
  }

  /// An engine on `store`, once all enrolled sessions are in `gallery`, whose space is the engine's. `progress` hears how
  /// many were read so far.
  ///
  /// They come from the store's snapshots (`checkpoint`) where those are of its present state, and from the store else:
  /// `origins` says which and why. Sessions of another space stay in the store and take no part. Throws kind `storage`, code `storeDamaged` for a
  /// session whose embeddings can't be read.
  public static func open(
    store: any EnrolmentStore, gallery: Gallery, liveness: any LivenessScorer,
    clock: any WallClock = SystemClock(), randomness: any RandomSource = SystemRandomness(),
    configuration: Configuration = Configuration(), observer: (any EngineObserver)? = nil,
    progress: (Int) -> Void = { _ in }
  ) async throws(ReVerificationError) -> ReVerificationEngine {
    let engine = ReVerificationEngine(
      store: store, gallery: gallery, liveness: liveness, clock: clock, randomness: randomness,
      configuration: configuration, observer: observer ?? SilentObserver())
    try await engine.load(progress: progress)
    try await engine.restoreCaptures()
    return engine
  }

  private init(
    store: any EnrolmentStore, gallery: Gallery, liveness: any LivenessScorer, clock: any WallClock,
    randomness: any RandomSource, configuration: Configuration, observer: any EngineObserver
  ) {
    self.store = store
    feed = GalleryFeed(gallery)
    self.liveness = liveness
    self.clock = clock
    self.randomness = randomness
    self.configuration = configuration
    self.observer = observer
    id = randomness.identifier()
  }

  /// The answer to a submission, when its turn among the user's has come; joins an equal one that is under way.
  func answer(
    to prepared: PreparedAttempt, of user: ClaimedUser, decodedIn decoding: Duration, for id: ReVerificationID
  ) async -> Result<Answer, ReVerificationError> {
    let call = Call(id: id, key: prepared.attempt.key, content: prepared.content)
    if let underWay = calls[call] { return await underWay.value }
    let turn = attemptTurns.take(for: user) {
      await self.judge(prepared, decodedIn: decoding, for: id)
    }
    calls[call] = turn
    let result = await turn.value
    calls[call] = nil
    attemptTurns.leave(user)
    return result
  }

  /// Lets what changes an organisation's part of the gallery happen one after the other.
  func inTurn<Value: Sendable>(
    of organisation: OrganisationID,
    _ work: @escaping @Sendable (ReVerificationEngine) async throws(ReVerificationError) -> Value
  ) async throws(ReVerificationError) -> Value {
    let turn = galleryTurns.take(for: organisation) {
      await Result { () async throws(ReVerificationError) in try await work(self) }
    }
    let result = await turn.value
    galleryTurns.leave(organisation)
    return try result.get()
  }

  func note(_ origin: GalleryOrigin, of organisation: OrganisationID) {
    origins[organisation] = origin
    observer.observe(.opened(organisation, origin))
  }

  /// Notes what is to be said of a session that is in the gallery.
  func note(_ change: StoreChange, for organisation: OrganisationID) {
    preparations[organisation, default: []].append(change)
  }

  func notedPreparations(of organisation: OrganisationID) -> [StoreChange] {
    preparations[organisation] ?? []
  }

  /// Forgets the first `count` notes, which were said.
  func forgetPreparations(of organisation: OrganisationID, count: Int) {
    preparations[organisation]?.removeFirst(count)
    if preparations[organisation]?.isEmpty ?? false { preparations[organisation] = nil }
  }

  /// How many submissions to a re-verification are under way or in line.
  func submissions(to id: ReVerificationID) -> Int {
    calls.keys.count { $0.id == id }
  }

  func setRunning(_ claim: ClaimID?, for id: ReVerificationID) {
    running[id] = claim
  }

  func isRunning(_ claim: ClaimID, for id: ReVerificationID) -> Bool {
    running[id] == claim
  }
}
