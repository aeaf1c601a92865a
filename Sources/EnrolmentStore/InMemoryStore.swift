import Biometrics

/// A store that lives and dies with the process: for tests, simulations, and as the readable form of the rules.
public final class InMemoryStore: EnrolmentStore {
  private let tables: Guarded<Tables>

  /// An empty store; `chainKey` is what the chains of decisions are keyed with.
  public init(chainKey: SecretKey = .random()) {
    tables = Guarded(Tables(chainKey: chainKey))
  }

  public func organisations() -> [Organisation] {
    tables.withLock { $0.organisations.values.sorted { $0.id < $1.id } }
  }

  public func organisation(_ id: OrganisationID) -> Organisation? {
    tables.withLock { $0.organisations[id] }
  }

  public func workflow(_ id: WorkflowID, in organisation: OrganisationID) -> Workflow? {
    tables.withLock { $0.workflows[Owned(id, by: organisation)] }
  }

  public func user(_ id: UserID, in organisation: OrganisationID) -> User? {
    tables.withLock { $0.users[Owned(id, by: organisation)] }
  }

  public func user(withEmail email: EmailAddress, in organisation: OrganisationID) -> User? {
    tables.withLock { tables in
      tables.usersByEmail[Owned(email, by: organisation)]
        .flatMap { tables.users[Owned($0, by: organisation)] }
    }
  }

  public func apiKey(_ digest: Digest) -> APIKey? {
    tables.withLock { tables in tables.keysByDigest[digest].flatMap { tables.keys[$0] } }
  }

  public func balance(of organisation: OrganisationID) -> Credits? {
    tables.withLock { $0.balances[organisation] }
  }

  public func session(_ id: SessionID, in organisation: OrganisationID) -> EnrolledSession? {
    tables.withLock { $0.sessions[Owned(id, by: organisation)]?.enrolled }
  }

  public func sessions(of user: UserID, in organisation: OrganisationID) -> [ApprovedSession] {
    tables.withLock { tables in
      (tables.sessionsOfUser[Owned(user, by: organisation)] ?? []).compactMap {
        tables.sessions[Owned($0, by: organisation)]?.enrolled.session
      }
    }
  }

  public func sessions(
    in organisation: OrganisationID, after sequence: Int64, limit: Int
  ) -> [NumberedSession] {
    tables.withLock { tables in
      Array(tables.sessions(in: organisation, after: sequence).prefix(max(0, limit)))
    }
  }

  public func preparingSessions(in organisation: OrganisationID, limit: Int) -> [NumberedSession] {
    tables.withLock { tables in
      let preparing = tables.sessions(in: organisation, after: 0)
        .filter { $0.enrolled.session.preparation == .preparing }
      return Array(preparing.prefix(max(0, limit)))
    }
  }

  public func lastSession(in organisation: OrganisationID) -> Int64 {
    tables.withLock { Int64($0.sessionOrder[organisation]?.count ?? 0) }
  }

  public func galleryVersion() -> GalleryVersion {
    tables.withLock { $0.galleryVersion }
  }

  public func reVerification(_ id: ReVerificationID) -> StoredReVerification? {
    tables.withLock { $0.reVerifications[id] }
  }

  public func failures(of user: UserID, in organisation: OrganisationID) -> FailureCounter {
    tables.withLock {
      $0.failures[Owned(user, by: organisation)] ?? FailureCounter(organisation: organisation, user: user)
    }
  }

  public func decisions(
    of organisation: OrganisationID, after sequence: Int64, limit: Int
  ) -> [NumberedDecision] {
    tables.withLock { tables in
      Array(elements(of: tables.decisions[organisation] ?? [], after: sequence).prefix(max(0, limit)))
    }
  }

  public func evidence(of reVerification: ReVerificationID, attempt: Int) -> AttemptEvidence? {
    tables.withLock { $0.evidence[reVerification]?[attempt] }
  }

  public func seenCaptures(after sequence: Int64, limit: Int) -> [NumberedCapture] {
    tables.withLock { Array($0.captures.filter { $0.sequence > sequence }.prefix(max(0, limit))) }
  }

  public func chainHead(of organisation: OrganisationID) throws(StoreError) -> ChainHead {
    try tables.withLock { tables throws(StoreError) in
      try tables.requireKnown(organisation)
      return tables.chainHead(of: organisation)
    }
  }

  public func audit(
    of organisation: OrganisationID, noted: ChainHead?
  ) throws(StoreError) -> ChainAudit {
    try tables.withLock { tables throws(StoreError) in
      try tables.requireKnown(organisation)
      let links = (tables.decisions[organisation] ?? []).map { numbered in
        ChainLink(
          sequence: numbered.sequence, content: numbered.record.digest, value: numbered.chain)
      }
      return tables.chain(of: organisation)
        .audit(links, head: tables.chainHead(of: organisation), noted: noted)
    }
  }

  public func erasures(after sequence: Int64, limit: Int) -> [NumberedErasure] {
    tables.withLock { tables in
      Array(elements(of: tables.erasures, after: sequence).prefix(max(0, limit)))
    }
  }

  public func pastRetention(
    in organisation: OrganisationID, at now: Instant, limit: Int
  ) -> [Erasure.Subject] {
    tables.withLock { Array($0.pastRetention(in: organisation, at: now).prefix(max(0, limit))) }
  }

  public func commit(_ changes: [StoreChange]) throws(StoreError) {
    try tables.withLock { tables throws(StoreError) in try tables.make(changes) }
  }
}

/// The elements numbered `sequence + 1` and on; the first has number 1.
func elements<Element>(of all: [Element], after sequence: Int64) -> ArraySlice<Element> {
  all.dropFirst(Int(clamping: max(0, sequence)))
}
