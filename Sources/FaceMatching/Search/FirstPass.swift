import CFaceKernels

/// A run of rows of one segment, starting at a whole block.
struct ScanUnit: Sendable {
  let segment: Int
  let rows: Range<Int>

  var wholeBlockRows: Range<Int> {
    rows.lowerBound..<rows.upperBound / Int(FK_BLOCK_ROWS) * Int(FK_BLOCK_ROWS)
  }
  var remainingRows: Range<Int> { wholeBlockRows.upperBound..<rows.upperBound }
}

/// What picks the rows that may be among the results, for one or many probes at once.
protocol FirstPass: Sendable {
  associatedtype Scratch

  /// The number of rows that are best scanned at once; a multiple of a block's.
  var unitRows: Int { get }

  /// Makes what one thread needs to scan.
  func makeScratch() -> Scratch

  /// Estimates the scores of the unit's whole blocks for every probe and calls `offer` with each (probe, row,
  /// estimate, slack) whose score, within slack of the estimate, may reach the probe's cutoff.
  func scan(
    _ unit: ScanUnit, of view: SegmentView, scratch: inout Scratch, cutoff: (Int) -> Float,
    offer: (_ probe: Int, _ row: Int, _ estimate: Float, _ slack: Float) -> Void)
}
