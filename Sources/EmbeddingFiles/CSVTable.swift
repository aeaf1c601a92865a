/// A table of text: a header with the columns' names, then rows with as many cells each.
///
/// Read by RFC 4180, with LF or CR LF at line ends, a byte-order mark or not. Cells are kept as they are:
/// nothing is trimmed or converted.
public struct CSVTable: Sendable {
  /// The file's path.
  public let file: String
  /// The columns' names, all different.
  public let columns: [String]
  /// The number of rows below the header; may be 0.
  public let rowCount: Int

  /// Row after row, so that a table of many rows is two arrays and not one a row.
  private let cells: [String]
  private let lines: [Int]

  /// Reads the table at `path`. Throws on a missing header, two columns of one name, a row with more or fewer
  /// cells than the header, and broken quotation; the error gives the line.
  public static func read(_ path: String) throws(EmbeddingFileError) -> CSVTable {
    try CSVTable(try readFile(path))
  }

  init(_ source: ByteSource) throws(EmbeddingFileError) {
    var scanner = CSVScanner(source)
    guard try scanner.next() else {
      throw source.origin.error(
        .empty, at: .line(1), expected: "a header with the columns' names", found: "nothing")
    }
    var columns: [String] = []
    var seen: Set<String> = []
    for index in scanner.fields.indices {
      let name = try scanner.text(index)
      guard seen.insert(name).inserted else {
        throw scanner.error(expected: "names that differ", found: "column \(index + 1) named as one before")
      }
      columns.append(name)
    }
    var cells: [String] = []
    var lines: [Int] = []
    while try scanner.next() {
      try scanner.requireFields(columns.count)
      for index in columns.indices { cells.append(try scanner.text(index)) }
      lines.append(scanner.line)
    }
    self.columns = columns
    self.cells = cells
    self.lines = lines
    rowCount = lines.count
    file = source.origin.file
  }

  /// The cells of row `row`, in the order of the columns; rows count from 0.
  public subscript(row: Int) -> ArraySlice<String> {
    precondition((0..<rowCount).contains(row), "row \(row) of \(rowCount)")
    return cells[row * columns.count..<(row + 1) * columns.count]
  }

  public subscript(row: Int, column: Int) -> String {
    precondition(columns.indices.contains(column), "column \(column) of \(columns.count)")
    return self[row][row * columns.count + column]
  }

  /// The line of the file on which row `row` begins; the first line is 1.
  public func line(ofRow row: Int) -> Int {
    lines[row]
  }

  /// `cells` as a line of a table, without its end: quoted where there is a comma, a quotation mark or a line
  /// end.
  public static func line(_ cells: some Sequence<String>) -> String {
    cells.map { cell in
      let needsQuotes = cell.utf8.contains { $0 == 0x22 || $0 == 0x2c || $0 == 0x0a || $0 == 0x0d }
      guard needsQuotes else { return cell }
      let doubled = cell.unicodeScalars.map { $0 == "\"" ? "\"\"" : String($0) }.joined()
      return "\"\(doubled)\""
    }.joined(separator: ",")
  }
}

extension CSVTable {
  /// The index of the column `name`; throws `missing` when there is none.
  func requireColumn(_ name: String) throws(EmbeddingFileError) -> Int {
    guard let index = columns.firstIndex(of: name) else {
      throw Origin(file: file).error(
        .missing, at: .line(1), expected: "a column \(name)", found: "\(columns.count) others")
    }
    return index
  }

  /// The whole number at `row` and `column`; throws unless it lies in `bounds`.
  func number(_ row: Int, _ column: Int, in bounds: Range<Int>) throws(EmbeddingFileError) -> Int {
    let cell = self[row, column]
    let isNumber = !cell.isEmpty && cell.utf8.allSatisfy { (0x30...0x39).contains($0) }
    guard isNumber, let number = Int(cell), bounds.contains(number) else {
      let wanted =
        bounds.upperBound == .max
        ? "a whole number from \(bounds.lowerBound) on"
        : "a whole number in \(bounds.lowerBound)..<\(bounds.upperBound)"
      throw error(
        row, isNumber ? .outOfRange : .malformed, expected: "\(wanted) in column \(columns[column])",
        found: isNumber ? "another number" : cell.isEmpty ? "nothing" : "other text")
    }
    return number
  }

  func error(
    _ row: Int, _ code: EmbeddingFileError.Code, expected: String, found: String
  ) -> EmbeddingFileError {
    Origin(file: file).error(code, at: .line(lines[row]), expected: expected, found: found)
  }
}
