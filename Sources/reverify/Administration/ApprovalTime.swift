import Biometrics
import EmbeddingFiles
import EvaluationCommands
import ReVerification

/// When sessions were approved, in milliseconds since 1970: from then on their retention period counts.
enum ApprovalTime {
  static let column = "approved_at"

  /// What can have been approved: since 1970, and at most a day ahead of this machine's clock.
  static func range() -> ClosedRange<Int64> {
    0...(SystemClock().now() + .seconds(86_400)).millisecondsSince1970
  }

  static func option(_ arguments: Arguments) throws(UsageError) -> Instant? {
    try arguments.optionalNumber("approved-at", in: range())
      .map { Instant(millisecondsSince1970: $0) }
  }

  /// One for each row of the index at `path`: of its column `approved_at`, or the option's where it has none.
  ///
  /// There is no default: sessions with another time when they are imported again would be others.
  static func ofRows(_ path: String, _ arguments: Arguments) throws -> [Instant] {
    let option = try option(arguments)
    let table = try CSVTable.read(path)
    guard let place = table.columns.firstIndex(of: column) else {
      guard let option else {
        throw UsageError(
          "approved when? Give --approved-at MS, or \(path) a column \(column), in milliseconds since 1970")
      }
      return Array(repeating: option, count: table.rowCount)
    }
    guard option == nil else {
      throw UsageError("--approved-at is given, and \(path) has a column \(column): one of them is needed")
    }
    let range = range()
    return try (0..<table.rowCount).map { row in
      let cells = table[row]
      guard let number = Int64(cells[cells.startIndex + place]), range.contains(number) else {
        throw InputError(
          "\(path): line \(table.line(ofRow: row)): expected milliseconds since 1970 in column \(column), "
            + "\(range.lowerBound) to \(range.upperBound), a day from now")
      }
      return Instant(millisecondsSince1970: number)
    }
  }
}
