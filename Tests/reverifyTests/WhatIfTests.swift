import Biometrics
import EnrolmentStore
import Foundation
import Simulation
import TestSupport
import Testing

@Suite struct WhatIfTests {
  private static let space = EmbeddingSpace(model: "m", weightsDigest: "w", dimension: 4, preprocessing: "p")

  private static func policy(verify: Float = 0.5, recognise: Float = 0.7, attempts: Int = 2) throws
    -> ReVerificationPolicy
  {
    try ReVerificationPolicy(
      verifyThreshold: SimilarityThreshold(verify)!, recogniseThreshold: SimilarityThreshold(recognise)!,
      attempts: attempts)
  }

  private static func instant(_ seconds: Int64) -> Instant { Instant(millisecondsSince1970: seconds * 1000) }

  private static func scores(_ claimed: Float, other: Float? = nil) -> MatchScores {
    func reference(_ user: UserID, _ score: Float) -> ScoredReference {
      ScoredReference(
        session: SessionID("s-\(user)"), user: user, workflow: "w", approvedAt: instant(0),
        score: SimilarityScore(score))
    }
    return MatchScores(claimed: [reference("u", claimed)], otherPerson: other.map { reference("o", $0) })
  }

  private static func reading(_ second: Int64) -> ClockReading {
    ClockReading(wall: instant(second), millisecondsSinceBoot: second * 1000, boot: "boot")
  }

  /// A record of an attempt, or of an end without one.
  private static func record(
    _ id: ReVerificationID, _ conclusion: DecisionRecord.Conclusion, attempt: Int? = nil,
    liveness: Double = 0.9,
    scores: MatchScores? = nil
  ) throws -> DecisionRecord {
    let evidence = attempt.map { number in
      DecisionRecord.Evidence(
        attempt: number, key: IdempotencyKey("k\(number)"), claimedAt: instant(Int64(10 + number)),
        contentDigest: Digest(of: [UInt8(number)]), captureDigest: Digest(of: [UInt8(number)]),
        livenessModel: "l", assessedAt: instant(Int64(10 + number)),
        liveness: LivenessAssessment(liveness >= 0.5 ? .live : .notLive, score: liveness, threshold: 0.5),
        scores: scores, searchedThrough: nil)
    }
    return DecisionRecord(
      reVerification: id, organisation: "org", workflow: "w", user: "u", apiKey: "key",
      conclusion: conclusion,
      decidedAt: reading(Int64(20 + (attempt ?? 5))), begunAt: reading(0), expiry: instant(600),
      policy: try policy(), space: space, evidence: evidence, engineVersion: "v")
  }

  private static func verified(_ id: ReVerificationID) -> DecisionRecord.Conclusion {
    .ended(.verified(reVerificationID: id, originalSessionID: "s-u", userID: "u"))
  }

  private static func records() throws -> [DecisionRecord] {
    [
      try record("matches", verified("matches"), attempt: 1, scores: scores(0.6)),
      try record("second", .retry(.faceNotMatched, attemptsRemaining: 1), attempt: 1, scores: scores(0.45)),
      try record("second", verified("second"), attempt: 2, scores: scores(0.8)),
      try record("other", .ended(.failed(.notReVerified)), attempt: 1, scores: scores(0.1, other: 0.75)),
      try record("spoof", .retry(.livenessFailed, attemptsRemaining: 1), attempt: 1, liveness: 0.3),
      try record("spoof", .ended(.failed(.attemptsExhausted)), attempt: 2, liveness: 0.3),
      try record("left", .retry(.faceNotMatched, attemptsRemaining: 1), attempt: 1, scores: scores(0.2)),
      try record("left", .cancelled),
    ]
  }

  private func flips(_ change: PolicyChange) throws -> [String: String] {
    let report = try RecordedWhatIf(change).run(try Self.records())
    return Dictionary(uniqueKeysWithValues: report.flips.map { ($0.id, "\($0.before) > \($0.after)") })
  }

  @Test func `the same policy decides as it was decided`() throws {
    let report = try RecordedWhatIf(PolicyChange(attempts: 2)).run(try Self.records())
    #expect(report.reVerifications == 5 && report.flips == [] && report.undetermined == [])
    #expect(report.before == report.after)
    #expect(report.before == ["verified": 2, "notReVerified": 1, "attemptsExhausted": 1, "cancelled": 1])
  }

  @Test func `another threshold flips what it decides, and names what would need another attempt`() throws {
    let report = try RecordedWhatIf(PolicyChange(verifyThreshold: SimilarityThreshold(0.65)!)).run(
      try Self.records())
    #expect(report.flips == [])
    // The first would have gone on; the second's later attempt still matches.
    #expect(report.undetermined.map(\.id) == ["matches"])
    #expect(try flips(PolicyChange(verifyThreshold: SimilarityThreshold(0.4)!)) == [:])
    #expect(
      try flips(PolicyChange(recogniseThreshold: SimilarityThreshold(0.74)!, attempts: 1))
        == ["second": "verified > attemptsExhausted", "left": "cancelled > attemptsExhausted"])
  }

  @Test func `liveness by another threshold ends attempts or leaves scores unknown`() throws {
    #expect(
      try flips(PolicyChange(livenessThreshold: 0.95)).keys.sorted() == ["second"])
    let report = try RecordedWhatIf(PolicyChange(livenessThreshold: 0.2)).run(try Self.records())
    #expect(report.undetermined.map(\.id) == ["spoof"])
  }

  @Test func `records are read from lines of JSON`() throws {
    let encoder = JSONEncoder()
    let lines = try Self.records().enumerated().map { index, record in
      let data =
        index % 2 == 0
        ? try encoder.encode(record)
        : try encoder.encode(NumberedDecision(sequence: Int64(index + 1), record, chain: Digest(of: [])))
      return String(decoding: data, as: UTF8.self)
    }
    let folder = try TemporaryFolder()
    let path = try folder.write("records.jsonl", lines.joined(separator: "\n").utf8)
    let run = try CommandRun(["what-if", "--records", path, "--attempts", "1"])
    #expect(run.status == 0 && run.output.contains("second: verified -> attemptsExhausted"))
    #expect(try CommandRun(["what-if", "--records", path]).status == 64)
    let broken = try folder.write("broken.jsonl", "{}\n".utf8)
    let refused = try CommandRun(["what-if", "--records", broken, "--attempts", "1"])
    #expect(refused.status == 65 && refused.errors.contains("line 1"))
  }

  @Test func `a cohort under a threshold that nothing reaches verifies nobody`() throws {
    let run = try CommandRun([
      "what-if", "--subjects", "40", "--dimension", "32", "--threshold", "1", "--json",
    ])
    #expect(run.status == 0)
    let report = try JSONDecoder().decode(WhatIfReport.self, from: Data(run.output.utf8))
    #expect((report.before["verified"] ?? 0) > 10 && (report.after["verified"] ?? 0) == 0)
    #expect(report.ratesAfter?.falseReject?.count == report.ratesAfter?.falseReject?.of)
    #expect(report.flips.contains { $0.truth == "rightPerson" && $0.before == "verified" })
  }
}
