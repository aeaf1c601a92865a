import Biometrics
import CCheckedFiles
import CSQLite
import Glibc

/// A connection to a SQLite database of checked pages, with its prepared statements. For one thread at a time.
final class Database {
  static let pageBytes = Int(CHECKED_FILES_PAGE_BYTES)
  static let reservedBytes = Int(CHECKED_FILES_RESERVED_BYTES)

  private let handle: OpaquePointer
  private var statements: [String: OpaquePointer] = [:]
  /// Whether the system failed to put something on the disk, since this was last set.
  var hasLostSync = false

  /// Opens the database at `path`, and makes it if it isn't there and `access` allows. `files` names the file layer
  /// below the checked pages, `nil` for the system's.
  init(_ path: String, access: SQLiteStore.Access, files: String?) throws(StoreError) {
    let layer = CheckedFiles.name(over: files)
    let registered = checked_files_register(layer, files.map { CheckedFiles.permanent($0) })
    guard registered == SQLITE_OK else { throw StoreError(sqlite: registered, "file layer") }
    var handle: OpaquePointer?
    let flags =
      access == .readOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
    let status = sqlite3_open_v2(path, &handle, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, layer)
    guard status == SQLITE_OK, let handle else {
      sqlite3_close(handle)
      throw StoreError(sqlite: status, "opening the database")
    }
    self.handle = handle
    var reserved = Int32(CHECKED_FILES_RESERVED_BYTES)
    sqlite3_file_control(handle, "main", SQLITE_FCNTL_RESERVE_BYTES, &reserved)
    sqlite3_busy_timeout(handle, 10_000)
  }

  deinit {
    for statement in statements.values { sqlite3_finalize(statement) }
    sqlite3_close(handle)
  }

  var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

  /// Runs a statement that gives no rows of interest.
  func run(_ sql: String, _ values: any SQLValue...) throws(StoreError) {
    try each(sql, values) { (_: Row) throws(StoreError) in false }
  }

  /// The first row of a query, made into a value; `nil` when there is none.
  func first<Value>(
    _ sql: String, _ values: any SQLValue..., make: (Row) throws(StoreError) -> Value
  ) throws(StoreError) -> Value? {
    var result: Value?
    try each(sql, values) { (row: Row) throws(StoreError) in
      result = try make(row)
      return false
    }
    return result
  }

  /// All rows of a query, each made into a value.
  func all<Value>(
    _ sql: String, _ values: any SQLValue..., make: (Row) throws(StoreError) -> Value
  ) throws(StoreError) -> [Value] {
    var results: [Value] = []
    try each(sql, values) { (row: Row) throws(StoreError) in
      results.append(try make(row))
      return true
    }
    return results
  }

  /// How many rows the last statement changed.
  var changes: Int { Int(sqlite3_changes(handle)) }

  /// Steps through a query's rows while `body` says so.
  private func each(
    _ sql: String, _ values: [any SQLValue], _ body: (Row) throws(StoreError) -> Bool
  ) throws(StoreError) {
    let statement = try prepared(sql)
    defer {
      sqlite3_reset(statement)
      sqlite3_clear_bindings(statement)
    }
    for (index, value) in values.enumerated() {
      let status = value.bind(to: statement, at: Int32(index + 1))
      guard status == SQLITE_OK else { throw StoreError(sqlite: status, "binding") }
    }
    while true {
      let status = sqlite3_step(statement)
      switch status {
      case SQLITE_ROW:
        guard try body(Row(statement: statement)) else { return }
      case SQLITE_DONE:
        return
      default:
        if status == failedSync || status == failedFolderSync { hasLostSync = true }
        throw StoreError(sqlite: status, sql.split(separator: " ").prefix(3).joined(separator: " "))
      }
    }
  }

  private func prepared(_ sql: String) throws(StoreError) -> OpaquePointer {
    if let known = statements[sql] { return known }
    var statement: OpaquePointer?
    let status = sqlite3_prepare_v3(
      handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
    guard status == SQLITE_OK, let statement else {
      throw StoreError(sqlite: status, "preparing a statement")
    }
    statements[sql] = statement
    return statement
  }
}

/// The names of file layers, which SQLite keeps pointers to.
enum CheckedFiles {
  static func name(over files: String?) -> UnsafePointer<CChar> {
    permanent(files.map { "reverify-checked-\($0)" } ?? "reverify-checked")
  }

  /// A copy of `text` that stays; the same one each time.
  static func permanent(_ text: String) -> UnsafePointer<CChar> {
    let address = copies.withLock { copies in
      if let known = copies[text] { return known }
      let copy = text.withCString { Int(bitPattern: strdup($0)) }
      copies[text] = copy
      return copy
    }
    return UnsafePointer(bitPattern: address)!
  }

  private static let copies = Guarded<[String: Int]>([:])
}

extension StoreError {
  /// What SQLite's result means to a caller; the text is SQLite's own for the code, and holds no data.
  init(sqlite code: Int32, _ context: String) {
    let meaning: Code =
      switch code & 0xFF {
      case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_MISMATCH: .damaged
      case SQLITE_IOERR where code == damagedData || code == damagedFileSystem: .damaged
      default: .unavailable
      }
    self.init(meaning, "\(context): SQLite \(code), \(String(cString: sqlite3_errstr(code)))")
  }
}

// Swift sees no macros of several terms.
private let failedSync = SQLITE_IOERR | (4 << 8)
private let failedFolderSync = SQLITE_IOERR | (5 << 8)
private let damagedData = SQLITE_IOERR | (32 << 8)
private let damagedFileSystem = SQLITE_IOERR | (33 << 8)
