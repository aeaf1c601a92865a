import Biometrics

extension Erasure.Subject {
  /// How it stands in the table `erasures`.
  var columns: (kind: String, id: String) {
    switch self {
    case .organisation: ("organisation", "")
    case .user(let id): ("user", id.rawValue)
    case .session(let id): ("session", id.rawValue)
    case .evidence(let id): ("evidence", id.rawValue)
    }
  }
}

extension SQLiteStore {
  func isErased(
    _ subject: Erasure.Subject, of organisation: OrganisationID
  ) throws(StoreError) -> Bool {
    let (kind, id) = subject.columns
    return try database.first(
      "SELECT 1 FROM erasures WHERE organisation = ? AND kind = ? AND id = ?", organisation, kind, id
    ) { (_: Row) throws(StoreError) in true } ?? false
  }

  func refuseErased(_ subject: Erasure.Subject, of organisation: OrganisationID) throws(StoreError) {
    guard try !isErased(subject, of: organisation) else {
      let target = ErasureTarget(organisation: organisation, subject: subject)
      throw StoreError(.erased, target.description)
    }
  }

  /// Erases within a transaction, and notes it for the ledger.
  func erase(_ erasure: Erasure) throws(StoreError) {
    let organisation = erasure.organisation
    if try isErased(.organisation, of: organisation) { return }
    if try isErased(erasure.subject, of: organisation) { return }
    guard try isThere(erasure.subject, of: organisation) else {
      throw StoreError(.missing, erasure.target.description)
    }
    let entry = NumberedErasure(sequence: try database.count("erasures") + 1, erasure)
    try make(entry)
    pending.append(entry)
  }

  /// Removes the rows and adds the erasure to the table.
  private func make(_ entry: NumberedErasure) throws(StoreError) {
    let erasure = entry.erasure
    let organisation = erasure.organisation
    switch erasure.subject {
    case .organisation: try eraseOrganisation(organisation)
    case .user(let id): try eraseUser(id, of: organisation)
    case .session(let id): try eraseSession(id, of: organisation)
    case .evidence(let id):
      try database.run(
        "DELETE FROM evidence WHERE re_verification = ? AND organisation = ?", id, organisation)
    }
    let (kind, id) = erasure.subject.columns
    let identity = SealedIdentity("erasures", entry.sequence, organisation, kind, id)
    try database.run(
      "INSERT INTO erasures (sequence, organisation, kind, id, sealed) VALUES (?, ?, ?, ?, ?)",
      entry.sequence, organisation, kind, id,
      try keyring.seal(RecordCoding.encode(erasure), of: nil, as: identity))
    try setGalleryVersion(try readGalleryVersion().erasing(erasure.target))
  }

  private func isThere(
    _ subject: Erasure.Subject, of organisation: OrganisationID
  ) throws(StoreError) -> Bool {
    let query =
      switch subject {
      case .organisation: "SELECT 1 FROM organisations WHERE id = ?1 AND ?2 = ''"
      case .user: "SELECT 1 FROM users WHERE organisation = ?1 AND id = ?2"
      case .session: "SELECT 1 FROM sessions WHERE organisation = ?1 AND id = ?2"
      case .evidence: "SELECT 1 FROM re_verifications WHERE organisation = ?1 AND id = ?2"
      }
    return try database.first(query, organisation, subject.columns.id) {
      (_: Row) throws(StoreError) in true
    } ?? false
  }

  private func eraseOrganisation(_ id: OrganisationID) throws(StoreError) {
    // Rows before those they refer to. Decisions, states of re-verifications and keys stay.
    for statement in [
      "DELETE FROM session_embeddings WHERE organisation = ?", "DELETE FROM sessions WHERE organisation = ?",
      "DELETE FROM evidence WHERE organisation = ?", "DELETE FROM failures WHERE organisation = ?",
      "DELETE FROM users WHERE organisation = ?", "DELETE FROM workflows WHERE organisation = ?",
      "DELETE FROM api_keys WHERE organisation = ?", "DELETE FROM balances WHERE organisation = ?",
      "DELETE FROM organisations WHERE id = ?",
    ] { try database.run(statement, id) }
  }

