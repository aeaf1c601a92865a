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
}

/// A claim of one identity with one or more attempts, in the order made.
public struct Transaction: Hashable, Sendable {
  /// Whether the claimant is the claimed person.
  public let kind: ComparisonKind
  /// In the order made; none when the claimant left before the first.
  public let attempts: [AttemptResult]

  /// A transaction with the attempts that were recorded.
  public init(kind: ComparisonKind, attempts: [AttemptResult]) {
    self.kind = kind
    self.attempts = attempts
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
