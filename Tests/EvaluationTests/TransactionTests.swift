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

  @Test("subjects of too few rows are left out of every number of attempts, and counted")
  func sameSubjects() throws {
    // Of a data set: four rows, three, one and two; the one of "2" and both of "3" are the reference of "0".
    let values: [Float] = [
      1, 0, /**/ 0, 1, /**/ 1, 0.1, /**/ 1, 0, /**/ -1, 0, /**/ 0, -1, /**/ 0, 1, /**/ 1, 0, /**/ 1, 0, /**/
      1, 0,
    ]
    let data = LabelledData(
      name: "d", values: values, dimension: 2, subjects: ["0", "0", "0", "0", "1", "1", "1", "2", "3", "3"])
    let made = try TransactionEvaluation(data, threadCount: nil)
    // "0" alone has three rows behind the reference; "0" and "1" claim to be each of the three others.
    #expect(made.transactions.transactions.count { $0.kind == .mated } == 1)
    #expect(made.transactions.transactions.count { $0.kind == .nonMated } == 6)
    #expect(made.leftOut == .init(mated: 3, nonMated: 2))
    for attempts in 1...3 {
      let far = try made.transactions.falseAcceptRate(at: 0.9, attempts: attempts)
      let frr = try made.transactions.falseRejectRate(at: 0.9, attempts: attempts)
      #expect(far.rate.total == 6 && frr.rate.total == 1)
      #expect(far.shortTransactions == 0 && frr.shortTransactions == 0)
    }
    // "0" reaches "2" and "3" with the second attempt; the first row of "2" and "3" never claims.
    #expect(try made.transactions.falseAcceptRate(at: 0.9, attempts: 1).rate.count == 0)
    #expect(try made.transactions.falseAcceptRate(at: 0.9, attempts: 2).rate.count == 2)
  }

  @Test("an impostor claims to be the next subjects in order, once each and never themselves")
  func others() {
    #expect(TransactionEvaluation.others(than: 2, among: [0, 2, 5, 9]) == [5, 9, 0])
    #expect(TransactionEvaluation.others(than: 3, among: [0, 2, 5, 9]) == [5, 9, 0, 2])
    #expect(TransactionEvaluation.others(than: 9, among: [0, 2, 5, 9]) == [0, 2, 5])
    #expect(
      TransactionEvaluation.others(than: 0, among: [0]) == []
        && TransactionEvaluation.others(than: 0, among: []) == [])
    let many = TransactionEvaluation.others(than: 95, among: Array(0..<100))
    #expect(many == Array(96..<100) + Array(0..<16))
  }

  @Test("a subject's first row that is an embedding is the reference, in transactions as in identification")
  func unusableFirstRow() throws {
    // "0" begins with zeros, and has one row of zeros more behind the reference.
    let values: [Float] = [0, 0, /**/ 1, 0, /**/ 0, 0, /**/ 1, 0, /**/ 0, 1, /**/ 0, 1]
    let data = LabelledData(
      name: "d", values: values, dimension: 2, subjects: ["0", "0", "0", "0", "0", "1"])
    let made = try TransactionEvaluation(data, threadCount: nil).transactions
    let mated = try #require(made.transactions.first { $0.kind == .mated })
    #expect(mated.attempts == [.failureToAcquire, .score(1), .score(0)])
    let searches = try OpenSetEvaluation(data, threadCount: nil).searches
    #expect(searches.mated.map(\.score) == [1, 0])
  }

  @Test("one impostor's transactions are drawn together, and so are one claimant's")
  func bySubject() throws {
    // Impostor 0 of twenty is accepted by all others.
    let made = (0..<20).flatMap { claimant in
      (0..<20).filter { $0 != claimant }.map { claimed in
        Transaction(
          kind: .nonMated, attempts: [.score(claimant == 0 ? 1 : 0)], claimant: claimant, claimed: claimed)
      }
    }
    let set = TransactionSet(made)
    let simple = try set.falseAcceptRate(at: 0.5, attempts: 1).rate.clopperPearson()
    let bySubject = try #require(
      set.falseAcceptsBySubject(at: 0.5, attempts: 1, BootstrapPlan(replicates: 300)))
    #expect(isClose(bySubject.value, 0.05) && bySubject.effectiveInterval.high > simple.high + 0.05)
    #expect(set.falseRejectsBySubject(at: 0.5, attempts: 1, BootstrapPlan()) == nil)
  }
}
