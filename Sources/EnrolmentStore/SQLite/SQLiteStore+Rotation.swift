import Biometrics

/// A table with sealed rows, as rotation and inspection walk through it.
struct SealedTable {
  let name: String
  /// The column that says whose a row is; `nil` where all are the store's own.
  let owner: String?
  /// Tells the rows of one owner apart, in an order.
  let cursor: String
  /// What a row's identity is made of, in order.
  let identity: [String]

  static let ofStore = [
    SealedTable(name: "gallery", owner: nil, cursor: "id", identity: ["id"]),
    SealedTable(
      name: "captures_seen", owner: nil, cursor: "sequence", identity: ["sequence", "name", "expiry"]),
    SealedTable(
      name: "erasures", owner: nil, cursor: "sequence", identity: ["sequence", "organisation", "kind", "id"]),
  ]

  static let ofOrganisations = [
    SealedTable(name: "organisations", owner: "id", cursor: "id", identity: ["id"]),
    SealedTable(name: "workflows", owner: "organisation", cursor: "id", identity: ["organisation", "id"]),
    SealedTable(
      name: "users", owner: "organisation", cursor: "id", identity: ["organisation", "id", "email_hash"]),
    SealedTable(
      name: "api_keys", owner: "organisation", cursor: "id", identity: ["id", "digest", "organisation"]),
    SealedTable(name: "balances", owner: "organisation", cursor: "organisation", identity: ["organisation"]),
    SealedTable(
      name: "sessions", owner: "organisation", cursor: "sequence",
      identity: ["organisation", "sequence", "id", "user", "workflow", "approved_at", "preparation"]),
    SealedTable(
      name: "session_embeddings", owner: "organisation", cursor: "sequence",
      identity: ["organisation", "sequence"]),
    SealedTable(
      name: "re_verifications", owner: "organisation", cursor: "rowid",
      identity: ["id", "organisation", "workflow", "user", "expiry", "revision"]),
    SealedTable(
      name: "evidence", owner: "organisation", cursor: "rowid",
      identity: ["re_verification", "attempt", "organisation", "workflow", "user", "judged_at"]),
    SealedTable(
      name: "failures", owner: "organisation", cursor: "user", identity: ["organisation", "user", "revision"]),
    SealedTable(name: "decisions", owner: "organisation", cursor: "sequence", identity: ["organisation"]),
    SealedTable(
      name: "registers", owner: "organisation", cursor: "name", identity: ["name", "organisation"]),
  ]
}

extension SQLiteStore {
  private static let batch = 256

  /// Puts the store's keys under another master key, in one commit. The data stays as it is.
  public func rotateMasterKey(to provider: any MasterKeyProvider) async throws(StoreError) {
    guard let store = try text("id") else { throw StoreError(.damaged, "the store has no id") }
    let name = try await provider.identifier()
    while true {
      var wrapped: [KeyName: [UInt8]] = [:]
      for (name, key) in keyring.keys {
        wrapped[name] = try await provider.wrap(key, context: name.context(store))
      }
      // Keys that were made while these were being wrapped have to be wrapped too.
      guard Set(wrapped.keys) == Set(keyring.keys.keys) else { continue }
      try transaction { () throws(StoreError) in
        for (name, bytes) in wrapped { try put(name, bytes) }
        try setText("master_key", name)
      }
      masterKey = provider
      _ = try? database.checkpoint()
      return
    }
  }

  /// Encrypts all of an organisation anew, under a new data key, and drops the old one.
  ///
  /// It goes in steps between which others use the store; cut off, it goes on where it was when it is called again.
  /// `progress` is told the rows done so far.
  public func rotateDataKey(
    of organisation: OrganisationID, progress: (@Sendable (Int) -> Void)? = nil
  ) async throws(StoreError) {
    guard let store = try text("id") else { throw StoreError(.damaged, "the store has no id") }
    guard let latest = keyring.generation(of: organisation) else {
      throw StoreError(.missing, "organisation \(organisation)")
    }
    if keyring.generations(of: organisation).count == 1 {
      let name = KeyName(organisation: organisation, purpose: .data, generation: latest + 1)
      let key = try await makeKey(name, in: store)
      try transaction { () throws(StoreError) in try add([key]) }
    }
    var done = 0
    for table in SealedTable.ofOrganisations {
      var last: (any SQLValue)?
      while let end = try sealAnew(table, organisation, after: last, &done) {
        last = end
        progress?(done)
        await Task.yield()
      }
    }
    try dropOldKeys(of: organisation)
  }

  /// Seals the next rows of a table under the latest key; the cursor of the last of them, `nil` when there is none left.
  private func sealAnew(
    _ table: SealedTable, _ organisation: OrganisationID, after last: (any SQLValue)?, _ done: inout Int
  ) throws(StoreError) -> (any SQLValue)? {
    // The store's own rows are under its key, not under an organisation's.
    guard let owner = table.owner else { return nil }
    let columns = ([table.cursor, "sealed"] + table.identity).joined(separator: ", ")
    let condition = last == nil ? "?2 IS NOT NULL" : "\(table.cursor) > ?2"
    var end: (any SQLValue)?
    var start: any SQLValue = Int64(0)
    if let last { start = last }
    var count = 0
    try transaction { () throws(StoreError) in
      let rows = try database.all(
        """
        SELECT \(columns) FROM \(table.name) WHERE \(owner) = ?1 AND \(condition)
        ORDER BY \(table.cursor) LIMIT \(Self.batch)
        """, organisation, start
      ) {
        (row: Row) throws(StoreError) -> (cursor: any SQLValue, sealed: [UInt8], identity: SealedIdentity) in
        var values: [any SQLValue] = []
        for column in table.identity.indices { values.append(try row.value(Int32(column + 2))) }
        return (try row.value(0), try row.bytes(1), SealedIdentity(table.name, columns: values))
      }
      for row in rows {
        end = row.cursor
        count += 1
        guard try Sealing.generation(of: row.sealed, row.identity) != keyring.generation(of: organisation)
        else {
          continue
        }
        let value = try keyring.open(row.sealed, of: organisation, as: row.identity)
        try database.run(
          "UPDATE \(table.name) SET sealed = ?1 WHERE \(owner) = ?2 AND \(table.cursor) = ?3",
          try keyring.seal(value, of: organisation, as: row.identity), organisation, row.cursor)
      }
    }
    done += count
    return end
  }

  private func dropOldKeys(of organisation: OrganisationID) throws(StoreError) {
    let old = keyring.generations(of: organisation).dropLast()
    try transaction { () throws(StoreError) in
      for generation in old {
        try database.run(
          "DELETE FROM keys WHERE owner = 1 AND organisation = ? AND purpose = ? AND generation = ?",
          organisation, KeyName.Purpose.data.rawValue, Int(generation))
        keyring.remove(KeyName(organisation: organisation, purpose: .data, generation: generation))
      }
    }
    _ = try? database.checkpoint()
  }
}
