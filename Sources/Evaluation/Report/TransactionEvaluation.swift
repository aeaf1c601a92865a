import FaceMatching

/// Transactions made of a data set, with ground truth.
///
/// The reference of a subject is their first row. Whoever has at least two rows claims to be themselves with their next
/// ones in order, three at most: one mated transaction. And everybody claims with their last three rows at most to be
/// each of the next `impostorsPerSubject` subjects in order: non-mated transactions.
public struct TransactionEvaluation: Sendable {
  public static let mostAttempts = 3
  public static let impostorsPerSubject = 20

  public let transactions: TransactionSet

  init(_ data: LabelledData, threadCount: Int?) throws {
    let usable = Set(data.usableRows())
    var rowsOfSubject = [[Int]](repeating: [], count: data.subjectCount)
    for row in 0..<data.rowCount { rowsOfSubject[data.subjectNumbers[row]].append(row) }
    // A subject whose first row is no embedding can't be enrolled and is claimed by nobody.
    let claimable = rowsOfSubject.indices.filter { usable.contains(rowsOfSubject[$0][0]) }
    let pairs = try DoublePairs(count: data.rowCount, dimension: data.dimension, threadCount: threadCount) {
      data.write($0, to: $1)
    }
    func attempts(_ rows: ArraySlice<Int>, against reference: Int) -> [AttemptResult] {
      rows.map { usable.contains($0) ? .score(pairs.score($0, reference)) : .failureToAcquire }
    }
    var made: [Transaction] = []
    for (place, subject) in claimable.enumerated() {
      let own = rowsOfSubject[subject]
      if own.count > 1 {
        made.append(
          Transaction(
            kind: .mated, attempts: attempts(own.dropFirst().prefix(Self.mostAttempts), against: own[0])))
      }
      for step in 1...max(1, min(Self.impostorsPerSubject, claimable.count - 1)) where claimable.count > 1 {
        let claimed = rowsOfSubject[claimable[(place + step) % claimable.count]][0]
        made.append(
          Transaction(kind: .nonMated, attempts: attempts(own.suffix(Self.mostAttempts), against: claimed)))
      }
    }
    transactions = TransactionSet(made)
  }
}

/// FAR and FRR at some thresholds with 1, 2 and 3 attempts.
public struct TransactionFigures: Sendable {
  public let transactions: TransactionSet
  /// With what stands for them: an FMR target, and its threshold.
  public let thresholds: [(target: TargetRate, threshold: Double, perComparison: ErrorRates)]

  /// FAR and FRR, nil where there is no transaction of the kind.
  public func rates(at threshold: Double, attempts: Int) -> (far: TransactionRate?, frr: TransactionRate?) {
    (
      try? transactions.falseAcceptRate(at: threshold, attempts: attempts),
      try? transactions.falseRejectRate(at: threshold, attempts: attempts)
    )
  }

  public var json: JSONTree {
    .of(
      (
        "protocol",
        .text(
          "reference: a subject's first row; mated: their next rows, 3 at most; non-mated: the last 3 rows of each "
            + "subject against the \(TransactionEvaluation.impostorsPerSubject) subjects after them")
      ),
      ("mated", .count(transactions.transactions.count { $0.kind == .mated })),
      ("non_mated", .count(transactions.transactions.count { $0.kind == .nonMated })),
      (
        "at_fmr",
        .object(
          thresholds.map { point in
            .init(
              point.target.description,
              .object(
                (1...TransactionEvaluation.mostAttempts).map { attempts in
                  .init("\(attempts)", json(point.threshold, attempts, point.perComparison))
                }))
          })
      ))
  }

  private func json(_ threshold: Double, _ attempts: Int, _ rates: ErrorRates) -> JSONTree {
    let (far, frr) = self.rates(at: threshold, attempts: attempts)
    let independent = IndependentAttempts(
      falseMatchRate: rates.falseMatchRate.value, falseNonMatchRate: rates.falseNonMatchRate.value)
    func json(_ rate: TransactionRate?) -> JSONTree {
      guard let rate else { return .null }
      return .of(
        ("rate", .number(rate.rate.value)), ("count", .count(rate.rate.count)),
        ("of", .count(rate.rate.total)),
        ("interval", .interval(rate.rate.clopperPearson())), ("short", .count(rate.shortTransactions)))
    }
    return .of(
      ("threshold_ge", .number(threshold)), ("far", json(far)), ("frr", json(frr)),
      ("far_if_independent", .number(independent.falseAcceptRate(attempts: attempts))),
      ("frr_if_independent", .number(independent.falseRejectRate(attempts: attempts))))
  }
}
