/// Scores of both classes within a stretch of the score axis, and how many lie beyond it: enough to give
/// exact rates at every threshold inside. A whole `ScoreSet` is the window with nothing beyond.
struct ScoreWindow {
  /// Ascending.
  let mated: [Double]
  /// Ascending.
  let nonMated: [Double]
  /// Mated scores below every score of the window.
  let matedBelow: Int
  /// Non-mated scores above every score of the window.
  let nonMatedAbove: Int
  let matedTotal: Int
  let nonMatedTotal: Int

  func rates(at threshold: Double) -> ErrorRates {
    ErrorRates(
      threshold: threshold,
      falseMatchRate: Proportion(
        nonMatedAbove + nonMated.count - nonMated.countBelow(threshold), of: nonMatedTotal),
      falseNonMatchRate: Proportion(matedBelow + mated.countBelow(threshold), of: matedTotal))
  }

  /// The k-rule. The (k+1)-th highest non-mated score must lie inside the window.
  func point(atFalseMatchRate target: TargetRate) -> TargetOutcome<FalseMatchOperatingPoint> {
    let allowed = target.allowedErrors(of: nonMatedTotal)
    guard allowed > 0 else {
      return .notReachable(trials: nonMatedTotal, needed: target.trialsForOneError)
    }
    let highest = nonMated[nonMated.count - 1 - (allowed - nonMatedAbove)]
    return .reached(
      FalseMatchOperatingPoint(
        target: target, allowedFalseMatches: allowed, thresholdAbove: highest,
        rates: rates(at: highest.nextUp)))
  }

  /// The two thresholds between which FMR falls below FNMR; they must lie inside the window, or the second be
  /// +∞.
  func crossing() -> EqualErrorRate {
    func isAbove(_ threshold: Double) -> Bool { rates(at: threshold).imbalance > 0 }
    let lastMated = mated.partitionPoint(isAbove) - 1
    let lastNonMated = nonMated.partitionPoint(isAbove) - 1
    let before = max(
      lastMated >= 0 ? mated[lastMated] : -.infinity, lastNonMated >= 0 ? nonMated[lastNonMated] : -.infinity)
    let (nextMated, nextNonMated) = (lastMated + 1, lastNonMated + 1)
    let after = min(
      nextMated < mated.count ? mated[nextMated] : .infinity,
      nextNonMated < nonMated.count ? nonMated[nextNonMated] : .infinity)
    let ratesAfter = rates(at: after)
    return EqualErrorRate(
      before: ratesAfter.imbalance == 0 ? ratesAfter : rates(at: before), after: ratesAfter)
  }
}

extension [Double] {
  /// Of an ascending array: the number of leading elements for which `isBefore` holds, given that it holds
  /// for a beginning of the array and for nothing after it.
  func partitionPoint(_ isBefore: (Double) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = low + (high - low) / 2
      if isBefore(self[middle]) { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Of an ascending array: how many elements do not reach `threshold`. All of them for NaN.
  func countBelow(_ threshold: Double) -> Int {
    partitionPoint { !($0 >= threshold) }
  }
}
