import Biometrics
import EnrolmentStore
import Liveness
import LivenessTraining
import TestSupport
import Testing

@testable import ReVerification

/// What `CaptureLivenessScorer` asks for and remembers, attempt by attempt.
@Suite("Liveness of captures in the engine")
struct CaptureLivenessTests {
  private static let clock = ManualClock()
  private static let nonce = String(repeating: "5a", count: 32)
  private let challenge = Challenge(nonce: nonce)

  private func scorer(on clock: ManualClock = clock) throws -> CaptureLivenessScorer {
    let package = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3)
    let path = package.joined(separator: "/") + "/models/liveness/simulated-ideal-68.json"
    return CaptureLivenessScorer(
      detector: try LivenessDetector(models: [.load(path: path)]), model: "test",
      challengeKey: [UInt8](repeating: 1, count: 32), replayKey: [UInt8](repeating: 2, count: 32),
      clock: clock)
  }

  @Test("an attempt is shown the same whenever it asks, for 120 s from then; another attempt something else")
  func oneScheduleAnAttempt() throws {
    let clock = ManualClock()
    let scorer = try scorer(on: clock)
    let first = try #require(scorer.schedule(for: challenge))
    for _ in 0..<50 {
      clock.advance(by: .milliseconds(7))
      let again = try #require(scorer.schedule(for: challenge))
      #expect(again.stages == first.stages && again.flashes == first.flashes)
      #expect(again.issuedAt == clock.now() && again.expiry == clock.now() + .seconds(120))
    }
    let shown = try (0..<10).map { attempt in
      try #require(scorer.schedule(for: challenge.forAttempt(attempt))).stages
    }
    #expect(Set(shown).count == 10)
    #expect(scorer.schedule(for: challenge.forAttempt(256)) == nil)
    #expect(scorer.schedule(for: Challenge(nonce: "5a")) == nil)
  }

  /// A live capture of `subject`, in answer to what the scorer shows at an attempt, that passes.
  private func live(
    _ scorer: CaptureLivenessScorer, attempt: Int
  ) throws -> (capture: SubmittedCapture, received: Instant) {
    let schedule = try #require(scorer.schedule(for: challenge.forAttempt(attempt)))
    let simulator = CaptureSimulator(seed: 4711, profile: .ideal(.sixtyEight))
    for subject in 0..<20 {
      let shown = simulator.capture(.bonaFide, subject: subject, index: attempt, answering: schedule)
      let probe = try self.scorer()
      let judged = try probe.assess(
        SubmittedCapture(shown.capture), for: challenge.forAttempt(attempt), at: shown.received)
      if judged.verdict == .live { return (SubmittedCapture(shown.capture), shown.received) }
    }
    throw Unexpected("no simulated capture passed")
  }

  @Test(
    "an answer serves one attempt: judged again it is the same, at the next attempt it is used and a replay")
  func singleUse() throws {
    let scorer = try scorer()
    let (capture, received) = try live(scorer, attempt: 0)
    let judged = try scorer.assess(capture, for: challenge, at: received)
    #expect(judged.verdict == .live)
    #expect(try scorer.assess(capture, for: challenge, at: received) == judged)

    let next = try scorer.assess(capture, for: challenge.forAttempt(1), at: received)
    #expect(next.verdict == .notLive)
    #expect(next.reasons.contains(.usedChallenge) && next.reasons.contains(.replayedCapture))
    let again = try scorer.reassess(
      capture, for: challenge.forAttempt(1), at: received, findings: next.reasons)
    #expect(again == next)

    // A server that was started anew knows it by the attempt alone.
    let restarted = try self.scorer().assess(capture, for: challenge.forAttempt(1), at: received)
    #expect(restarted.verdict == .notLive && restarted.reasons.contains(.usedChallenge))
    let (fresh, later) = try live(scorer, attempt: 1)
    #expect(try scorer.assess(fresh, for: challenge.forAttempt(1), at: later).verdict == .live)
  }

  @Test("an answer to another re-verification's challenge is refused")
  func otherNonce() throws {
    let scorer = try scorer()
    let (capture, received) = try live(scorer, attempt: 0)
    let other = Challenge(nonce: String(repeating: "a5", count: 32))
    let judged = try scorer.assess(capture, for: other, at: received)
    #expect(judged.verdict == .notLive && judged.reasons == [.otherChallenge])
  }

  @Test("the engine's challenge is that of the next attempt, on every store", arguments: TestStore.all)
  func challengeOfTheNextAttempt(on kind: TestStore) async throws {
    let bank = try await Bank(on: kind)
    try await bank.enrol("s1", of: "anna", Face.anna)
    let begun = try await bank.begin()
    #expect(try await bank.engine.challenge(of: begun.id) == begun.challenge)
    for used in 1...2 {
      _ = try await bank.submit(.test(IdempotencyKey("\(used)")), to: begun)
      _ = try await bank.submit(.test(IdempotencyKey("\(used)")), to: begun)
      #expect(try await bank.engine.challenge(of: begun.id) == begun.challenge.forAttempt(used))
    }
  }

  /// Remembers every capture for an hour, by its challenge and attempt.
  private struct RememberingScorer: LivenessScorer {
    let scorer = UpstreamPassiveScorer()
    var model: String { scorer.model }

    func check(_ capture: SubmittedCapture) {}

    func assess(_ capture: SubmittedCapture, for challenge: Challenge, at now: Instant) -> LivenessAssessment
    {
      scorer.assess(capture, for: challenge, at: now)
    }

    func judge(_ capture: SubmittedCapture, for challenge: Challenge, at now: Instant) -> LivenessJudgement {
      let name = Array("\(challenge.nonce) \(challenge.attempt)".utf8)
      return LivenessJudgement(
        assess(capture, for: challenge, at: now),
        seen: SeenCapture(name: name, expiry: now + .seconds(3600), content: [1]))
    }
  }

  @Test(
    "a running engine forgets the captures that are of no use any more, with the next one and with retention",
    arguments: TestStore.all)
  func forgottenWhileRunning(on kind: TestStore) async throws {
    let bank = try await Bank(on: kind)
    try await bank.enrol("s1", of: "anna", Face.anna)
    let engine = try await Bank.engine(on: bank.inner, bank.clock, RememberingScorer(), seed: 2)
    func expiries() async throws -> [Instant] {
      try await bank.inner.seenCaptures(after: 0, limit: .max).map(\.capture.expiry)
    }
    func judge() async throws {
      let begun = try await bank.begin()
      _ = try await engine.submit(.test("1", Face.anna), to: begun.id)
    }
    let start = bank.clock.now()
    // One each 20 minutes for a day: those of the last hour are known, the newest included.
    for number in 0..<72 {
      try await judge()
      #expect(try await expiries().count == min(number + 1, 3))
      bank.clock.advance(by: .seconds(1200))
    }
    #expect(
      try await expiries() == [69, 70, 71].map { (number: Int) in start + .seconds(1200 * number + 3600) })
    bank.clock.advance(by: .milliseconds(2_399_999))
    try await engine.applyRetention(in: Bank.organisation)
    #expect(try await expiries().count == 1)
    bank.clock.advance(by: .milliseconds(1))
    try await engine.applyRetention(in: Bank.organisation)
    #expect(try await expiries() == [])
  }

  @Test(
    "begin hands out what to show, each attempt its own; its answer counts once and is known after a restart")
  func acrossRestarts() async throws {
    let clock = ManualClock()
    var bank = try await Bank(on: .sqlite)
    try await bank.enrol("s1", of: "anna", Face.anna)
    func engine(seed: UInt64) async throws -> (ReVerificationEngine, CaptureLivenessScorer) {
      let scorer = try self.scorer(on: clock)
      return (try await Bank.engine(on: bank.inner, clock, scorer, seed: seed), scorer)
    }
    let (first, _) = try await engine(seed: 2)
    let result = try await first.begin(
      workflowID: Bank.onboarding, email: Bank.email(of: "anna"), apiKey: Bank.secret)
    guard case .begun(let begun) = result else { throw Unexpected("\(result)") }
    let schedule = try #require(begun.schedule)
    #expect(schedule.expiry == clock.now() + .seconds(120) && schedule.attempt == 0)
    #expect(try await first.schedule(of: begun.id) == schedule)
    let simulator = CaptureSimulator(seed: 4711, profile: .ideal(.sixtyEight))
    let shown = simulator.capture(.bonaFide, subject: 3, index: 0, answering: schedule)
    clock.set(to: shown.received)
    let capture = SubmittedCapture(shown.capture)
    // A stranger's face, so that there is another attempt.
    let answer = try await first.submit(.test("1", Face.stranger, capture), to: begun.id)
    guard case .retry(_, 2) = answer else { throw Unexpected("\(answer)") }
    let next = try #require(try await first.schedule(of: begun.id))
    #expect(next.attempt == 1 && next.stages != schedule.stages)
    #expect(try await bank.inner.seenCaptures(after: 0, limit: 9).count == 1)

    try await bank.reopen(seed: 3)
    let (second, remembering) = try await engine(seed: 4)
    #expect(try await second.submit(.test("1", Face.stranger, capture), to: begun.id) == answer)
    #expect(try await second.schedule(of: begun.id)?.stages == next.stages)
    let judged = try remembering.assess(capture, for: begun.challenge.forAttempt(1), at: shown.received)
    #expect(judged.reasons.contains(.usedChallenge) && judged.reasons.contains(.replayedCapture))
    // Without what the store kept nobody would know the motion again.
    let forgetful = try self.scorer(on: clock)
      .assess(capture, for: begun.challenge.forAttempt(1), at: shown.received)
    #expect(!forgetful.reasons.contains(.replayedCapture))
    guard
      case .retry(.livenessFailed, 1) = try await second.submit(.test("2", Face.anna, capture), to: begun.id)
    else { throw Unexpected("an old answer was taken") }
    for record in try await second.decisionRecords(of: Bank.organisation).map(\.record) {
      #expect(try await second.replay(record) == .confirmed)
    }
    // A month later it is forgotten.
    clock.advance(by: .seconds(31 * 86400))
    _ = try await engine(seed: 5)
    #expect(try await bank.inner.seenCaptures(after: 0, limit: 9) == [])
    #expect(try await second.schedule(of: begun.id) == nil)
  }
}
