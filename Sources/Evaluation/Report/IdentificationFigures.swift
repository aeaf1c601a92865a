/// What is said of identification: the CMC, and rates where FPIR stays within targets.
public struct IdentificationFigures: Sendable {
  public let searches: IdentificationSet
  public let targets: [Target]
  /// Hit rates at ranks 1 to 20.
  public let cumulativeMatch: [Proportion]

  public static let ranks = 20

  /// Rates at one target with how sure they are.
  public struct Target: Sendable {
    public let target: TargetRate
    public let outcome: TargetOutcome<FalsePositiveOperatingPoint>
    /// By subject, where a bootstrap was asked for.
    public let falsePositivesBySubject: SubjectBootstrap.Estimate?
    public let falseNegativesBySubject: SubjectBootstrap.Estimate?
    /// What the searches say of the claim that FPIR is at most the target, as for FMR.
    public var claim: RateClaim.Verdict? {
      outcome.point.map { point in
        let claim = RateClaim(atMost: target)
        return falsePositivesBySubject.map(claim.verdict) ?? claim.verdict(on: point.falsePositiveRate)
      }
    }
  }

  /// Throws when there is no search of one kind.
  public init(
    _ searches: IdentificationSet, targets: [TargetRate], bootstrap plan: BootstrapPlan? = nil
  ) throws(EvaluationError) {
    self.searches = searches
    var found: [Target] = []
    for target in targets {
      let outcome = try searches.rates(atFalsePositiveRate: target)
      let threshold = outcome.point?.threshold
      func estimate(_ of: (Double, BootstrapPlan) -> SubjectBootstrap.Estimate?) -> SubjectBootstrap.Estimate?
      {
        threshold.flatMap { threshold in plan.flatMap { of(threshold, $0) } }
      }
      found.append(
        Target(
          target: target, outcome: outcome,
          falsePositivesBySubject: estimate { searches.falsePositivesBySubject(at: $0, $1) },
          falseNegativesBySubject: estimate { searches.falseNegativesBySubject(at: $0, $1) }))
    }
    self.targets = found
    cumulativeMatch = try searches.cumulativeMatchCharacteristic(upTo: Self.ranks)
  }

  /// Six thresholds from where nearly every non-mated search is positive to where half of the mates are found, as the
  /// shared baselines choose them: four decimals.
  public var sampleThresholds: [Double] {
    let best = searches.nonMatedBestScores
    let mates = searches.mated.map(\.score).sorted()
    guard let top = best.last, !mates.isEmpty else { return [] }
    let set = ScoreSet(mated: mates, nonMated: best)
    let low = set.quantile(0.01, of: .nonMated)!
    let high = max(top, set.quantile(0.5, of: .mated)!)
    return (0...5).map { place in
      let value = low + (high - low) / 5 * Double(place)
      return (value * 1e4).rounded(.toNearestOrEven) / 1e4
    }
  }

  /// The figures under the names of the shared baselines.
  public var json: JSONTree {
    func hits(_ rank: Int) -> JSONTree { .number(cumulativeMatch[rank - 1].value) }
    let reached = targets.compactMap { target in
      target.outcome.point.map { JSONTree.Member(target.target.description, Self.json($0, target)) }
    }
    let sampled = sampleThresholds.compactMap { threshold -> JSONTree.Member? in
      guard let positive = try? searches.falsePositiveRate(at: threshold),
        let negative = try? searches.falseNegativeRate(at: threshold)
      else { return nil }
      return .init(
        Self.fourDecimals(threshold),
        .of(("fpir", .number(positive.value)), ("fnir", .number(negative.value))))
    }
    return .of(
      ("metric", .text("cosine")), ("enrolled", .count(searches.enrolled)),
      ("mated_probes", .count(searches.mated.count)),
      ("nonmated_probes", .count(searches.nonMatedBestScores.count)),
      ("mated_failures", .count(searches.matedFailures)),
      ("nonmated_failures", .count(searches.nonMatedFailures)),
      ("rank1_hit_rate_closed_set", hits(1)), ("rank5_hit_rate_closed_set", hits(5)),
      ("rank20_hit_rate_closed_set", hits(20)), ("at_fpir", .object(reached)),
      ("at_threshold", .object(sampled)),
      ("cmc", .list(cumulativeMatch.map { .count($0.count) })))
  }

  private static func json(_ point: FalsePositiveOperatingPoint, _ target: Target) -> JSONTree {
    .of(
      ("threshold_gt", .number(point.thresholdAbove)), ("threshold_ge", .number(point.threshold)),
      ("fpir", .number(point.falsePositiveRate.value)), ("fnir", .number(point.falseNegativeRate.value)),
      ("missed", .count(point.falseNegativeRate.count)),
      ("false_positives", .count(point.falsePositiveRate.count)),
      ("fpir_interval", .interval(point.falsePositiveRate.clopperPearson())),
      ("fpir_by_subject", .estimate(target.falsePositivesBySubject)),
      ("fnir_interval", .interval(point.falseNegativeRate.clopperPearson())),
      ("fnir_by_subject", .estimate(target.falseNegativesBySubject)),
      (
        "claim",
        .claim("fpir", target.claim, isBySubject: target.falsePositivesBySubject != nil, trials: "searches")
      ))
  }

  /// A threshold as the baselines name it.
  static func fourDecimals(_ value: Double) -> String {
    let scaled = Int((abs(value) * 1e4).rounded())
    let digits = String(scaled % 10_000)
    return (value < 0 ? "-" : "") + "\(scaled / 10_000)." + String(repeating: "0", count: 4 - digits.count)
      + digits
  }
}
