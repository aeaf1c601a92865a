/// Whose face each row of embeddings is: a table with a row for each of them, in the same order.
///
/// The columns `subject` and `image` are needed, `row` and `detected` may be there, others are passed over.
public struct IndexFile: Sendable {
  public struct Entry: Sendable, Hashable {
    /// The person, by the identifier of the file, unchanged; never empty. Equal ones are the same person.
    public let subject: String
    /// The image of that person, unchanged.
    public let image: String
    /// Whether a face was detected in the image; `true` where the file has no column `detected`.
    public let isDetected: Bool
  }

  /// One for each row of embeddings.
  public let entries: [Entry]

  /// Reads the index at `path` of `rowCount` rows of embeddings.
  ///
  /// Throws `inconsistent` when it has another number of rows or its column `row` does not count 0, 1, 2, …,
  /// and on a missing column, an empty subject, or a `detected` other than 0 or 1.
  public static func read(_ path: String, rowCount: Int) throws(EmbeddingFileError) -> IndexFile {
    try IndexFile(try CSVTable.read(path), rowCount: rowCount)
  }

  init(_ table: CSVTable, rowCount: Int) throws(EmbeddingFileError) {
    let subject = try table.requireColumn("subject")
    let image = try table.requireColumn("image")
    let row = table.columns.firstIndex(of: "row")
    let detected = table.columns.firstIndex(of: "detected")
    guard table.rowCount == rowCount else {
      throw Origin(file: table.file).error(
        .inconsistent, expected: "a row for each of \(rowCount) rows of embeddings",
        found: "\(table.rowCount) rows")
    }
    var entries: [Entry] = []
    entries.reserveCapacity(rowCount)
    for index in 0..<rowCount {
      if let row {
        let number = try table.number(index, row, in: 0..<rowCount)
        guard number == index else {
          throw table.error(
            index, .inconsistent, expected: "row \(index) in column row", found: "row \(number)")
        }
      }
      let cells = table[index]
      let name = cells[cells.startIndex + subject]
      guard !name.isEmpty else {
        throw table.error(index, .malformed, expected: "a subject in column subject", found: "nothing")
      }
      var isDetected = true
      if let detected { isDetected = try table.number(index, detected, in: 0..<2) == 1 }
      entries.append(Entry(subject: name, image: cells[cells.startIndex + image], isDetected: isDetected))
    }
    self.entries = entries
  }
}
