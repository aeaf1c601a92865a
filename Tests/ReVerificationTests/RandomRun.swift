import Biometrics
import EnrolmentStore
import FoundationEssentials
import TestSupport
import Testing

@testable import ReVerification

/// A long run of random calls with failures and restarts, held against the promises after every step.
struct RandomRun {
  private static let users: [(id: UserID, face: [Float])] = [
    ("anna", Face.anna), ("bert", Face.bert), ("carl", Face.carl),
  ]
  private static let balance = Credits(1_000_000)

  /// What was seen of one re-verification.
  private struct Observed {
    let begun: Begun
    let user: UserID
    var attempts: [Attempt] = []
    var answers: [IdempotencyKey: Answer] = [:]
    var genuine: Set<IdempotencyKey> = []
    var outcome: Outcome?
    var isCancelled = false
  }

  let seed: UInt64
  private var random: SeededGenerator
  private var bank: Bank
  private var seen: [Observed] = []
  private var step = 0
  private(set) var answered = 0
  private(set) var failed = 0

  init(seed: UInt64) async throws {
    self.seed = seed
    random = SeededGenerator(seed: seed)
    let policy = try Bank.policy(
      attempts: Int.random(in: 1...4, using: &random),
      lockOut: LockOutPolicy(failures: 8, window: .seconds(60), duration: .seconds(120)))
    bank = try await Bank(policy: policy, balance: Self.balance, seed: seed)
    for user in Self.users { try await bank.enrol(.init("\(user.id)'s"), of: user.id, user.face) }
  }

  private var place: Comment { "seed \(seed), step \(step)" }

  mutating func run(steps: Int) async throws {
    for _ in 0..<steps {
      step += 1
      do {
        try await takeStep()
      } catch let error as ReVerificationError {
        failed += 1
        let expected: [ReVerificationError.Kind] = [.storage, .internal, .validation, .cancelled]
        #expect(expected.contains(error.kind) && error.code != .contention, "\(place): \(error)")
      }
    }
    try await checkAll()
  }

  private mutating func takeStep() async throws {
    switch Int.random(in: 0..<100, using: &random) {
    case 0..<12: try await begin()
    case 12..<55: try await submitNew()
    case 55..<70: try await submitAgain()
    case 70..<74: try await submitOtherContent()
    case 74..<77: try await cancel()
    case 77..<84: try await inquire()
    case 84..<90:
      bank.clock.advance(by: .milliseconds(Int.random(in: 0...60_000, using: &random)))
      bank.clock.jump(by: .milliseconds(Int.random(in: -5000...5000, using: &random)))
    case 90..<94:
      bank.store.failWrite(
        Int.random(in: 1...2, using: &random), Bool.random(using: &random) ? .beforeWriting : .afterWriting)
    case 94..<97: bank.scorer.failNext()
    default: try await bank.reopen(seed: random.next())
    }
  }

  private mutating func begin() async throws {
    let user = Self.users[Int.random(in: 0..<3, using: &random)].id
    let result = try await bank.engine.begin(
      workflowID: Bank.onboarding, email: Bank.email(of: user), apiKey: Bank.secret)
    switch result {
    case .begun(let begun): seen.append(Observed(begun: begun, user: user))
    case .ended(.failed(.attemptsExhausted)):
      let counter = try await bank.inner.failures(of: user, in: Bank.organisation)
      let lockOut = counter.lockOut(at: counter.time(at: bank.clock.reading()))
      #expect(lockOut != nil, place)
    case .ended(let outcome): Issue.record("\(place): begin ended with \(outcome)")
    }
  }

  /// One of the latest re-verifications, so that most are used several times.
  private mutating func someone() -> Int? {
    seen.isEmpty ? nil : seen.count - 1 - Int.random(in: 0..<min(4, seen.count), using: &random)
  }

  private mutating func submitNew() async throws {
    guard let index = someone() else { return }
    let key = IdempotencyKey("key \(step)")
    let own = Self.users.first { $0.id == seen[index].user }!.face
    let attempt: Attempt
    switch Int.random(in: 0..<10, using: &random) {
    case 0..<2:
      attempt = .test(key, own)
      seen[index].genuine.insert(key)
    case 2: attempt = .test(key, Self.users.first { $0.id != seen[index].user }!.face)
    case 3..<7: attempt = .test(key, Face.stranger)
    case 7: attempt = .test(key, own, .spoof)
    case 8: attempt = .test(key, own, .poor)
    default: attempt = .test(key, [0, 0, 0, .nan])
    }
    seen[index].attempts.append(attempt)
    try await submit(attempt, to: index)
  }

  private mutating func submitAgain() async throws {
    guard let index = someone(), let attempt = seen[index].attempts.randomElement(using: &random) else {
      return
    }
    try await submit(attempt, to: index)
  }

