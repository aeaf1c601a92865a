import Biometrics
import EnrolmentStore
import TestSupport
import Testing

@testable import ReVerification

/// A write fails, the engine ends there as in a crash, and another is opened on what the store holds.
@Suite("Failing writes and restarts")
struct FailingStoreTests {
  /// An enrolment and a begin, then two writes for each of three attempts.
  private static let writes = 2 + 1 + 3 * 2

  private static let failures = (1...writes).flatMap { number in
    FailingStore.Moment.allCases.map { (number, $0) }
  }

  /// What a run came to.
  private struct Run {
    var bank: Bank
    var begun: Begun?
    var answers: [Answer] = []
    var errors = 0
  }

  /// Enrols, begins and submits; each call that fails is made again after a restart, until it succeeds.
  private func run(
    _ attempts: [Attempt], failing: (write: Int, moment: FailingStore.Moment)?,
    again: (Attempt) -> Attempt = { $0 }
  ) async throws -> Run {
    var run = Run(bank: try await Bank(balance: Credits(10)))
    if let failing { run.bank.store.failWrite(failing.write, failing.moment) }
    try await insist(&run) { bank in try await bank.enrol("s1", of: "anna", Face.anna) }
    let begun = try await insist(&run) { bank in try await bank.begin() }
    run.begun = begun
    for attempt in attempts {
      var tried = attempt
      let answer = try await insist(&run) { bank in
        defer { tried = again(tried) }
        return try await bank.submit(tried, to: begun)
      }
      run.answers.append(answer)
    }
    return run
  }

  @discardableResult
  private func insist<Value>(_ run: inout Run, _ call: (Bank) async throws -> Value) async throws -> Value {
    while true {
      do {
        return try await call(run.bank)
      } catch let error as ReVerificationError {
        #expect(error.kind == .storage)
        run.errors += 1
        guard run.errors < 10 else { throw error }
        try await run.bank.reopen(seed: UInt64(100 + run.errors))
      }
    }
  }

  @Test("with the same keys the answers are those of a run without a failure", arguments: failures)
  func sameKeys(write: Int, moment: FailingStore.Moment) async throws {
    for last in [Face.anna, Face.stranger] {
      let attempts: [Attempt] = [.test("1"), .test("2", Face.anna, .spoof), .test("3", last)]
      let run = try await run(attempts, failing: (write, moment))
      let begun = try #require(run.begun)
      let outcome: Outcome =
        last == Face.anna
        ? .verified(reVerificationID: begun.id, originalSessionID: "s1", userID: "anna")
        : .failed(.attemptsExhausted)
      #expect(run.errors == 1)
      #expect(
        run.answers == [
          .retry(.faceNotMatched, attemptsRemaining: 2), .retry(.livenessFailed, attemptsRemaining: 1),
          .ended(outcome),
        ])
      #expect(try await run.bank.engine.outcome(of: begun.id) == outcome)
      #expect(try await run.bank.inner.balance(of: Bank.organisation) == Credits(9))
      let records = try await run.bank.records()
      #expect(records.map(\.evidence?.attempt) == [1, 2, 3])
      #expect(records.map(\.conclusion) == run.answers.map(\.conclusion))
      #expect(
        try await run.bank.inner.failures(of: "anna", in: Bank.organisation).failures.count
          == (last == Face.anna ? 0 : 3))
    }
  }

  @Test("with a new key after each failure no attempt is given back", arguments: failures)
  func newKeys(write: Int, moment: FailingStore.Moment) async throws {
    let attempts: [Attempt] = (1...4).map { .test(.init("\($0)")) }
    let run = try await run(attempts, failing: (write, moment)) { attempt in
      .test(.init(attempt.key.rawValue + "'"))
    }
    let begun = try #require(run.begun)
    #expect(try await run.bank.engine.outcome(of: begun.id) == .failed(.attemptsExhausted))
    let stored = try #require(try await run.bank.inner.reVerification(begun.id))
    let machine = try ReVerification(stored)
    #expect(machine.attempts.count == 3)
    #expect(run.bank.scorer.assessments(for: begun.challenge) <= 3)
    #expect(try await run.bank.endings(of: begun.id).count == 1)
    #expect(try await run.bank.inner.balance(of: Bank.organisation) == Credits(9))
    let remaining = run.answers.compactMap { answer -> Int? in
      if case .retry(_, let remaining) = answer { remaining } else { nil }
    }
    #expect(zip(remaining, remaining.dropFirst()).allSatisfy { $0 > $1 })
  }

  @Test("a run without a failure makes the writes that the others let fail one by one")
  func writeCount() async throws {
    let run = try await run([.test("1"), .test("2"), .test("3")], failing: nil)
    #expect(run.errors == 0 && run.bank.store.writes == Self.writes)
  }

  @Test("without a restart too the same key goes on, after any failing write", arguments: failures)
  func withoutRestart(write: Int, moment: FailingStore.Moment) async throws {
    let bank = try await Bank(balance: Credits(10))
    try await bank.enrol("s1", of: "anna", Face.anna)
    let begun = try await bank.begin()
    bank.store.failWrite(write, moment)
    for (index, key) in (["1", "2", "3"] as [IdempotencyKey]).enumerated() {
      var answer: Answer?
      while answer == nil { answer = try? await bank.submit(.test(key), to: begun) }
      #expect(
        answer
          == (index < 2
            ? .retry(.faceNotMatched, attemptsRemaining: 2 - index) : .ended(.failed(.attemptsExhausted))))
    }
    #expect(try await bank.inner.balance(of: Bank.organisation) == Credits(9))
    #expect(try await bank.endings(of: begun.id).count == 1)
  }

  @Test("a cancel and an expiry whose write fails end it once", arguments: FailingStore.Moment.allCases)
  func endings(moment: FailingStore.Moment) async throws {
    let bank = try await Bank()
    try await bank.enrol("s1", of: "anna", Face.anna)
    let cancelled = try await bank.begin()
    bank.store.failWrite(1, moment)
    await expect(.storeUnavailable) { _ = try await bank.engine.cancel(cancelled.id) }
    #expect(try await bank.engine.cancel(cancelled.id) == .cancelled)
    let expired = try await bank.begin()
    bank.clock.set(to: expired.expiry)
    bank.store.failWrite(1, moment)
    await expect(.storeUnavailable) { _ = try await bank.engine.outcome(of: expired.id) }
    #expect(try await bank.engine.outcome(of: expired.id) == .failed(.expired))
    for id in [cancelled.id, expired.id] { #expect(try await bank.endings(of: id).count == 1) }
  }
}
