/// FMR and FNMR at one threshold, with their counts.
public struct ErrorRates: Hashable, Sendable {
  /// A comparison with `score >= threshold` matches. +∞ matches nothing.
  public let threshold: Double
  /// The proportion of non-mated comparisons that match.
  public let falseMatchRate: Proportion
  /// The proportion of mated comparisons that do not match.
  public let falseNonMatchRate: Proportion

  /// FMR − FNMR times the product of the two totals: exact, so that equality is equality.
  var imbalance: Int128 {
    Int128(falseMatchRate.count) * Int128(falseNonMatchRate.total)
      - Int128(falseNonMatchRate.count) * Int128(falseMatchRate.total)
  }

  /// FMR + FNMR times the product of the two totals.
  var scaledSum: Int128 {
    Int128(falseMatchRate.count) * Int128(falseNonMatchRate.total)
      + Int128(falseNonMatchRate.count) * Int128(falseMatchRate.total)
  }

  var mean: Double { (falseMatchRate.value + falseNonMatchRate.value) / 2 }
}

/// The rates where FMR just stays within a target, by the k-rule.
public struct FalseMatchOperatingPoint: Hashable, Sendable {
  /// The FMR that must not be exceeded.
  public let target: TargetRate
  /// k = ⌊target · non-mated comparisons⌋. Fewer may match: scores equal to each other leave together.
  public let allowedFalseMatches: Int
  /// The (k+1)-th highest non-mated score. `score > thresholdAbove` keeps within the target, and no lower
  /// bound does.
  public let thresholdAbove: Double
  /// The rates at the next double above `thresholdAbove`, which is their `threshold`.
  public let rates: ErrorRates

  /// The lowest single-precision number at or above the threshold: the same decisions on single-precision
  /// scores.
  public var singlePrecisionThreshold: Float { Float(roundingUp: rates.threshold) }
}

extension Float {
  /// The least `Float` that is not below `value`.
  init(roundingUp value: Double) {
    let nearest = Float(value)
    self = Double(nearest) < value ? nearest.nextUp : nearest
  }
}

extension ScoreSet {
  /// The proportion of non-mated comparisons that match. A score equal to the threshold matches; a threshold
  /// of NaN matches nothing. O(log n). Throws `.noNonMatedComparisons` rather than returning zero.
  public func falseMatchRate(at threshold: Double) throws(EvaluationError) -> Proportion {
    guard !nonMated.isEmpty else { throw .noNonMatedComparisons }
    return Proportion(nonMated.count - nonMated.countBelow(threshold), of: nonMated.count)
  }

  /// The proportion of mated comparisons that do not match. A score equal to the threshold matches; a
  /// threshold of NaN matches nothing. O(log n). Throws `.noMatedComparisons` rather than returning zero.
  public func falseNonMatchRate(at threshold: Double) throws(EvaluationError) -> Proportion {
    guard !mated.isEmpty else { throw .noMatedComparisons }
    return Proportion(mated.countBelow(threshold), of: mated.count)
  }

  /// Both rates at one threshold. Throws when either class is empty.
  public func errorRates(at threshold: Double) throws(EvaluationError) -> ErrorRates {
    try window().rates(at: threshold)
  }

  /// Both rates at every threshold that matters: each distinct score, ascending, then +∞.
  ///
  /// FMR never rises and FNMR never falls along it. O(n); 40 bytes a distinct score. Throws when a class is
  /// empty.
  public func errorRateCurve() throws(EvaluationError) -> [ErrorRates] {
    _ = try window()
    var curve: [ErrorRates] = []
    var (below, belowNonMated) = (0, 0)
    func append(_ threshold: Double) {
      curve.append(
        ErrorRates(
          threshold: threshold,
          falseMatchRate: Proportion(nonMated.count - belowNonMated, of: nonMated.count),
          falseNonMatchRate: Proportion(below, of: mated.count)))
    }
    forEachDistinctScore { score, matedCount, nonMatedCount in
      append(score)
      below += matedCount
      belowNonMated += nonMatedCount
    }
    append(.infinity)
    return curve
  }

  /// FNMR where FMR just stays within `target`: k = ⌊target · n⌋ non-mated comparisons may match, and the
  /// threshold is the next double above the (k+1)-th highest non-mated score.
  ///
  /// The FMR reached is never above the target; `.notReachable` when k is zero. Throws when a class is empty.
  public func errorRates(
    atFalseMatchRate target: TargetRate
  ) throws(EvaluationError) -> TargetOutcome<FalseMatchOperatingPoint> {
    try window().point(atFalseMatchRate: target)
  }

  /// Calls `body` for each distinct score, ascending, with the numbers of mated and non-mated comparisons
  /// that have it.
  func forEachDistinctScore(_ body: (_ score: Double, _ mated: Int, _ nonMated: Int) -> Void) {
    var (m, n) = (0, 0)
    while m < mated.count || n < nonMated.count {
      let score = min(m < mated.count ? mated[m] : .infinity, n < nonMated.count ? nonMated[n] : .infinity)
      let (firstMated, firstNonMated) = (m, n)
      while m < mated.count, mated[m] == score { m += 1 }
      while n < nonMated.count, nonMated[n] == score { n += 1 }
      body(score, m - firstMated, n - firstNonMated)
    }
  }

  func window() throws(EvaluationError) -> ScoreWindow {
    guard !mated.isEmpty else { throw .noMatedComparisons }
    guard !nonMated.isEmpty else { throw .noNonMatedComparisons }
    return ScoreWindow(
      mated: mated, nonMated: nonMated, matedBelow: 0, nonMatedAbove: 0, matedTotal: mated.count,
      nonMatedTotal: nonMated.count)
  }
}
