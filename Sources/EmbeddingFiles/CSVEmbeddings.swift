extension EmbeddingFile {
  /// One row a line; every column of numbers is a component, and columns of text are passed over.
  static func decodeCSV(_ source: ByteSource) throws(EmbeddingFileError) -> EmbeddingMatrix {
    let layout = try CSVLayout(source)
    var scanner = CSVScanner(source)
    if layout.hasHeader { _ = try scanner.next() }
    var values: [Float] = []
    var rows = 0
    while try scanner.next() {
      try scanner.requireFields(layout.columns.count)
      for (index, column) in layout.columns.enumerated() where column != .label {
        switch (column, scanner.number(index)) {
        case (.component, .number(let value)):
          values.append(value)
        case (.component, .tooLarge):
          throw scanner.error(
            .outOfRange, expected: "a number within the range of a 32-bit float in column \(index + 1)",
            found: "a greater one")
        case (.component, .text):
          throw scanner.error(expected: "a number in column \(index + 1)", found: "text")
        case (.component, .nothing):
          throw scanner.error(expected: "a number in column \(index + 1)", found: "nothing")
        case (_, .number), (_, .tooLarge):
          throw scanner.error(expected: "text in column \(index + 1), as before", found: "a number")
        case (_, .text), (_, .nothing):
          break
        }
      }
      rows += 1
    }
    return EmbeddingMatrix(rowCount: rows, dimension: layout.dimension, values: values)
  }
}

/// What the columns of a table of embeddings are, by its first two lines.
struct CSVLayout {
  enum Column {
    /// Numbers, on every line.
    case component
    /// Text on every line: a number among it means that a line is damaged.
    case text
    /// Whatever it holds: its name says that it belongs to the index.
    case label
  }

  /// Columns that are never components, though they may hold numbers.
  static let labels: Set<String> = ["row", "subject", "image", "detected"]

  let columns: [Column]
  let hasHeader: Bool

  var dimension: Int { columns.count { $0 == .component } }

  /// A first line without any number, above numbers, is a header. One with numbers is a row, always.
  init(_ source: ByteSource) throws(EmbeddingFileError) {
    var scanner = CSVScanner(source)
    guard try scanner.next() else {
      throw source.origin.error(.empty, at: .line(1), expected: "rows of numbers", found: "nothing")
    }
    let first = scanner.areNumbers
    var names: [String] = []
    for index in scanner.fields.indices { names.append(try scanner.text(index)) }
    guard try scanner.next() else {
      self.columns = first.map { $0 ? .component : .text }
      hasHeader = false
      guard first.contains(true) else {
        throw source.origin.error(
          .empty, at: .line(1), expected: "rows of numbers", found: "at most a header")
      }
      return
    }
    try scanner.requireFields(first.count)
    let second = scanner.areNumbers

    hasHeader = zip(first, second).contains { !$0 && $1 }
    if hasHeader, let column = first.firstIndex(of: true) {
      throw source.origin.error(
        .malformed, at: .line(1),
        expected: "names alone, or text and numbers in the same columns as on the next line",
        found: "a number in column \(column + 1) and text above a number elsewhere")
    }
    let isLabel = names.map { [hasHeader] in hasHeader && Self.labels.contains($0) }
    columns = zip(isLabel, hasHeader ? second : first).map { $0 ? .label : $1 ? .component : .text }
    guard dimension > 0 else {
      throw source.origin.error(
        .malformed, at: .line(scanner.line), expected: "a column of numbers", found: "none")
    }
  }
}

extension CSVScanner {
  fileprivate var areNumbers: [Bool] {
    fields.indices.map { index in
      switch number(index) {
      case .number, .tooLarge: true
      case .text, .nothing: false
      }
    }
  }

  /// What field `index` of the current record is as a number.
  fileprivate func number(_ index: Int) -> DecimalNumber {
    source.withSpan(fields[index].range) { DecimalNumber($0) }
  }
}
