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

  @Test(
    "32 begun beforehand, an attempt submitted to each at once: five are judged, the others end as exhausted",
    arguments: TestStore.all, [false, true])
  func atOnce(on kind: TestStore, byOrganisation: Bool) async throws {
    let bank = try await Bank(on: kind, policy: Bank.policy(lockOut: byOrganisation ? nil : .standard))
    try await bank.enrol("s1", of: "anna", Face.anna)
    try await bank.enrol("s2", of: "bert", Face.bert)
    if byOrganisation { try await setPolicy(of: bank, .standard) }
    var open: [Begun] = []
    for _ in 0..<33 { open.append(try await bank.begin()) }
    let late = open.removeLast()
    let answers = try await withThrowingTaskGroup(of: Answer.self) { group in
      for begun in open { group.addTask { try await bank.submit(.test("1"), to: begun) } }
      return try await group.reduce(into: [Answer]()) { $0.append($1) }
    }
    #expect(bank.scorer.totalAssessments == 5)
    #expect(answers.count { $0 == .retry(.faceNotMatched, attemptsRemaining: 2) } == 5)
    #expect(answers.count { $0 == .ended(.failed(.attemptsExhausted)) } == 27)
    let refused = try await bank.records().filter { $0.evidence == nil }
    #expect(refused.count == 27 && refused.allSatisfy { $0.lockedOutUntil != nil })
    #expect(try await bank.submit(.test("1", Face.anna), to: late) == .ended(.failed(.attemptsExhausted)))
    #expect(bank.scorer.totalAssessments == 5)
    let bert = try await bank.begin("bert")
    guard case .ended(.verified) = try await bank.submit(.test("1", Face.bert), to: bert) else {
      Issue.record("another user is not locked out")
      return
    }
  }

  @Test("another user's attempts don't wait for one that is being judged")
  func otherUser() async throws {
    let bank = try await bank(on: .inMemory)
    let (anna, bert) = (try await bank.begin(), try await bank.begin("bert"))
    bank.scorer.hold()
    let submitting = Task { try await bank.submit(.test("1", Face.anna), to: anna) }
    await bank.scorer.isHolding()
    // Both are held up by the scorer, and so neither by the other.
    let other = Task { try await bank.submit(.test("1", Face.bert), to: bert) }
    while bank.scorer.assessments(for: bert.challenge) == 0 { await Task.yield() }
    bank.scorer.letGo()
    guard case .ended(.verified) = try await submitting.value, case .ended(.verified) = try await other.value
    else {
      Issue.record("both are themselves")
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

  private static let wide = try? LockOutPolicy(
    failures: 4, window: .seconds(24 * 3600), duration: .seconds(2 * 3600))

  private func setPolicy(of bank: Bank, _ lockOut: LockOutPolicy?) async throws {
    try await bank.inner.commit([.organisation(Organisation(id: Bank.organisation, lockOut: lockOut))])
  }

  @Test(
    "the organisation's lock-out counts over workflows that have none, up to its instant, across restarts",
    arguments: TestStore.all)
  func ofOrganisation(on kind: TestStore) async throws {
    var bank = try await Bank(on: kind, policy: Bank.policy(attempts: 3))
    try await bank.enrol("s1", of: "anna", Face.anna)
    try await bank.enrol("s2", of: "bert", Face.bert)
    try await bank.enrol("s3", of: "anna", Face.anna, on: Bank.payout)
    try await setPolicy(of: bank, Self.wide)
    try await fail(bank, bank.begin(), "1", "2")
    bank.clock.advance(by: .seconds(5 * 3600))
    try await bank.reopen(seed: 2)
    try await fail(bank, bank.begin("anna", on: Bank.payout), "1")
    _ = try await bank.begin()
    try await fail(bank, bank.begin("anna", on: Bank.payout), "1")
    let lockedAt = bank.clock.now()
    #expect(try await begin(bank) == .ended(.failed(.attemptsExhausted)))
    let record = try #require(try await bank.records().last)
    #expect(record.lockedOutUntil == lockedAt + .seconds(2 * 3600))
    guard case .begun = try await begin(bank, "bert") else {
      Issue.record("another user is not locked out")
      return
    }
    bank.clock.set(to: lockedAt + .milliseconds(7_199_999))
    #expect(try await begin(bank) == .ended(.failed(.attemptsExhausted)))
    bank.clock.advance(by: .milliseconds(1))
    _ = try await bank.begin()
    let judged = try await bank.records().filter { $0.evidence != nil }
    #expect(judged.count == 4)
    for record in judged {
      #expect(record.policy?.organisationLockOut == Self.wide && record.policy?.lockOut == nil)
    }
  }

  @Test("of the workflow's and the organisation's lock-out the longer one is in force, whichever came first")
  func both() async throws {
    // The organisation's comes first, and its cause goes on to complete the workflow's.
    let bank = try await bank(on: .inMemory, attempts: 6)
    try await setPolicy(of: bank, Self.wide)
    let begun = try await bank.begin()
    try await fail(bank, begun, "1", "2", "3", "4")
    let lockedAt = bank.clock.now()
    try await fail(bank, begun, "5")
    bank.clock.advance(by: .seconds(1800))
    #expect(try await begin(bank) == .ended(.failed(.attemptsExhausted)))
    #expect(try await bank.records().last?.lockedOutUntil == lockedAt + .seconds(2 * 3600))
    // The workflow's comes first; its failures go on counting for the organisation's.
    let other = try await self.bank(on: .inMemory)
    try await setPolicy(
      of: other, LockOutPolicy(failures: 7, window: .seconds(24 * 3600), duration: .seconds(4 * 3600)))
    try await fail(other, other.begin(), "1", "2", "3")
    try await fail(other, other.begin(), "1", "2")
    #expect(try await begin(other) == .ended(.failed(.attemptsExhausted)))
    other.clock.advance(by: .seconds(1800))
    try await fail(other, other.begin(), "1", "2")
    let again = other.clock.now()
    #expect(try await begin(other) == .ended(.failed(.attemptsExhausted)))
    #expect(try await other.records().last?.lockedOutUntil == again + .seconds(4 * 3600))
  }

  @Test(
    "a success forgets what counted for the organisation, and a change of its policy reaches what begins after it"
  )
  func clearingOfOrganisation() async throws {
    let bank = try await Bank(policy: Bank.policy(attempts: 3))
    try await bank.enrol("s1", of: "anna", Face.anna)
    try await setPolicy(of: bank, Self.wide)
    let first = try await bank.begin()
    try await fail(bank, first, "1", "2")
    _ = try await bank.submit(.test("3", Face.anna), to: first)
    try await fail(bank, bank.begin(), "1", "2", "3")
    let before = try await bank.begin()
    try await setPolicy(of: bank, nil)
    try await fail(bank, bank.begin(), "1", "2")
    _ = try await bank.begin()
    try await fail(bank, before, "1")
    #expect(try await begin(bank) == .ended(.failed(.attemptsExhausted)))
  }
}
