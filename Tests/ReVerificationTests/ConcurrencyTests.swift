import Biometrics
import EnrolmentStore
import TestSupport
import Testing

@testable import ReVerification

@Suite("Many submissions at once")
struct ConcurrencyTests {
  private static let many = LongRuns.areEnabled ? 1000 : 25

  /// Submits all at once, and gives the answers in the order of the attempts.
  private func submitAtOnce(_ attempts: [Attempt], to begun: Begun, _ bank: Bank) async throws -> [Answer] {
    try await withThrowingTaskGroup(of: (Int, Answer).self) { group in
      for (index, attempt) in attempts.enumerated() {
        group.addTask { (index, try await bank.submit(attempt, to: begun)) }
      }
      return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }.sorted { $0.key < $1.key }.map(\.value)
    }
  }

  private func attempts(_ count: Int, genuineAt genuine: Int? = nil) -> [Attempt] {
    (0..<count).map { .test(.init("key \($0)"), $0 == genuine ? Face.anna : Face.stranger) }
  }

  private func bank(on kind: TestStore = .inMemory, balance: Credits? = nil) async throws -> Bank {
    let bank = try await Bank(on: kind, balance: balance)
    try await bank.enrol("s1", of: "anna", Face.anna)
    return bank
  }

  @Test("64 at once with 3 attempts, all failing: exactly 3 are evaluated, of each of many re-verifications",
    arguments: TestStore.all)
  func allFail(on kind: TestStore) async throws {
    let bank = try await bank(on: kind, balance: Credits(1000))
    for _ in 0..<Self.many {
      let begun = try await bank.begin()
      let answers = try await submitAtOnce(attempts(64), to: begun, bank)
      #expect(bank.scorer.assessments(for: begun.challenge) == 3)
      #expect(answers.count { $0 == .retry(.faceNotMatched, attemptsRemaining: 2) } == 1)
      #expect(answers.count { $0 == .retry(.faceNotMatched, attemptsRemaining: 1) } == 1)
      #expect(answers.count { $0 == .ended(.failed(.attemptsExhausted)) } == 1)
      #expect(answers.count { $0 == .ended(.failed(.expired)) } == 61)
      #expect(try await bank.engine.outcome(of: begun.id) == .failed(.attemptsExhausted))
    }
    #expect(try await bank.inner.balance(of: Bank.organisation) == Credits(1000 - Int64(Self.many)))
    #expect(try await bank.records().count == 3 * Self.many)
  }

  @Test("64 at once on each of 32 re-verifications at once: exactly 3 are evaluated of each")
  func allFailAcross() async throws {
    let bank = try await bank()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<32 {
        let begun = try await bank.begin()
        group.addTask { _ = try await submitAtOnce(attempts(64), to: begun, bank) }
      }
      try await group.waitForAll()
    }
    #expect(bank.scorer.totalAssessments == 96)
    let endings = try await bank.records().filter { $0.conclusion == .ended(.failed(.attemptsExhausted)) }
    #expect(endings.count == 32 && Set(endings.map(\.reVerification)).count == 32)
    // All of them are one user's, so that their counters met in every commit.
    #expect(try await bank.inner.failures(of: "anna", in: Bank.organisation).revision == 96)
  }

  @Test("64 at once with one genuine among them: verified or exhausted, never both, of many re-verifications",
    arguments: TestStore.all)
  func oneGenuine(on kind: TestStore) async throws {
    let bank = try await bank(on: kind)
    for number in 0..<Self.many {
      let begun = try await bank.begin()
      let answers = try await submitAtOnce(attempts(64, genuineAt: number % 64), to: begun, bank)
      let verified = Outcome.verified(reVerificationID: begun.id, originalSessionID: "s1", userID: "anna")
      let successes = answers.count { $0 == .ended(verified) }
      let failures = answers.count { $0 == .ended(.failed(.attemptsExhausted)) }
      #expect(successes + failures == 1)
      #expect(bank.scorer.assessments(for: begun.challenge) <= 3)
      let outcome = try await bank.engine.outcome(of: begun.id)
      #expect(outcome == (successes == 1 ? verified : .failed(.attemptsExhausted)))
      #expect(try await bank.endings(of: begun.id).map(\.conclusion) == [.ended(try #require(outcome))])
    }
  }

  @Test("the same key 64 times at once is one attempt and one answer")
  func sameKey() async throws {
    let bank = try await bank()
    for _ in 0..<Self.many {
      let begun = try await bank.begin()
      let answers = try await submitAtOnce(Array(repeating: .test("key"), count: 64), to: begun, bank)
      #expect(answers == Array(repeating: .retry(.faceNotMatched, attemptsRemaining: 2), count: 64))
      #expect(bank.scorer.assessments(for: begun.challenge) == 1)
    }
  }

  @Test("the same key while its evaluation runs joins it, and other content under it is refused")
  func join() async throws {
    let bank = try await bank()
    let begun = try await bank.begin()
    bank.scorer.hold()
    let first = Task { try await bank.submit(.test("key", Face.anna), to: begun) }
    await bank.scorer.isHolding()
    let second = Task { try await bank.submit(.test("key", Face.anna), to: begun) }
    let other = Task { try await bank.submit(.test("key", Face.bert), to: begun) }
    bank.scorer.letGo()
    #expect(try await first.value == second.value)
    await expect(.keyReused) { _ = try await other.value }
    #expect(bank.scorer.totalAssessments == 1)
  }

  @Test("submissions that meet a running one are evaluated in the order they came")
  func order() async throws {
    let bank = try await bank()
    for _ in 0..<20 {
      let begun = try await bank.begin()
      bank.scorer.hold()
      var tasks = [Task { try await bank.submit(.test("0"), to: begun) }]
      await bank.scorer.isHolding()
      for number in 1...4 {
        tasks.append(Task { try await bank.submit(.test(.init("\(number)")), to: begun) })
        // The next is sent when this one is in line.
        while await bank.engine.submissions(to: begun.id) <= number { await Task.yield() }
      }
      bank.scorer.letGo()
      var answers: [Answer] = []
      for task in tasks { answers.append(try await task.value) }
      #expect(
        answers == [
          .retry(.faceNotMatched, attemptsRemaining: 2), .retry(.faceNotMatched, attemptsRemaining: 1),
          .ended(.failed(.attemptsExhausted)), .ended(.failed(.expired)), .ended(.failed(.expired)),
        ])
    }
  }

  @Test("submitting and cancelling at once ends it once")
  func cancelRace() async throws {
    let bank = try await bank()
    for _ in 0..<Self.many {
      let begun = try await bank.begin()
      async let submitted: Answer? = try? bank.submit(.test("1", Face.anna), to: begun)
      async let cancelled = bank.engine.cancel(begun.id)
      let verified = Outcome.verified(reVerificationID: begun.id, originalSessionID: "s1", userID: "anna")
      switch (await submitted, try await cancelled) {
      case (.ended(verified), .tooLate(verified)): break
      case (nil, .cancelled), (.ended(.failed(.expired)), .cancelled): break
      case (let answer, let cancellation): Issue.record("\(String(describing: answer)) and \(cancellation)")
      }
      #expect(try await bank.endings(of: begun.id).count == 1)
    }
  }

  @Test("a submission is carried through when the task that made it is cancelled")
  func cancelledTask() async throws {
    let bank = try await bank()
    let begun = try await bank.begin()
    bank.scorer.hold()
    let submitting = Task { try await bank.submit(.test("1", Face.anna), to: begun) }
    await bank.scorer.isHolding()
    submitting.cancel()
    bank.scorer.letGo()
    let verified = Outcome.verified(reVerificationID: begun.id, originalSessionID: "s1", userID: "anna")
    #expect(try await submitting.value == .ended(verified))
  }
}
