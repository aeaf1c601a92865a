import Biometrics
import EnrolmentStore
import TestSupport
import Testing

@testable import ReVerification

/// What can happen to a re-verification, small enough that every short sequence of it can be tried.
private enum Letter: String, CaseIterable {
  case submitA, submitAWithOtherContent, submitB, submitC, submitInvalid, submitLockedOut
  case notLive, match, notMatched, otherPerson
  case lateResult, lost, lateLoss
  case cancel, inquire, expire
}

/// A re-verification with what has been seen of it, against which each further step is held.
private struct Observed {
  var machine: ReVerification
  var now: Instant
  var answers: [IdempotencyKey: Answer] = [:]
  var charges = 0
  var claims: Set<Int> = []
  var end: ReVerification.End?
  var claimCount = 0
  var path: [Letter] = []
}

/// Every sequence of events up to a length, on a re-verification of two attempts.
@Suite("Every short sequence of events")
struct SequenceTests {
  private static let start = Instant(millisecondsSince1970: 1_000_000)

  private func machine(attempts: Int) throws -> ReVerification {
    ReVerification(
      id: "r", organisation: "bank", workflow: "w", user: "anna", apiKey: "key",
      challenge: Challenge(nonce: "00"), policy: try Bank.policy(attempts: attempts), price: Credits(3),
      at: ClockReading(wall: Self.start, millisecondsSinceBoot: 0, boot: "boot"))
  }

  private func scores(_ claimed: Float, other: Float = 0) -> MatchScores {
    func reference(_ user: UserID, _ score: Float) -> ScoredReference {
      ScoredReference(
        session: "s", user: user, workflow: "w", approvedAt: Self.start, score: SimilarityScore(score))
    }
    return MatchScores(claimed: [reference("anna", claimed)], otherPerson: reference("bert", other))
  }

  private func event(_ letter: Letter, _ seen: Observed) -> ReVerification.Event {
    let running: ClaimID = if case .evaluating(let claim, _) = seen.machine.state { claim.id } else { "none" }
    func submit(
      _ key: IdempotencyKey, content: UInt8 = 0, _ validity: ReVerification.Submission.Validity = .valid,
      _ standing: ReVerification.Submission.Standing = .clear
    ) -> ReVerification.Event {
      .submit(
        .init(
          key: key, content: Digest(of: [content]), validity: validity, standing: standing,
          claim: ClaimID("claim-\(seen.claimCount)"), engine: "engine"))
    }
    return switch letter {
    case .submitA: submit("A")
    case .submitAWithOtherContent: submit("A", content: 1)
    case .submitB: submit("B")
    case .submitC: submit("C")
    case .submitInvalid: submit("I", .invalid)
    case .submitLockedOut: submit("L", .valid, .lockedOut)
    case .notLive: .evaluated(running, .notLive)
    case .match: .evaluated(running, .compared(scores(0.9)))
    case .notMatched: .evaluated(running, .compared(scores(0.1)))
    case .otherPerson: .evaluated(running, .compared(scores(0.1, other: 0.9)))
    case .lateResult: .evaluated("late", .compared(scores(0.9)))
    case .lost: .evaluationLost(running)
    case .lateLoss: .evaluationLost("late")
    case .cancel: .cancel
    case .inquire, .expire: .inquire
    }
  }

  @Test(
    "keeps the promises, of one attempt and of two", arguments: [(1, 4), (2, LongRuns.areEnabled ? 6 : 5)])
  func everySequence(attempts: Int, length: Int) throws {
    var nodes = 0
    try explore(Observed(machine: machine(attempts: attempts), now: Self.start), depth: length, &nodes)
    // 16 letters: 16 + 16² + … + 16^length steps, none left out.
    let expected = (1...length).reduce(into: (sum: 0, power: 1)) { total, _ in
      total.power *= Letter.allCases.count
      total.sum += total.power
    }
    #expect(nodes == expected.sum)
  }

  private func explore(_ seen: Observed, depth: Int, _ nodes: inout Int) throws {
    guard depth > 0 else { return }
    for letter in Letter.allCases {
      var next = seen
      next.path.append(letter)
      if letter == .expire { next.now = max(next.now, next.machine.expiry) }
      let event = event(letter, seen)
      let action = next.machine.handle(event, at: next.now)
      nodes += 1
      if let broken = broken(&next, before: seen, event, action) {
        Issue.record("\(broken) after \(next.path.map(\.rawValue)): \(action)")
        return
      }
      if next.path.count <= 3 {
        let stored = try next.machine.stored(replacing: 0)
        #expect(try ReVerification(stored) == next.machine)
      }
      try explore(next, depth: depth - 1, &nodes)
    }
  }

  /// The first promise the step breaks, or `nil`; notes what it has shown.
  private func broken(
    _ next: inout Observed, before: Observed, _ event: ReVerification.Event, _ action: ReVerification.Action
  ) -> String? {
    let machine = next.machine
    if machine.attempts.count > machine.policy.attempts { return "more attempts than allowed" }
    if machine.attempts.count < before.machine.attempts.count { return "an attempt was given back" }
    for (old, new) in zip(before.machine.attempts, machine.attempts) {
      if old.key != new.key || old.content != new.content { return "an attempt became another" }
      if old.answer != nil, old.answer != new.answer { return "an answer changed" }
    }
    switch action {
    case .evaluate, .decide, .release:
      if machine == before.machine { return "a step that must be kept changed nothing" }
      if before.end != nil { return "something happened after the end" }
    case .answer, .join, .wait, .refuse, .pending, .concluded, .ignore:
      if machine != before.machine { return "an answer without a decision changed the state" }
    }
    if case .ended(let ending, _) = machine.state {
      if let old = before.end, old != ending.end { return "a second end" }
      next.end = ending.end
    } else if before.end != nil {
      return "an end was left"
    }
    return brokenByAction(&next, before: before, event, action)
  }

  private func brokenByAction(
    _ next: inout Observed, before: Observed, _ event: ReVerification.Event, _ action: ReVerification.Action
  ) -> String? {
    switch action {
    case .evaluate(let claim, let charge):
      next.claimCount += 1
      next.charges += charge == nil ? 0 : 1
      if next.charges != 1 { return "charged \(next.charges) times" }
      if charge != nil, charge != next.machine.price { return "charged another price" }
      next.claims.insert(claim.attempt)
      if next.claims.count > next.machine.policy.attempts { return "more attempts evaluated than allowed" }
      if next.now >= next.machine.expiry { return "accepted at or after expiry" }
    case .decide(.answered(let answer, let number)):
      let key = next.machine.attempts[number - 1].key
      if before.answers[key] != nil { return "an attempt was judged twice" }
      next.answers[key] = answer
      guard case .evaluated(_, let evaluation) = event else { return "an answer without an evaluation" }
      if case .ended(.verified) = answer, evaluation != .compared(scores(0.9)) {
        return "the wrong one verified"
      }
    case .answer(let answer):
      guard case .submit(let submission) = event else { return "an answer to what is no submission" }
      if let first = before.answers[submission.key], first != answer {
        return "the same key got another answer"
      }
      if before.answers[submission.key] == nil, answer != .ended(.failed(.expired)) {
        return "an answer to what was never judged"
      }
    case .decide(.ended(let outcome)):
      guard case .submit(let submission) = event else { break }
      if before.answers[submission.key] != nil { return "an answered submission was decided again" }
      next.answers[submission.key] = .ended(outcome)
    case .concluded(let end):
      if end != before.end { return "an end that was not" }
    case .decide(.cancelled), .release, .join, .wait, .refuse, .pending, .ignore:
      break
    }
    return nil
  }
}
