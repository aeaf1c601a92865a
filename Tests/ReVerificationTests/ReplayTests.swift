import Biometrics
import EnrolmentStore
import TestSupport
import Testing

@testable import ReVerification

@Suite("Decisions made again")
struct ReplayTests {
  private func bank(on kind: TestStore) async throws -> Bank {
    let bank = try await Bank(on: kind)
    try await bank.enrol("s1", of: "anna", Face.anna)
    try await bank.enrol("s2", of: "anna", Face.like(anna: 0.9), on: Bank.payout)
    try await bank.enrol("s3", of: "bert", Face.bert)
    try await bank.enrol("s4", of: "carl", Face.like(anna: 0.3, carl: 0.95))
    return bank
  }

  /// One decision of each kind, each by a re-verification of its own.
  private func decide(_ bank: Bank) async throws {
    let attempts: [Attempt] = [
      .test("1", Face.anna), .test("2", Face.bert), .test("3"), .test("4", Face.anna, .spoof),
      .test("5", Face.anna, .poor), .test("6", Face.like(anna: 0.55, bert: 0.3)),
    ]
    for attempt in attempts { _ = try await bank.submit(attempt, to: bank.begin()) }
    let exhausted = try await bank.begin()
    for key in ["1", "2", "3"] { _ = try await bank.submit(.test(.init(key)), to: exhausted) }
  }

  private func replays(_ bank: Bank) async throws -> [Replay] {
    var replays: [Replay] = []
    for record in try await bank.records() { replays.append(try await bank.engine.replay(record)) }
    return replays
  }

  @Test(
    "every decision about an attempt is confirmed bit for bit, also later and by an engine opened anew",
    arguments: TestStore.all)
  func confirmed(on kind: TestStore) async throws {
    var bank = try await bank(on: kind)
    try await decide(bank)
    var all = try await replays(bank)
    #expect(all == Array(repeating: .confirmed, count: 9))
    // What came after takes no part, though it would have changed the outcome.
    try await bank.enrol("s5", of: "dora", Face.stranger)
    try await bank.enrol("s6", of: "anna", Face.bert)
    all = try await replays(bank)
    #expect(all == Array(repeating: .confirmed, count: 9))
    try await bank.reopen(seed: 2)
    all = try await replays(bank)
    #expect(all == Array(repeating: .confirmed, count: 9))
  }

