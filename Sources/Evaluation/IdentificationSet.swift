/// The result of one search with a probe whose mate is enrolled.
public struct MatedSearch: Hashable, Sendable {
  /// 1 + the number of other references with a strictly higher score; `nil` when the candidate list lacks the
  /// mate.
  public let rank: Int?
  /// The mate's score. Meaningless, and not looked at, when there is no rank.
  public let score: Double
  /// Whose probe it is; any number names one, nil where it is not known.
  public let subject: Int?

  /// A rank below 1 is a programming error and traps.
  public init(rank: Int?, score: Double, subject: Int? = nil) {
    precondition(rank.map { $0 >= 1 } ?? true, "ranks begin at 1")
    self.rank = rank
    self.score = score
    self.subject = subject
  }

  /// The rank and score of the reference at `mate` among the `scores` of a probe with all references.
  ///
  /// O(n). A score of NaN is never higher. An index outside `scores` is a programming error and traps.
  public init(scores: [Double], mate: Int) {
    let score = scores[mate]
    self.init(rank: 1 + scores.count { $0 > score }, score: score)
  }
}

/// The result of one search with a probe whose mate is not enrolled.
public struct NonMatedSearch: Hashable, Sendable {
  /// The score of the closest candidate.
  public let bestScore: Double
  /// Whose probe it is; any number names one, nil where it is not known.
  public let subject: Int?

  public init(bestScore: Double, subject: Int? = nil) {
    self.bestScore = bestScore
    self.subject = subject
  }
}

extension MatedSearch {
  func isFound(at threshold: Double, within limit: Int) -> Bool {
    rank.map { $0 <= limit && score >= threshold } ?? false
  }
}

/// Results of searches with ground truth over one set of enrolled references: FNIR, FPIR and the CMC come
/// from here.
///
/// Searches without a result (no probe could be made, or the score is not finite) are counted as failures and
/// enter no rate; where a failure turns a person away, `TransactionSet` counts it.
public struct IdentificationSet: Sendable {
  /// N of FPIR(N, T): the references that were searched, at least 1.
  public let enrolled: Int
  /// The searches whose probe has a mate enrolled, in the order given.
  public let mated: [MatedSearch]
  /// The best score of each search whose probe has no mate, ascending.
  public let nonMatedBestScores: [Double]
  /// The subjects of those searches, in the same order.
  let nonMatedSubjects: [Int?]
  /// Mated searches without a result.
  public let matedFailures: Int
  /// Non-mated searches without a result.
  public let nonMatedFailures: Int

  /// Sorts the results. Throws `.noEnrolledReferences` when `enrolled` is below 1.
  public init(
    enrolled: Int, mated: [MatedSearch], nonMated: [NonMatedSearch], matedFailures: Int = 0,
    nonMatedFailures: Int = 0
  ) throws(EvaluationError) {
    guard enrolled >= 1 else { throw .noEnrolledReferences }
    self.enrolled = enrolled
    self.mated = mated.filter { $0.rank == nil || $0.score.isFinite }
    let sorted = nonMated.filter(\.bestScore.isFinite).sorted { $0.bestScore < $1.bestScore }
    nonMatedBestScores = sorted.map(\.bestScore)
    nonMatedSubjects = sorted.map(\.subject)
    self.matedFailures = matedFailures + mated.count - self.mated.count
    self.nonMatedFailures = nonMatedFailures + nonMated.count - sorted.count
  }

  /// As above, of searches whose subjects are not known.
  public init(
    enrolled: Int, mated: [MatedSearch], nonMatedBestScores: [Double], matedFailures: Int = 0,
    nonMatedFailures: Int = 0
  ) throws(EvaluationError) {
    try self.init(
      enrolled: enrolled, mated: mated, nonMated: nonMatedBestScores.map { NonMatedSearch(bestScore: $0) },
      matedFailures: matedFailures, nonMatedFailures: nonMatedFailures)
  }

  /// FPIR(N, T): the proportion of non-mated searches that return a candidate with `score >= threshold`.
  ///
  /// O(log n). Throws `.noNonMatedSearches` rather than returning zero.
  public func falsePositiveRate(at threshold: Double) throws(EvaluationError) -> Proportion {
    guard !nonMatedBestScores.isEmpty else { throw .noNonMatedSearches }
    let below = nonMatedBestScores.countBelow(threshold)
    return Proportion(nonMatedBestScores.count - below, of: nonMatedBestScores.count)
  }

