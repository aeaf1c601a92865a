/// Pairs of rows to compare, with what is known of them.
///
/// The columns `row_a` and `row_b` are needed, `same` and `fold` may be there; all of them, and any others,
/// are kept in `table`, so that they can be printed again beside a score.
public struct PairsFile: Sendable {
  public struct Pair: Sendable, Hashable {
    /// The first row of embeddings, from 0.
    public let rowA: Int
    /// The second one; may be the first again.
    public let rowB: Int
    /// Whether both are the same person, by the column `same`; `nil` where the file has none.
    public let isMated: Bool?
    /// The part of a cross-validation that the pair belongs to, by the column `fold`; `nil` where the file
    /// has none.
    public let fold: Int?
  }

  /// The file as it is: its columns, and a row for each pair.
  public let table: CSVTable
  /// One for each row of `table`, at least one.
  public let pairs: [Pair]

  /// Reads the pairs at `path`, whose rows are among `rowCount` rows of embeddings.
  ///
  /// Throws `outOfRange` when one is not, `empty` when there is no pair, and on a missing column, a `same`
  /// other than 0 or 1 and a `fold` that is no whole number.
  public static func read(_ path: String, rowCount: Int) throws(EmbeddingFileError) -> PairsFile {
    try PairsFile(try CSVTable.read(path), rowCount: rowCount)
  }

  init(_ table: CSVTable, rowCount: Int) throws(EmbeddingFileError) {
    let rowA = try table.requireColumn("row_a")
    let rowB = try table.requireColumn("row_b")
    let same = table.columns.firstIndex(of: "same")
    let fold = table.columns.firstIndex(of: "fold")
    guard table.rowCount > 0 else {
      throw Origin(file: table.file).error(.empty, expected: "at least one pair", found: "a header alone")
    }
    var pairs: [Pair] = []
    pairs.reserveCapacity(table.rowCount)
    for index in 0..<table.rowCount {
      pairs.append(
        Pair(
          rowA: try table.number(index, rowA, in: 0..<rowCount),
          rowB: try table.number(index, rowB, in: 0..<rowCount),
          isMated: try same.map { column throws(EmbeddingFileError) in
            try table.number(index, column, in: 0..<2) == 1
          },
          fold: try fold.map { column throws(EmbeddingFileError) in
            try table.number(index, column, in: 0..<Int.max)
          }))
    }
    self.table = table
    self.pairs = pairs
  }
}

/// The two parts of a development protocol: a threshold is chosen on the one and tried on the other.
public enum DevelopmentSplit: String, Sendable, Hashable {
  case train
  case test
}

extension PairsFile {
  /// The part of a development protocol that each pair belongs to, by the column `split`.
  ///
  /// Throws `missing` without that column or the truth of each pair, `malformed` for a cell other than train or test.
  public func developmentSplits() throws(EmbeddingFileError) -> [DevelopmentSplit] {
    let column = try table.requireColumn("split")
    _ = try table.requireColumn("same")
    var splits: [DevelopmentSplit] = []
    for row in 0..<table.rowCount {
      guard let split = DevelopmentSplit(rawValue: table[row, column]) else {
        throw table.error(row, .malformed, expected: "train or test in column split", found: "other text")
      }
      splits.append(split)
    }
    return splits
  }
}
