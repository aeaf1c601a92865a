import Biometrics
import Dispatch

/// A comparison with the subjects of its two samples; mated when they are one.
public struct SubjectComparison: Hashable, Sendable {
  /// The subject of one sample; any number names one.
  public let subject: Int
  /// The subject of the other sample.
  public let otherSubject: Int
  /// The comparison score.
  public let score: Double

  /// A comparison of two samples.
  public init(subject: Int, otherSubject: Int, score: Double) {
    self.subject = subject
    self.otherSubject = otherSubject
    self.score = score
  }
}

/// How sure an error rate is when comparisons share subjects: the bootstrap that draws *subjects*, not
/// comparisons.
///
/// Each replicate draws as many subjects as there are, with replacement. A mated comparison then counts as
/// often as its subject was drawn, a non-mated one as the product of both its subjects' numbers (Snijders &
/// Borgatti 1999; a subject drawn twice is not compared with itself). The interval is the percentile interval
/// (Efron & Tibshirani 1993, ch. 13). That knows only the subjects seen, and with no error at all it
/// collapses to zero; a second interval, the exact one at the effective number of trials, does not.
public struct SubjectBootstrap: Sendable {
  /// What is estimated.
  public enum Statistic: Hashable, Sendable {
    /// FMR at a threshold.
    case falseMatchRate(threshold: Double)
    /// FNMR at a threshold.
    case falseNonMatchRate(threshold: Double)
    /// FNMR where FMR just stays within a target, the threshold chosen anew in every replicate.
    case falseNonMatchRateAtFalseMatchRate(TargetRate)
    /// The midpoint of `EqualErrorRate.interval`.
    case equalErrorRate
  }

  /// A statistic with what the replicates say of it.
  public struct Estimate: Hashable, Sendable {
    /// The statistic of the data themselves.
    public let value: Double
    /// The percentile interval.
    public let interval: ConfidenceInterval
    /// The standard deviation of the replicates.
    public let standardError: Double
    /// The number of independent trials that would be as sure: p(1 − p) / σ², at most the number of comparisons. Against
    /// that number it tells how much sharing subjects costs. Where no replicate differs from the others, the number of
    /// subjects that have comparisons of the kind, or half of it for FMR: what they would be if each took part in one
    /// only.
    public var effectiveTrials: Double { min(estimatedTrials, trials) }
    /// The same, before it is bounded by the number of comparisons.
    let estimatedTrials: Double
    /// The comparisons of the statistic.
    public let trials: Double
    /// One less than the subjects that have such comparisons; nil where no replicate differs from the others, so that no
    /// spread was estimated.
    public let degreesOfFreedom: Double?
    /// The confidence of the intervals.
    public let confidence: Double
    /// The Clopper–Pearson interval at the effective number of trials. It holds its confidence with few subjects or few
    /// errors, where the percentile interval is too short, and bounds a rate of which no error was seen.
    public var effectiveInterval: ConfidenceInterval {
      effectiveInterval(confidence: confidence, sides: .two)
    }
    /// Subjects that were drawn from, and in each draw.
    public let subjects: Int
    /// Draws made.
    public let replicates: Int
    /// Replicates in which the statistic is undefined (a class empty, the target not reachable); left out
    /// above.
    public let undefinedReplicates: Int
    /// The seed that gives this estimate again.
    public let seed: UInt64

    /// The exact interval at the effective number of trials, with any confidence: Korn & Graubard, "Confidence intervals
    /// for proportions with small expected number of positive counts" (1998). Its trials are lowered by the square of
    /// Student's quantile at n − 1 over that at the degrees of freedom, as σ was itself estimated from so many subjects, and
    /// are at most the comparisons.
    ///
    /// `factor` makes it that of as many times the subjects with as many comparisons each, at the same rate.
    public func effectiveInterval(
      confidence: Double, sides: ConfidenceInterval.Sides, ofSubjectsTimes factor: Double = 1
    ) -> ConfidenceInterval {
      let doubt = sides == .two ? (1 - confidence) / 2 : 1 - confidence
      var effective = estimatedTrials * factor
      if let degreesOfFreedom {
        let ratio =
          studentQuantile(doubt, max(trials * factor - 1, 1))
          / studentQuantile(doubt, (degreesOfFreedom + 1) * factor - 1)
        effective *= min(ratio * ratio, 1)
      }
      effective = min(effective, trials * factor)
      let errors = value * effective
      return ConfidenceInterval(
        low: sides == .upper ? 0 : BinomialBound.lower(errors, effective, doubt),
        high: sides == .lower ? 1 : BinomialBound.upper(errors, effective, doubt), confidence: confidence,
        sides: sides, method: .effectiveClopperPearson)
    }

