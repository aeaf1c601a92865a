import Biometrics

extension SQLiteStore {
  /// Reads all of the database that is in use and opens every sealed row; says what is damaged, with tables and identifiers only.
  ///
  /// It takes as long as reading the file does, and others wait meanwhile.
  public func inspect() -> [StoreError] {
    var found: [StoreError] = []
    found.note("all pages") { () throws(StoreError) in
      // Every page of every table and index, and that they agree.
      let words = try database.all("PRAGMA integrity_check") { (row: Row) throws(StoreError) in
        try row.text(0)
      }
      return words.filter { $0 != "ok" }.map { StoreError(.damaged, "database: \($0)") }
    }
    for table in SealedTable.ofStore + SealedTable.ofOrganisations {
      found.note(table.name) { () throws(StoreError) in try damagedRows(of: table) }
    }
    return found
  }

  /// The rows that don't open as what they stand for; throws where the table itself can't be read.
  private func damagedRows(of table: SealedTable) throws(StoreError) -> [StoreError] {
    let columns = (["sealed"] + table.identity + [table.owner].compactMap { $0 })
      .joined(separator: ", ")
    return try database.all("SELECT \(columns) FROM \(table.name)") {
      (row: Row) throws(StoreError) -> [StoreError] in
      do throws(StoreError) {
        var values: [any SQLValue] = []
        for column in table.identity.indices { values.append(try row.value(Int32(column + 1))) }
        let identity = SealedIdentity(table.name, columns: values)
        let owner: OrganisationID? =
          table.owner == nil ? nil : try row.identifier(Int32(table.identity.count + 1))
        _ = try keyring.open(try row.bytes(0), of: owner, as: identity)
        return []
      } catch {
        return [error]
      }
    }.flatMap { $0 }
  }
}

extension [StoreError] {
  /// Adds what `search` finds in `place`, or why it could not search there.
  fileprivate mutating func note(
    _ place: String, _ search: () throws(StoreError) -> [StoreError]
  ) {
    do throws(StoreError) {
      self += try search()
    } catch {
      append(StoreError(error.code, "\(place): \(error.context)"))
    }
  }
}