  private func eraseUser(_ id: UserID, of organisation: OrganisationID) throws(StoreError) {
    for statement in [
      """
      DELETE FROM session_embeddings WHERE organisation = ?1 AND sequence IN
        (SELECT sequence FROM sessions WHERE organisation = ?1 AND user = ?2)
      """,
      "DELETE FROM sessions WHERE organisation = ?1 AND user = ?2",
      "DELETE FROM evidence WHERE organisation = ?1 AND user = ?2",
      "DELETE FROM failures WHERE organisation = ?1 AND user = ?2",
      "DELETE FROM users WHERE organisation = ?1 AND id = ?2",
    ] { try database.run(statement, organisation, id) }
  }

  private func eraseSession(_ id: SessionID, of organisation: OrganisationID) throws(StoreError) {
    for statement in [
      """
      DELETE FROM session_embeddings WHERE organisation = ?1 AND sequence IN
        (SELECT sequence FROM sessions WHERE organisation = ?1 AND id = ?2)
      """,
      "DELETE FROM sessions WHERE organisation = ?1 AND id = ?2",
    ] { try database.run(statement, organisation, id) }
  }
}

// The ledger is written before the commit that erases: what it holds and the database doesn't was either not
// acknowledged, or taken back by a backup; it is erased, either way.
extension SQLiteStore {
  func openLedger() throws(StoreError) {
    guard let store = try text("id") else { throw StoreError(.damaged, "the store has no id") }
    let hasBegun = try text("ledger") != nil
    ledger = try ErasureLedger(
      configuration.ledgerPath, store: store, key: try keyring.lasting("erasure ledger", of: nil),
      mayBegin: !hasBegun || configuration.ledgerLoss == .accept, access: configuration.access,
      disk: configuration.ledgerDisk)
    if !hasBegun {
      try transaction { () throws(StoreError) in try setText("ledger", "begun") }
    }
    try reconcile()
  }

  func recordPendingErasures() throws(StoreError) {
    guard !pending.isEmpty else { return }
    guard let ledger else { throw StoreError(.unavailable, "the ledger of erasures is closed") }
    // Before anything says that it is erased: a crash may cost a snapshot, never leave one with the erased in it.
    try removeSnapshots(before: pending.map(\.erasure))
    // Also when appending fails half way.
    isLedgerAhead = true
    try ledger.append(pending)
  }

  /// Reads the ledger anew after a commit whose erasures it may hold alone, and erases them.
  func catchUpWithLedger() throws(StoreError) {
    ledger = nil
    try openLedger()
  }

  /// Erases what the ledger has and the database hasn't, and gives the ledger what it has lost.
  private func reconcile() throws(StoreError) {
    guard let ledger else { return }
    let known = try readErasures(after: 0, limit: .max)
    for (mine, its) in zip(known, ledger.entries) where mine != its {
      throw StoreError(.damaged, "erasure \(mine.sequence) differs between database and ledger")
    }
    guard known.count != ledger.entries.count else {
      isLedgerAhead = false
      return
    }
    guard configuration.access == .readWrite else {
      throw StoreError(.unavailable, "there are erasures to be applied: open the store for writing once")
    }
    if known.count > ledger.entries.count { try ledger.append(Array(known[ledger.entries.count...])) }
    let outstanding = ledger.entries.dropFirst(known.count)
    if !outstanding.isEmpty {
      try removeSnapshots(before: outstanding.map(\.erasure))
      try transaction { () throws(StoreError) in
        for entry in outstanding { try make(entry) }
      }
      try database.checkpoint()
    }
    isLedgerAhead = false
  }

  func readErasures(after sequence: Int64, limit: Int) throws(StoreError) -> [NumberedErasure] {
    try database.all(
      "SELECT sequence, organisation, kind, id, sealed FROM erasures WHERE sequence > ? ORDER BY sequence LIMIT ?",
      max(0, sequence), limit
    ) { (row: Row) throws(StoreError) in
      let number = try row.integer(0)
      let organisation: OrganisationID = try row.identifier(1)
      let identity = SealedIdentity("erasures", number, organisation, try row.text(2), try row.text(3))
      let bytes = try keyring.open(try row.bytes(4), of: nil, as: identity)
      return NumberedErasure(
        sequence: number, try RecordCoding.decode(Erasure.self, from: bytes, identity.description))
    }
  }
}
