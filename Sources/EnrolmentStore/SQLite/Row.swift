import Biometrics
import CSQLite

/// One row of a result, while it is being looked at.
struct Row {
  fileprivate let statement: OpaquePointer

  init(statement: OpaquePointer) {
    self.statement = statement
  }

  func integer(_ column: Int32) throws(StoreError) -> Int64 {
    try expect(SQLITE_INTEGER, column)
    return sqlite3_column_int64(statement, column)
  }

  func text(_ column: Int32) throws(StoreError) -> String {
    try expect(SQLITE_TEXT, column)
    guard let start = sqlite3_column_text(statement, column) else { return "" }
    let bytes = UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, column)))
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw StoreError(.damaged, "column \(column): not UTF-8")
    }
    return text
  }

  func identifier<Kind>(_ column: Int32) throws(StoreError) -> Identifier<Kind> {
    Identifier(try text(column))
  }

  func instant(_ column: Int32) throws(StoreError) -> Instant {
    Instant(millisecondsSince1970: try integer(column))
  }

  func bytes(_ column: Int32) throws(StoreError) -> [UInt8] {
    try expect(SQLITE_BLOB, column)
    let count = Int(sqlite3_column_bytes(statement, column))
    guard count > 0, let start = sqlite3_column_blob(statement, column) else { return [] }
    return Array(UnsafeRawBufferPointer(start: start, count: count))
  }

  /// The column as what it was stored as.
  func value(_ column: Int32) throws(StoreError) -> any SQLValue {
    switch sqlite3_column_type(statement, column) {
    case SQLITE_INTEGER: try integer(column)
    case SQLITE_TEXT: try text(column)
    case SQLITE_BLOB: try bytes(column)
    default: throw StoreError(.damaged, "column \(column): not of its type")
    }
  }

  private func expect(_ type: Int32, _ column: Int32) throws(StoreError) {
    guard sqlite3_column_type(statement, column) == type else {
      throw StoreError(.damaged, "column \(column): not of its type")
    }
  }
}

/// What can be bound to a statement, and told in a row's identity.
protocol SQLValue: Sendable {
  func bind(to statement: OpaquePointer, at index: Int32) -> Int32
  func append(to bytes: inout CanonicalBytes)
}

/// Tells SQLite to copy what is bound.
private let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

extension String: SQLValue {
  func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
    var text = self
    return text.withUTF8 { bytes in
      // An empty string may have no address, which would bind NULL.
      guard let start = bytes.baseAddress else { return sqlite3_bind_text(statement, index, "", 0, copied) }
      return start.withMemoryRebound(to: CChar.self, capacity: bytes.count) {
        sqlite3_bind_text(statement, index, $0, Int32(bytes.count), copied)
      }
    }
  }

  func append(to bytes: inout CanonicalBytes) { bytes.append(self) }
}

extension Int64: SQLValue {
  func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
    sqlite3_bind_int64(statement, index, self)
  }

  func append(to bytes: inout CanonicalBytes) { bytes.append(self) }
}

extension Int: SQLValue {
  func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
    Int64(self).bind(to: statement, at: index)
  }

  func append(to bytes: inout CanonicalBytes) { bytes.append(Int64(self)) }
}

extension [UInt8]: SQLValue {
  func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
    isEmpty
      ? sqlite3_bind_zeroblob(statement, index, 0)
      : sqlite3_bind_blob(statement, index, self, Int32(count), copied)
  }

  func append(to bytes: inout CanonicalBytes) { bytes.append(self) }
}

extension Identifier: SQLValue {
  func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
    rawValue.bind(to: statement, at: index)
  }

  func append(to bytes: inout CanonicalBytes) { bytes.append(rawValue) }
}

extension Instant: SQLValue {
  func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
    millisecondsSince1970.bind(to: statement, at: index)
  }

  func append(to bytes: inout CanonicalBytes) { bytes.append(millisecondsSince1970) }
}

extension Digest: SQLValue {
  func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
    bytes.bind(to: statement, at: index)
  }

  func append(to bytes: inout CanonicalBytes) { bytes.append(self.bytes) }
}
