import CFaceKernels

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
    collect(scores, kind, fk_collect_f32)
  }

  /// Adds a block of double-precision scores of one kind.
  public mutating func add(_ scores: UnsafeBufferPointer<Double>, _ kind: ComparisonKind) {
    collect(scores, kind, fk_collect_f64)
  }

  private mutating func collect<Score>(
    _ scores: UnsafeBufferPointer<Score>, _ kind: ComparisonKind,
    _ collect: (
      UnsafePointer<Score>, Int, UnsafePointer<fk_bins>, UnsafePointer<UInt8>, UInt8,
      UnsafeMutablePointer<Double>
    ) -> Int
  ) {
    guard let first = scores.baseAddress, !scores.isEmpty else { return }
    var parameters = fk_bins(low: bins.low, scale: bins.scale, limit: bins.limit)
    withUnsafeTemporaryAllocation(of: Double.self, capacity: scores.count) { room in
      let found = wanted.withUnsafeBufferPointer { wanted in
        collect(
          first, scores.count, &parameters, wanted.baseAddress!, kind == .mated ? 1 : 2, room.baseAddress!)
      }
      guard found > 0 else { return }
      if kind == .mated {
        mated.append(contentsOf: room[..<found])
      } else {
        nonMated.append(contentsOf: room[..<found])
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
