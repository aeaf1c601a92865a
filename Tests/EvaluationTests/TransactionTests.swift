import Testing

@testable import Evaluation

@Suite struct TransactionTests {
  let set = TransactionSet([
    Transaction(kind: .mated, attempts: [.score(0.9)]),
    Transaction(kind: .mated, attempts: [.failureToAcquire, .score(0.2), .score(0.7)]),
    Transaction(kind: .mated, attempts: [.failureToAcquire, .score(.nan), .failureToAcquire]),
    Transaction(kind: .mated, attempts: [.score(0.3)]),
    Transaction(kind: .nonMated, attempts: [.score(0.1), .score(0.5), .score(0.6)]),
    Transaction(kind: .nonMated, attempts: [.score(0.1), .failureToAcquire]),
  ])

  @Test("a transaction is accepted at its first match, and failures to acquire use attempts up")
  func observed() throws {
    #expect(try set.falseRejectRate(at: 0.5, attempts: 1).rate == Proportion(3, of: 4))
    #expect(try set.falseRejectRate(at: 0.5, attempts: 2).rate == Proportion(3, of: 4))
    #expect(try set.falseRejectRate(at: 0.5, attempts: 3).rate == Proportion(2, of: 4))
    #expect(try set.falseAcceptRate(at: 0.5, attempts: 1).rate == Proportion(0, of: 2))
    #expect(try set.falseAcceptRate(at: 0.5, attempts: 2).rate == Proportion(1, of: 2))
  }

  @Test("transactions cut short without a match are told")
  func short() throws {
    #expect(try set.falseRejectRate(at: 0.5, attempts: 3).shortTransactions == 1)
    #expect(try set.falseAcceptRate(at: 0.5, attempts: 3).shortTransactions == 1)
    #expect(try set.falseAcceptRate(at: 0.5, attempts: 2).shortTransactions == 0)
  }

  @Test("more attempts never lower FAR nor raise FRR")
  func monotone() throws {
    for threshold in stride(from: 0.0, to: 1, by: 0.1) {
      for attempts in 1..<4 {
        let (fewer, more) = (attempts, attempts + 1)
        let far = try (
          set.falseAcceptRate(at: threshold, attempts: fewer),
          set.falseAcceptRate(at: threshold, attempts: more)
        )
        let frr = try (
          set.falseRejectRate(at: threshold, attempts: fewer),
          set.falseRejectRate(at: threshold, attempts: more)
        )
        #expect(far.0.rate.count <= far.1.rate.count && frr.0.rate.count >= frr.1.rate.count)
      }
    }
  }

  @Test("no transactions of a kind have no rate")
  func empty() {
    let set = TransactionSet([])
    #expect(throws: EvaluationError.noMatedTransactions) { try set.falseRejectRate(at: 0, attempts: 1) }
    #expect(throws: EvaluationError.noNonMatedTransactions) { try set.falseAcceptRate(at: 0, attempts: 1) }
  }

  @Test("independent attempts multiply, with small rates exact")
  func independent() {
    let model = IndependentAttempts(falseMatchRate: 0.5, falseNonMatchRate: 0.25, failureToAcquireRate: 0.2)
    #expect(isClose(model.falseAcceptRate(attempts: 2), 1 - 0.6 * 0.6, within: 1e-15))
    #expect(isClose(model.falseRejectRate(attempts: 3), 0.4 * 0.4 * 0.4, within: 1e-15))
    let rare = IndependentAttempts(falseMatchRate: 1e-18, falseNonMatchRate: 0)
    #expect(isRelativelyClose(rare.falseAcceptRate(attempts: 3), 3e-18, within: 1e-15))
    #expect(rare.falseRejectRate(attempts: 1) == 0)
    #expect(IndependentAttempts(falseMatchRate: 1, falseNonMatchRate: 1).falseAcceptRate(attempts: 2) == 1)
  }
}
