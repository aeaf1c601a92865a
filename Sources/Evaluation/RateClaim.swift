#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The claim that an error rate is at most `rate`, to be upheld with a stated confidence.
///
/// It is upheld when the one-sided upper bound is at most the rate: of Clopper & Pearson for independent trials, of which
/// 29,956 without an error uphold 1e-4 at 95 %; by subject, from a bootstrap, for comparisons that share subjects.
public struct RateClaim: Hashable, Sendable {
  /// The rate that is claimed not to be exceeded.
  public let rate: TargetRate
  /// Above 0 and below 1.
  public let confidence: Double

  /// A confidence outside 0...1 (ends excluded) is a programming error and traps.
  public init(atMost rate: TargetRate, confidence: Double = 0.95) {
    precondition(confidence > 0 && confidence < 1, "a confidence lies above 0 and below 1")
    self.rate = rate
    self.confidence = confidence
  }

  /// What the data say of a claim. `upperBound` is the rate that they do uphold.
  public enum Verdict: Hashable, Sendable {
    case upheld(upperBound: Double)
    /// The observed rate is below the claimed one, but of too few trials; `needed` at that same rate would
    /// do.
    case tooFewTrials(upperBound: Double, needed: Int)
    /// As above, of comparisons that share subjects; `needed` subjects with as many comparisons each would do.
    case tooFewSubjects(upperBound: Double, needed: Int)
    /// The observed rate is not below the claimed one, or so close that over 1e12 trials would be needed, or a thousand times
    /// the effective ones that would do without an error.
    /// Trials that go on like these never uphold the claim.
    case observedRateTooHigh(upperBound: Double)

    /// The rate that the data do uphold.
    public var upperBound: Double {
      switch self {
      case .upheld(let bound), .tooFewTrials(let bound, _), .tooFewSubjects(let bound, _),
        .observedRateTooHigh(let bound):
        bound
      }
    }

    public var isUpheld: Bool {
      if case .upheld = self { true } else { false }
    }
  }

  /// Judges the claim by `observed` errors.
  public func verdict(on observed: Proportion) -> Verdict {
    let upperBound = observed.clopperPearson(confidence: confidence, sides: .upper).high
    if isUpheld(errors: observed.count, trials: observed.total) { return .upheld(upperBound: upperBound) }
    guard let needed = trialsNeeded(observed) else { return .observedRateTooHigh(upperBound: upperBound) }
    return .tooFewTrials(upperBound: upperBound, needed: needed)
  }

  /// Judges the claim by a rate of comparisons that share subjects.
  public func verdict(on observed: SubjectBootstrap.Estimate) -> Verdict {
    let upperBound = observed.upperBound(confidence: confidence).high
    if upperBound <= rate.value { return .upheld(upperBound: upperBound) }
    guard let factor = factorNeeded(observed) else { return .observedRateTooHigh(upperBound: upperBound) }
    return .tooFewSubjects(
      upperBound: upperBound, needed: Int((Double(observed.subjects) * factor).rounded(.up)))
  }

  /// How many times the subjects, and so the effective trials, would uphold the claim at the observed rate; nil when it would
  /// take a thousand times the trials that would do without an error: the observed rate is as good as the claimed one.
  private func factorNeeded(_ observed: SubjectBootstrap.Estimate) -> Double? {
    let mostTrials = 1000 * log(1 - confidence) / log1p(-rate.value)
    func holds(_ factor: Double) -> Bool {
      let interval = observed.effectiveInterval(
        confidence: confidence, sides: .upper, ofSubjectsTimes: factor)
      return interval.high <= rate.value
    }
    guard observed.value < rate.value else { return nil }
    var (low, high) = (1.0, 2.0)
    while !holds(high) {
      guard high * observed.effectiveTrials < mostTrials else { return nil }
      (low, high) = (high, high * 2)
    }
    for _ in 0..<20 {
      let middle = (low + high) / 2
      if holds(middle) { high = middle } else { low = middle }
    }
    return high
  }

  /// The least number of trials with `errors` errors that uphold the claim; `nil` when it is above 1e12.
  ///
  /// Without errors ⌈ln(1 − confidence) / ln(1 − rate)⌉, the "rule of three" at 95 %.
  public func trialsNeeded(errors: Int) -> Int? {
    precondition(errors >= 0, "errors are counted from zero")
    // Not upheld at `low`, where every trial is an error or there is none.
    var (low, high) = (errors, max(errors, 1))
    while !isUpheld(errors: errors, trials: high) {
      guard high < Self.mostTrials else { return nil }
      low = high
      high = min(high * 2, Self.mostTrials)
    }
    while high - low > 1 {
      let middle = low + (high - low) / 2
      if isUpheld(errors: errors, trials: middle) { high = middle } else { low = middle }
    }
    return high
  }

  /// The least number of subjects, if each takes part in one comparison only: two for each non-mated trial.
  /// The cautious end; all pairs of as few as `fewestSubjects` form as many comparisons, which then depend on
  /// each other.
  public static func mostSubjects(forNonMatedTrials trials: Int) -> Int { 2 * trials }

  /// The least number of subjects whose pairs are at least `trials`.
  public static func fewestSubjects(forNonMatedTrials trials: Int) -> Int {
    var subjects = Int((2 * Double(trials)).squareRoot())
    while subjects * (subjects - 1) / 2 < trials { subjects += 1 }
    return subjects
  }

  private static let mostTrials = 1_000_000_000_000

  /// The least number of trials that uphold the claim with errors at the observed rate.
  private func trialsNeeded(_ observed: Proportion) -> Int? {
    // trialsNeeded(k) allows the rate k / trialsNeeded(k), which rises with k towards the claimed rate.
    func allows(_ errors: Int) -> Bool? {
      guard let trials = trialsNeeded(errors: errors) else { return nil }
      return Int128(errors) * Int128(observed.total) >= Int128(observed.count) * Int128(trials)
    }
    var (low, high) = (-1, max(observed.count, 0))
    while true {
      guard let allowed = allows(high) else { return nil }
      if allowed { break }
      (low, high) = (high, max(high * 2, 1))
    }
    while high - low > 1 {
      let middle = low + (high - low) / 2
      if allows(middle) == true { high = middle } else { low = middle }
    }
    return trialsNeeded(errors: high)
  }

  /// Whether `errors` or fewer among `trials` are improbable enough if the true rate is the claimed one.
  private func isUpheld(errors: Int, trials: Int) -> Bool {
    if errors >= trials { return false }
    let doubt = 1 - confidence
    if errors == 0 { return Double(trials) * log1p(-rate.value) <= log(doubt) }
    let tails = IncompleteBeta.tails(
      Double(errors + 1), Double(trials - errors), x: rate.value, complement: 1 - rate.value)
    return tails.upper <= doubt
  }
}
