/// A comparison as a file of scores has it.
public struct ScoredComparison: Sendable {
  /// Why there is no score.
  public enum Failure: Sendable, Hashable {
    case toEnrol
    case toAcquire
  }

  public let kind: ComparisonKind
  /// Nil for a failure; one that is not finite is a failure told as such.
  public let score: Double?
  public let failure: Failure?
  /// The subjects, numbered, where they are known.
  public let subjects: (Int, Int)?
  public let group: String?
  /// The attempts of one transaction share a name and come in order.
  public let transaction: String?

  public init(
    kind: ComparisonKind, score: Double?, failure: Failure? = nil, subjects: (Int, Int)? = nil,
    group: String? = nil, transaction: String? = nil
  ) {
    self.kind = kind
    self.score = score
    self.failure = failure
    self.subjects = subjects
    self.group = group
    self.transaction = transaction
  }
}

extension ScoredComparison {
  /// The comparison as an attempt of a transaction.
  fileprivate var attempt: AttemptResult {
    switch failure {
    case .toEnrol: .failureToEnrol
    case .toAcquire: .failureToAcquire
    case nil: .score(score ?? .nan)
    }
  }
}

/// Everything that is measured on scores with ground truth.
public struct ScoreSetEvaluation: Sendable {
  public let figures: ComparisonFigures
  public let transactions: TransactionFigures?
  public let groups: DataSetEvaluation.Groups?
  public let comparisonCount: Int

  /// Measures; figures that the scores don't define are nil. `groupTarget` is the FMR whose threshold groups are judged at,
  /// as in `DataSetEvaluation.Options`.
  public init(
    _ comparisons: [ScoredComparison], targets: [TargetRate] = ComparisonFigures.standardTargets,
    areLikelihoodRatios: Bool = false, bootstrap: BootstrapPlan? = BootstrapPlan(),
    groupTarget: TargetRate? = nil
  ) {
    comparisonCount = comparisons.count
    func failures(_ kind: ComparisonKind) -> ComparisonFailures {
      func count(_ failure: ScoredComparison.Failure) -> Int {
        comparisons.count { $0.kind == kind && $0.failure == failure }
      }
      return ComparisonFailures(toEnrol: count(.toEnrol), toAcquire: count(.toAcquire))
    }
    func scores(_ kind: ComparisonKind) -> [Double] {
      comparisons.compactMap { $0.kind == kind && $0.failure == nil ? $0.score : nil }
    }
    let set = ScoreSet(
      mated: scores(.mated), nonMated: scores(.nonMated), matedFailures: failures(.mated),
      nonMatedFailures: failures(.nonMated))
    var figures = ComparisonFigures(set, targets: targets, areLikelihoodRatios: areLikelihoodRatios)
    if let bootstrap {
      let known = comparisons.compactMap { comparison in
        comparison.subjects.flatMap { subjects in
          // A file whose truth is not that of its subjects has no draw of subjects.
          (subjects.0 == subjects.1) != (comparison.kind == .mated)
            ? nil
            : comparison.score.map {
              SubjectComparison(subject: subjects.0, otherSubject: subjects.1, score: $0)
            }
        }
      }
      if known.count == comparisons.count(where: { $0.failure == nil }) {
        _ = try? figures.addIntervals(SubjectBootstrap(known), bootstrap)
      }
    }
    self.figures = figures
    transactions = Self.transactions(comparisons, figures, bootstrap)
    var measured = figures.targets
    if let groupTarget, let outcome = try? set.errorRates(atFalseMatchRate: groupTarget) {
      measured.append(.init(target: groupTarget, outcome: outcome))
    }
    groups = Self.groups(comparisons, DataSetEvaluation.Groups.point(groupTarget, among: measured))
  }

  private static func transactions(
    _ comparisons: [ScoredComparison], _ figures: ComparisonFigures, _ bootstrap: BootstrapPlan?
  ) -> TransactionFigures? {
    var order: [String] = []
    var members: [String: [ScoredComparison]] = [:]
    for comparison in comparisons {
      guard let name = comparison.transaction else { return nil }
      if members[name] == nil { order.append(name) }
      members[name, default: []].append(comparison)
    }
    guard !order.isEmpty else { return nil }
    let made = order.map { name in
      let attempts = members[name]!
      let subjects = attempts[0].subjects
      return Transaction(
        kind: attempts[0].kind, attempts: attempts.map(\.attempt), claimant: subjects?.0, claimed: subjects?.1
      )
    }
    return TransactionFigures(
      TransactionSet(made),
      protocolDescription:
        "the file's transactions, their attempts in the file's order; a failure to enrol or acquire is an attempt "
        + "without a score",
      at: figures.targets, bootstrap: bootstrap)
  }

  private static func groups(
    _ comparisons: [ScoredComparison], _ point: FalseMatchOperatingPoint?
  ) -> DataSetEvaluation.Groups? {
    guard let point, comparisons.contains(where: { $0.group != nil }) else { return nil }
    let threshold = point.rates.threshold
    var counts: [ComparisonKind: GroupCounts] = [.mated: [:], .nonMated: [:]]
    for comparison in comparisons {
      guard let group = comparison.group else { continue }
      for kind in ComparisonKind.allCases where counts[kind]![group] == nil { counts[kind]![group] = (0, 0) }
      guard comparison.failure == nil, let score = comparison.score, score.isFinite else { continue }
      counts[comparison.kind]![group]!.comparisons += 1
      if (score >= threshold) != (comparison.kind == .mated) { counts[comparison.kind]![group]!.errors += 1 }
    }
    return .init(
      target: point.target, threshold: threshold,
      falseMatches: SubgroupRates(counts[.nonMated]!, limit: point.target),
      falseNonMatches: SubgroupRates(counts[.mated]!, limit: TargetRate(1, in: 100)!))
  }

  public var json: JSONTree {
    .of(
      ("comparisons", .count(comparisonCount)), ("scores", figures.json),
      ("transactions", transactions?.json ?? .null), ("subgroups", groups?.json ?? .null))
  }
}
