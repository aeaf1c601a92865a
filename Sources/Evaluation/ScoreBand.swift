/// The scores of the few bins that a second pass collects.
///
/// `band(for:)` makes it empty; feed it the same comparisons as the first pass, then put the question.
public struct ScoreBand: ScoreSink {
  let bins: ScoreBins
  /// For each bin, whether its mated (1) and its non-mated (2) scores are wanted.
  private let wanted: [UInt8]
  private(set) var mated: [Double] = []
  private(set) var nonMated: [Double] = []

  /// The number of scores that the second pass will collect, 8 bytes each; 0 when none is needed.
  public let scoreCount: Int

  init(bins: ScoreBins, mated: Set<Int>, nonMated: Set<Int>, scoreCount: Int) {
    self.bins = bins
    self.scoreCount = scoreCount
    var wanted = [UInt8](repeating: 0, count: bins.count)
    for bin in mated { wanted[bin] |= 1 }
    for bin in nonMated { wanted[bin] |= 2 }
    self.wanted = wanted
  }

  /// Adds a block of single-precision scores of one kind.
  public mutating func add(_ scores: UnsafeBufferPointer<Float>, _ kind: ComparisonKind) {
    switch kind {
    case .mated: Self.collect(scores, bins, wanted, 1, into: &mated, widen: Double.init)
    case .nonMated: Self.collect(scores, bins, wanted, 2, into: &nonMated, widen: Double.init)
    }
  }

  /// Adds a block of double-precision scores of one kind.
  public mutating func add(_ scores: UnsafeBufferPointer<Double>, _ kind: ComparisonKind) {
    switch kind {
    case .mated: Self.collect(scores, bins, wanted, 1, into: &mated, widen: { $0 })
    case .nonMated: Self.collect(scores, bins, wanted, 2, into: &nonMated, widen: { $0 })
    }
  }

  @inline(__always)
  private static func collect<Score: BinaryFloatingPoint>(
    _ scores: UnsafeBufferPointer<Score>, _ bins: ScoreBins, _ wanted: [UInt8], _ mask: UInt8,
    into collected: inout [Double], widen: (Score) -> Double
  ) {
    wanted.withUnsafeBufferPointer { wanted in
      for score in scores {
        let score = widen(score)
        let bin = bins.bin(of: score)
        if bin >= 0 && wanted[bin] & mask != 0 { collected.append(score) }
      }
    }
  }

  /// Adds what another one of the same making has taken in. An unlike one is a programming error and traps.
  public mutating func merge(_ other: ScoreBand) {
    precondition(bins == other.bins && wanted == other.wanted, "only bands of one question can be merged")
    mated += other.mated
    nonMated += other.nonMated
  }

  /// Whether the scores of a bin are collected here.
  func holds(_ bin: Int, _ kind: ComparisonKind) -> Bool {
    wanted[bin] & (kind == .mated ? 1 : 2) != 0
  }

  /// The collected scores of the bins wanted, in no order.
  func scores(_ kind: ComparisonKind, in isWanted: (Int) -> Bool) -> [Double] {
    let bins = bins
    return (kind == .mated ? mated : nonMated).filter { isWanted(bins.bin(of: $0)) }
  }
}
