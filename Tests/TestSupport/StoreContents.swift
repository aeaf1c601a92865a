import Biometrics
import EnrolmentStore

/// All that a store of the sample's two organisations says, to be compared before and after.
public struct StoreContents: Hashable, Sendable {
  public var organisations: [Organisation] = []
  public var workflows: [Workflow] = []
  public var users: [User] = []
  public var keys: [APIKey] = []
  public var balances: [Credits] = []
  public var sessions: [NumberedSession] = []
  public var reVerifications: [StoredReVerification] = []
  public var evidence: [AttemptEvidence] = []
  public var failures: [FailureCounter] = []
  public var decisions: [NumberedDecision] = []
  public var audits: [ChainAudit] = []
  public var erasures: [NumberedErasure] = []
  public var captures: [NumberedCapture] = []
  public var galleryVersion = GalleryVersion.empty

  /// Throws what any of the reads throws.
  public init(of store: any EnrolmentStore) async throws {
    organisations = try await store.organisations()
    erasures = try await store.erasures(after: 0, limit: .max)
    captures = try await store.seenCaptures(after: 0, limit: .max)
    galleryVersion = try await store.galleryVersion()
    for secret in Sample.secrets {
      if let key = try await store.apiKey(APIKey.digest(of: secret)) { keys.append(key) }
    }
    for id in Sample.reVerificationIDs {
      if let stored = try await store.reVerification(id) { reVerifications.append(stored) }
      for attempt in 1...2 {
        if let found = try await store.evidence(of: id, attempt: attempt) { evidence.append(found) }
      }
    }
    for organisation in [Sample.bank, Sample.airline] {
      if let balance = try await store.balance(of: organisation) { balances.append(balance) }
      for id: WorkflowID in ["onboarding", "payout"] {
        if let workflow = try await store.workflow(id, in: organisation) { workflows.append(workflow) }
      }
      for id in Sample.userIDs {
        guard let user = try await store.user(id, in: organisation) else { continue }
        users.append(user)
        if let found = try await store.user(withEmail: user.email, in: organisation) { users.append(found) }
        failures.append(try await store.failures(of: id, in: organisation))
      }
      sessions += try await store.sessions(in: organisation, after: 0, limit: .max)
      decisions += try await store.decisions(of: organisation, after: 0, limit: .max)
      if organisations.contains(where: { $0.id == organisation }) {
        audits.append(try await store.audit(of: organisation, noted: nil))
      }
    }
  }
}

extension StoreContents {
  /// The same but for the values of the chains, which differ from store to store with the key.
  public var withoutChains: Self {
    var contents = self
    contents.audits = audits.map {
      guard case .intact(let head) = $0 else { return $0 }
      return .intact(ChainHead(sequence: head.sequence, value: Digest(of: []), seal: Digest(of: [])))
    }
    contents.decisions = decisions.map {
      NumberedDecision(sequence: $0.sequence, $0.record, chain: Digest(of: []))
    }
    return contents
  }
}

extension Sample {
  public static let secrets = ["one", "two"]
  public static let reVerificationIDs: [ReVerificationID] = ["r1", "r2"]
  public static let userIDs: [UserID] = ["anna", "bert"]

  /// Puts some of everything into an empty store.
  public static func fill(_ store: any EnrolmentStore) async throws {
    try await fillWithoutDecisions(store)
    try await store.commit([
      .decision(decision("r1")), .decision(decision("r2")), .decision(decision("r1", of: airline)),
    ])
  }

  public static func fillWithoutDecisions(_ store: any EnrolmentStore) async throws {
    try await people(of: store)
    try await store.commit([
      .user(user("bert", "bert@example.com")), .workflow(workflow("payout")),
      .balance(Credits(100), of: bank), .apiKey(APIKey(id: "key-1", secret: "one", organisation: bank)),
      .apiKey(APIKey(id: "key-2", secret: "two", organisation: airline, permissions: [])),
      .enrol(session("s1")), .enrol(session("s2", of: "bert", on: "payout")), .ready("s2", in: bank),
      .enrol(session("s1", in: airline)),
      .reVerification(reVerification("r1", state: Array("state".utf8), revision: 0)),
      .reVerification(reVerification("r2", state: [], revision: 0)),
      .evidence(evidence("r1")), .evidence(evidence("r1", attempt: 2)),
      .failures(FailureCounter(organisation: bank, user: "anna")),
    ])
  }
}
