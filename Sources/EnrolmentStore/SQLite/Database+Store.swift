import CCheckedFiles
import CSQLite

extension Database {
  /// Sets how the database is written and read, and makes the tables or brings them up to date.
  func prepareStore(access: SQLiteStore.Access) throws(StoreError) {
    for setting in [
      "foreign_keys=ON", "secure_delete=ON", "temp_store=MEMORY", "mmap_size=0", "trusted_schema=OFF",
      "cell_size_check=ON", "max_page_count=\(CHECKED_FILES_MAXIMUM_PAGES)",
    ] {
      try run("PRAGMA \(setting)")
    }
    let version = try pragma("user_version")
    let application = try pragma("application_id")
    let tables = try count("sqlite_schema")
    let isNew = version == 0 && application == 0 && tables == 0
    guard isNew || application == Schema.applicationID else {
      throw StoreError(.damaged, "the database is not a store: application id \(application)")
    }
    guard version <= Schema.version else {
      throw StoreError(.unknownVersion, "version \(version), this build knows up to \(Schema.version)")
    }
    guard access == .readWrite else {
      guard version == Schema.version else {
        throw StoreError(
          .unknownVersion, "version \(version): open it for writing once, to bring it to \(Schema.version)")
      }
      return
    }
    let mode = try first("PRAGMA journal_mode=WAL") { (row: Row) throws(StoreError) in try row.text(0) }
    guard mode == "wal" else { throw StoreError(.unavailable, "the database can't have a write-ahead log") }
    try run("PRAGMA synchronous=FULL")
    // What an earlier process left in the log goes to its place, so that behind a break nothing old is found.
    try checkpoint()
    try migrate(from: Int(version))
  }

  /// Writes the log into the database file and cuts it off; false when somebody is still reading from it.
  @discardableResult
  func checkpoint() throws(StoreError) -> Bool {
    try first("PRAGMA wal_checkpoint(TRUNCATE)") { (row: Row) throws(StoreError) in try row.integer(0) } == 0
  }

  /// Each version becomes the next in one transaction, so that a cut-off migration has not begun.
  private func migrate(from version: Int) throws(StoreError) {
    for (number, statements) in Schema.migrations.enumerated().dropFirst(version) {
      try run("BEGIN IMMEDIATE")
      do throws(StoreError) {
        for statement in statements { try run(statement) }
        try run("PRAGMA application_id=\(Schema.applicationID)")
        try run("PRAGMA user_version=\(number + 1)")
        try run("COMMIT")
      } catch {
        if isInTransaction { _ = try? run("ROLLBACK") }
        throw error
      }
    }
  }

  private func pragma(_ name: String) throws(StoreError) -> Int64 {
    try first("PRAGMA \(name)") { (row: Row) throws(StoreError) in try row.integer(0) } ?? 0
  }

  func count(_ table: String) throws(StoreError) -> Int64 {
    try first("SELECT count(*) FROM \(table)") { (row: Row) throws(StoreError) in try row.integer(0) } ?? 0
  }
}
