import Biometrics
import Foundation

/// What a look for the erased in a store's files found.
public struct ErasureScan: Sendable {
  /// Something that should not be there.
  public struct Finding: Hashable, Sendable, CustomStringConvertible {
    public enum Code: String, Hashable, Sendable, CaseIterable {
      /// A row of an erased subject.
      case row
      /// Bytes that belong to no row and are not zero.
      case remains
      /// The log holds earlier forms of rows, until it is written back and cut off.
      case log
      /// Bytes of an address or an embedding that was looked for.
      case trace
      /// A snapshot of the gallery with an erased reference in it, or of none of the store's galleries.
      case snapshot
      /// A file could not be looked at.
      case unreadable
    }

    public let code: Code
    public let file: String
    /// What and where, in identifiers, pages and counts.
    public let place: String

    package init(code: Code, file: String, place: String) {
      (self.code, self.file, self.place) = (code, file, place)
    }

    public var description: String { "\(file): \(code.rawValue): \(place)" }
  }

  /// How many erasures the ledger holds.
  public let erasures: Int
  /// The files looked at, with their sizes in bytes.
  public internal(set) var files: [(path: String, bytes: Int)] = []
  public package(set) var findings: [Finding] = []
}

extension SQLiteStore {
  /// Looks in the store's files, and in `others`, for what was erased.
  ///
  /// For every erasure of the ledger: rows that are left of it. In the database file: anything in space that no row uses. In
  /// all files: the `traces`. Reads every byte of them, and changes nothing.
  public func verifyErased(
    traces: [ErasureTrace] = [], others: [String] = []
  ) throws(StoreError) -> ErasureScan {
    let erasures = try readErasures(after: 0, limit: .max)
    var scan = ErasureScan(erasures: erasures.count)
    for entry in erasures {
      for (table, count) in try rowsLeft(of: entry.erasure) where count > 0 {
        scan.findings.append(
          .init(code: .row, file: configuration.path, place: "\(entry.erasure.target): \(count) in \(table)"))
      }
    }
    for (page, bytes) in try UnusedSpace(of: configuration.path).remains() {
      scan.findings.append(
        .init(
          code: .remains, file: configuration.path,
          place: "page \(page): \(bytes) bytes that belong to no row"))
    }
    let search = TraceSearch(traces)
    let own = ["", "-wal", "-journal"].map { configuration.path + $0 } + [configuration.ledgerPath]
      + (try snapshotFolder.files())
    for path in own where FileManager.default.fileExists(atPath: path) {
      scan.look(at: path, for: traces, search)
    }
    for path in others {
      scan.look(at: path, for: traces, search)
    }
    for file in scan.files where file.bytes > 0 {
      if file.path == configuration.path + "-wal" || file.path == configuration.path + "-journal" {
        scan.findings.append(
          .init(code: .log, file: file.path, place: "\(file.bytes) bytes not written back"))
      }
    }
    return scan
  }

  private func rowsLeft(of erasure: Erasure) throws(StoreError) -> [(table: String, count: Int64)] {
    let tables: [(String, String)] =
      switch erasure.subject {
      case .organisation:
        [
          ("organisations", "id = ?1"), ("workflows", "organisation = ?1"), ("users", "organisation = ?1"),
          ("api_keys", "organisation = ?1"), ("balances", "organisation = ?1"),
          ("sessions", "organisation = ?1"),
          ("session_embeddings", "organisation = ?1"), ("evidence", "organisation = ?1"),
          ("failures", "organisation = ?1"),
        ]
      case .user:
        [
          ("users", "organisation = ?1 AND id = ?2"), ("sessions", "organisation = ?1 AND user = ?2"),
          ("evidence", "organisation = ?1 AND user = ?2"), ("failures", "organisation = ?1 AND user = ?2"),
        ]
      case .session: [("sessions", "organisation = ?1 AND id = ?2")]
      case .evidence: [("evidence", "organisation = ?1 AND re_verification = ?2")]
      }
    var counts: [(String, Int64)] = []
    for (table, condition) in tables {
      let count = try database.first(
        "SELECT count(*) FROM \(table) WHERE \(condition) AND ?2 IS NOT NULL", erasure.organisation,
        erasure.subject.columns.id
      ) { (row: Row) throws(StoreError) in try row.integer(0) }
      counts.append((table, count ?? 0))
    }
    let orphans = try database.first(
      """
      SELECT count(*) FROM session_embeddings e WHERE NOT EXISTS
        (SELECT 1 FROM sessions s WHERE s.organisation = e.organisation AND s.sequence = e.sequence)
      """
    ) { (row: Row) throws(StoreError) in try row.integer(0) }
    return counts + [("session_embeddings without a session", orphans ?? 0)]
  }
}

extension ErasureScan {
  fileprivate mutating func look(at path: String, for traces: [ErasureTrace], _ search: TraceSearch) {
    guard let content = try? Data(contentsOf: URL(filePath: path), options: .alwaysMapped) else {
      findings.append(.init(code: .unreadable, file: path, place: "can't be read"))
      return
    }
    files.append((path, content.count))
    for (trace, offset) in search.firstOffsets(in: content).sorted(by: { $0.key < $1.key }) {
      findings.append(.init(code: .trace, file: path, place: "\(traces[trace].name) at byte \(offset)"))
    }
  }
}
