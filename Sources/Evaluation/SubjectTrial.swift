/// A trial that belongs to one subject, such as a search.
public struct SubjectTrial: Hashable, Sendable {
  /// Whose it is; any number names one.
  public let subject: Int
  /// Whether it went wrong.
  public let isError: Bool

  public init(subject: Int, isError: Bool) {
    self.subject = subject
    self.isError = isError
  }
}

/// How a bootstrap is to be made.
public struct BootstrapPlan: Hashable, Sendable {
  public var replicates: Int
  public var seed: UInt64
  public var threads: Int?

  public init(replicates: Int = 1000, seed: UInt64 = 1, threads: Int? = nil) {
    self.replicates = replicates
    self.seed = seed
    self.threads = threads
  }
}

extension SubjectBootstrap {
  /// The share of errors among trials, subjects drawn with all of theirs; nil without a trial.
  public static func errorRate(of trials: [SubjectTrial], _ plan: BootstrapPlan) -> Estimate? {
    // A trial counts as often as its subject was drawn, as a mated comparison does: an error scores 0, the others 1.
    let comparisons = trials.map {
      SubjectComparison(subject: $0.subject, otherSubject: $0.subject, score: $0.isError ? 0 : 1)
    }
    return try? SubjectBootstrap(comparisons).estimate(.falseNonMatchRate(threshold: 0.5), plan)
  }

  /// The statistic with its interval, by a plan. Throws as the other does.
  public func estimate(
    _ statistic: Statistic, _ plan: BootstrapPlan
  ) throws(EvaluationError) -> Estimate {
    try estimate(statistic, replicates: plan.replicates, seed: plan.seed, threads: plan.threads)
  }
}
