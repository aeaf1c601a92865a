import Biometrics
import Testing

@testable import Evaluation

@Suite struct SubjectBootstrapTests {
  /// All pairs of `rows` rows of each subject, with an effect of each subject on its scores.
  static func cohort(subjects: Int, rows: Int, seed: UInt64, step: Double = 1e-9) -> [SubjectComparison] {
    var generator = SeededGenerator(seed: seed)
    let effects = (0..<subjects).map { _ in generator.nextNormal() }
    var comparisons: [SubjectComparison] = []
    for a in 0..<subjects * rows {
      for b in 0..<a {
        let (i, j) = (a / rows, b / rows)
        let centre = i == j ? 3 + effects[i] : (effects[i] + effects[j]) / 2
        let score = ((centre + generator.nextNormal()) / step).rounded() * step
        comparisons.append(SubjectComparison(subject: 100 + i, otherSubject: 100 + j, score: score))
      }
    }
    return comparisons
  }

  static func scores(_ comparisons: [SubjectComparison]) -> ScoreSet {
    ScoreSet(
      mated: comparisons.filter { $0.subject == $0.otherSubject }.map(\.score),
      nonMated: comparisons.filter { $0.subject != $0.otherSubject }.map(\.score))
  }

  static let statistics: [SubjectBootstrap.Statistic] = [
    .falseMatchRate(threshold: 1.5), .falseNonMatchRate(threshold: 1.5),
    .falseNonMatchRateAtFalseMatchRate(.of("0.05")), .equalErrorRate,
  ]

  @Test("replicates that differ by rounding alone count as equal, and their interval is found")
  func roundingAlone() throws {
    // One of three comparisons of every subject is an error: so it is in every draw.
    let comparisons = (0..<10).flatMap { subject in
      [0.1, 0.8, 0.9].map { SubjectComparison(subject: subject, otherSubject: subject, score: $0) }
    }
    let estimate = try SubjectBootstrap(comparisons).estimate(
      .falseNonMatchRate(threshold: 0.5), replicates: 300)
    #expect(estimate.effectiveTrials == 10)
    #expect(estimate.effectiveInterval.contains(1.0 / 3) && estimate.effectiveInterval.low > 0.05)
  }

  @Test("the statistics of the data themselves are those of their scores", arguments: [1e-9, 0.5, 2])
  func observed(step: Double) throws {
    let comparisons = Self.cohort(subjects: 12, rows: 3, seed: 7, step: step)
    let bootstrap = try SubjectBootstrap(comparisons)
    let scores = Self.scores(comparisons)
    let expected = try [
      scores.falseMatchRate(at: 1.5).value, scores.falseNonMatchRate(at: 1.5).value,
      #require(scores.errorRates(atFalseMatchRate: .of("0.05")).point).rates.falseNonMatchRate.value,
      scores.equalErrorRate().interval.midpoint,
    ]
    for (statistic, expected) in zip(Self.statistics, expected) {
      #expect(isClose(try bootstrap.sample.observed(statistic), expected, within: 1e-15), "\(statistic)")
    }
  }

