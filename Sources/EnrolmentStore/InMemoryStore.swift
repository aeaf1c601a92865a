import Biometrics

/// A store that lives and dies with the process: for tests, simulations, and as the readable form of the rules.
public final class InMemoryStore: EnrolmentStore {
  private let tables = Guarded(Tables())

  public init() {}

  public func organisations() -> [Organisation] {
    tables.withLock { $0.organisations.values.sorted { $0.id < $1.id } }
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
    tables.withLock { $0.sessions[Owned(id, by: organisation)] }
  }

  public func sessions(of user: UserID, in organisation: OrganisationID) -> [ApprovedSession] {
    tables.withLock { tables in
      (tables.sessionsOfUser[Owned(user, by: organisation)] ?? []).compactMap {
        tables.sessions[Owned($0, by: organisation)]?.session
      }
    }
  }

  public func sessions(
    in organisation: OrganisationID, after sequence: Int64, limit: Int
  ) -> [NumberedSession] {
    tables.withLock { tables in
      page(of: tables.sessionOrder[organisation] ?? [], after: sequence, limit).compactMap { number, id in
        tables.sessions[Owned(id, by: organisation)].map { NumberedSession(sequence: number, $0) }
      }
    }
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
      page(of: tables.decisions[organisation] ?? [], after: sequence, limit)
        .map { NumberedDecision(sequence: $0, $1) }
    }
  }

  public func commit(_ changes: [StoreChange]) throws(StoreError) {
    try tables.withLock { tables throws(StoreError) in try tables.make(changes) }
  }
}

/// The elements numbered `sequence + 1` and on, at most `limit`, with their numbers; the first has number 1.
private func page<Element>(
  of elements: [Element], after sequence: Int64, _ limit: Int
) -> [(Int64, Element)] {
  let first = Int(clamping: max(0, sequence))
  guard first < elements.count, limit > 0 else { return [] }
  return elements[first...].prefix(limit).enumerated().map { (Int64(first + $0 + 1), $1) }
}
