/// A question about streamed scores whose exact answer turns on the scores of a few bins.
public enum ExactQuestion: Hashable, Sendable {
  /// The equal error rate.
  case equalErrorRate
  /// The rates where FMR just stays within a target.
  case falseMatchRate(TargetRate)
  /// The rates at a threshold.
  case threshold(Double)
  /// The area under the ROC. It turns on every bin that both classes share, which may be many scores.
  case areaUnderCurve
  /// The scores of one class below which these proportions of it lie.
  case quantiles([Double], ComparisonKind)
}

extension StreamedScores {
  /// An empty band for the second pass that answers the questions exactly. Its `scoreCount` is 0 when the
  /// tails hold the answers already, and no second pass is needed.
  ///
  /// O(bins · questions). Throws when a class is empty.
  public func band(for questions: [ExactQuestion]) throws(EvaluationError) -> ScoreBand {
    try requireBoth()
    let (matedTail, nonMatedTail) = (mated.tailBins, nonMated.tailBins)
    func bins(_ kind: ComparisonKind) -> Set<Int> {
      // A quantile turns on the scores of its own class alone.
      let others = questions.filter { if case .quantiles(_, let its) = $0 { its == kind } else { true } }
      return Set(others.flatMap(decisiveBins))
    }
    let matedBins = bins(.mated).filter { mated.counts[$0] > 0 && !matedTail.contains($0) }
    let nonMatedBins = bins(.nonMated).filter { nonMated.counts[$0] > 0 && !nonMatedTail.contains($0) }
    let scores =
      matedBins.reduce(0) { $0 + mated.counts[$1] } + nonMatedBins.reduce(0) { $0 + nonMated.counts[$1] }
    return ScoreBand(bins: mated.bins, mated: matedBins, nonMated: nonMatedBins, scoreCount: scores)
  }

  /// The equal error rate, equal to that of a `ScoreSet` of the same scores.
  ///
  /// Throws `.secondPassNeeded` when neither the tails nor the band hold the scores it turns on,
  /// `.secondPassDiffers` when the band was not fed the same comparisons, and when a class is empty.
  public func equalErrorRate(_ band: ScoreBand? = nil) throws(EvaluationError) -> EqualErrorRate {
    try window(.equalErrorRate, band).crossing()
  }

  /// FNMR where FMR just stays within a target, equal to that of a `ScoreSet` of the same scores. Throws
  /// alike.
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

  /// The area under the ROC, exactly. Throws as for the equal error rate.
  public func areaUnderCurve(_ band: ScoreBand? = nil) throws(EvaluationError) -> Double {
    try areaAndHull(band).area
  }

  /// The convex hull of the error rates, equal to that of a `ScoreSet` of the same scores. It turns on the bins that both
  /// classes share, as the area does. Throws as for the equal error rate.
  public func convexHull(_ band: ScoreBand? = nil) throws(EvaluationError) -> ConvexHull {
    try areaAndHull(band).hull
  }

  /// Both of what turns on the shared bins, whose scores are many and are sorted once.
  func areaAndHull(_ band: ScoreBand?) throws(EvaluationError) -> (area: Double, hull: ConvexHull) {
    try requireBoth()
    let shared = decisiveBins(.areaUnderCurve)
    let matedScores = try exactScores(shared, mated, .mated, band)
    let nonMatedScores = try exactScores(shared, nonMated, .nonMated, band)
    var builder = ConvexHull.Builder()
    // Bin by bin: wins over all non-mated scores of lower bins, and within the bin over those that are lower
    // or tied.
    var (wins, below, m, n) = (0.0, 0, 0, 0)
    for bin in mated.counts.indices where mated.counts[bin] + nonMated.counts[bin] > 0 {
      let (matedCount, nonMatedCount) = (mated.counts[bin], nonMated.counts[bin])
      wins += Double(matedCount) * Double(below)
      below += nonMatedCount
      guard matedCount > 0, nonMatedCount > 0 else {
        // A bin of one class lies within one segment of the hull.
        builder.add(mated.bins.lowestScore(of: bin), mated: matedCount, nonMated: nonMatedCount)
        continue
      }
      wins += Self.add(
        matedScores[m..<m + matedCount], nonMatedScores[n..<n + nonMatedCount], to: &builder)
      (m, n) = (m + matedCount, n + nonMatedCount)
    }
    return (wins / (Double(mated.total) * Double(nonMated.total)), builder.hull)
  }

