import Biometrics
import EnrolmentStore

/// A store whose writes fail when a test says so, on top of one that works.
public final class FailingStore: EnrolmentStore {
  /// When a failing write fails.
  public enum Moment: String, CaseIterable, Sendable {
    /// Nothing was written.
    case beforeWriting
    /// All was written, and only the word of it is lost.
    case afterWriting
  }

  private struct Plan {
    var writes = 0
    var failing: [Int: Moment] = [:]
  }

  private let store: any EnrolmentStore
  private let plan = Guarded(Plan())

  public init(_ store: any EnrolmentStore) {
    self.store = store
  }

  /// Commits tried so far.
  public var writes: Int { plan.withLock { $0.writes } }

  /// Lets the `count`-th commit from now fail, 1 for the next.
  public func failWrite(_ count: Int, _ moment: Moment) {
    plan.withLock { $0.failing[$0.writes + count] = moment }
  }

  public func commit(_ changes: [StoreChange]) async throws(StoreError) {
    let failure = plan.withLock { plan in
      plan.writes += 1
      return plan.failing[plan.writes]
    }
    if failure != .beforeWriting { try await store.commit(changes) }
    if let failure { throw StoreError(.unavailable, "made to fail \(failure.rawValue)") }
  }

  public func organisations() async throws(StoreError) -> [Organisation] {
    try await store.organisations()
  }

  public func organisation(_ id: OrganisationID) async throws(StoreError) -> Organisation? {
    try await store.organisation(id)
  }

  public func workflow(
    _ id: WorkflowID, in organisation: OrganisationID
  ) async throws(StoreError) -> Workflow? {
    try await store.workflow(id, in: organisation)
  }

  public func user(_ id: UserID, in organisation: OrganisationID) async throws(StoreError) -> User? {
    try await store.user(id, in: organisation)
  }

  public func user(
    withEmail email: EmailAddress, in organisation: OrganisationID
  ) async throws(StoreError) -> User? {
    try await store.user(withEmail: email, in: organisation)
  }

  public func apiKey(_ digest: Digest) async throws(StoreError) -> APIKey? {
    try await store.apiKey(digest)
  }

  public func balance(of organisation: OrganisationID) async throws(StoreError) -> Credits? {
    try await store.balance(of: organisation)
  }

  public func session(
    _ id: SessionID, in organisation: OrganisationID
  ) async throws(StoreError) -> EnrolledSession? {
    try await store.session(id, in: organisation)
  }

  public func sessions(
    of user: UserID, in organisation: OrganisationID
  ) async throws(StoreError) -> [ApprovedSession] {
    try await store.sessions(of: user, in: organisation)
  }

  public func sessions(
    in organisation: OrganisationID, after sequence: Int64, limit: Int
  ) async throws(StoreError) -> [NumberedSession] {
    try await store.sessions(in: organisation, after: sequence, limit: limit)
  }

  public func reVerification(_ id: ReVerificationID) async throws(StoreError) -> StoredReVerification? {
    try await store.reVerification(id)
  }

  public func failures(
    of user: UserID, in organisation: OrganisationID
  ) async throws(StoreError) -> FailureCounter {
    try await store.failures(of: user, in: organisation)
  }

  public func decisions(
    of organisation: OrganisationID, after sequence: Int64, limit: Int
  ) async throws(StoreError) -> [NumberedDecision] {
    try await store.decisions(of: organisation, after: sequence, limit: limit)
  }

  public func preparingSessions(
    in organisation: OrganisationID, limit: Int
  ) async throws(StoreError) -> [NumberedSession] {
    try await store.preparingSessions(in: organisation, limit: limit)
  }

  public func lastSession(in organisation: OrganisationID) async throws(StoreError) -> Int64 {
    try await store.lastSession(in: organisation)
  }

  public var snapshots: SnapshotFolder? { store.snapshots }

  public func galleryVersion() async throws(StoreError) -> GalleryVersion {
    try await store.galleryVersion()
  }

  public func evidence(
    of reVerification: ReVerificationID, attempt: Int
  ) async throws(StoreError) -> AttemptEvidence? {
    try await store.evidence(of: reVerification, attempt: attempt)
  }

  public func seenCaptures(
    after sequence: Int64, limit: Int
  ) async throws(StoreError) -> [NumberedCapture] {
    try await store.seenCaptures(after: sequence, limit: limit)
  }

  public func chainHead(of organisation: OrganisationID) async throws(StoreError) -> ChainHead {
    try await store.chainHead(of: organisation)
  }

  public func audit(
    of organisation: OrganisationID, noted: ChainHead?
  ) async throws(StoreError) -> ChainAudit {
    try await store.audit(of: organisation, noted: noted)
  }

  public func erasures(after sequence: Int64, limit: Int) async throws(StoreError) -> [NumberedErasure] {
    try await store.erasures(after: sequence, limit: limit)
  }

  public func pastRetention(
    in organisation: OrganisationID, at now: Instant, limit: Int
  ) async throws(StoreError) -> [Erasure.Subject] {
    try await store.pastRetention(in: organisation, at: now, limit: limit)
  }
}