  @Test("an edited score, outcome, threshold or digest comes out otherwise, and the part is named")
  func edited() async throws {
    let bank = try await bank(on: .inMemory)
    try await decide(bank)
    let record = try #require(try await bank.records().first)
    let evidence = try #require(record.evidence)
    let scores = try #require(evidence.scores)
    let first = try #require(scores.claimed.first)
    let other = ScoredReference(
      session: first.session, user: first.user, workflow: first.workflow, approvedAt: first.approvedAt,
      score: SimilarityScore(first.score.value.nextDown))
    let edits: [(DecisionRecord, Replay.Part)] = [
      (
        record.with(
          scores: MatchScores(
            claimed: [other], otherWorkflow: scores.otherWorkflow, otherPerson: scores.otherPerson)),
        .claimedScores
      ),
      (
        record.with(scores: MatchScores(claimed: scores.claimed, otherPerson: scores.otherPerson)),
        .otherWorkflowScore
      ),
      (
        record.with(scores: MatchScores(claimed: scores.claimed, otherWorkflow: scores.otherWorkflow)),
        .otherPersonScore
      ),
      (record.with(conclusion: .ended(.failed(.notReVerified))), .conclusion),
      (
        record.with(
          liveness: LivenessAssessment(.live, score: 0.9.nextUp, threshold: 0.5, cues: evidence.liveness.cues)
        ), .liveness
      ),
      (record.with(captureDigest: Digest(of: [])), .captureDigest),
    ]
    for (edited, part) in edits { #expect(try await bank.engine.replay(edited) == .differs([part])) }
  }

  @Test(
    "a conclusion that the attempts used, the user or the re-verification don't allow comes out otherwise")
  func editedConclusion() async throws {
    let bank = try await bank(on: .inMemory)
    try await decide(bank)
    let records = try await bank.records()
    let verified = try #require(records.first)
    let single = try #require(records.first { $0.evidence?.key == "3" })
    let exhausted = Array(records.suffix(3))
    #expect(exhausted.map { $0.evidence?.attempt } == [1, 2, 3])
    #expect(exhausted.last?.conclusion == .ended(.failed(.attemptsExhausted)))
    func success(_ id: ReVerificationID, _ user: UserID) -> DecisionRecord.Conclusion {
      .ended(.verified(reVerificationID: id, originalSessionID: "s1", userID: user))
    }
    var edits: [DecisionRecord] = [
      verified.with(conclusion: success(verified.reVerification, "bert")),
      verified.with(conclusion: success(single.reVerification, "anna")),
      single.with(conclusion: .ended(.failed(.attemptsExhausted))),
      exhausted[0].with(conclusion: .ended(.failed(.attemptsExhausted))),
      exhausted[1].with(conclusion: .ended(.failed(.attemptsExhausted))),
      exhausted[2].with(conclusion: .retry(.faceNotMatched, attemptsRemaining: 1)),
      single.with(policy: try Bank.policy(attempts: 1)),
      single.with(policy: try Bank.policy(verify: 0.4)),
    ]
    for remaining in [-1, 0, 1, 3, 10] {
      edits.append(single.with(conclusion: .retry(.faceNotMatched, attemptsRemaining: remaining)))
    }
    for remaining in [0, 1, 3] {
      edits.append(exhausted[0].with(conclusion: .retry(.faceNotMatched, attemptsRemaining: remaining)))
    }
    for (index, edited) in edits.enumerated() {
      #expect(try await bank.engine.replay(edited) == .differs([.conclusion]), "edit \(index)")
    }
  }

  @Test("decisions are confirmed where an attempt was lost, and judged after a later one")
  func lostAttempt() async throws {
    let bank = try await bank(on: .inMemory)
    let begun = try await bank.begin()
    bank.scorer.failNext()
    await expect(.evaluationFailed) { _ = try await bank.submit(.test("1"), to: begun) }
    #expect(try await bank.submit(.test("2"), to: begun) == .retry(.faceNotMatched, attemptsRemaining: 1))
    #expect(try await bank.submit(.test("3"), to: begun) == .ended(.failed(.attemptsExhausted)))
    let other = try await bank.begin()
    bank.scorer.failNext()
    await expect(.evaluationFailed) { _ = try await bank.submit(.test("1"), to: other) }
    #expect(try await bank.submit(.test("2"), to: other) == .retry(.faceNotMatched, attemptsRemaining: 1))
    #expect(try await bank.submit(.test("1"), to: other) == .retry(.faceNotMatched, attemptsRemaining: 1))
    #expect(try await replays(bank) == Array(repeating: .confirmed, count: 4))
  }

  @Test("after an erasure what is left is confirmed, or nothing can be", arguments: TestStore.all)
  func erased(on kind: TestStore) async throws {
    let bank = try await bank(on: kind)
    try await decide(bank)
    try await bank.engine.erase(.session("s4"), of: Bank.organisation, reason: .request)
    let inPart = try await replays(bank)
    #expect(inPart.contains(.confirmedInPart(erased: ["s4"])))
    #expect(inPart.allSatisfy { $0 == .confirmed || $0 == .confirmedInPart(erased: ["s4"]) })
    try await bank.engine.erase(.user("anna"), of: Bank.organisation, reason: .request)
    let none = try await replays(bank)
    #expect(none == Array(repeating: .impossible(.noEvidence), count: 9))
  }

  @Test("an expiry is confirmed by the clocks; other decisions without an attempt say that there was none")
  func withoutAttempt() async throws {
    let bank = try await bank(on: .inMemory)
    let begun = try await bank.begin()
    bank.clock.advance(by: .seconds(600))
    _ = try await bank.engine.outcome(of: begun.id)
    _ = try await bank.engine.begin(workflowID: "none", email: "a@b.example", apiKey: Bank.secret)
    _ = try await bank.engine.cancel(bank.begin().id)
    #expect(
      try await replays(bank) == [.confirmed, .impossible(.noAttempt), .impossible(.noAttempt)])
  }

  @Test("without kept evidence there is nothing to make the decision from")
  func notKept() async throws {
    let bank = try await bank(on: .inMemory)
    let engine = try await ReVerificationEngine.open(
      store: bank.store, gallery: Bank.emptyGallery(), liveness: bank.scorer, clock: bank.clock,
      configuration: .init(keepsEvidence: false))
    let begun = try await bank.begin()
    _ = try await engine.submit(.test("1", Face.anna), to: begun.id)
    #expect(try await replays(bank) == [.impossible(.noEvidence)])
  }
}

extension DecisionRecord {
  /// The record with parts of it replaced, as somebody might who could write to the store.
  func with(
    conclusion: Conclusion? = nil, scores: MatchScores? = nil, liveness: LivenessAssessment? = nil,
    captureDigest: Digest? = nil, policy: ReVerificationPolicy? = nil
  ) -> DecisionRecord {
    let old = evidence!
    return DecisionRecord(
      reVerification: reVerification, organisation: organisation, workflow: workflow, user: user,
      apiKey: apiKey,
      conclusion: conclusion ?? self.conclusion, decidedAt: decidedAt, begunAt: begunAt, expiry: expiry,
      policy: policy ?? self.policy, space: space,
      evidence: Evidence(
        attempt: old.attempt, key: old.key, claimedAt: old.claimedAt, contentDigest: old.contentDigest,
        captureDigest: captureDigest ?? old.captureDigest, livenessModel: old.livenessModel,
        assessedAt: old.assessedAt, liveness: liveness ?? old.liveness, scores: scores ?? old.scores,
        searchedThrough: old.searchedThrough),
      charged: charged, lockedOutUntil: lockedOutUntil, engineVersion: engineVersion)
  }
}