  /// Adds the scores of one bin, both ascending, to a hull, and returns the wins of the mated ones over the others, a tie for
  /// a half. Non-mated scores between two mated ones are one group.
  private static func add(
    _ mated: ArraySlice<Double>, _ nonMated: ArraySlice<Double>, to builder: inout ConvexHull.Builder
  ) -> Double {
    var (m, n, wins) = (mated.startIndex, nonMated.startIndex, 0.0)
    while m < mated.endIndex {
      let score = mated[m]
      let (firstMated, firstLower) = (m, n)
      while m < mated.endIndex, mated[m] == score { m += 1 }
      while n < nonMated.endIndex, nonMated[n] < score { n += 1 }
      let firstTied = n
      while n < nonMated.endIndex, nonMated[n] == score { n += 1 }
      if firstTied > firstLower {
        builder.add(nonMated[firstLower], mated: 0, nonMated: firstTied - firstLower)
      }
      builder.add(score, mated: m - firstMated, nonMated: n - firstTied)
      let lower = Double(firstTied - nonMated.startIndex)
      wins += Double(m - firstMated) * (lower + Double(n - firstTied) / 2)
    }
    if n < nonMated.endIndex { builder.add(nonMated[n], mated: 0, nonMated: nonMated.endIndex - n) }
    return wins
  }

  /// The scores below which proportions of a class lie, equal to those of a `ScoreSet` of the same scores, in the order
  /// asked for. Throws as for the equal error rate.
  public func quantiles(
    _ proportions: [Double], of kind: ComparisonKind, _ band: ScoreBand? = nil
  ) throws(EvaluationError) -> [Double] {
    try requireBoth()
    let histogram = kind == .mated ? mated : nonMated
    let decisive = decisiveBins(.quantiles(proportions, kind))
    let scores = try exactScores(decisive, histogram, kind, band)
    // The rank of the first score of each decisive bin, and where its scores begin in `scores`.
    var firstRanks: [Int: (rank: Int, place: Int)] = [:]
    var (rank, place, next) = (0, 0, decisive.startIndex)
    for bin in histogram.counts.indices where next < decisive.endIndex {
      if decisive[next] == bin {
        firstRanks[bin] = (rank, place)
        place += histogram.counts[bin]
        next += 1
      }
      rank += histogram.counts[bin]
    }
    func score(_ rank: Int) -> Double {
      let start = firstRanks[histogram.bin(ofRank: rank)]!
      return scores[start.place + rank - start.rank]
    }
    return proportions.map { proportion in
      let (below, above, part) = Self.ranks(proportion, of: histogram.total)
      return score(below) + (score(above) - score(below)) * part
    }
  }

  /// The ranks of the scores between which a quantile lies, and where between them: type 7 of Hyndman & Fan.
  private static func ranks(_ proportion: Double, of total: Int) -> (below: Int, above: Int, part: Double) {
    let position = min(max(proportion, 0), 1) * Double(total - 1)
    let below = Int(position)
    return (below, min(below + 1, total - 1), position - Double(below))
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

  /// All scores of some bins, ascending, from the tail and the band.
  private func exactScores(
    _ bins: [Int], _ histogram: ScoreHistogram, _ kind: ComparisonKind, _ band: ScoreBand?
  ) throws(EvaluationError) -> [Double] {
    let tail = histogram.tailBins
    let beyondTail = Set(bins.filter { histogram.counts[$0] > 0 && !tail.contains($0) })
    let missing = beyondTail.reduce(0) { band?.holds($1, kind) == true ? $0 : $0 + histogram.counts[$1] }
    guard missing == 0 else { throw .secondPassNeeded(scores: missing) }
    let wanted = Set(bins)
    let scores =
      histogram.tailScores(in: wanted.contains) + (band?.scores(kind, in: beyondTail.contains) ?? [])
    let expected = bins.reduce(0) { $0 + histogram.counts[$1] }
    guard scores.count == expected else {
      throw .secondPassDiffers(found: scores.count, expected: expected)
    }
    return scores.sorted()
  }

  /// The bins, ascending, whose scores decide a question. But for the area, with no score of either class in
  /// bins between them.
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
    case .quantiles(let proportions, let kind):
      let histogram = kind == .mated ? mated : nonMated
      let ranks = proportions.flatMap { proportion in
        let (below, above, _) = Self.ranks(proportion, of: histogram.total)
        return [below, above]
      }
      return Set(ranks.map(histogram.bin(ofRank:))).sorted()
    case .areaUnderCurve:
      return mated.counts.indices.filter { mated.counts[$0] > 0 && nonMated.counts[$0] > 0 }
    }
  }

  /// The bin in which FMR falls below FNMR, and the next one that is not empty, which begins with the first
  /// threshold after it: the last with FMR > FNMR is in the one, the first with FMR <= FNMR in one of the
  /// two.
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
