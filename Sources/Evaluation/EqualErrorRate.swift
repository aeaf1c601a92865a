/// The equal error rate of a finite set of scores, by each of its definitions.
///
/// FMR and FNMR are step functions that in general have no common value. Thresholds are the observed scores
/// and +∞. `before` is the last at which FMR > FNMR, `after` the first at which FMR <= FNMR; where they are
/// equal at `after`, both are that one.
public struct EqualErrorRate: Hashable, Sendable {
  /// The rates at the last threshold with FMR > FNMR, or those of `after`.
  public let before: ErrorRates
  /// The rates at the first threshold with FMR <= FNMR.
  public let after: ErrorRates

  /// The interval of FVC2000: the rates at whichever of the two thresholds has the smaller FMR + FNMR
  /// (`before` when equal). Maio et al., "FVC2000: Fingerprint Verification Competition", IEEE TPAMI 24
  /// (2002).
  public var interval: Interval {
    let rates = before.scaledSum <= after.scaledSum ? before : after
    let (falseMatch, falseNonMatch) = (rates.falseMatchRate.value, rates.falseNonMatchRate.value)
    return Interval(
      low: min(falseMatch, falseNonMatch), high: max(falseMatch, falseNonMatch), midpoint: rates.mean,
      threshold: rates.threshold)
  }

  /// Where the straight line between the two points (FMR, FNMR) meets FMR = FNMR.
  public var linear: Double {
    let (f1, n1) = (before.falseMatchRate.value, before.falseNonMatchRate.value)
    let (f2, n2) = (after.falseMatchRate.value, after.falseNonMatchRate.value)
    let step = (f1 - n1) - (f2 - n2)
    return step == 0 ? f2 : f1 + (f2 - f1) * ((f1 - n1) / step)
  }

  /// (FMR + FNMR) / 2 at the threshold with the least |FMR − FNMR|; the lower threshold when two are equal.
  public var argmin: Estimate {
    let rates = before.imbalance.magnitude <= after.imbalance.magnitude ? before : after
    return Estimate(value: rates.mean, threshold: rates.threshold)
  }

  /// The least value that the greater of the two rates takes at any threshold; the lower threshold when two
  /// are equal.
  public var minimumOfMaxima: Estimate {
    let candidates = [before, after].map {
      Estimate(value: max($0.falseMatchRate.value, $0.falseNonMatchRate.value), threshold: $0.threshold)
    }
    return candidates[0].value <= candidates[1].value ? candidates[0] : candidates[1]
  }

  /// The two rates between which the equal error rate lies, and the threshold (`score >= threshold` matches).
  public struct Interval: Hashable, Sendable {
    /// The smaller of the two rates.
    public let low: Double
    /// The greater of the two rates.
    public let high: Double
    /// (low + high) / 2, which is what is mostly quoted as *the* EER.
    public let midpoint: Double
    /// Where the two rates are found.
    public let threshold: Double
  }

  /// A single value and the threshold where it is found.
  public struct Estimate: Hashable, Sendable {
    /// The rate, 0...1.
    public let value: Double
    /// Where it is found: an observed score, or +∞.
    public let threshold: Double
  }
}

extension ScoreSet {
  /// The equal error rate by every definition that looks at two neighbouring thresholds; `convexHull()` gives
  /// the one of the ROC's hull. O(log² n). Throws when a class is empty.
  public func equalErrorRate() throws(EvaluationError) -> EqualErrorRate {
    try window().crossing()
  }
}
