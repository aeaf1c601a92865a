import Biometrics
import EnrolmentStore
import ReVerification
import TestSupport
import Testing

@Suite("Outcomes and cancelling")
struct EndingTests {
  private func bank(on kind: TestStore, seed: UInt64 = 1) async throws -> Bank {
    let bank = try await Bank(on: kind, seed: seed)
    try await bank.enrol("s1", of: "anna", Face.anna)
    return bank
  }

  @Test(
    "a cancel before the end cancels: there is no outcome, and whoever asks is told so",
    arguments: TestStore.all)
  func cancel(on kind: TestStore) async throws {
    let bank = try await bank(on: kind)
    let begun = try await bank.begin()
    let retry = try await bank.submit(.test("1"), to: begun)
    #expect(try await bank.engine.cancel(begun.id) == .cancelled)
    await expect(.cancelled) { _ = try await bank.engine.outcome(of: begun.id) }
    #expect(try await bank.engine.cancel(begun.id) == .cancelled)
    #expect(try await bank.submit(.test("2", Face.anna), to: begun) == .ended(.failed(.expired)))
    #expect(try await bank.submit(.test("1"), to: begun) == retry)
    #expect(try await bank.endings(of: begun.id).map(\.conclusion) == [.cancelled])
  }

  @Test("a cancel that loses the race changes nothing and learns the outcome", arguments: TestStore.all)
  func cancelTooLate(on kind: TestStore) async throws {
    let bank = try await bank(on: kind)
    let begun = try await bank.begin()
    let outcome = Outcome.verified(reVerificationID: begun.id, originalSessionID: "s1", userID: "anna")
    _ = try await bank.submit(.test("1", Face.anna), to: begun)
    #expect(try await bank.engine.cancel(begun.id) == .tooLate(outcome))
    #expect(try await bank.engine.outcome(of: begun.id) == outcome)
    #expect(try await bank.endings(of: begun.id).count == 1)
  }

  @Test("a cancel after expiry finds it expired", arguments: TestStore.all)
  func cancelExpired(on kind: TestStore) async throws {
    let bank = try await bank(on: kind)
    let begun = try await bank.begin()
    bank.clock.set(to: begun.expiry)
    #expect(try await bank.engine.cancel(begun.id) == .tooLate(.failed(.expired)))
    #expect(try await bank.engine.outcome(of: begun.id) == .failed(.expired))
  }

  @Test("a cancel during an evaluation wins, and the late result is ignored", arguments: TestStore.all)
  func cancelWhileEvaluating(on kind: TestStore) async throws {
    let bank = try await bank(on: kind)
    let begun = try await bank.begin()
    bank.scorer.hold()
    let submitting = Task { try await bank.submit(.test("1", Face.anna), to: begun) }
    await bank.scorer.isHolding()
    #expect(try await bank.engine.outcome(of: begun.id) == nil)
    #expect(try await bank.engine.cancel(begun.id) == .cancelled)
    bank.scorer.letGo()
    await expect(.cancelled) { _ = try await submitting.value }
    await expect(.cancelled) { _ = try await bank.submit(.test("1", Face.anna), to: begun) }
    await expect(.cancelled) { _ = try await bank.engine.outcome(of: begun.id) }
    #expect(try await bank.endings(of: begun.id).map(\.conclusion) == [.cancelled])
  }

  @Test("a submission accepted before expiry and evaluated after it stands", arguments: TestStore.all)
  func evaluatedAfterExpiry(on kind: TestStore) async throws {
    let bank = try await bank(on: kind)
    let begun = try await bank.begin()
    bank.scorer.hold()
    async let answer = bank.submit(.test("1", Face.anna), to: begun)
    await bank.scorer.isHolding()
    bank.clock.set(to: begun.expiry + .seconds(5))
    #expect(try await bank.engine.outcome(of: begun.id) == nil)
    bank.scorer.letGo()
    let verified = Outcome.verified(reVerificationID: begun.id, originalSessionID: "s1", userID: "anna")
    #expect(try await answer == .ended(verified))
    #expect(try await bank.engine.outcome(of: begun.id) == verified)
  }

  @Test(
    "a failed attempt evaluated after expiry keeps its answer, and the re-verification is expired then",
    arguments: TestStore.all)
  func failedAfterExpiry(on kind: TestStore) async throws {
    let bank = try await bank(on: kind)
    let begun = try await bank.begin()
    bank.scorer.hold()
    async let answer = bank.submit(.test("1"), to: begun)
    await bank.scorer.isHolding()
    bank.clock.set(to: begun.expiry)
    bank.scorer.letGo()
    #expect(try await answer == .retry(.faceNotMatched, attemptsRemaining: 2))
    #expect(try await bank.engine.outcome(of: begun.id) == .failed(.expired))
  }

