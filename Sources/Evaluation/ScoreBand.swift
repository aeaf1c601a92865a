/// A question about streamed scores whose exact answer turns on the scores of one or two bins.
public enum ExactQuestion: Hashable, Sendable {
  /// The equal error rate.
  case equalErrorRate
  /// The rates where FMR just stays within a target.
  case falseMatchRate(TargetRate)
  /// The rates at a threshold.
  case threshold(Double)
}

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

  public mutating func add(_ scores: UnsafeBufferPointer<Float>, _ kind: ComparisonKind) {
    switch kind {
    case .mated: Self.collect(scores, bins, wanted, 1, into: &mated, widen: Double.init)
    case .nonMated: Self.collect(scores, bins, wanted, 2, into: &nonMated, widen: Double.init)
    }
  }

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

  public mutating func merge(_ other: ScoreBand) {
    precondition(bins == other.bins && wanted == other.wanted, "only bands of one question can be merged")
    mated += other.mated
    nonMated += other.nonMated
  }

  /// The collected scores of a bin, ascending; `nil` when it is not among the wanted.
  func exactScores(in bin: Int, _ kind: ComparisonKind) -> [Double]? {
    guard wanted[bin] & (kind == .mated ? 1 : 2) != 0 else { return nil }
    return (kind == .mated ? mated : nonMated).filter { bins.bin(of: $0) == bin }.sorted()
  }
}

extension StreamedScores {
  /// An empty band for the second pass that answers the questions exactly. Its `scoreCount` is 0 when the tails hold the
  /// answers already, and no second pass is needed.
  ///
  /// O(bins · questions). Throws when a class is empty.
  public func band(for questions: [ExactQuestion]) throws(EvaluationError) -> ScoreBand {
    try requireBoth()
    var (matedBins, nonMatedBins): (Set<Int>, Set<Int>) = ([], [])
    for question in questions {
      for bin in decisiveBins(question) {
        if mated.counts[bin] > 0, mated.exactScores(in: bin) == nil { matedBins.insert(bin) }
        if nonMated.counts[bin] > 0, nonMated.exactScores(in: bin) == nil { nonMatedBins.insert(bin) }
      }
    }
    let scores =
      matedBins.reduce(0) { $0 + mated.counts[$1] } + nonMatedBins.reduce(0) { $0 + nonMated.counts[$1] }
    return ScoreBand(bins: mated.bins, mated: matedBins, nonMated: nonMatedBins, scoreCount: scores)
  }

  /// The equal error rate, equal to that of a `ScoreSet` of the same scores.
  ///
  /// Throws `.secondPassNeeded` when neither the tails nor the band hold the scores it turns on, `.secondPassDiffers`
  /// when the band was not fed the same comparisons, and when a class is empty.
  public func equalErrorRate(_ band: ScoreBand? = nil) throws(EvaluationError) -> EqualErrorRate {
    try window(.equalErrorRate, band).crossing()
  }

  /// FNMR where FMR just stays within a target, equal to that of a `ScoreSet` of the same scores. Throws alike.
  public func errorRates(
    atFalseMatchRate target: TargetRate, _ band: ScoreBand? = nil
  ) throws(EvaluationError) -> TargetOutcome<FalseMatchOperatingPoint> {
    try window(.falseMatchRate(target), band).point(atFalseMatchRate: target)
  }

  /// Both rates at a threshold, exactly. Throws as for the equal error rate.
  public func errorRates(at threshold: Double, _ band: ScoreBand? = nil) throws(EvaluationError) -> ErrorRates
  {
    try window(.threshold(threshold), band).rates(at: threshold)
  }

  /// The scores of the bins that a question turns on, with the counts beyond them.
  private func window(_ question: ExactQuestion, _ band: ScoreBand?) throws(EvaluationError) -> ScoreWindow {
    try requireBoth()
    let decisive = decisiveBins(question)
    let first = decisive.first ?? mated.bins.count
    let last = decisive.last ?? mated.bins.count - 1
    return ScoreWindow(
      mated: try exactScores(decisive, mated, .mated, band),
      nonMated: try exactScores(decisive, nonMated, .nonMated, band),
      matedBelow: mated.counts[..<first].reduce(0, +),
      nonMatedAbove: nonMated.counts[(last + 1)...].reduce(0, +),
      matedTotal: mated.total, nonMatedTotal: nonMated.total)
  }

  private func exactScores(
    _ bins: [Int], _ histogram: ScoreHistogram, _ kind: ComparisonKind, _ band: ScoreBand?
  ) throws(EvaluationError) -> [Double] {
    var scores: [Double] = []
    for bin in bins where histogram.counts[bin] > 0 {
      let expected = histogram.counts[bin]
      guard let found = histogram.exactScores(in: bin) ?? band?.exactScores(in: bin, kind) else {
        throw .secondPassNeeded(scores: expected)
      }
      guard found.count == expected else {
        throw .secondPassDiffers(found: found.count, expected: expected)
      }
      scores += found
    }
    return scores
  }

  /// The bins, ascending, whose scores decide a question, with no score of either class in bins between them.
  private func decisiveBins(_ question: ExactQuestion) -> [Int] {
    switch question {
    case .equalErrorRate:
      return crossingBins()
    case .falseMatchRate(let target):
      var left = target.allowedErrors(of: nonMated.total)
      guard left > 0 else { return [] }
      for bin in nonMated.counts.indices.reversed() {
        left -= nonMated.counts[bin]
        if left < 0 { return [bin] }
      }
      return []
    case .threshold(let threshold):
      let bin = mated.bins.bin(of: threshold)
      if bin >= 0 { return [bin] }
      // −∞ is decided at the lowest bin, where every score matches; +∞ and NaN by none.
      return threshold == -.infinity ? [0] : []
    }
  }

  /// The bin in which FMR falls below FNMR, and the next one that is not empty, which begins with the first threshold
  /// after it: the last with FMR > FNMR is in the one, the first with FMR <= FNMR in one of the two.
  private func crossingBins() -> [Int] {
    let (m, n) = (mated.counts, nonMated.counts)
    var (matedBelow, nonMatedAtLeast) = (0, nonMated.total)
    var last = 0
    for bin in m.indices where m[bin] + n[bin] > 0 {
      let isAbove =
        Int128(nonMatedAtLeast) * Int128(mated.total) > Int128(matedBelow) * Int128(nonMated.total)
      if !isAbove { return [last, bin] }
      last = bin
      matedBelow += m[bin]
      nonMatedAtLeast -= n[bin]
    }
    return [last]
  }
}
