import Testing

@testable import Evaluation

/// What counts as supported, and how bounds are written.
@Suite struct SupportTests {
  @Test(arguments: [
    (0.000299528, "2.99e-4", "3.00e-4"), (0.0003001, "3.00e-4", "3.01e-4"),
    (0.00099999, "9.99e-4", "0.00100"),
    (0.0010009, "0.00100", "0.00101"), (0.0123456, "0.0123", "0.0124"), (0.5, "0.500", "0.500"),
    (0.9996, "0.999", "1.00"), (1, "1", "1"), (0, "0", "0"), (1e-9, "1.00e-9", "1.00e-9"),
    (1.2345, "1.23", "1.24"), (1234.5, "1230", "1240"),
  ])
  func `a bound is never written inside of what it is`(value: Double, low: String, high: String) {
    #expect(BoundText.low(value) == low && BoundText.high(value) == high)
  }

  @Test func `numbers that are written hold the ones that were found`() throws {
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<2000 {
      let value = Double.random(in: 0...1, using: &generator) * [1, 1e-2, 1e-4, 1e-7].randomElement()!
      let (low, high) = (BoundText.low(value), BoundText.high(value))
      #expect(
        try #require(Double(low)) <= value && value <= #require(Double(high)), "\(value): \(low), \(high)")
      #expect(SignificantDigits(value, digits: 3).text.filter(\.isNumber).count >= 3)
    }
  }

  @Test(arguments: [
    (0.025, 39, 2.022690920), (0.05, 10, 1.812461123), (0.025, 1, 12.70620474), (0.025, 4, 2.776445105),
    (0.025, 1e5, 1.959987710), (0.025, 1e9, 1.959963987), (0.005, 2, 9.924843201),
  ])
  func `Student's quantiles`(probability: Double, degrees: Double, expected: Double) {
    #expect(isRelativelyClose(studentQuantile(probability, degrees), expected, within: 1e-8))
  }

  /// 20 subjects with four comparisons of which two are errors, and one subject with three: draws hardly differ.
  private static let even = (0..<20).flatMap { subject in
    (0..<4).map {
      SubjectComparison(
        subject: subject, otherSubject: subject, score: $0 < (subject == 0 ? 3 : 2) ? 0.0 : 1.0)
    }
  }

  @Test func `the effective number of trials is at most the actual one`() throws {
    let estimate = try SubjectBootstrap(Self.even).estimate(
      .falseNonMatchRate(threshold: 0.5), replicates: 300)
    #expect(estimate.estimatedTrials > 200 && estimate.effectiveTrials == 80 && estimate.trials == 80)
    let exact = Proportion(41, of: 80).clopperPearson()
    #expect(isRelativelyClose(estimate.effectiveInterval.high, exact.high, within: 1e-12))
    #expect(isRelativelyClose(estimate.effectiveInterval.low, exact.low, within: 1e-12))
  }

  @Test func `the spread of few subjects is known so well only, and the interval is wider for it`() throws {
    // All four comparisons of every fourth of 20 subjects are errors: as sure as about 20 independent ones.
    let comparisons = (0..<20).flatMap { subject in
      (0..<4).map { _ in
        SubjectComparison(subject: subject, otherSubject: subject, score: subject % 4 == 0 ? 0 : 1)
      }
    }
    let estimate = try SubjectBootstrap(comparisons).estimate(
      .falseNonMatchRate(threshold: 0.5), replicates: 500)
    #expect((16.0...25).contains(estimate.effectiveTrials) && estimate.degreesOfFreedom == 19)
    // Student's quantiles at 79 and at 19 degrees.
    let ratio = 1.990450211 / 2.093024054
    let trials = estimate.effectiveTrials * ratio * ratio
    let high = BinomialBound.upper(0.25 * trials, trials, 0.025)
    #expect(isRelativelyClose(estimate.effectiveInterval.high, high, within: 1e-8))
  }

  /// All pairs of one row of each of so many subjects, none of which reaches a threshold of 2.
  private static func noErrors(_ subjects: Int) throws -> SubjectBootstrap.Estimate {
    let comparisons = (0..<subjects).flatMap { a in
      (0..<a).map { SubjectComparison(subject: a, otherSubject: $0, score: 0) }
    }
    return try SubjectBootstrap(comparisons).estimate(.falseMatchRate(threshold: 2), replicates: 40)
  }

