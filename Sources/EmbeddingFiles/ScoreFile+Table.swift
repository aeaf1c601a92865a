/// Scores in a CSV with a header.
///
/// `score` is needed, and the truth: `same` (1 or 0), `label` (mated, genuine, 1; non-mated, impostor, 0) or two subjects
/// (`subject_a`, `subject_b`, or `claimed`, `real`). `return_code` other than 0, or an empty score, is a failure: to acquire,
/// unless the column `failure` says `enrol`. `transaction` names the attempts that belong together, in order.
extension ScoreFile {
  init(table: CSVTable, group: String?) throws(EmbeddingFileError) {
    let columns = try Columns(table, group: group)
    guard table.rowCount > 0 else {
      throw Origin(file: table.file).error(
        .empty, expected: "at least one comparison", found: "a header alone")
    }
    var rows: [Row] = []
    rows.reserveCapacity(table.rowCount)
    for row in 0..<table.rowCount { rows.append(try columns.row(row)) }
    self.rows = rows
  }

  private struct Columns {
    let table: CSVTable
    let score: Int
    let truth: Truth
    let subjects: (Int, Int)?
    let returnCode: Int?
    let failure: Int?
    let group: Int?
    let transaction: Int?

    enum Truth {
      case same(Int)
      case label(Int)
      case subjects(Int, Int)
    }

    init(_ table: CSVTable, group: String?) throws(EmbeddingFileError) {
      func column(_ name: String) -> Int? { table.columns.firstIndex(of: name) }
      func both(_ a: String, _ b: String) -> (Int, Int)? {
        column(a).flatMap { left in column(b).map { (left, $0) } }
      }
      self.table = table
      score = try table.requireColumn("score")
      subjects = both("subject_a", "subject_b") ?? both("claimed", "real")
      if let same = column("same") {
        truth = .same(same)
      } else if let label = column("label") {
        truth = .label(label)
      } else if let subjects {
        truth = .subjects(subjects.0, subjects.1)
      } else {
        throw Origin(file: table.file).error(
          .missing, at: .line(1), expected: "a column same or label, or subject_a and subject_b",
          found: "none of them")
      }
      returnCode = column("return_code")
      failure = column("failure")
      if let group { self.group = try table.requireColumn(group) } else { self.group = column("group") }
      transaction = column("transaction")
    }

    func row(_ row: Int) throws(EmbeddingFileError) -> Row {
      let failure = try failure(row)
      var value: Double?
      if failure == nil {
        guard let number = ScoreColumns.number(table[row, score]) else {
          throw table.error(row, .malformed, expected: "a number in column score", found: "other text")
        }
        value = number
      }
      return Row(
        isMated: try isMated(row),
        subjects: subjects.map { (Substring(table[row, $0.0]), Substring(table[row, $0.1])) }, score: value,
        failure: failure, group: group.map { table[row, $0] }.flatMap { $0.isEmpty ? nil : $0 },
        transaction: try transaction(row))
    }

    private func transaction(_ row: Int) throws(EmbeddingFileError) -> String? {
      guard let transaction else { return nil }
      guard !table[row, transaction].isEmpty else {
        throw table.error(
          row, .malformed, expected: "a transaction's name in column transaction", found: "nothing")
      }
      return table[row, transaction]
    }

    private func failure(_ row: Int) throws(EmbeddingFileError) -> Failure? {
      let kind = failure.map { table[row, $0] } ?? ""
      switch kind {
      case "enrol", "enroll", "FTE": return .toEnrol
      case "acquire", "FTA": return .toAcquire
      case "": break
      default:
        throw table.error(
          row, .malformed, expected: "enrol, acquire or nothing in column failure", found: "other text")
      }
      if let returnCode, table[row, returnCode] != "0" { return .toAcquire }
      return table[row, score].isEmpty ? .toAcquire : nil
    }

    private func isMated(_ row: Int) throws(EmbeddingFileError) -> Bool {
      switch truth {
      case .same(let column): return try table.number(row, column, in: 0..<2) == 1
      case .subjects(let a, let b): return table[row, a] == table[row, b]
      case .label(let column):
        switch table[row, column].lowercased() {
        case "mated", "genuine", "same", "1": return true
        case "non-mated", "nonmated", "impostor", "different", "0": return false
        default:
          throw table.error(
            row, .malformed, expected: "mated or non-mated in column label", found: "other text")
        }
      }
    }
  }
}
