/// Presentations to a liveness check with ground truth and what the check said, as a CSV with a header.
///
/// `species` says what was presented: `bona_fide`, or the attack-instrument species. The response is `liveness_score`
/// (higher for a live person) or `liveness_decision` (`pass`, `live`, `1`; `fail`, `retry`, `not_live`, `0`); an empty cell
/// is a presentation without a response. `match_score`, where there is one, is the comparison score with the claimed
/// reference; an empty cell says that none was formed. NaN and infinities are kept as they are.
public struct PresentationFile: Sendable {
  public struct Row: Sendable {
    /// Nil for a bona fide presentation.
    public let species: String?
    public let response: Response
    public let matchScore: Double?
  }

  public enum Response: Hashable, Sendable {
    case score(Double)
    /// Whether the presentation was classified as bona fide.
    case decision(isBonaFide: Bool)
    case none
  }

  /// One for each row of the table, at least one.
  public let rows: [Row]
  /// Whether the responses are decisions rather than scores.
  public let hasDecisions: Bool

  /// Reads the file at `path`.
  ///
  /// Throws `missing` without a column `species`, or without exactly one of the two columns of a response; `malformed` with
  /// the line where a cell isn't one, and `empty` without a row.
  public static func read(_ path: String) throws(EmbeddingFileError) -> PresentationFile {
    try PresentationFile(try CSVTable.read(path))
  }

  init(_ table: CSVTable) throws(EmbeddingFileError) {
    let species = try table.requireColumn("species")
    func column(_ name: String) -> Int? { table.columns.firstIndex(of: name) }
    let (score, decision) = (column("liveness_score"), column("liveness_decision"))
    guard (score == nil) != (decision == nil) else {
      throw Origin(file: table.file).error(
        .missing, at: .line(1), expected: "one column, liveness_score or liveness_decision",
        found: score == nil ? "neither" : "both")
    }
    guard table.rowCount > 0 else {
      throw Origin(file: table.file).error(.empty, expected: "at least one presentation", found: "a header alone")
    }
    let match = column("match_score")
    var rows: [Row] = []
    rows.reserveCapacity(table.rowCount)
    for row in 0..<table.rowCount {
      let response: Response
      if let score {
        response = try Self.score(table, row, score).map { .score($0) } ?? .none
      } else {
        response = try Self.decision(table, row, decision!)
      }
      var matchScore: Double?
      if let match { matchScore = try Self.score(table, row, match) }
      rows.append(
        Row(species: try Self.species(table, row, species), response: response, matchScore: matchScore))
    }
    self.rows = rows
    hasDecisions = decision != nil
  }

  private static func species(
    _ table: CSVTable, _ row: Int, _ column: Int
  ) throws(EmbeddingFileError) -> String? {
    switch table[row, column] {
    case "bona_fide": return nil
    case "":
      throw table.error(
        row, .malformed, expected: "bona_fide or an attack's species in column species", found: "nothing")
    case let name: return name
    }
  }

  private static func score(
    _ table: CSVTable, _ row: Int, _ column: Int
  ) throws(EmbeddingFileError) -> Double? {
    let cell = table[row, column]
    if cell.isEmpty { return nil }
    guard let number = ScoreColumns.number(cell) else {
      throw table.error(
        row, .malformed, expected: "a number in column \(table.columns[column])", found: "other text")
    }
    return number
  }

  private static func decision(
    _ table: CSVTable, _ row: Int, _ column: Int
  ) throws(EmbeddingFileError) -> Response {
    switch table[row, column].lowercased() {
    case "": return .none
    case "pass", "live", "1": return .decision(isBonaFide: true)
    case "fail", "retry", "not_live", "0": return .decision(isBonaFide: false)
    default:
      throw table.error(
        row, .malformed, expected: "pass, fail, retry or nothing in column liveness_decision",
        found: "other text")
    }
  }
}