  @Test func `all pairs of a few subjects uphold far less than as many independent comparisons`() throws {
    // 780 comparisons of 40 subjects: as sure as 20 independent ones.
    let estimate = try Self.noErrors(40)
    #expect(RateClaim(atMost: .of("0.01")).verdict(on: Proportion(0, of: 780)).isUpheld)
    guard case .tooFewSubjects(let bound, let needed) = RateClaim(atMost: .of("0.01")).verdict(on: estimate)
    else {
      Issue.record("40 subjects don't uphold 1 %")
      return
    }
    #expect(isRelativelyClose(bound, 0.1391, within: 1e-3))
    // ln 0.05 / ln 0.99 = 298.07 independent comparisons, of two subjects each.
    #expect(needed == 597)
    #expect(RateClaim(atMost: .of("0.01")).verdict(on: try Self.noErrors(597)).isUpheld)
    #expect(RateClaim(atMost: .of("0.14")).verdict(on: estimate).isUpheld)
  }

  @Test func `an observed rate at the target is upheld by no number of subjects`() throws {
    let estimate = try SubjectBootstrap(Self.even).estimate(
      .falseNonMatchRate(threshold: 0.5), replicates: 300)
    guard case .observedRateTooHigh(let bound) = RateClaim(atMost: .of("0.5")).verdict(on: estimate) else {
      Issue.record("41 of 80 is above 1/2")
      return
    }
    #expect(bound > 0.5)
    // Nor is one just below it by any number that could be had.
    guard case .observedRateTooHigh = RateClaim(atMost: .of("0.5126")).verdict(on: estimate) else {
      Issue.record("41 of 80 is 0.5125")
      return
    }
  }

  /// A thousand subjects, each compared with two others and with themselves; one in ten non-mated scores is high.
  private static func scores(withSubjects: Bool) -> ScoreSetEvaluation {
    var comparisons: [ScoredComparison] = []
    for subject in 0..<1000 {
      for step in 1...2 {
        let other = (subject + step) % 1000
        comparisons.append(
          ScoredComparison(
            kind: .nonMated, score: Double((subject * 7 + step * 13) % 1009) / 2000,
            subjects: withSubjects ? (subject, other) : nil))
      }
      comparisons.append(
        ScoredComparison(kind: .mated, score: 0.8, subjects: withSubjects ? (subject, subject) : nil))
    }
    return ScoreSetEvaluation(
      comparisons, targets: [.of("0.1"), .of("0.05"), .of("1e-2")], bootstrap: BootstrapPlan(replicates: 100))
  }

  @Test func `a target that is kept and not upheld is marked, with the threshold that does uphold it`() throws
  {
    let report = EvaluationReport(
      Self.scores(withSubjects: true), provenance: .init(files: [], command: "", engineVersion: ""))
    let claim = try #require(report.json["scores"]?["fnmr_at_fmr"]?["1e-1"]?["claim"])
    #expect(claim["basis"] == .text("subjects") && claim["fmr_at_most_target"] != .text("upheld"))
    guard case .number(let bound) = claim["upper_bound"] else {
      Issue.record("no bound")
      return
    }
    #expect(
      bound > 0.1
        && report.html.contains("✗ not upheld</b>: FMR <span class=\"n\">≤ \(BoundText.high(bound))"))
    #expect(report.html.contains("; the threshold of 1/20 upholds it"))
    #expect(
      report.html.contains("none in 10,000 independent comparisons is at most <span class=\"n\">3.00e-4"))
  }

  @Test func `without subjects a verdict says that it takes comparisons as independent`() throws {
    let evaluation = Self.scores(withSubjects: false)
    let claim = try #require(evaluation.json["scores"]?["fnmr_at_fmr"]?["1e-2"]?["claim"])
    #expect(
      claim["basis"] == .text("comparisons") && claim["fmr_at_most_target"] == .text("observedRateTooHigh"))
    let report = EvaluationReport(evaluation, provenance: .init(files: [], command: "", engineVersion: ""))
    #expect(report.html.contains("if comparisons were independent"))
  }
}
