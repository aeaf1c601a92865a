#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// One attempt of a transaction.
public enum AttemptResult: Hashable, Sendable {
  /// A comparison score; one that is not finite matches at no threshold.
  case score(Double)
  /// No probe could be made, or liveness refused it: the attempt is used without a comparison.
  case failureToAcquire
  /// The claimed person could not be enrolled: the attempt is used with nothing to compare with.
  case failureToEnrol
}

/// A claim of one identity with one or more attempts, in the order made.
public struct Transaction: Hashable, Sendable {
  /// Whether the claimant is the claimed person.
  public let kind: ComparisonKind
  /// In the order made; none when the claimant left before the first.
  public let attempts: [AttemptResult]
  /// Who claims and who is claimed to be; any number names a subject, nil where they are not known.
  public let claimant: Int?
  public let claimed: Int?

  /// A transaction with the attempts that were recorded.
  public init(kind: ComparisonKind, attempts: [AttemptResult], claimant: Int? = nil, claimed: Int? = nil) {
    self.kind = kind
    self.attempts = attempts
    self.claimant = claimant
    self.claimed = claimed
  }

  /// Whether one of the first `limit` attempts matches.
  func isAccepted(at threshold: Double, attempts limit: Int) -> Bool {
    attempts.prefix(limit).contains { attempt in
      if case .score(let score) = attempt { score.isFinite && score >= threshold } else { false }
    }
  }
}

/// A rate per transaction, as observed.
public struct TransactionRate: Hashable, Sendable {
  /// Errors among all transactions of the kind.
  public let rate: Proportion
  /// Transactions without a match that made fewer attempts than allowed. They count as not accepted, so FAR
  /// could be higher by up to as many, and FRR lower.
  public let shortTransactions: Int
}

/// Transactions with ground truth: FAR and FRR as people meet them, several attempts and failures included.
///
/// ISO/IEC 19795-1 keeps these apart from FMR and FNMR, which are per comparison and know no failures to
/// acquire.
public struct TransactionSet: Sendable {
  /// All transactions, in the order given.
  public let transactions: [Transaction]

  public static let mostDrawn = 400_000

  /// Takes transactions of either kind.
  public init(_ transactions: [Transaction]) {
    self.transactions = transactions
  }

  /// FAR: the proportion of transactions by others that are accepted within the first `attempts`.
  ///
  /// Never falls with more attempts. O(n). Throws `.noNonMatedTransactions` rather than returning zero.
  public func falseAcceptRate(at threshold: Double, attempts: Int) throws(EvaluationError) -> TransactionRate
  {
    let result = count(.nonMated, threshold, attempts)
    guard result.total > 0 else { throw .noNonMatedTransactions }
    return TransactionRate(
      rate: Proportion(result.accepted, of: result.total), shortTransactions: result.short)
  }

  /// FRR: the proportion of transactions by the right person that are not accepted within the first
  /// `attempts`.
  ///
  /// Never rises with more attempts. O(n). Throws `.noMatedTransactions` rather than returning zero.
  public func falseRejectRate(at threshold: Double, attempts: Int) throws(EvaluationError) -> TransactionRate
  {
    let result = count(.mated, threshold, attempts)
    guard result.total > 0 else { throw .noMatedTransactions }
    return TransactionRate(
      rate: Proportion(result.total - result.accepted, of: result.total), shortTransactions: result.short)
  }

  /// FAR with its interval by subject, of claimants and claimed: one impostor's transactions are not independent. Nil where
  /// they are not all known, there is no transaction, or there are more than `mostDrawn`, which would take minutes.
  public func falseAcceptsBySubject(
    at threshold: Double, attempts: Int, _ plan: BootstrapPlan
  ) -> SubjectBootstrap.Estimate? {
    guard transactions.count <= Self.mostDrawn else { return nil }
    var comparisons: [SubjectComparison] = []
    for transaction in transactions where transaction.kind == .nonMated {
      guard let claimant = transaction.claimant, let claimed = transaction.claimed, claimant != claimed else {
        return nil
      }
      // A transaction counts as its two subjects were drawn, as a non-mated comparison does.
      let isAccepted = transaction.isAccepted(at: threshold, attempts: attempts)
      comparisons.append(
        SubjectComparison(subject: claimant, otherSubject: claimed, score: isAccepted ? 1 : 0))
    }
    return try? SubjectBootstrap(comparisons).estimate(.falseMatchRate(threshold: 0.5), plan)
  }

