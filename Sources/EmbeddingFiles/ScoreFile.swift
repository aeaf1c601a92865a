/// Comparison scores with ground truth, as other tools write them.
///
/// A comparison without a score (an empty cell, a return code other than 0) is a row like any other, so that it is counted
/// and not lost. NaN and infinities are kept as they are.
public struct ScoreFile: Sendable {
  /// How the columns are to be read.
  public enum Form: String, Sendable, CaseIterable {
    /// A CSV whose header names them.
    case header
    /// bob: claimed identity, real identity, path, score.
    case four
    /// bob: claimed identity, model, real identity, path, score.
    case five
    /// Subject, other subject, score, return code; 0 is success.
    case code
  }

  /// Why a comparison has no score.
  public enum Failure: Sendable, Hashable {
    case toEnrol
    case toAcquire
  }

  public struct Row: Sendable {
    public let isMated: Bool
    /// The two subjects, where the file names them.
    public let subjects: (Substring, Substring)?
    /// Nil for a failure.
    public let score: Double?
    public let failure: Failure?
    /// The group of people and the transaction that it belongs to, where the file names them.
    public let group: String?
    public let transaction: String?
  }

  public let rows: [Row]

  /// Reads a file. Throws `malformed` with the line where a row breaks its form, `missing` for a column that is needed
  /// and `empty` without a row.
  public static func read(
    _ path: String, form: Form = .header, group: String? = nil
  ) throws(EmbeddingFileError) -> ScoreFile {
    switch form {
    case .header: return try ScoreFile(table: CSVTable.read(path), group: group)
    case .four:
      return try ScoreFile(columns: ScoreColumns(readFile(path), count: 4), claimed: 0, real: 1, score: 3)
    case .five:
      return try ScoreFile(columns: ScoreColumns(readFile(path), count: 5), claimed: 0, real: 2, score: 4)
    case .code:
      return try ScoreFile(
        columns: ScoreColumns(readFile(path), count: 4), claimed: 0, real: 1, score: 2, code: 3)
    }
  }

  /// Reads two files of one class each, whose last column is the score.
  public static func read(mated: String, nonMated: String) throws(EmbeddingFileError) -> ScoreFile {
    var rows: [Row] = []
    for (path, isMated) in [(mated, true), (nonMated, false)] {
      let columns = ScoreColumns(try readFile(path), count: nil)
      guard !columns.lines.isEmpty else {
        throw columns.origin.error(.empty, expected: "at least one comparison", found: "none")
      }
      for line in columns.lines {
        rows.append(
          Row(
            isMated: isMated, subjects: nil, score: try columns.number(line.fields.last!, line: line.number),
            failure: nil, group: nil, transaction: nil))
      }
    }
    return ScoreFile(rows: rows)
  }

  private init(rows: [Row]) {
    self.rows = rows
  }

  private init(
    columns: ScoreColumns, claimed: Int, real: Int, score: Int, code: Int? = nil
  ) throws(EmbeddingFileError) {
    var rows: [Row] = []
    rows.reserveCapacity(columns.lines.count)
    for line in columns.lines {
      try columns.requireCount(line)
      let fields = line.fields
      let failed = code.map { fields[$0] != "0" } ?? false
      rows.append(
        Row(
          isMated: fields[claimed] == fields[real], subjects: (fields[claimed], fields[real]),
          score: failed ? nil : try columns.number(fields[score], line: line.number),
          failure: failed ? .toAcquire : nil, group: nil, transaction: nil))
    }
    guard !rows.isEmpty else {
      throw columns.origin.error(.empty, expected: "at least one comparison", found: "none")
    }
    self.rows = rows
  }
}

/// Lines of fields between blanks, tabs or commas; empty lines are passed over.
struct ScoreColumns {
  struct Line {
    let number: Int
    let fields: [Substring]
  }

  let origin: Origin
  let lines: [Line]
  private let count: Int?

  init(_ source: ByteSource, count: Int?) {
    origin = source.origin
    self.count = count
    var text = String(decoding: source[0..<source.count], as: UTF8.self)[...]
    if text.unicodeScalars.first == "\u{FEFF}" { text = Substring(text.unicodeScalars.dropFirst()) }
    var lines: [Line] = []
    for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
      .enumerated()
    {
      let fields = Self.fields(line)
      if !fields.isEmpty { lines.append(Line(number: index + 1, fields: fields)) }
    }
    self.lines = lines
  }

  /// Between commas, where there are any, fields may be empty.
  private static func fields(_ line: Substring) -> [Substring] {
    func isBlank(_ character: Character) -> Bool { character == " " || character == "\t" }
    guard line.contains(",") else { return line.split(whereSeparator: isBlank) }
    return line.split(separator: ",", omittingEmptySubsequences: false).map { field in
      guard let first = field.firstIndex(where: { !isBlank($0) }),
        let last = field.lastIndex(where: { !isBlank($0) })
      else { return "" }
      return field[first...last]
    }
  }

  func requireCount(_ line: Line) throws(EmbeddingFileError) {
    guard let count, line.fields.count != count else { return }
    throw origin.error(
      .malformed, at: .line(line.number), expected: "\(count) columns", found: "\(line.fields.count)")
  }

  /// A score: a decimal number, or `nan` or `inf`.
  func number(_ field: Substring, line: Int) throws(EmbeddingFileError) -> Double {
    guard let number = Self.number(field) else {
      throw origin.error(.malformed, at: .line(line), expected: "a score", found: "other text")
    }
    return number
  }

  static func number(_ field: some StringProtocol) -> Double? {
    field.utf8.contains { $0 == UInt8(ascii: "x") || $0 == UInt8(ascii: "X") } ? nil : Double(field)
  }
}