  @Test("the threshold for a target FMR follows the k-rule")
  func kRule() throws {
    // Of ten, two may match; the third highest is 0.7.
    let nonMated = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.65, 0.7, 0.8, 0.9].enumerated().map {
      SubjectComparison(subject: $0, otherSubject: $0 + 1, score: $1)
    }
    let mated = [0.6, 0.7, 0.75, 0.85].map { SubjectComparison(subject: 1, otherSubject: 1, score: $0) }
    let sample = try SubjectBootstrap(nonMated + mated).sample
    #expect(try sample.observed(.falseNonMatchRateAtFalseMatchRate(.of("0.2"))) == 0.5)
  }

  @Test("a draw counts a comparison as often as its subjects were drawn")
  func weights() throws {
    let comparisons = Self.cohort(subjects: 5, rows: 2, seed: 3, step: 0.5)
    let sample = try SubjectBootstrap(comparisons).sample
    let weights = [2, 0, 1, 3, 0]
    var repeated: [SubjectComparison] = []
    for comparison in comparisons {
      let (i, j) = (comparison.subject - 100, comparison.otherSubject - 100)
      let times = i == j ? weights[i] : weights[i] * weights[j]
      repeated += Array(repeating: comparison, count: times)
    }
    let drawn = try SubjectBootstrap(repeated).sample
    for statistic in Self.statistics {
      #expect(sample.value(of: statistic, weights) == (try drawn.observed(statistic)), "\(statistic)")
    }
  }

  @Test("the seed alone decides the result, whatever the number of threads")
  func reproducible() throws {
    let bootstrap = try SubjectBootstrap(Self.cohort(subjects: 10, rows: 2, seed: 1))
    for statistic in Self.statistics {
      let one = try bootstrap.estimate(statistic, replicates: 101, seed: 9, threads: 1)
      #expect(one == (try bootstrap.estimate(statistic, replicates: 101, seed: 9, threads: 3)))
      #expect(one == (try bootstrap.estimate(statistic, replicates: 101, seed: 9)))
      #expect(one != (try bootstrap.estimate(statistic, replicates: 101, seed: 10)))
      #expect(one.interval.low <= one.value && one.value <= one.interval.high)
      #expect(one.subjects == 10 && one.standardError > 0)
    }
  }

  @Test("listing only the highest of all pairs gives the same as listing all")
  func unlisted() throws {
    let comparisons = Self.cohort(subjects: 10, rows: 3, seed: 4)
    let all = try SubjectBootstrap(comparisons)
    let listed = comparisons.filter { $0.subject == $0.otherSubject || $0.score > 0 }
    let rows = Dictionary(uniqueKeysWithValues: (100..<110).map { ($0, 3) })
    let some = try SubjectBootstrap(listed, rowsPerSubject: rows)
    #expect(listed.count < comparisons.count)
    for statistic in Self.statistics {
      #expect(
        try all.estimate(statistic, replicates: 50) == some.estimate(statistic, replicates: 50),
        "\(statistic)")
    }
    #expect(throws: EvaluationError.tooManyComparisons(listed: 405, possible: 45)) {
      try SubjectBootstrap(comparisons, rowsPerSubject: rows.mapValues { _ in 1 })
    }
  }

  @Test("subjects that share much make the interval wider than that of as many independent comparisons")
  func correlation() throws {
    let comparisons = Self.cohort(subjects: 30, rows: 4, seed: 11)
    let estimate = try SubjectBootstrap(comparisons).estimate(
      .falseNonMatchRate(threshold: 2), replicates: 400)
    let rate = try Self.scores(comparisons).falseNonMatchRate(at: 2)
    let independent = rate.clopperPearson()
    #expect(estimate.interval.high - estimate.interval.low > 1.3 * (independent.high - independent.low))
    #expect(estimate.effectiveTrials < Double(rate.total) / 2)
    #expect(
      estimate.effectiveInterval.high - estimate.effectiveInterval.low > independent.high - independent.low)
    #expect(estimate.subjectsNeeded(forStandardError: estimate.standardError / 2) == 120)
  }

  @Test("the interval holds the true rate in 95 ± 2 % of 2,000 sets")
  func coverage() throws {
    var generator = SeededGenerator(seed: 5)
    var covered = (percentile: 0, effective: 0)
    for seed in 0..<2000 {
      // A subject's own FNMR is evenly spread over 0...0.4: 0.2 on average. Ranks 2 and 78 of 79 bound 95 %.
      let comparisons = (0..<150).flatMap { subject in
        let rate = 0.4 * generator.nextUnit()
        return (0..<2).map { _ in
          SubjectComparison(
            subject: subject, otherSubject: subject, score: generator.nextUnit() <= rate ? 0 : 1)
        }
      }
      let estimate = try SubjectBootstrap(comparisons).estimate(
        .falseNonMatchRate(threshold: 0.5), replicates: 79, seed: UInt64(seed))
      covered.percentile += estimate.interval.contains(0.2) ? 1 : 0
      covered.effective += estimate.effectiveInterval.contains(0.2) ? 1 : 0
    }
    #expect((1860...1940).contains(covered.percentile), "covered \(covered)")
    #expect((1860...1940).contains(covered.effective), "covered \(covered)")
  }

  @Test("no error at all is bounded by the number of subjects, not of comparisons")
  func noErrors() throws {
    let comparisons = Self.cohort(subjects: 20, rows: 4, seed: 2)
    let bootstrap = try SubjectBootstrap(comparisons)
    let never = try bootstrap.estimate(.falseNonMatchRate(threshold: -100), replicates: 40)
    #expect(never.interval.low == 0 && never.interval.high == 0 && never.effectiveTrials == 20)
    #expect(never.effectiveInterval.high == Proportion(0, of: 20).clopperPearson().high)
    let always = try bootstrap.estimate(.falseMatchRate(threshold: -100), replicates: 40)
    #expect(always.effectiveInterval.low == Proportion(10, of: 10).clopperPearson().low)
  }

  @Test("what the data don't define is an error, and failed comparisons are counted")
  func undefined() throws {
    let mated = SubjectComparison(subject: 1, otherSubject: 1, score: 1)
    let nonMated = SubjectComparison(subject: 1, otherSubject: 2, score: 0)
    let failed = SubjectComparison(subject: 1, otherSubject: 2, score: .nan)
    let onlyMated = try SubjectBootstrap([mated, failed])
    #expect(onlyMated.failures == 1)
    #expect(throws: EvaluationError.noNonMatedComparisons) {
      try onlyMated.estimate(.falseMatchRate(threshold: 0))
    }
    #expect(throws: EvaluationError.noMatedComparisons) {
      try SubjectBootstrap([nonMated]).estimate(.equalErrorRate)
    }
    #expect(throws: EvaluationError.noDefinedReplicate) {
      try SubjectBootstrap([mated, nonMated]).estimate(.falseNonMatchRateAtFalseMatchRate(.of("0.1")))
    }
    // Half of all draws of two subjects draw one twice, and have no non-mated comparison.
    let estimate = try SubjectBootstrap([mated, nonMated]).estimate(
      .falseMatchRate(threshold: 0), replicates: 400)
    #expect((140...260).contains(estimate.undefinedReplicates))
  }
}