  @Test("an outcome once read stays, when the clock is set back as well", arguments: TestStore.all)
  func clockSetBack(on kind: TestStore) async throws {
    let bank = try await bank(on: kind)
    let begun = try await bank.begin()
    bank.clock.set(to: begun.expiry)
    #expect(try await bank.engine.outcome(of: begun.id) == .failed(.expired))
    bank.clock.jump(by: .seconds(-60))
    #expect(try await bank.engine.outcome(of: begun.id) == .failed(.expired))
    #expect(try await bank.submit(.test("1", Face.anna), to: begun) == .ended(.failed(.expired)))
    #expect(try await bank.endings(of: begun.id).count == 1)
  }

  @Test(
    "an evaluation that fails leaves its attempt used; the same key goes on with it, at no new charge",
    arguments: TestStore.all)
  func lostEvaluation(on kind: TestStore) async throws {
    let bank = try await bank(on: kind)
    try await bank.inner.commit([.balance(Credits(5), of: Bank.organisation)])
    let begun = try await bank.begin()
    bank.scorer.failNext()
    await expect(.evaluationFailed) { _ = try await bank.submit(.test("1"), to: begun) }
    #expect(try await bank.engine.outcome(of: begun.id) == nil)
    #expect(try await bank.submit(.test("2"), to: begun) == .retry(.faceNotMatched, attemptsRemaining: 1))
    #expect(try await bank.submit(.test("1"), to: begun) == .retry(.faceNotMatched, attemptsRemaining: 1))
    #expect(try await bank.submit(.test("3"), to: begun) == .ended(.failed(.attemptsExhausted)))
    #expect(try await bank.inner.balance(of: Bank.organisation) == Credits(4))
  }

  @Test(
    "when the last attempt was lost its key may still use it, and any other key ends it as exhausted",
    arguments: TestStore.all)
  func lostLastAttempt(on kind: TestStore) async throws {
    for usesSameKey in [true, false] {
      let bank = try await bank(on: kind)
      let begun = try await bank.begin()
      for key in ["1", "2"] { _ = try await bank.submit(.test(.init(key)), to: begun) }
      bank.scorer.failNext()
      await expect(.evaluationFailed) { _ = try await bank.submit(.test("3", Face.anna), to: begun) }
      let answer = try await bank.submit(.test(usesSameKey ? "3" : "4", Face.anna), to: begun)
      let verified = Outcome.verified(reVerificationID: begun.id, originalSessionID: "s1", userID: "anna")
      #expect(answer == .ended(usesSameKey ? verified : .failed(.attemptsExhausted)))
      if !usesSameKey {
        #expect(try await bank.submit(.test("3", Face.anna), to: begun) == .ended(.failed(.expired)))
      }
      #expect(try await bank.endings(of: begun.id).count == 1)
    }
  }

  @Test(
    "what the client is told holds no score, threshold or cue; the decision record holds them all",
    arguments: TestStore.all)
  func privacy(on kind: TestStore) async throws {
    let bank = try await bank(on: kind)
    let begun = try await bank.begin()
    let answer = try await bank.submit(.test("1", Face.like(anna: 0.4321)), to: begun)
    #expect(answer == .retry(.faceNotMatched, attemptsRemaining: 2))
    let told = "\(answer) \(begun)"
    #expect(told.firstMatch(of: #/[0-9]\.[0-9]/#) == nil, "no fraction is among what the client gets")
    let record = try #require(try await bank.records().first)
    let score = try #require(record.evidence?.scores?.claimed.first?.score.value)
    #expect(abs(score - 0.4321) < 1e-6)
    #expect(record.evidence?.liveness.score == 0.9)
    #expect(record.evidence?.livenessModel == bank.scorer.model)
    #expect(record.policy?.verifyThreshold.value == 0.5 && record.space == Bank.space)
    #expect(record.evidence?.captureDigest != record.evidence?.contentDigest)
    #expect(record.begunAt == bank.clock.reading() && record.expiry == begun.expiry)
    #expect(record.engineVersion == EngineVersion.current)
    #expect(record.evidence?.claimedAt == record.decidedAt.wall && record.evidence?.attempt == 1)
  }

  @Test(
    "errors name what, where and what was expected, and hold no embedding value, e-mail or secret",
    arguments: TestStore.all)
  func errors(on kind: TestStore) async throws {
    let bank = try await bank(on: kind)
    let begun = try await bank.begin()
    let bad = Attempt(
      key: "1", capture: .live,
      embeddings: [
        UncheckedEmbedding(Face.anna, space: Bank.space),
        UncheckedEmbedding([0.7341, 0.2519, .nan, 1], space: Bank.space),
      ])
    do {
      _ = try await bank.submit(bad, to: begun)
      Issue.record("a NaN is no embedding")
    } catch let error as ReVerificationError {
      #expect(error.context.contains("embedding 1") && error.context.contains("component 2"))
      #expect(!"\(error)".contains("0.7") && !"\(error)".contains("0.2"))
    }
    do {
      _ = try await bank.engine.begin(workflowID: "w", email: "anna@@example", apiKey: Bank.secret)
      Issue.record("two signs are no address")
    } catch {
      #expect(!"\(error)".contains("anna") && !"\(error)".contains(Bank.secret))
    }
  }
}