  /// FRR with its interval by subject. Nil where claimants are not all known, or there is no transaction.
  public func falseRejectsBySubject(
    at threshold: Double, attempts: Int, _ plan: BootstrapPlan
  ) -> SubjectBootstrap.Estimate? {
    let mated = transactions.filter { $0.kind == .mated }
    let trials = mated.compactMap { transaction in
      transaction.claimant.map {
        SubjectTrial(
          subject: $0, isError: !transaction.isAccepted(at: threshold, attempts: attempts))
      }
    }
    return trials.count == mated.count ? SubjectBootstrap.errorRate(of: trials, plan) : nil
  }

  /// Attempts without a score, by why, and all attempts.
  public var attemptCounts: (failures: ComparisonFailures, all: Int) {
    var (toEnrol, toAcquire, notFinite, all) = (0, 0, 0, 0)
    for attempt in transactions.lazy.flatMap(\.attempts) {
      all += 1
      switch attempt {
      case .failureToEnrol: toEnrol += 1
      case .failureToAcquire: toAcquire += 1
      case .score(let score): notFinite += score.isFinite ? 0 : 1
      }
    }
    return (ComparisonFailures(toEnrol: toEnrol, toAcquire: toAcquire, notFinite: notFinite), all)
  }

  private func count(
    _ kind: ComparisonKind, _ threshold: Double, _ attempts: Int
  ) -> (accepted: Int, short: Int, total: Int) {
    precondition(attempts >= 1, "a transaction has at least one attempt")
    return transactions.reduce(into: (0, 0, 0)) { sums, transaction in
      guard transaction.kind == kind else { return }
      let accepted = transaction.isAccepted(at: threshold, attempts: attempts)
      sums.0 += accepted ? 1 : 0
      sums.1 += !accepted && transaction.attempts.count < attempts ? 1 : 0
      sums.2 += 1
    }
  }
}

/// What rates per comparison come to per transaction **if attempts were independent of each other**.
///
/// They are not: a person who fails once is likelier to fail again. So FRR comes out too low, and FAR, being
/// a union, lies between the rate of one attempt and this; observed transactions are the better evidence.
public struct IndependentAttempts: Hashable, Sendable {
  /// FMR, 0...1.
  public let falseMatchRate: Double
  /// FNMR, 0...1.
  public let falseNonMatchRate: Double
  /// FTA: the proportion of attempts that give no probe, 0...1; the same for everybody.
  public let failureToAcquireRate: Double

  /// A rate outside 0...1 is a programming error and traps.
  public init(falseMatchRate: Double, falseNonMatchRate: Double, failureToAcquireRate: Double = 0) {
    for rate in [falseMatchRate, falseNonMatchRate, failureToAcquireRate] {
      precondition(rate >= 0 && rate <= 1, "a rate lies in 0...1")
    }
    self.falseMatchRate = falseMatchRate
    self.falseNonMatchRate = falseNonMatchRate
    self.failureToAcquireRate = failureToAcquireRate
  }

  /// 1 − (1 − FMR · (1 − FTA))^attempts, exact for small rates also.
  public func falseAcceptRate(attempts: Int) -> Double {
    precondition(attempts >= 1, "a transaction has at least one attempt")
    return -expm1(Double(attempts) * log1p(-falseMatchRate * (1 - failureToAcquireRate)))
  }

  /// (FTA + FNMR · (1 − FTA))^attempts.
  public func falseRejectRate(attempts: Int) -> Double {
    precondition(attempts >= 1, "a transaction has at least one attempt")
    return pow(failureToAcquireRate + falseNonMatchRate * (1 - failureToAcquireRate), Double(attempts))
  }
}
