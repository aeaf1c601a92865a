import Biometrics
import EnrolmentStore
import ReVerification
import TestSupport
import Testing

/// Two engines on one store, as two processes would be.
@Suite("Engines that share a store")
struct SharedStoreTests {
  private struct Pair {
    let bank: Bank
    let other: ReVerificationEngine
    let otherScorer = ScriptedScorer()

    init() async throws {
      bank = try await Bank()
      try await bank.enrol("s1", of: "anna", Face.anna)
      other = try await Bank.engine(
        on: bank.store, bank.clock, otherScorer, seed: 2, claimLease: .seconds(30))
    }
  }

  @Test("while one evaluates, the other is told so, and nothing is evaluated twice")
  func busy() async throws {
    let pair = try await Pair()
    let bank = pair.bank
    let begun = try await bank.begin()
    bank.scorer.hold()
    let submitting = Task { try await bank.submit(.test("1", Face.anna), to: begun) }
    await bank.scorer.isHolding()
    for key in ["1", "2"] as [IdempotencyKey] {
      await expect(.busyElsewhere) { _ = try await pair.other.submit(.test(key, Face.anna), to: begun.id) }
    }
    #expect(try await pair.other.outcome(of: begun.id) == nil)
    bank.scorer.letGo()
    let answer = try await submitting.value
    #expect(try await pair.other.submit(.test("1", Face.anna), to: begun.id) == answer)
    #expect(pair.otherScorer.totalAssessments == 0)
  }

  @Test("a claim whose lease has passed is taken over, and the late engine gives the other's answer")
  func takeOver() async throws {
    let pair = try await Pair()
    let bank = pair.bank
    let begun = try await bank.begin()
    bank.scorer.hold()
    let submitting = Task { try await bank.submit(.test("1", Face.anna), to: begun) }
    await bank.scorer.isHolding()
    bank.clock.advance(by: .milliseconds(29_999))
    await expect(.busyElsewhere) { _ = try await pair.other.submit(.test("1", Face.anna), to: begun.id) }
    bank.clock.advance(by: .milliseconds(1))
    let answer = try await pair.other.submit(.test("1", Face.anna), to: begun.id)
    #expect(
      answer == .ended(.verified(reVerificationID: begun.id, originalSessionID: "s1", userID: "anna")))
    bank.scorer.letGo()
    #expect(try await submitting.value == answer)
    #expect(try await bank.endings(of: begun.id).count == 1)
  }

  @Test("a late result whose attempt nobody judged since is superseded, and its key goes on with it")
  func superseded() async throws {
    let pair = try await Pair()
    let bank = pair.bank
    let begun = try await bank.begin()
    bank.scorer.hold()
    let submitting = Task { try await bank.submit(.test("1", Face.anna), to: begun) }
    await bank.scorer.isHolding()
    bank.clock.advance(by: .seconds(30))
    #expect(
      try await pair.other.submit(.test("2"), to: begun.id) == .retry(.faceNotMatched, attemptsRemaining: 1))
    bank.scorer.letGo()
    await expect(.superseded) { _ = try await submitting.value }
    guard case .ended(.verified) = try await bank.submit(.test("1", Face.anna), to: begun) else {
      Issue.record("the lost attempt is evaluated in its old claim")
      return
    }
  }

  @Test("a cancel by the other engine wins over a running evaluation")
  func cancel() async throws {
    let pair = try await Pair()
    let bank = pair.bank
    let begun = try await bank.begin()
    bank.scorer.hold()
    let submitting = Task { try await bank.submit(.test("1", Face.anna), to: begun) }
    await bank.scorer.isHolding()
    #expect(try await pair.other.cancel(begun.id) == .cancelled)
    bank.scorer.letGo()
    await expect(.cancelled) { _ = try await submitting.value }
  }

  @Test("64 submissions over two engines at once: exactly 3 are evaluated, and one outcome is reached")
  func race() async throws {
    let bank = try await Bank()
    let scorer = bank.scorer
    let engines = [
      try await Bank.engine(on: bank.store, bank.clock, scorer, seed: 2, claimLease: .seconds(30)),
      try await Bank.engine(on: bank.store, bank.clock, scorer, seed: 3, claimLease: .seconds(30)),
    ]
    try await bank.enrol("s1", of: "anna", Face.anna)
    for _ in 0..<20 {
      let begun = try await bank.begin()
      let answers = try await withThrowingTaskGroup(of: Answer.self) { group in
        for number in 0..<64 {
          group.addTask {
            while true {
              do throws(ReVerificationError) {
                return try await engines[number % 2].submit(.test(.init("\(number)")), to: begun.id)
              } catch {
                guard error.code == .busyElsewhere else { throw error }
                await Task.yield()
              }
            }
          }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(scorer.assessments(for: begun.challenge) == 3)
      #expect(answers.count { $0 == .ended(.failed(.attemptsExhausted)) } == 1)
      #expect(answers.count { $0 == .ended(.failed(.expired)) } == 61)
      #expect(try await bank.endings(of: begun.id).count == 1)
    }
  }
}
