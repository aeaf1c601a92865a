/// FAR and FRR per transaction at some thresholds, with 1, 2 and 3 attempts.
public struct TransactionFigures: Sendable {
  public static let mostAttempts = 3

  /// Subjects of too few rows to take part.
  public struct LeftOut: Hashable, Sendable {
    public var mated: Int
    public var nonMated: Int
  }

  /// An error rate, with its interval by subject where subjects are known and a bootstrap was asked for.
  public struct Rate: Sendable {
    public let observed: TransactionRate
    public let bySubject: SubjectBootstrap.Estimate?
  }

  /// The rates at one threshold; nil where there is no transaction of the kind.
  public struct Point: Sendable {
    /// The FMR whose threshold it is.
    public let target: TargetRate
    public let threshold: Double
    public let perComparison: ErrorRates
    /// With 1, 2 and 3 attempts.
    public let falseAccepts: [Rate?]
    public let falseRejects: [Rate?]
  }

  public let transactions: TransactionSet
  /// How the transactions were made, in words.
  public let protocolDescription: String
  /// Nil where the transactions are as they were recorded.
  public let leftOut: LeftOut?
  public let points: [Point]

  init(
    _ transactions: TransactionSet, protocolDescription: String, leftOut: LeftOut? = nil,
    at targets: [ComparisonFigures.TargetFigures], bootstrap plan: BootstrapPlan?
  ) {
    self.transactions = transactions
    self.protocolDescription = protocolDescription
    self.leftOut = leftOut
    points = targets.compactMap { target in
      guard let rates = target.outcome.point?.rates else { return nil }
      func each(
        _ rate: (Int) throws -> TransactionRate,
        _ estimate: (Int, BootstrapPlan) -> SubjectBootstrap.Estimate?
      ) -> [Rate?] {
        (1...Self.mostAttempts).map { attempts in
          (try? rate(attempts)).map {
            Rate(observed: $0, bySubject: plan.flatMap { estimate(attempts, $0) })
          }
        }
      }
      let threshold = rates.threshold
      return Point(
        target: target.target, threshold: threshold, perComparison: rates,
        falseAccepts: each {
          try transactions.falseAcceptRate(at: threshold, attempts: $0)
        } _: {
          transactions.falseAcceptsBySubject(at: threshold, attempts: $0, $1)
        },
        falseRejects: each {
          try transactions.falseRejectRate(at: threshold, attempts: $0)
        } _: {
          transactions.falseRejectsBySubject(at: threshold, attempts: $0, $1)
        })
    }
  }

  /// The share of attempts without a score.
  private var failureToAcquireRate: Double {
    let (failures, all) = transactions.attemptCounts
    return all == 0 ? 0 : Double(failures.total) / Double(all)
  }

  static let dependence =
    "the attempts of one transaction are one person's and depend on each other: who fails once is likelier to fail again. "
    + "The rates here are observed; what independent attempts would give stands beside them for comparison only"

  public var json: JSONTree {
    let (failures, attempts) = transactions.attemptCounts
    return .of(
      ("protocol", .text(protocolDescription)), ("dependence", .text(Self.dependence)),
      ("mated", .count(transactions.transactions.count { $0.kind == .mated })),
      ("non_mated", .count(transactions.transactions.count { $0.kind == .nonMated })),
      (
        "subjects_left_out",
        leftOut.map { .of(("mated", .count($0.mated)), ("non_mated", .count($0.nonMated))) } ?? .null
      ), ("attempts", .count(attempts)), ("attempt_failures", .failures(failures)),
      (
        "at_fmr",
        .object(
          points.map { point in
            .init(
              point.target.description,
              .object((1...Self.mostAttempts).map { .init("\($0)", json(point, $0)) }))
          })
      ))
  }

  private func json(_ point: Point, _ attempts: Int) -> JSONTree {
    let independent = IndependentAttempts(
      falseMatchRate: point.perComparison.falseMatchRate.value,
      falseNonMatchRate: point.perComparison.falseNonMatchRate.value,
      failureToAcquireRate: failureToAcquireRate)
    func json(_ rate: Rate?) -> JSONTree {
      guard let rate else { return .null }
      let observed = rate.observed.rate
      return .of(
        ("rate", .number(observed.value)), ("count", .count(observed.count)), ("of", .count(observed.total)),
        ("interval", .interval(observed.clopperPearson())), ("by_subject", .estimate(rate.bySubject)),
        ("short", .count(rate.observed.shortTransactions)))
    }
    return .of(
      ("threshold_ge", .number(point.threshold)), ("far", json(point.falseAccepts[attempts - 1])),
      ("frr", json(point.falseRejects[attempts - 1])),
      ("far_if_independent", .number(independent.falseAcceptRate(attempts: attempts))),
      ("frr_if_independent", .number(independent.falseRejectRate(attempts: attempts))))
  }
}