  /// FNIR(N, R, T): the proportion of mated searches whose mate is not within the first `rank` candidates or
  /// has a score below the threshold.
  ///
  /// O(n). Throws `.noMatedSearches` rather than returning zero. A rank below 1 is a programming error and
  /// traps.
  public func falseNegativeRate(at threshold: Double, rank: Int = 1) throws(EvaluationError) -> Proportion {
    precondition(rank >= 1, "ranks begin at 1")
    guard !mated.isEmpty else { throw .noMatedSearches }
    let found = mated.count { $0.isFound(at: threshold, within: rank) }
    return Proportion(mated.count - found, of: mated.count)
  }

  /// FPIR with its interval by subject: one stranger's searches are not independent of each other. Nil where subjects are
  /// not known or there is no search.
  public func falsePositivesBySubject(at threshold: Double, _ plan: BootstrapPlan) -> SubjectBootstrap
    .Estimate?
  {
    let below = nonMatedBestScores.countBelow(threshold)
    let trials = nonMatedSubjects.enumerated().compactMap { place, subject in
      subject.map { SubjectTrial(subject: $0, isError: place >= below) }
    }
    return trials.count == nonMatedSubjects.count ? SubjectBootstrap.errorRate(of: trials, plan) : nil
  }

  /// FNIR with its interval by subject. Nil where subjects are not known or there is no search.
  public func falseNegativesBySubject(
    at threshold: Double, rank: Int = 1, _ plan: BootstrapPlan
  ) -> SubjectBootstrap.Estimate? {
    let trials = mated.compactMap { search in
      search.subject.map {
        SubjectTrial(subject: $0, isError: !search.isFound(at: threshold, within: rank))
      }
    }
    return trials.count == mated.count ? SubjectBootstrap.errorRate(of: trials, plan) : nil
  }

  /// The proportion of mated searches with the mate within the first `rank` candidates, whatever its score: a
  /// point of the CMC. Throws `.noMatedSearches` rather than returning zero.
  public func hitRate(rank: Int) throws(EvaluationError) -> Proportion {
    let missed = try falseNegativeRate(at: -.infinity, rank: rank)
    return Proportion(missed.total - missed.count, of: missed.total)
  }

  /// The cumulative match characteristic: hit rates at ranks 1...`limit`, which never fall. O(n + limit).
  public func cumulativeMatchCharacteristic(upTo limit: Int) throws(EvaluationError) -> [Proportion] {
    guard !mated.isEmpty else { throw .noMatedSearches }
    var atRank = [Int](repeating: 0, count: max(limit, 0))
    for case let rank? in mated.lazy.map(\.rank) where rank <= limit { atRank[rank - 1] += 1 }
    var found = 0
    return atRank.map { count in
      found += count
      return Proportion(found, of: mated.count)
    }
  }

  /// FNIR where FPIR just stays within `target`, by the same k-rule as for FMR; never above the target.
  ///
  /// `.notReachable` when not one false positive is allowed. Throws when there are no searches of either
  /// kind.
  public func rates(
    atFalsePositiveRate target: TargetRate, rank: Int = 1
  ) throws(EvaluationError) -> TargetOutcome<FalsePositiveOperatingPoint> {
    guard !mated.isEmpty else { throw .noMatedSearches }
    guard !nonMatedBestScores.isEmpty else { throw .noNonMatedSearches }
    let searches = nonMatedBestScores.count
    let allowed = target.allowedErrors(of: searches)
    guard allowed > 0 else { return .notReachable(trials: searches, needed: target.trialsForOneError) }
    let highest = nonMatedBestScores[searches - 1 - allowed]
    return .reached(
      FalsePositiveOperatingPoint(
        target: target, allowedFalsePositives: allowed, thresholdAbove: highest, threshold: highest.nextUp,
        falsePositiveRate: try falsePositiveRate(at: highest.nextUp),
        falseNegativeRate: try falseNegativeRate(at: highest.nextUp, rank: rank)))
  }
}

/// The rates of identification where FPIR just stays within a target.
public struct FalsePositiveOperatingPoint: Hashable, Sendable {
  /// The FPIR that must not be exceeded.
  public let target: TargetRate
  /// k = ⌊target · non-mated searches⌋.
  public let allowedFalsePositives: Int
  /// The (k+1)-th highest of the non-mated searches' best scores; candidates must be above it.
  public let thresholdAbove: Double
  /// The next double, for `score >= threshold`.
  public let threshold: Double
  /// FPIR(N, T).
  public let falsePositiveRate: Proportion
  /// FNIR(N, R, T).
  public let falseNegativeRate: Proportion
}
