import Biometrics
import EnrolmentStore
import ReVerification
import TestSupport
import Testing

/// The contract's rules of `submit`, one after the other.
@Suite("Submit")
struct SubmitTests {
  private func bank(
    on kind: TestStore, policy: ReVerificationPolicy? = nil, balance: Credits? = nil
  ) async throws -> Bank {
    let bank = try await Bank(on: kind, policy: policy, balance: balance)
    try await bank.enrol("s1", of: "anna", Face.anna)
    return bank
  }

  @Test(
    "rule 1: after the end every new attempt is answered expired, and none is evaluated",
    arguments: TestStore.all)
  func ended(on kind: TestStore) async throws {
    let bank = try await bank(on: kind)
    let begun = try await bank.begin()
    _ = try await bank.submit(.test("1", Face.anna), to: begun)
    #expect(try await bank.submit(.test("2", Face.anna), to: begun) == .ended(.failed(.expired)))
    #expect(bank.scorer.assessments(for: begun.challenge) == 1)
    #expect(
      try await bank.engine.outcome(of: begun.id)
        == .verified(reVerificationID: begun.id, originalSessionID: "s1", userID: "anna"))
  }

  @Test(
    "rule 1: it is valid while now < expiry",
    arguments: [(-1, false), (0, true), (1, true)], TestStore.all)
  func expiry(offset: (Int, Bool), on kind: TestStore) async throws {
    let (milliseconds, isExpired) = offset
    let bank = try await bank(on: kind)
    let begun = try await bank.begin()
    bank.clock.set(to: begun.expiry + .milliseconds(milliseconds))
    let answer = try await bank.submit(.test("1", Face.anna), to: begun)
    let verified = Outcome.verified(reVerificationID: begun.id, originalSessionID: "s1", userID: "anna")
    #expect(answer == .ended(isExpired ? .failed(.expired) : verified))
    #expect(try await bank.engine.outcome(of: begun.id) == (isExpired ? .failed(.expired) : verified))
    #expect(bank.scorer.totalAssessments == (isExpired ? 0 : 1))
  }

  @Test(
    "rule 1 goes before the others: an expired one answers invalid input with expired",
    arguments: TestStore.all)
  func expiredBeforeValidation(on kind: TestStore) async throws {
    let bank = try await bank(on: kind)
    let begun = try await bank.begin()
    bank.clock.set(to: begun.expiry)
    #expect(try await bank.submit(.test("1", [0, 0, 0, 0]), to: begun) == .ended(.failed(.expired)))
  }

  @Test(
    "rule 2: the same key again gets the same answer, uses no attempt and costs nothing",
    arguments: TestStore.all)
  func sameKey(on kind: TestStore) async throws {
    let bank = try await bank(on: kind, balance: Credits(10))
    let begun = try await bank.begin()
    let first = try await bank.submit(.test("1"), to: begun)
    for _ in 0..<3 { #expect(try await bank.submit(.test("1"), to: begun) == first) }
    #expect(try await bank.submit(.test("2"), to: begun) == .retry(.faceNotMatched, attemptsRemaining: 1))
    #expect(try await bank.submit(.test("1"), to: begun) == first)
    #expect(first == .retry(.faceNotMatched, attemptsRemaining: 2))
    #expect(bank.scorer.totalAssessments == 2)
    #expect(try await bank.inner.balance(of: Bank.organisation) == Credits(9))
    #expect(try await bank.records().count == 2)
  }

  @Test(
    "rule 2: the same key gets the same answer also after the end and after expiry", arguments: TestStore.all)
  func sameKeyAfterEnd(on kind: TestStore) async throws {
    let bank = try await bank(on: kind)
    let begun = try await bank.begin()
    let retry = try await bank.submit(.test("1"), to: begun)
    let verified = try await bank.submit(.test("2", Face.anna), to: begun)
    bank.clock.set(to: begun.expiry + .seconds(1))
    #expect(try await bank.submit(.test("1"), to: begun) == retry)
    #expect(try await bank.submit(.test("2", Face.anna), to: begun) == verified)
  }

  @Test(
    "rule 2: the submission that ended it without being an attempt gets the same answer again",
    arguments: TestStore.all)
  func sameKeyOfClosing(on kind: TestStore) async throws {
    let bank = try await bank(on: kind, policy: Bank.policy(attempts: 1))
    let begun = try await bank.begin()
    bank.scorer.failNext()
    await expect(.evaluationFailed) { _ = try await bank.submit(.test("1"), to: begun) }
    for _ in 0..<2 {
      #expect(try await bank.submit(.test("2"), to: begun) == .ended(.failed(.attemptsExhausted)))
      #expect(try await bank.submit(.test("3"), to: begun) == .ended(.failed(.expired)))
    }
    await expect(.keyReused) { _ = try await bank.submit(.test("2", Face.anna), to: begun) }
  }

  @Test(
    "rule 2: the same key gets the same answer after the engine was opened anew", arguments: TestStore.all)
  func sameKeyAfterRestart(on kind: TestStore) async throws {
    var bank = try await bank(on: kind)
    let begun = try await bank.begin()
    let first = try await bank.submit(.test("1"), to: begun)
    try await bank.reopen(seed: 2)
    #expect(try await bank.submit(.test("1"), to: begun) == first)
    #expect(bank.scorer.totalAssessments == 1)
  }

  @Test(
    "rule 2: the same key with other content is a validation error and uses no attempt",
    arguments: TestStore.all)
  func otherContent(on kind: TestStore) async throws {
    let bank = try await bank(on: kind)
    let begun = try await bank.begin()
    _ = try await bank.submit(.test("1"), to: begun)
    await expect(.keyReused) { _ = try await bank.submit(.test("1", Face.anna), to: begun) }
    await expect(.keyReused) { _ = try await bank.submit(.test("1", Face.stranger, .spoof), to: begun) }
    #expect(try await bank.submit(.test("2"), to: begun) == .retry(.faceNotMatched, attemptsRemaining: 1))
  }

  @Test(
    "rule 3: invalid input is a typed error that uses no attempt", arguments: InvalidAttempt.all,
    TestStore.all)
  func invalid(invalid: InvalidAttempt, on kind: TestStore) async throws {
    let bank = try await bank(on: kind, balance: Credits(5))
    let begun = try await bank.begin()
    await expect(invalid.code) { _ = try await bank.submit(invalid.attempt, to: begun) }
    #expect(invalid.code.kind == .validation)
    #expect(bank.scorer.totalAssessments == 0)
    #expect(try await bank.inner.balance(of: Bank.organisation) == Credits(5))
    #expect(try await bank.records() == [])
    // The key is still free, and all attempts are there.
    let key = invalid.attempt.key.rawValue.isEmpty ? "1" : invalid.attempt.key
    guard Attempt.keyBytes.contains(key.rawValue.utf8.count) else { return }
    #expect(try await bank.submit(.test(key), to: begun) == .retry(.faceNotMatched, attemptsRemaining: 2))
  }

  @Test("an unknown re-verification is a validation error", arguments: TestStore.all)
  func unknown(on kind: TestStore) async throws {
    let bank = try await bank(on: kind)
    await expect(.unknownReVerification) { _ = try await bank.engine.submit(.test("1"), to: "none") }
    await expect(.unknownReVerification) { _ = try await bank.engine.outcome(of: "none") }
    await expect(.unknownReVerification) { _ = try await bank.engine.cancel("none") }
  }

  @Test(
    "rule 4: failed liveness uses an attempt, and no score is formed even of the right face",
    arguments: TestStore.all)
  func livenessFailed(on kind: TestStore) async throws {
    let bank = try await bank(on: kind)
    let begun = try await bank.begin()
    let answer = try await bank.submit(.test("1", Face.anna, .spoof), to: begun)
    #expect(answer == .retry(.livenessFailed, attemptsRemaining: 2))
    let evidence = try #require(try await bank.records().first?.evidence)
    #expect(evidence.scores == nil)
    #expect(evidence.liveness.verdict == .notLive && evidence.liveness.reasons == [.lowPassiveScore])
  }

  @Test("rule 4: a capture too poor to judge uses an attempt as well", arguments: TestStore.all)
  func captureUnusable(on kind: TestStore) async throws {
    let bank = try await bank(on: kind)
    let begun = try await bank.begin()
    let answer = try await bank.submit(.test("1", Face.anna, .poor), to: begun)
    #expect(answer == .retry(.captureUnusable, attemptsRemaining: 2))
    #expect(try await bank.records().first?.evidence?.scores == nil)
  }

  @Test("rule 5: the right person is verified, with the session that matched", arguments: TestStore.all)
  func verified(on kind: TestStore) async throws {
    let bank = try await bank(on: kind)
    let begun = try await bank.begin()
    let outcome = Outcome.verified(reVerificationID: begun.id, originalSessionID: "s1", userID: "anna")
    #expect(try await bank.submit(.test("1", Face.like(anna: 0.9)), to: begun) == .ended(outcome))
    let record = try #require(try await bank.endings(of: begun.id).first)
    #expect(record.conclusion == .ended(outcome))
    #expect(record.evidence?.scores?.claimed.map(\.session) == ["s1"])
  }

  @Test(
    "rule 5: somebody else enrolled is not re-verified, at the first occurrence", arguments: TestStore.all)
  func anotherPerson(on kind: TestStore) async throws {
    let bank = try await bank(on: kind)
    try await bank.enrol("s2", of: "bert", Face.bert)
    let begun = try await bank.begin()
    #expect(try await bank.submit(.test("1", Face.bert), to: begun) == .ended(.failed(.notReVerified)))
  }

  @Test(
    "rule 5: another person closer than the claimed one, though that one matches, is not re-verified",
    arguments: TestStore.all)
  func anotherPersonCloser(on kind: TestStore) async throws {
    let bank = try await bank(on: kind)
    try await bank.enrol("s2", of: "bert", Face.bert)
    let begun = try await bank.begin()
    let face = Face.like(anna: 0.6, bert: 0.7)
    #expect(try await bank.submit(.test("1", face), to: begun) == .ended(.failed(.notReVerified)))
    let less = try await bank.begin()
    guard
      case .ended(.verified) = try await bank.submit(.test("1", Face.like(anna: 0.7, bert: 0.6)), to: less)
    else {
      Issue.record("the claimed person is closer")
      return
    }
  }

  @Test("rule 5: a person of another organisation is nobody", arguments: TestStore.all)
  func anotherOrganisation(on kind: TestStore) async throws {
    let bank = try await bank(on: kind)
    try await bank.inner.commit([
      .organisation(Organisation(id: "airline")),
      .workflow(Workflow(id: "boarding", organisation: "airline", policy: try Bank.policy())),
      .user(User(id: "bert", organisation: "airline", email: #require(EmailAddress("bert@example.com")))),
    ])
    try await bank.engine.enrol(
      SessionApproval(
        id: "s1", organisation: "airline", workflow: "boarding", user: "bert",
        approvedAt: bank.clock.now(), embeddings: [UncheckedEmbedding(Face.bert, space: Bank.space)]))
    let begun = try await bank.begin()
    #expect(
      try await bank.submit(.test("1", Face.bert), to: begun) == .retry(.faceNotMatched, attemptsRemaining: 2)
    )
  }

  @Test(
    "rule 5: this user, known on another workflow only by this face, is not re-verified",
    arguments: TestStore.all)
  func otherWorkflow(on kind: TestStore) async throws {
    let bank = try await bank(on: kind)
    try await bank.enrol("s2", of: "anna", Face.bert, on: Bank.payout)
    let begun = try await bank.begin()
    #expect(try await bank.submit(.test("1", Face.bert), to: begun) == .ended(.failed(.notReVerified)))
  }

  @Test("rule 5: a stranger is not matched, and may try again", arguments: TestStore.all)
  func stranger(on kind: TestStore) async throws {
    let bank = try await bank(on: kind)
    let begun = try await bank.begin()
    #expect(try await bank.submit(.test("1"), to: begun) == .retry(.faceNotMatched, attemptsRemaining: 2))
    #expect(try await bank.engine.outcome(of: begun.id) == nil)
  }

  @Test("rule 6: the last attempt used without success exhausts them", arguments: 1...10, TestStore.all)
  func attemptsExhausted(allowed: Int, on kind: TestStore) async throws {
    let bank = try await bank(on: kind, policy: Bank.policy(attempts: allowed))
    let begun = try await bank.begin()
    #expect(begun.attemptsAllowed == allowed)
    let failures: [Attempt] = (1...allowed).map { number in
      let capture: Capture = [.live, .spoof, .poor][number % 3]
      return .test(IdempotencyKey("\(number)"), Face.stranger, capture)
    }
    for (index, attempt) in failures.enumerated() {
      let answer = try await bank.submit(attempt, to: begun)
      if index == allowed - 1 {
        #expect(answer == .ended(.failed(.attemptsExhausted)))
      } else if case .retry(_, let remaining) = answer {
        #expect(remaining == allowed - 1 - index)
      } else {
        Issue.record("attempt \(index + 1) gave \(answer)")
      }
    }
    #expect(try await bank.engine.outcome(of: begun.id) == .failed(.attemptsExhausted))
    #expect(try await bank.endings(of: begun.id).count == 1)
  }

  @Test(
    "the price is charged once, with the first attempt, and may overdraw what was enough at the beginning",
    arguments: TestStore.all)
  func charge(on kind: TestStore) async throws {
    let bank = try await bank(on: kind, balance: Credits(1))
    let first = try await bank.begin()
    let second = try await bank.begin()
    for number in 1...3 {
      _ = try await bank.submit(.test(IdempotencyKey("\(number)")), to: first)
      #expect(try await bank.inner.balance(of: Bank.organisation) == Credits(0))
    }
    _ = try await bank.submit(.test("1", Face.anna), to: second)
    #expect(try await bank.inner.balance(of: Bank.organisation) == Credits(-1))
    #expect(try await bank.records().allSatisfy { $0.charged == Credits(1) })
  }
}
