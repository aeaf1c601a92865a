import Biometrics

/// Where the engine keeps what must outlive it.
///
/// Reads see the latest commit. Writes go through `commit` alone, which is atomic and durable: when it returns,
/// all its changes outlive the process; when it throws `conflict`, `missing`, `emailTaken` or `erased`, none has happened.
/// After `unavailable` either may be the case, and the engine is written to be right both ways. Several engines
/// may share a store, since nothing read earlier is trusted at commit: it names the revision it was made from.
public protocol EnrolmentStore: Sendable {
  func organisations() async throws(StoreError) -> [Organisation]
  func organisation(_ id: OrganisationID) async throws(StoreError) -> Organisation?
  func workflow(
    _ id: WorkflowID, in organisation: OrganisationID
  ) async throws(StoreError) -> Workflow?
  func user(_ id: UserID, in organisation: OrganisationID) async throws(StoreError) -> User?
  func user(
    withEmail email: EmailAddress, in organisation: OrganisationID
  ) async throws(StoreError) -> User?
  func apiKey(_ digest: Digest) async throws(StoreError) -> APIKey?
  /// The organisation's balance; `nil` when it has none, and so can't run out of it.
  func balance(of organisation: OrganisationID) async throws(StoreError) -> Credits?

  func session(
    _ id: SessionID, in organisation: OrganisationID
  ) async throws(StoreError) -> EnrolledSession?
  /// The user's sessions in the order of enrolment.
  func sessions(
    of user: UserID, in organisation: OrganisationID
  ) async throws(StoreError) -> [ApprovedSession]
  /// The first `limit` sessions enrolled after the one numbered `sequence`, in the order of enrolment.
  func sessions(
    in organisation: OrganisationID, after sequence: Int64, limit: Int
  ) async throws(StoreError) -> [NumberedSession]
  /// The first `limit` sessions that are still `preparing`, in the order of enrolment.
  func preparingSessions(
    in organisation: OrganisationID, limit: Int
  ) async throws(StoreError) -> [NumberedSession]
  /// The number of the session enrolled last, erased or not; 0 before the first.
  func lastSession(in organisation: OrganisationID) async throws(StoreError) -> Int64
  /// Changes whenever a session is enrolled, prepared, refused or erased.
  func galleryVersion() async throws(StoreError) -> GalleryVersion
  /// Where the gallery's snapshots are kept; `nil` where none are.
  var snapshots: SnapshotFolder? { get }

  func reVerification(_ id: ReVerificationID) async throws(StoreError) -> StoredReVerification?
  /// The user's counter; one at revision 0 when they have never failed.
  func failures(
    of user: UserID, in organisation: OrganisationID
  ) async throws(StoreError) -> FailureCounter
  /// The first `limit` decisions after the one numbered `sequence`, in order.
  func decisions(
    of organisation: OrganisationID, after sequence: Int64, limit: Int
  ) async throws(StoreError) -> [NumberedDecision]
  /// What an attempt was judged on; `nil` when it was not kept, or erased.
  func evidence(
    of reVerification: ReVerificationID, attempt: Int
  ) async throws(StoreError) -> AttemptEvidence?
  /// The first `limit` captures seen after the one numbered `sequence`, of all organisations, in the order they came.
  func seenCaptures(after sequence: Int64, limit: Int) async throws(StoreError) -> [NumberedCapture]
  /// Where the chain of the organisation's decisions ends, for noting elsewhere.
  func chainHead(of organisation: OrganisationID) async throws(StoreError) -> ChainHead
  /// Checks the chain of the organisation's decisions from its start, and that it contains a head `noted` earlier.
  /// Both also of an erased organisation; `missing` for one that never was.
  func audit(
    of organisation: OrganisationID, noted: ChainHead?
  ) async throws(StoreError) -> ChainAudit

  /// The first `limit` erasures after the one numbered `sequence`, of all organisations, in order.
  func erasures(after sequence: Int64, limit: Int) async throws(StoreError) -> [NumberedErasure]
  /// At most `limit` sessions and evidences whose workflow's retention period is over at `now`, to be erased.
  func pastRetention(
    in organisation: OrganisationID, at now: Instant, limit: Int
  ) async throws(StoreError) -> [Erasure.Subject]

  /// Makes all changes, in order, or none.
  func commit(_ changes: [StoreChange]) async throws(StoreError)
}

extension EnrolmentStore {
  public var snapshots: SnapshotFolder? { nil }
}

/// One change of a commit.
public enum StoreChange: Hashable, Sendable {
  /// Adds or replaces an organisation.
  case organisation(Organisation)
  /// Adds or replaces a workflow of a known organisation.
  case workflow(Workflow)
  /// Adds or replaces a user of a known organisation; `emailTaken` when another one has the address.
  case user(User)
  /// Adds a key of a known organisation, or replaces the one of the same id; `conflict` when another has its secret.
  case apiKey(APIKey)
  /// Sets or, with `nil`, lifts a known organisation's balance.
  case balance(Credits?, of: OrganisationID)
  /// Takes an amount off the balance, below zero if need be; nothing where there is none.
  case charge(Credits, to: OrganisationID)
  /// Adds a session of a known workflow and user; `conflict` when its id is in use.
  case enrol(EnrolledSession)
  /// Says of an enrolled session that its reference takes part in comparisons.
  case ready(SessionID, in: OrganisationID)
  /// Says of an enrolled session that its reference takes no part in comparisons.
  case refused(SessionID, in: OrganisationID)
  /// Stores a re-verification; `conflict` unless its revision is the stored one's (0: none is stored).
  case reVerification(StoredReVerification)
  /// Stores a counter; `conflict` unless its revision is the stored one's.
  case failures(FailureCounter)
  /// Appends a decision of a known organisation, numbered next, and to the chain.
  case decision(DecisionRecord)
  /// Keeps what an attempt of a stored re-verification was judged on, or replaces it. Nothing is kept when the user or
  /// the evidence was erased meanwhile.
  case evidence(AttemptEvidence)
  /// Keeps what must be known of a capture that was judged, behind all others, or replaces what was kept by that name.
  case captureSeen(SeenCapture)
  /// Forgets the captures that are of no use any more at an instant.
  case forgetCaptures(expiredAt: Instant)
  /// Erases a subject and adds to the ledger of erasures; again, it changes nothing. `missing` for one that was never there.
  /// When a process ends in the midst of a commit, its erasures may have been made without its other changes.
  case erase(Erasure)
}
