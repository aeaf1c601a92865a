import Biometrics
import EnrolmentStore
import ReVerification
import TestSupport
import Testing

@Suite("Lock-out")
struct LockOutTests {
  private func bank(on kind: TestStore, attempts: Int = 3) async throws -> Bank {
    let bank = try await Bank(on: kind, policy: Bank.policy(attempts: attempts, lockOut: .standard))
    try await bank.enrol("s1", of: "anna", Face.anna)
    try await bank.enrol("s2", of: "bert", Face.bert)
    return bank
  }

  private func begin(_ bank: Bank, _ user: UserID = "anna") async throws -> BeginResult {
    try await bank.engine.begin(
      workflowID: Bank.onboarding, email: Bank.email(of: user), apiKey: Bank.secret)
  }

  private func fail(_ bank: Bank, _ begun: Begun, _ keys: IdempotencyKey...) async throws {
    for key in keys { _ = try await bank.submit(.test(key), to: begun) }
  }

  @Test(
    "five failed attempts in three minutes, over several re-verifications, lock the user out for thirty",
    arguments: TestStore.all)
  func lockOut(on kind: TestStore) async throws {
    let bank = try await bank(on: kind)
    try await fail(bank, bank.begin(), "1", "2", "3")
    bank.clock.advance(by: .seconds(170))
    try await fail(bank, bank.begin(), "1")
    let last = try await bank.begin()
    bank.clock.advance(by: .seconds(9))
    try await fail(bank, last, "1")
    let lockedAt = bank.clock.now()

    #expect(try await begin(bank) == .ended(.failed(.attemptsExhausted)))
    let record = try #require(try await bank.records().last)
    #expect(record.lockedOutUntil == lockedAt + .seconds(1800) && record.evidence == nil)
    guard case .begun = try await begin(bank, "bert") else {
      Issue.record("another user is not locked out")
      return
    }
    bank.clock.set(to: lockedAt + .milliseconds(1_799_999))
    #expect(try await begin(bank) == .ended(.failed(.attemptsExhausted)))
    bank.clock.advance(by: .milliseconds(1))
    _ = try await bank.begin()
  }

  @Test("failures spread over more than the window lock nobody out", arguments: TestStore.all)
  func window(on kind: TestStore) async throws {
    let bank = try await bank(on: kind)
    for _ in 0..<10 {
      try await fail(bank, bank.begin(), "1")
      bank.clock.advance(by: .seconds(45))
    }
    _ = try await bank.begin()
  }

  @Test("opening a new re-verification clears no failures, being verified does", arguments: TestStore.all)
  func clearing(on kind: TestStore) async throws {
    let bank = try await bank(on: kind)
    try await fail(bank, bank.begin(), "1", "2")
    let success = try await bank.begin()
    try await fail(bank, success, "1", "2")
    _ = try await bank.submit(.test("3", Face.anna), to: success)
    try await fail(bank, bank.begin(), "1", "2", "3")
    try await fail(bank, bank.begin(), "1")
    let fifth = try await bank.begin()
    try await fail(bank, fifth, "1")
    #expect(try await begin(bank) == .ended(.failed(.attemptsExhausted)))
  }

  @Test(
    "failed liveness, a poor capture, and being somebody else count as failed attempts",
    arguments: TestStore.all)
  func kinds(on kind: TestStore) async throws {
    let bank = try await bank(on: kind)
    let first = try await bank.begin()
    _ = try await bank.submit(.test("1", Face.anna, .spoof), to: first)
    _ = try await bank.submit(.test("2", Face.anna, .poor), to: first)
    _ = try await bank.submit(.test("3", Face.bert), to: first)
    let second = try await bank.begin()
    _ = try await bank.submit(.test("1"), to: second)
    _ = try await bank.submit(.test("2"), to: second)
    #expect(try await begin(bank) == .ended(.failed(.attemptsExhausted)))
  }

  @Test("invalid input, repeated keys, cancelling and expiry count as none", arguments: TestStore.all)
  func harmless(on kind: TestStore) async throws {
    let bank = try await bank(on: kind)
    for _ in 0..<6 {
      let begun = try await bank.begin()
      await expect(.invalidEmbedding) { _ = try await bank.submit(.test("1", [0, 0, 0, 0]), to: begun) }
      _ = try await bank.engine.cancel(begun.id)
    }
    let begun = try await bank.begin()
    for _ in 0..<6 { try await fail(bank, begun, "1") }
    bank.clock.set(to: begun.expiry)
    _ = try await bank.engine.outcome(of: begun.id)
    #expect(try await bank.inner.failures(of: "anna", in: Bank.organisation).failures.count == 1)
    _ = try await bank.begin()
  }

  @Test(
    "re-verifications begun beforehand are no way round: their next attempt ends them as exhausted",
    arguments: TestStore.all)
  func begunBeforehand(on kind: TestStore) async throws {
    let bank = try await bank(on: kind)
    let open = [try await bank.begin(), try await bank.begin()]
    try await fail(bank, bank.begin(), "1", "2", "3")
    try await fail(bank, open[0], "1", "2")
    #expect(try await bank.submit(.test("1", Face.anna), to: open[1]) == .ended(.failed(.attemptsExhausted)))
    #expect(bank.scorer.assessments(for: open[1].challenge) == 0)
    let record = try #require(try await bank.endings(of: open[1].id).first)
    #expect(record.lockedOutUntil != nil && record.evidence == nil)
    // The one whose failure locked out keeps what it has, so that a policy may have more attempts than failures.
    guard case .ended(.verified) = try await bank.submit(.test("3", Face.anna), to: open[0]) else {
      Issue.record("its own failures leave it its attempts")
      return
    }
  }

  @Test("a policy of ten attempts has ten, though five failures lock out", arguments: TestStore.all)
  func moreAttemptsThanFailures(on kind: TestStore) async throws {
    let bank = try await bank(on: kind, attempts: 10)
    let begun = try await bank.begin()
    for number in 1...9 {
      #expect(
        try await bank.submit(.test(.init("\(number)")), to: begun)
          == .retry(.faceNotMatched, attemptsRemaining: 10 - number))
    }
    #expect(try await bank.submit(.test("10"), to: begun) == .ended(.failed(.attemptsExhausted)))
    #expect(try await begin(bank) == .ended(.failed(.attemptsExhausted)))
  }

  @Test("the counter survives the engine", arguments: TestStore.all)
  func restart(on kind: TestStore) async throws {
    var bank = try await bank(on: kind)
    try await fail(bank, bank.begin(), "1", "2", "3")
    try await bank.reopen(seed: 2)
    try await fail(bank, bank.begin(), "1", "2")
    try await bank.reopen(seed: 3)
    #expect(try await begin(bank) == .ended(.failed(.attemptsExhausted)))
  }
}
