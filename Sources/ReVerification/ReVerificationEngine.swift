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

    public init(claimLease: Duration = .zero) {
      self.claimLease = claimLease
    }
  }

  let store: any EnrolmentStore
  let gallery: Gallery
  let liveness: any LivenessScorer
  let clock: any WallClock
  let randomness: any RandomSource
  let configuration: Configuration
  /// This opening's name, by which its own claims are told from those of others.
  let id: EngineID

  private var attemptTurns = Turns<ReVerificationID>()
  private var enrolmentTurns = Turns<EnrolmentLine>()
  private var calls: [Call: Task<Result<Answer, ReVerificationError>, Never>] = [:]
  private var running: [ReVerificationID: ClaimID] = [:]

  /// A submission: equal ones are one, and get one answer.
  private struct Call: Hashable {
    let id: ReVerificationID
    let key: IdempotencyKey
    let content: Digest
  }

  private struct EnrolmentLine: Hashable {
    let session: SessionID
    let organisation: OrganisationID
  }

  /// An engine on `store`, once all enrolled sessions are in `gallery`, whose space is the engine's.
  ///
  /// Sessions of another space stay in the store and take no part. Throws kind `storage`, code `storeDamaged` for a
  /// session whose embeddings can't be read.
  public static func open(
    store: any EnrolmentStore, gallery: Gallery, liveness: any LivenessScorer,
    clock: any WallClock = SystemClock(), randomness: any RandomSource = SystemRandomness(),
    configuration: Configuration = Configuration()
  ) async throws(ReVerificationError) -> ReVerificationEngine {
    let engine = ReVerificationEngine(
      store: store, gallery: gallery, liveness: liveness, clock: clock, randomness: randomness,
      configuration: configuration)
    try await engine.loadGallery()
    return engine
  }

  private init(
    store: any EnrolmentStore, gallery: Gallery, liveness: any LivenessScorer, clock: any WallClock,
    randomness: any RandomSource, configuration: Configuration
  ) {
    self.store = store
    self.gallery = gallery
    self.liveness = liveness
    self.clock = clock
    self.randomness = randomness
    self.configuration = configuration
    id = randomness.identifier()
  }

  /// The answer to a submission, when its turn has come; joins an equal one that is under way.
  func answer(
    to prepared: PreparedAttempt, for id: ReVerificationID
  ) async -> Result<Answer, ReVerificationError> {
    let call = Call(id: id, key: prepared.attempt.key, content: prepared.content)
    if let underWay = calls[call] { return await underWay.value }
    let turn = attemptTurns.take(for: id) { await self.judge(prepared, for: id) }
    calls[call] = turn
    let result = await turn.value
    calls[call] = nil
    attemptTurns.leave(id)
    return result
  }

  /// Lets enrolments of one session happen one after the other.
  func enrolInTurn(
    _ approval: SessionApproval, _ reference: Reference
  ) async -> Result<EnrolmentResult, ReVerificationError> {
    let line = EnrolmentLine(session: approval.id, organisation: approval.organisation)
    let turn = enrolmentTurns.take(for: line) { await self.enrol(approval, reference) }
    let result = await turn.value
    enrolmentTurns.leave(line)
    return result
  }

  /// How many submissions to a re-verification are under way or in line.
  func submissions(to id: ReVerificationID) -> Int {
    attemptTurns.length(of: id)
  }

  func setRunning(_ claim: ClaimID?, for id: ReVerificationID) {
    running[id] = claim
  }

  func isRunning(_ claim: ClaimID, for id: ReVerificationID) -> Bool {
    running[id] == claim
  }
}
