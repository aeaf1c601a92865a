import Biometrics
import EnrolmentStore
import Foundation
import Liveness
import LivenessTraining
import ReVerification
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
    scores: MatchScores? = nil, bound: Double? = nil
  ) throws -> DecisionRecord {
    let evidence = attempt.map { number in
      DecisionRecord.Evidence(
        attempt: number, key: IdempotencyKey("k\(number)"), claimedAt: instant(Int64(10 + number)),
        contentDigest: Digest(of: [UInt8(number)]), captureDigest: Digest(of: [UInt8(number)]),
        livenessModel: "l", assessedAt: instant(Int64(10 + number)),
        liveness: LivenessAssessment(
          liveness >= 0.5 ? .live : .notLive, score: liveness, threshold: 0.5,
          reasons: liveness == 0 ? [.otherFace] : [], cues: bound.map { ["boundFaceScore": $0] } ?? [:]),
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

  /// Bug: what the face in the frames was held to stayed at the first policy's threshold.
  @Test func `another verify threshold is asked of the face in the frames too`() throws {
    let frames = FrameScores(claimed: Self.scores(0.55).claimed)
    let both = MatchScores(claimed: Self.scores(0.9).claimed, frames: frames)
    let records = [
      try Self.record("near", Self.verified("near"), attempt: 1, scores: Self.scores(0.9), bound: 0.6),
      try Self.record(
        "far", .retry(.livenessFailed, attemptsRemaining: 1), attempt: 1, liveness: 0, bound: 0.4),
      try Self.record("far", .cancelled),
      try Self.record("shown", Self.verified("shown"), attempt: 1, scores: both, bound: 0.9),
    ]
    func report(_ verify: Float) throws -> WhatIfReport {
      try RecordedWhatIf(PolicyChange(verifyThreshold: SimilarityThreshold(verify)!, attempts: 1)).run(
        records)
    }
    let same = try report(0.5)
    #expect(same.undetermined == [])
    #expect(same.after == ["verified": 2, "attemptsExhausted": 1])
    let looser = try report(0.4)
    // It would pass, and no score was formed.
    #expect(looser.undetermined.map(\.id) == ["far"] && looser.after["verified"] == 2)
    let stricter = try report(0.65)
    #expect(stricter.undetermined == [] && stricter.after == ["attemptsExhausted": 3])
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
    #expect(
      refused.status == 65 && refused.errors.contains("line 1: reVerification: expected a value, found none"))
    #expect(!refused.errors.contains("CodingKeys"))
  }

  /// The shipped model of simulated captures, passing from a score on.
  private static func model(passingFrom threshold: Double? = nil) throws -> LivenessModel {
    var model = try LivenessModel.load(
      path: CommandRun.package.appending(path: "models/liveness/simulated-ideal-68.json").path)
    if let threshold { model.policies["standard"] = .init(pass: threshold, retry: threshold) }
    return model
  }

  /// A capture, and the record of an only attempt that it was judged live at.
  private static func judged(
    _ id: ReVerificationID, _ species: AttackSpecies
  ) throws -> (CaptureRecord, DecisionRecord) {
    let profile = try #require(LandmarkerProfile.named["simulated-ideal-68"])
    let simulator = CaptureSimulator(seed: 5, profile: profile)
    let detector = try LivenessDetector(models: [Self.model()])
    // A live person whom the model passes; it refuses a few of them.
    let found = try (1..<20).lazy.map { simulator.capture(species, subject: $0, index: 0).record }.first {
      guard species == .bonaFide else { return true }
      return try detector.assess($0.capture, answering: $0.schedule, received: $0.received).verdict == .pass
    }
    let capture = try #require(found)
    let evidence = DecisionRecord.Evidence(
      attempt: 1, key: "k", claimedAt: instant(11), contentDigest: Digest(of: [1]),
      captureDigest: capture.capture.recordedDigest, livenessModel: "l",
      assessedAt: capture.received, liveness: LivenessAssessment(.live, score: 0.9, threshold: 0.5),
      scores: scores(0.6), searchedThrough: nil)
    return (
      capture,
      DecisionRecord(
        reVerification: id, organisation: "org", workflow: "w", user: "u", apiKey: "key",
        conclusion: verified(id), decidedAt: reading(21), begunAt: reading(0), expiry: instant(600),
        policy: try policy(attempts: 1), space: space, evidence: evidence, engineVersion: "v")
    )
  }

  @Test func `another liveness model judges the recorded frames, and lists what flips`() throws {
    let cases = [try Self.judged("live", .bonaFide), try Self.judged("photo", .flatPhoto)]
    func report(_ model: LivenessModel, _ captures: [CaptureRecord]) throws -> WhatIfReport {
      try RecordedWhatIf(PolicyChange(livenessModel: model), captures: captures).run(cases.map(\.1))
    }
    let other = try report(Self.model(), cases.map(\.0))
    #expect(other.flips.map(\.id) == ["photo"] && other.flips[0].after == "attemptsExhausted")
    #expect(other.undetermined == [])
    // Nothing reaches a score above 1.
    let strict = try report(Self.model(passingFrom: 1), cases.map(\.0))
    #expect(strict.flips.map(\.id) == ["live", "photo"])
    // What was not recorded can't be judged.
    let partial = try report(Self.model(), [cases[1].0])
    #expect(partial.undetermined.map(\.id) == ["live"] && partial.flips.map(\.id) == ["photo"])
    let stranger = try LivenessModel.load(
      path: CommandRun.package.appending(path: "models/liveness/simulated-ideal-468.json").path)
    #expect(try report(stranger, cases.map(\.0)).undetermined.count == 2)
  }

  @Test func `the command takes records with their captures`() throws {
    let cases = [try Self.judged("live", .bonaFide), try Self.judged("photo", .flatPhoto)]
    let folder = try TemporaryFolder()
    let records = try folder.write(
      "records.jsonl",
      try cases.map { String(decoding: try JSONEncoder().encode($0.1), as: UTF8.self) }
        .joined(separator: "\n").utf8)
    let captures = try folder.write("captures.jsonl", cases.map { $0.0.encoded() }.joined(separator: [10]))
    let model = "models/liveness/simulated-ideal-68.json"
    let run = try CommandRun([
      "what-if", "--records", records, "--captures", captures, "--liveness-model", model,
    ])
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.output.contains("photo: verified -> attemptsExhausted"))
    for wrong in [
      ["--records", records, "--liveness-model", model], ["--captures", captures, "--attempts", "1"],
      ["--records", records, "--captures", captures, "--attempts", "1"],
      ["--liveness-before", model, "--attempts", "1"],
      ["--liveness-model", "models/liveness/simulated-ideal-468.json", "--subjects", "12"],
      ["--records", records, "--attempts", "1", "--subjects", "20"],
    ] {
      #expect(try CommandRun(["what-if"] + wrong).status == 64, "\(wrong)")
    }
  }

  @Test func `a cohort before another liveness model: the same one flips nothing, a stricter one refuses`()
    async throws
  {
    let cohort = try Cohort.synthetic(subjectCount: 12, imagesPerSubject: 3, dimension: 32, seed: 3)
    var options = ReVerificationSimulation.Options()
    options.livenessModel = try Self.model()
    options.attempts = 1
    options.scenesPerPerson = 1
    options.thresholds = ThresholdChoice(
      verify: SimilarityThreshold(0.5)!, recognise: SimilarityThreshold(0.7)!, targetFalseMatchRate: nil,
      source: "given")
    func report(_ threshold: Double?) async throws -> WhatIfReport {
      try await CohortWhatIf(
        cohort, options: options, change: PolicyChange(livenessModel: Self.model(passingFrom: threshold))
      ).run()
    }
    let same = try await report(nil)
    #expect(same.flips == [] && same.before == same.after)
    // Live people pass, and the attacks of most species don't.
    let right = try #require(same.ratesBefore?.falseReject)
    #expect(right.of == 6 && right.count < 6)
    let failing = try #require(same.ratesBefore?.failedLivenessVerified)
    #expect(failing.of == 6 && failing.count < 3)
    let strict = try await report(1)
    #expect((strict.after["verified"] ?? 0) == 0)
    #expect(strict.flips.contains { $0.truth == "rightPerson" && $0.before == "verified" })
    // Where both refuse, nothing flips, whatever was drawn before.
    #expect(strict.flips.allSatisfy { $0.before == "verified" || $0.before == "notReVerified" })
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
