/// Embeddings as a file holds them: rows of 32-bit floats, neither checked nor normalised.
///
/// An infinity or NaN of the file stays as it is; refusing it, row by row, is for whoever makes embeddings of
/// the rows. Indices start at 0.
public struct EmbeddingMatrix: Sendable, Hashable {
  /// The number of embeddings.
  public let rowCount: Int
  /// The number of components of each.
  public let dimension: Int
  /// All components, row after row: `rowCount * dimension` of them.
  public let values: [Float]

  /// A matrix of `values` in rows of `dimension`. Both numbers below are at least 0, and `values` holds
  /// exactly their product; anything else is a programming error and traps.
  public init(rowCount: Int, dimension: Int, values: [Float]) {
    precondition(rowCount >= 0 && dimension >= 0, "a matrix has no negative number of rows or components")
    let (count, overflow) = rowCount.multipliedReportingOverflow(by: dimension)
    precondition(
      !overflow && count == values.count,
      "\(rowCount) rows of \(dimension) components do not make \(values.count) values")
    self.rowCount = rowCount
    self.dimension = dimension
    self.values = values
  }

  /// The components of row `row`, without a copy. A row outside `0..<rowCount` traps.
  public subscript(row: Int) -> ArraySlice<Float> {
    values[range(of: row)]
  }

  /// Calls `body` with the components of row `row`, which are valid during the call alone.
  public func withRow<Result>(_ row: Int, _ body: (UnsafeBufferPointer<Float>) throws -> Result) rethrows
    -> Result
  {
    let range = range(of: row)
    return try values.withUnsafeBufferPointer { try body(UnsafeBufferPointer(rebasing: $0[range])) }
  }

  private func range(of row: Int) -> Range<Int> {
    precondition((0..<rowCount).contains(row), "row \(row) of \(rowCount)")
    return row * dimension..<(row + 1) * dimension
  }
}
