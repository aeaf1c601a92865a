extension JSONTree {
  public static func interval(_ interval: ConfidenceInterval?) -> JSONTree {
    guard let interval else { return .null }
    return .of(
      ("low", .number(interval.low)), ("high", .number(interval.high)),
      ("confidence", .number(interval.confidence)), ("sides", .text(interval.sides.rawValue)),
      ("method", .text(interval.method.rawValue)))
  }

  static func estimate(_ estimate: SubjectBootstrap.Estimate?) -> JSONTree {
    guard let estimate else { return .null }
    return .of(
      ("effective_interval", .interval(estimate.effectiveInterval)),
      ("interval", .interval(estimate.interval)),
      ("standard_error", .number(estimate.standardError)),
      ("upper_bound", .interval(estimate.upperBound())),
      ("effective_trials", .number(estimate.effectiveTrials)),
      ("degrees_of_freedom", .number(estimate.degreesOfFreedom)),
      ("subjects", .count(estimate.subjects)), ("replicates", .count(estimate.replicates)),
      ("undefined_replicates", .count(estimate.undefinedReplicates)),
      ("seed", .count(Int(clamping: estimate.seed))))
  }

  /// What the data say of the claim that a rate is at most its target, and by what count: only subjects uphold it.
  static func claim(
    _ rate: String, _ claim: RateClaim.Verdict?, isBySubject: Bool, trials: String
  ) -> JSONTree {
    guard let claim else { return .null }
    var (verdict, trialsNeeded, subjectsNeeded) = ("", JSONTree.null, JSONTree.null)
    switch claim {
    case .upheld: verdict = isBySubject ? "upheld" : "upheldIfIndependent"
    case .tooFewTrials(_, let needed): (verdict, trialsNeeded) = ("tooFewTrials", .count(needed))
    case .tooFewSubjects(_, let needed): (verdict, subjectsNeeded) = ("tooFewSubjects", .count(needed))
    case .observedRateTooHigh: verdict = "observedRateTooHigh"
    }
    return .of(
      ("\(rate)_at_most_target", .text(verdict)), ("basis", .text(isBySubject ? "subjects" : trials)),
      ("upper_bound", .number(claim.upperBound)), ("confidence", .number(0.95)),
      ("\(trials)_needed", trialsNeeded), ("subjects_needed", subjectsNeeded))
  }

  static func failures(_ failures: ComparisonFailures) -> JSONTree {
    .of(
      ("to_enrol", .count(failures.toEnrol)), ("to_acquire", .count(failures.toAcquire)),
      ("not_finite", .count(failures.notFinite)))
  }
}

extension ComparisonFigures {
  /// The figures under the names of the shared baselines, with what those lack beside them.
  public var json: JSONTree {
    .of(
      ("genuine", Self.json(mated)), ("impostor", Self.json(nonMated)),
      (
        "failures",
        .of(("genuine", .failures(matedFailures)), ("impostor", .failures(nonMatedFailures)))
      ),
      ("eer", errorRateJSON),
      ("fnmr_at_fmr", .object(targets.map { .init($0.target.description, $0.json) })),
      ("unsupported_fmr", .list(targets.filter { $0.outcome.point == nil }.map(\.unsupportedJSON))),
      ("d_prime", .number(decidability)), ("auc", .number(areaUnderCurve)),
      ("min_cllr", .number(minimumCost)), ("cllr", .number(cost)),
      ("warnings", .list(warnings.map { .text($0.description) })))
  }

  private static func json(_ figures: ClassFigures?) -> JSONTree {
    guard let figures else { return .null }
    let name = "percentiles_" + percentages.map(String.init).joined(separator: "_")
    return .of(
      ("n", .count(figures.summary.count)), ("mean", .number(figures.summary.mean)),
      ("std", .number(figures.summary.standardDeviation)),
      (name, .list(figures.percentiles.map { .number($0) })))
  }

  private var errorRateJSON: JSONTree {
    guard let rate = equalErrorRate else { return .null }
    let interval = rate.interval
    return .of(
      ("eer_interval", .number(interval.midpoint)), ("low", .number(interval.low)),
      ("high", .number(interval.high)),
      ("threshold_ge", .number(interval.threshold)), ("eer_linear", .number(rate.linear)),
      ("eer_argmin", .number(rate.argmin.value)), ("eer_min_max", .number(rate.minimumOfMaxima.value)),
      ("eer_hull", .number(hullEqualErrorRate)), ("by_subject", .estimate(equalErrorRateBySubject)))
  }
}

extension ComparisonFigures.TargetFigures {
  var json: JSONTree {
    guard case .reached(let point) = outcome else { return .null }
    let (matches, nonMatches) = (point.rates.falseMatchRate, point.rates.falseNonMatchRate)
    return .of(
      ("allowed_false_matches", .count(point.allowedFalseMatches)), ("fmr", .number(matches.value)),
      ("fnmr", .number(nonMatches.value)), ("false_non_matches", .count(nonMatches.count)),
      ("threshold_gt", .number(point.thresholdAbove)), ("threshold_ge", .number(point.rates.threshold)),
      ("false_matches", .count(matches.count)), ("non_mated", .count(matches.total)),
      ("mated", .count(nonMatches.total)),
      ("fmr_interval", .interval(matches.clopperPearson())),
      ("fmr_by_subject", .estimate(falseMatchBySubject)),
      ("fnmr_interval", .interval(nonMatches.clopperPearson())),
      ("fnmr_by_subject", .estimate(falseNonMatchBySubject)),
      (
        "claim",
        .claim("fmr", claim, isBySubject: falseMatchBySubject != nil, trials: "comparisons")
      ))
  }

  /// Why a target has no threshold, and what it would take.
  var unsupportedJSON: JSONTree {
    guard case .notReachable(let trials, let needed) = outcome else { return .null }
    let forClaim = RateClaim(atMost: target).trialsNeeded(errors: 0)
    return .of(
      ("target", .text(target.description)), ("comparisons", .count(trials)),
      ("comparisons_for_one_error", .count(needed)),
      ("comparisons_for_a_claim_without_errors", forClaim.map { .count($0) } ?? .null),
      (
        "subjects_if_compared_once_each",
        forClaim.map { .count(RateClaim.mostSubjects(forNonMatedTrials: $0)) } ?? .null
      ))
  }
}