    /// The one-sided upper bound: what the comparisons uphold.
    public func upperBound(confidence: Double = 0.95) -> ConfidenceInterval {
      effectiveInterval(confidence: confidence, sides: .upper)
    }

    /// About how many subjects would give this value the standard error `wanted`: it falls as their square
    /// root.
    public func subjectsNeeded(forStandardError wanted: Double) -> Int {
      precondition(wanted > 0, "a standard error is above zero")
      let ratio = standardError / wanted
      return Int((Double(subjects) * ratio * ratio).rounded(.up))
    }
  }

  let sample: SubjectSample
  /// More trials than any data have; what the intervals are exact for.
  private static let mostEffectiveTrials = 1e10

  /// Takes comparisons, which may name subjects by any numbers, and moves those with a score that is not
  /// finite to `failures`.
  ///
  /// `rowsPerSubject`, when given, says that the non-mated comparisons are all pairs of that many rows of
  /// each subject, of which only those with the highest scores are listed; the others lie lower than every
  /// listed one and need no memory. Throws `.tooManyComparisons` when there are not that many pairs.
  public init(
    _ comparisons: [SubjectComparison], rowsPerSubject: [Int: Int]? = nil
  ) throws(EvaluationError) {
    sample = try SubjectSample(comparisons, rowsPerSubject)
  }

  /// Comparisons left out because their score is not finite.
  public var failures: Int { sample.failures }

  /// The statistic with its interval from `replicates` draws.
  ///
  /// The result depends on the seed alone, not on how many threads work on it (all cores unless `threads`
  /// says less). O(replicates · comparisons / threads). Throws when the data themselves don't define the
  /// statistic, and `.noDefinedReplicate` when no replicate does.
  public func estimate(
    _ statistic: Statistic, replicates: Int = 1000, confidence: Double = 0.95, seed: UInt64 = 1,
    threads: Int? = nil
  ) throws(EvaluationError) -> Estimate {
    precondition(replicates >= 1, "a bootstrap has at least one replicate")
    precondition(confidence > 0 && confidence < 1, "a confidence lies above 0 and below 1")
    let value = try sample.observed(statistic)
    let all = self.replicates(statistic, count: replicates, seed: seed, threads: threads)
    let defined = all.filter { !$0.isNaN }.sorted()
    guard !defined.isEmpty else { throw .noDefinedReplicate }
    let n = Double(defined.count)
    let mean = defined.reduce(0, +) / n
    let variance = defined.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / max(n - 1, 1)
    let spread = value * (1 - value)
    // Replicates that differ by rounding alone don't differ.
    let isSpread = variance * Self.mostEffectiveTrials > spread && spread > 0
    let trials = sample.trials(statistic)
    let doubt = (1 - confidence) / 2
    // The ⌊(n + 1)α⌋-th from either end, and never beyond the ends or the middle.
    let rank = min(max(Int((n + 1) * doubt), 1), (defined.count + 1) / 2)
    return Estimate(
      value: value,
      interval: ConfidenceInterval(
        low: defined[rank - 1], high: defined[defined.count - rank], confidence: confidence, sides: .two,
        method: .subjectBootstrap),
      standardError: variance.squareRoot(),
      estimatedTrials: isSpread ? spread / variance : sample.independentTrials(statistic),
      trials: trials,
      // Few replicates know the spread no better than few subjects.
      degreesOfFreedom: isSpread ? max(min(Double(sample.subjects(statistic)), n) - 1, 1) : nil,
      confidence: confidence, subjects: sample.subjectCount, replicates: replicates,
      undefinedReplicates: all.count - defined.count, seed: seed)
  }

  /// The statistic in each replicate, NaN where undefined.
  private func replicates(_ statistic: Statistic, count: Int, seed: UInt64, threads: Int?) -> [Double] {
    // Dispatch spreads the pieces over the cores; more pieces than cores even out the load.
    let workers = max(1, min(threads ?? 64, count))
    return [Double](unsafeUninitializedCapacity: count) { buffer, initialised in
      // Each worker writes its own elements, every one exactly once, before concurrentPerform returns.
      nonisolated(unsafe) let results = buffer
      DispatchQueue.concurrentPerform(iterations: workers) { worker in
        var weights = [Int](repeating: 0, count: sample.subjectCount)
        for replicate in stride(from: worker, to: count, by: workers) {
          var generator = SeededGenerator(seed: seed, stream: replicate)
          for subject in weights.indices { weights[subject] = 0 }
          for _ in weights.indices { weights[generator.next(below: weights.count)] += 1 }
          results.initializeElement(at: replicate, to: sample.value(of: statistic, weights) ?? .nan)
        }
      }
      initialised = count
    }
  }
}
