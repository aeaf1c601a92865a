import Biometrics
import FaceMatching

/// All pairs of embeddings whose subjects are known, scored and streamed: n·(n − 1)/2 comparisons, none held.
public struct LabelledPairs: Sendable {
  private let pairs: AllPairs
  private let subjects: [UInt32]

  /// The pairs among `embeddings`; `subjects` numbers the subject of each. Arrays of different lengths are a
  /// programming error and trap. Throws for embeddings of several spaces.
  public init(_ embeddings: [Embedding], subjects: [Int], threadCount: Int? = nil) throws(GalleryError) {
    precondition(embeddings.count == subjects.count, "a subject for each embedding")
    pairs = try AllPairs(embeddings, threadCount: threadCount)
    self.subjects = subjects.map { UInt32($0) }
  }

  /// Feeds every score to a copy of `empty` on each thread, and merges them.
  public func feed<Sink: ScoreSink>(_ empty: Sink) -> Sink {
    let subjects = subjects
    var parts = pairs.accumulate {
      empty
    } visit: { sink, row, first, scores in
      subjects.withUnsafeBufferPointer {
        sink.add(
          scores, subjects: UnsafeBufferPointer(rebasing: $0[first..<first + scores.count]), probe: $0[row])
      }
    }
    var sink = parts.isEmpty ? empty : parts.removeFirst()
    for part in parts { sink.merge(part) }
    return sink
  }

  /// The rates where FMR just stays within each target, exactly, by two passes over all pairs.
  ///
  /// Throws when there are no mated or no non-mated comparisons.
  public func operatingPoints(
    atFalseMatchRates targets: [TargetRate]
  ) throws(EvaluationError) -> [TargetOutcome<FalseMatchOperatingPoint>] {
    let streamed = feed(StreamedScores())
    var band = try streamed.band(for: targets.map { .falseMatchRate($0) })
    if band.scoreCount > 0 { band = feed(band) }
    var outcomes: [TargetOutcome<FalseMatchOperatingPoint>] = []
    for target in targets { outcomes.append(try streamed.errorRates(atFalseMatchRate: target, band)) }
    return outcomes
  }
}

extension LabelledPairs {
  private struct Listed: Sendable {
    var comparisons: [SubjectComparison] = []
  }

  /// All mated comparisons and the non-mated ones that reach a threshold, with their subjects, by a pass over all pairs:
  /// what a bootstrap by subject needs. 24 bytes each.
  public func comparisons(nonMatedFrom threshold: Double) -> [SubjectComparison] {
    let subjects = subjects
    let least = Float(threshold)
    return pairs.accumulate {
      Listed()
    } visit: { listed, row, first, scores in
      for (offset, score) in scores.enumerated() {
        let other = subjects[first + offset]
        guard score >= least || other == subjects[row] else { continue }
        listed.comparisons.append(
          SubjectComparison(subject: Int(subjects[row]), otherSubject: Int(other), score: Double(score)))
      }
    }.flatMap(\.comparisons)
  }

  /// Operating points with intervals by subject from `bootstrap`, where one is asked for; of a target that the data don't
  /// support, why. Throws as `operatingPoints` does.
  public func points(
    atFalseMatchRates targets: [TargetRate], bootstrap plan: BootstrapPlan?
  ) throws(EvaluationError) -> [(target: TargetRate, point: Result<OperatingPoints.Point, UnsupportedTarget>)]
  {
    let outcomes = try operatingPoints(atFalseMatchRates: targets)
    let lowest = outcomes.compactMap(\.point?.rates.threshold).min()
    var bootstrap: SubjectBootstrap?
    if plan != nil, let lowest {
      let rows = Dictionary(grouping: subjects) { Int($0) }.mapValues(\.count)
      bootstrap = try SubjectBootstrap(comparisons(nonMatedFrom: lowest), rowsPerSubject: rows)
    }
    return zip(targets, outcomes).map { target, outcome in
      (
        target,
        outcome.supported { point in
          let bySubject = plan.flatMap { plan in
            try? bootstrap?.estimate(.falseMatchRate(threshold: point.rates.threshold), plan)
          }
          return OperatingPoints.Point.make(point, bySubject: bySubject)
        }
      )
    }
  }
}

extension OperatingPoints.Point {
  /// The point with its counts and 95 % intervals. The threshold is the least 32-bit float that keeps the target; a
  /// similarity ends at 1, so that scores of exactly 1 which must not match leave none.
  public static func make(
    _ point: FalseMatchOperatingPoint, bySubject: SubjectBootstrap.Estimate? = nil
  ) -> Result<Self, UnsupportedTarget> {
    let matches = point.rates.falseMatchRate
    guard let threshold = SimilarityThreshold(point.singlePrecisionThreshold) else {
      return .failure(.tiedAtOne(trials: matches.total, allowed: point.allowedFalseMatches))
    }
    let interval = matches.clopperPearson()
    return .success(
      Self(
        targetFalseMatchRate: point.target.description, threshold: threshold,
        falseMatches: matches.count, nonMatedComparisons: matches.total,
        falseNonMatches: point.rates.falseNonMatchRate.count,
        matedComparisons: point.rates.falseNonMatchRate.total,
        falseMatchRateLow: interval.low, falseMatchRateHigh: interval.high,
        falseMatchRateBySubjectLow: bySubject?.effectiveInterval.low,
        falseMatchRateBySubjectHigh: bySubject?.effectiveInterval.high,
        falseMatchRateUpheld: bySubject?.upperBound().high))
  }
}
