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

/// Rows of a unit that a first pass could not rule out for a probe, with what it knows of their scores.
struct Selection {
  /// The row of the segment that index 0 means.
  let firstRow: Int
  let indices: UnsafeBufferPointer<UInt32>
  /// Of each index; the score is within its slack of it.
  let estimates: UnsafeBufferPointer<Float>
  private let offset: Float
  private let errors: UnsafePointer<Float>?
  private let errorFactor: Float
  private let constant: Float

  /// Estimates that lack `offset`, with a slack of `errorFactor` times the row's error, and `constant`.
  init(
    firstRow: Int, indices: UnsafeBufferPointer<UInt32>, estimates: UnsafeBufferPointer<Float>,
    offset: Float = 0,
    errors: UnsafePointer<Float>? = nil, errorFactor: Float = 0, constant: Float
  ) {
    self.firstRow = firstRow
    self.indices = indices
    self.estimates = estimates
    self.offset = offset
    self.errors = errors
    self.errorFactor = errorFactor
    self.constant = constant
  }

  func row(_ position: Int) -> Int { firstRow + Int(indices[position]) }

  func estimate(_ position: Int) -> Float { estimates[position] + offset }

  func upperBound(_ position: Int) -> Float { (estimate(position) + slack(position)).nextUp }

  func lowerBound(_ position: Int) -> Float { (estimate(position) - slack(position)).nextDown }

  private func slack(_ position: Int) -> Float {
    let error = errors.map { $0[Int(indices[position])] } ?? 0
    return (errorFactor * error + constant).nextUp
  }
}

/// What picks the rows that may be among the results, for one or many probes at once.
protocol FirstPass: Sendable {
  associatedtype Scratch

  /// The number of rows that are best scanned at once; a multiple of a block's.
  var unitRows: Int { get }

  /// Makes what one thread needs to scan.
  func makeScratch() -> Scratch

  /// Estimates the scores of the unit's whole blocks for every probe and calls `accept` with the rows whose score may
  /// reach the probe's cutoff. Which these are is decided with the cutoff at the time.
  func scan(
    _ unit: ScanUnit, of view: SegmentView, scratch: inout Scratch, cutoff: (Int) -> Float,
    accept: (_ probe: Int, _ selection: Selection) -> Void)
}