  private mutating func submitOtherContent() async throws {
    guard let index = someone(), let key = seen[index].answers.keys.sorted().randomElement(using: &random)
    else {
      return
    }
    let machine = try await machine(index)
    var wasJudged = machine.attempts.contains { $0.key == key }
    if case .ended(let ending, _) = machine.state, ending.submission?.key == key { wasJudged = true }
    do {
      let answer = try await bank.submit(.test(key, [0.5, 0.5, 0.5, 0.25]), to: seen[index].begun)
      #expect(!wasJudged && answer == .ended(.failed(.expired)), place)
    } catch let error as ReVerificationError where error.code == .keyReused {
      #expect(wasJudged, place)
    }
  }

  private mutating func submit(_ attempt: Attempt, to index: Int) async throws {
    let answer = try await bank.submit(attempt, to: seen[index].begun)
    answered += 1
    if let first = seen[index].answers[attempt.key] { #expect(answer == first, "\(place): the same key") }
    seen[index].answers[attempt.key] = answer
    if case .ended(.verified(let id, let session, let user)) = answer {
      #expect(seen[index].genuine.contains(attempt.key), "\(place): the wrong face verified")
      #expect(id == seen[index].begun.id && user == seen[index].user && session == .init("\(user)'s"), place)
    }
    // `expired` is also what comes after another end.
    if case .ended(let outcome) = answer, outcome != .failed(.expired) { note(outcome, of: index) }
  }

  private mutating func cancel() async throws {
    guard let index = someone() else { return }
    switch try await bank.engine.cancel(seen[index].begun.id) {
    case .cancelled:
      #expect(seen[index].outcome == nil, place)
      seen[index].isCancelled = true
    case .tooLate(let outcome): note(outcome, of: index)
    }
  }

  private mutating func inquire() async throws {
    guard let index = someone() else { return }
    do throws(ReVerificationError) {
      if let outcome = try await bank.engine.outcome(of: seen[index].begun.id) {
        note(outcome, of: index)
      } else {
        #expect(seen[index].outcome == nil && !seen[index].isCancelled, place)
      }
    } catch {
      guard error.code == .cancelled else { throw error }
      #expect(seen[index].outcome == nil, place)
      seen[index].isCancelled = true
    }
  }

  private mutating func note(_ outcome: Outcome, of index: Int) {
    #expect(seen[index].outcome == nil || seen[index].outcome == outcome, "\(place): a second outcome")
    #expect(!seen[index].isCancelled, "\(place): an outcome after a cancel")
    seen[index].outcome = outcome
  }

  private func machine(_ index: Int) async throws -> ReVerification {
    try ReVerification(#require(try await bank.inner.reVerification(seen[index].begun.id)))
  }

  /// What must hold of the store at the end.
  private func checkAll() async throws {
    let numbered = try await bank.inner.decisions(of: Bank.organisation, after: 0, limit: .max)
    #expect(numbered.map(\.sequence) == (0..<numbered.count).map { Int64($0 + 1) }, place)
    let records = Dictionary(grouping: numbered.map(\.record), by: \.reVerification)
    // Every fraction comes back from the stored form with the same bits.
    let stored = try JSONEncoder().encode(numbered)
    #expect(try JSONDecoder().decode([NumberedDecision].self, from: stored) == numbered, place)
    var paying = 0
    for (index, observed) in seen.enumerated() {
      let machine = try await machine(index)
      let own = records[machine.id] ?? []
      paying += machine.attempts.isEmpty ? 0 : 1
      #expect(machine.attempts.count <= machine.policy.attempts, place)
      let judged = own.compactMap(\.evidence?.attempt)
      #expect(Set(judged).count == judged.count, "\(place): an attempt judged twice")
      #expect(judged.count == machine.attempts.count { $0.answer != nil }, place)
      let endings = own.filter { if case .retry = $0.conclusion { false } else { true } }
      guard case .ended(let ending, _) = machine.state else {
        #expect(endings.isEmpty && observed.outcome == nil && !observed.isCancelled, place)
        continue
      }
      switch ending.end {
      case .outcome(let outcome):
        #expect(endings.map(\.conclusion) == [.ended(outcome)], place)
        #expect((observed.outcome ?? outcome) == outcome && !observed.isCancelled, place)
      case .cancelled:
        #expect(endings.map(\.conclusion) == [.cancelled] && observed.outcome == nil, place)
      }
    }
    // A begin whose answer was lost leaves a re-verification that nobody knows, and nothing is decided about it.
    let known = Set(seen.map(\.begun.id))
    for id in records.keys where !known.contains(id) {
      #expect(
        try await bank.inner.reVerification(id) == nil, "\(place): a decision about what nobody was told of")
    }
    #expect(
      try await bank.inner.balance(of: Bank.organisation) == Self.balance - Credits(Int64(paying)), place)
  }
}

@Suite("Long random runs")
struct RandomRunTests {
  @Test(
    "keep the promises, whatever fails and whenever it restarts",
    arguments: 1...(LongRuns.areEnabled ? 200 : 6) as ClosedRange<UInt64>)
  func run(seed: UInt64) async throws {
    var run = try await RandomRun(seed: seed)
    try await run.run(steps: 1500)
    #expect(run.answered > 400 && run.failed > 40, "seed \(seed): the run has seen little")
  }
}
