extension EvaluationReport {
  /// FNMR where FMR stays within targets, with what the data uphold of each.
  var targetTable: String {
    guard let figures else { return "" }
    let rows = figures.targets.map { target -> [String] in
      switch target.outcome {
      case .reached(let point):
        let (matches, nonMatches) = (point.rates.falseMatchRate, point.rates.falseNonMatchRate)
        return [
          target.target.description, Text.fixed(point.rates.threshold, 6), Text.proportion(matches),
          Self.intervals(matches.clopperPearson(), target.falseMatchBySubject), Text.proportion(nonMatches),
          Self.intervals(nonMatches.clopperPearson(), target.falseNonMatchBySubject),
          Self.claim(
            "FMR", target.claim, isBySubject: target.falseMatchBySubject != nil, trials: "comparisons",
            stricter: Self.stricter(target, figures)),
        ]
      case .notReachable(let trials, let needed):
        let claim =
          RateClaim(atMost: target.target).trialsNeeded(errors: 0).map(Text.count) ?? "more than 1e12"
        return [
          target.target.description, "–", "not reachable with these \(Text.count(trials)) comparisons", "",
          "–", "",
          "<b class=\"unsupported\">✗ unsupported</b>: \(Text.count(needed)) comparisons allow one error, \(claim) "
            + "independent ones without an error uphold it",
        ]
      }
    }
    let example = Text.bound(Proportion(0, of: 10_000).clopperPearson(sides: .upper).high)
    return Self.table(
      "FNMR where FMR stays within a target",
      ["target FMR", "threshold", "FMR", "interval", "FNMR", "interval", "target upheld at 95 %?"], rows,
      note:
        "The threshold of a target keeps the FMR <i>observed here</i> within it. Whether the data uphold the target is "
        + "another question: they do (✓) when the one-sided 95 % upper bound of FMR, by subject, is at most the target. "
        + "Where subjects are not known, or no bootstrap was made, comparisons are counted as if they were independent, "
        + "which those of one subject are not, and the verdict says so. No error is a bound too: none in 10,000 independent "
        + "comparisons is at most \(example). Intervals: Clopper–Pearson of independent comparisons; below it, where "
        + "subjects are known, by subject (bootstrap, exact at the effective number of trials), which is the one to go by."
    )
  }

  static func intervals(_ simple: ConfidenceInterval, _ subject: SubjectBootstrap.Estimate?) -> String {
    Text.interval(simple) + (subject.map { "<br>by subject: \(Text.interval($0.effectiveInterval))" } ?? "")
  }

  /// A verdict in words: `rate` is what is claimed, `trials` what was counted; `stricter` names what would uphold it.
  private static func claim(
    _ rate: String, _ claim: RateClaim.Verdict?, isBySubject: Bool, trials: String, stricter: String = ""
  ) -> String {
    guard let claim else { return "" }
    let bound = "\(rate) \(Text.atMost(claim.upperBound))"
    let refused = "<b class=\"unsupported\">✗ not upheld</b>: \(bound)"
    let assumption = isBySubject ? "" : " if \(trials) were independent"
    switch claim {
    case .upheld: return isBySubject ? "✓ \(bound)" : "(✓) \(bound)\(assumption)"
    case .tooFewTrials(_, let needed):
      return "\(refused)\(assumption); \(Text.count(needed)) such \(trials) would uphold it"
    case .tooFewSubjects(_, let needed):
      return "\(refused); about \(Text.count(needed)) such subjects would uphold it\(stricter)"
    case .observedRateTooHigh:
      return "\(refused)\(assumption); the observed rate is at the target\(stricter)"
    }
  }

  private static func stricter(
    _ target: ComparisonFigures.TargetFigures, _ figures: ComparisonFigures
  ) -> String {
    guard let other = figures.upholding(target.target), other.target != target.target else { return "" }
    return "; the threshold of \(other.target) upholds it"
  }

  var identificationTable: String {
    guard let identification else { return "" }
    let rows = identification.targets.map { target -> [String] in
      switch target.outcome {
      case .reached(let point):
        let (positive, negative) = (point.falsePositiveRate, point.falseNegativeRate)
        return [
          target.target.description, Text.fixed(point.threshold, 6), Text.proportion(positive),
          Self.intervals(positive.clopperPearson(), target.falsePositivesBySubject),
          Text.proportion(negative),
          Self.intervals(negative.clopperPearson(), target.falseNegativesBySubject),
          Self.claim(
            "FPIR", target.claim, isBySubject: target.falsePositivesBySubject != nil, trials: "searches"),
          sum(at: point.threshold),
        ]
      case .notReachable(let trials, let needed):
        return [
          target.target.description, "–",
          "<b class=\"unsupported\">✗ not reachable</b> with \(Text.count(trials)) searches; \(Text.count(needed)) allow one error",
          "", "–", "", "", "",
        ]
      }
    }
    return Self.table(
      "Identification among N = \(Text.count(identification.searches.enrolled)) enrolled, rank 1",
      [
        "target FPIR", "threshold", "FPIR", "interval", "FNIR", "interval", "target upheld at 95 %?",
        "N · FMR",
      ],
      rows,
      note:
        "By subject: one person's searches are drawn together. N · FMR is the sum of the comparisons' observed rates at that "
        + "threshold, which a search over N references can't exceed on average over people like these; it is a bound of what "
        + "was observed, not of what is upheld.")
  }

  /// N · FMR at a threshold, from above: FMR never rises with the threshold, so that at the next lower place bounds it.
  private func sum(at threshold: Double) -> String {
    guard let figures, let identification,
      let below = figures.curve.last(where: { $0.threshold <= threshold })
    else { return "–" }
    return Text.atMost(below.falseMatchRate.value * Double(identification.searches.enrolled))
  }
}
