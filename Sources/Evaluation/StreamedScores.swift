/// Comparison scores beyond what memory holds: counts in fine bins, the tails exact, and exact answers on
/// demand by a second pass over the same comparisons.
///
/// With the defaults and the range −1...1 a bin is 7.6e-6 wide, and a value takes at most 36 MiB however many
/// scores it is fed. A rate between the tails is given as two bounds that differ by the scores of one bin; a
/// threshold is known to within a bin. `band(for:)` names the few bins that a question turns on; a
/// `ScoreBand` collects their scores in a second pass, and with it the answers equal those of a `ScoreSet` of
/// all scores.
public struct StreamedScores: ScoreSink {
  public private(set) var mated: ScoreHistogram
  public private(set) var nonMated: ScoreHistogram

  /// Takes scores that mostly lie in `range`; those beyond are counted in the outermost bins, and not lost.
  ///
  /// `tailCapacity` is the number of scores that each tail keeps as they are: the lowest of the mated, the
  /// highest of the non-mated. An empty or infinite range, or no bin, is a programming error and traps.
  public init(range: ClosedRange<Double> = -1...1, bins: Int = 1 << 18, tailCapacity: Int = 1 << 20) {
    let bins = ScoreBins(range: range, count: bins)
    mated = ScoreHistogram(bins: bins, tail: .lowest, tailCapacity: tailCapacity)
    nonMated = ScoreHistogram(bins: bins, tail: .highest, tailCapacity: tailCapacity)
  }

  /// The width of a bin: what a threshold between the tails may be off by before a second pass.
  public var binWidth: Double { nonMated.bins.width }

  /// Adds a block of single-precision scores of one kind.
  public mutating func add(_ scores: UnsafeBufferPointer<Float>, _ kind: ComparisonKind) {
    switch kind {
    case .mated: mated.add(scores)
    case .nonMated: nonMated.add(scores)
    }
  }

  /// Adds a block of double-precision scores of one kind.
  public mutating func add(_ scores: UnsafeBufferPointer<Double>, _ kind: ComparisonKind) {
    switch kind {
    case .mated: mated.add(scores)
    case .nonMated: nonMated.add(scores)
    }
  }

  /// Adds what another one of the same making has taken in. An unlike one is a programming error and traps.
  public mutating func merge(_ other: StreamedScores) {
    mated.merge(other.mated)
    nonMated.merge(other.nonMated)
  }

  /// A proportion known to lie between two, which are the same when it is known exactly.
  public struct BoundedProportion: Hashable, Sendable {
    /// At least this.
    public let low: Proportion
    /// At most this.
    public let high: Proportion
    /// Whether both are the same.
    public var isExact: Bool { low == high }
  }

  /// The proportion of non-mated comparisons that match: exact in the tail, within the scores of one bin
  /// elsewhere.
  ///
  /// O(bins). Throws `.noNonMatedComparisons` rather than returning zero.
  public func falseMatchRate(at threshold: Double) throws(EvaluationError) -> BoundedProportion {
    guard nonMated.total > 0 else { throw .noNonMatedComparisons }
    let count = nonMated.countBounds(atLeast: threshold)
    return BoundedProportion(
      low: Proportion(count.lowerBound, of: nonMated.total),
      high: Proportion(count.upperBound, of: nonMated.total))
  }

  /// The proportion of mated comparisons that do not match: exact in the tail, within the scores of one bin
  /// elsewhere.
  ///
  /// O(bins). Throws `.noMatedComparisons` rather than returning zero.
  public func falseNonMatchRate(at threshold: Double) throws(EvaluationError) -> BoundedProportion {
    guard mated.total > 0 else { throw .noMatedComparisons }
    let matches = mated.countBounds(atLeast: threshold)
    return BoundedProportion(
      low: Proportion(mated.total - matches.upperBound, of: mated.total),
      high: Proportion(mated.total - matches.lowerBound, of: mated.total))
  }

  /// The area under the ROC, and by how much it may be off because scores of one bin count as ties.
  ///
  /// O(bins). Throws when a class is empty.
  public func approximateAreaUnderCurve() throws(EvaluationError) -> (value: Double, error: Double) {
    try requireBoth()
    var (below, wins, ties) = (0.0, 0.0, 0.0)
    for bin in mated.counts.indices {
      let (m, n) = (Double(mated.counts[bin]), Double(nonMated.counts[bin]))
      wins += m * below
      ties += m * n
      below += n
    }
    let pairs = Double(mated.total) * Double(nonMated.total)
    return ((wins + ties / 2) / pairs, ties / 2 / pairs)
  }

  /// Both rates, exactly, at the least score of each bin that is not empty, ascending, then at +∞: the curve
  /// as finely as the bins go. O(bins). Throws when a class is empty.
  public func errorRateCurve() throws(EvaluationError) -> [ErrorRates] {
    try requireBoth()
    var curve: [ErrorRates] = []
    var (matedBelow, nonMatedAtLeast) = (0, nonMated.total)
    func append(_ threshold: Double) {
      curve.append(
        ErrorRates(
          threshold: threshold, falseMatchRate: Proportion(nonMatedAtLeast, of: nonMated.total),
          falseNonMatchRate: Proportion(matedBelow, of: mated.total)))
    }
    for bin in mated.counts.indices where mated.counts[bin] + nonMated.counts[bin] > 0 {
      append(mated.bins.lowestScore(of: bin))
      matedBelow += mated.counts[bin]
      nonMatedAtLeast -= nonMated.counts[bin]
    }
    append(.infinity)
    return curve
  }

  /// Two hulls between which the convex hull of all scores lies: `low` takes every bin to separate its
  /// classes perfectly, `high` not at all. Their equal error rates and costs are bounds alike. O(bins).
  /// Throws when a class is empty.
  public func convexHulls() throws(EvaluationError) -> (low: ConvexHull, high: ConvexHull) {
    try requireBoth()
    var (low, high) = (ConvexHull.Builder(), ConvexHull.Builder())
    for bin in mated.counts.indices where mated.counts[bin] + nonMated.counts[bin] > 0 {
      let score = mated.bins.lowestScore(of: bin)
      low.add(score, mated: 0, nonMated: nonMated.counts[bin])
      low.add(score, mated: mated.counts[bin], nonMated: 0)
      high.add(score, mated: mated.counts[bin], nonMated: nonMated.counts[bin])
    }
    return (low.hull, high.hull)
  }

  /// d′, as `ScoreSet.decidability()` defines it, accurate to rounding.
  public func decidability() throws(EvaluationError) -> Double {
    guard let mated = mated.summary else { throw .noMatedComparisons }
    guard let nonMated = nonMated.summary else { throw .noNonMatedComparisons }
    return try decidabilityOf(mated: mated, nonMated: nonMated)
  }

  func requireBoth() throws(EvaluationError) {
    guard mated.total > 0 else { throw .noMatedComparisons }
    guard nonMated.total > 0 else { throw .noNonMatedComparisons }
  }
}
