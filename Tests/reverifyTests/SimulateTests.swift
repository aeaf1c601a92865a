import Biometrics
import FaceMatching
import Foundation
import Simulation
import TestSupport
import Testing

@Suite struct SimulateTests {
  /// Judged by upstream scores, which costs little.
  static let small = [
    "simulate", "--subjects", "90", "--dimension", "64", "--liveness-model", "passive", "--json",
  ]

  static func report(_ arguments: [String], environment: [String: String] = [:]) throws -> SimulationReport {
    let run = try CommandRun(arguments, environment: environment)
    #expect(run.status == 0, "\(run.errors)")
    return try JSONDecoder().decode(SimulationReport.self, from: Data(run.output.utf8))
  }

  @Test func `the first line says that the cohort is synthetic, and the table holds every truth`() throws {
    let run = try CommandRun(Array(Self.small.dropLast()))
    #expect(run.lines.first?.hasPrefix("synthetic cohort, of nobody: 270 embeddings of 90 subjects") == true)
    for truth in Truth.allCases { #expect(run.output.contains("\n\(truth.rawValue) ")) }
  }

  @Test func `outcomes add up to the errors`() throws {
    let report = try Self.report(Self.small)
    func count(_ truth: Truth, _ outcome: String) -> Int { report.outcomes[truth.rawValue]?[outcome] ?? -1 }
    func total(_ truth: Truth) -> Int { report.outcomes[truth.rawValue]?.values.reduce(0, +) ?? -1 }
    #expect(report.population.enrolled == 30 && report.population.heldOut == 30)
    // Two spare images of each of thirty enrolled subjects.
    #expect(total(.rightPerson) == 60 && total(.anotherEnrolled) == 60 && total(.failedLiveness) == 30)
    #expect(count(.failedLiveness, "attemptsExhausted") == 30)
    #expect(count(.enrolledElsewhere, "notEligible") == report.population.enrolledElsewhere)
    #expect(
      report.errors.wrongPersonVerified.count == count(.anotherEnrolled, "verified")
        + count(.stranger, "verified"))
    #expect(report.errors.wrongPersonVerified.of == total(.anotherEnrolled) + total(.stranger))
    #expect(report.errors.rightPersonRefused.count == 60 - count(.rightPerson, "verified"))
    #expect(report.errors.wrongPersonVerified.low <= report.errors.wrongPersonVerified.high)
  }

  @Test func `the right person is verified and the wrong one is not`() throws {
    let report = try Self.report(Self.small)
    #expect(report.outcomes["rightPerson"]?["verified"] ?? 0 >= 50)
    #expect(report.errors.wrongPersonVerified.count <= 1)
  }

  @Test func `a seed gives the same outcomes at every level and number of threads`() throws {
    let expected = try Self.report(Self.small + ["--seed", "5"])
    for level in KernelLevel.available {
      for threads in ["1", "2"] {
        let report = try Self.report(
          Self.small + ["--seed", "5", "--threads", threads], environment: ["REVERIFY_SIMD": level.rawValue])
        #expect(report.outcomes == expected.outcomes && report.verifyThreshold == expected.verifyThreshold)
      }
    }
    #expect(try Self.report(Self.small + ["--seed", "6"]).verifyThreshold != expected.verifyThreshold)
  }

  @Test func `at threshold −1 everybody is verified, since that is what was asked for`() throws {
    let report = try Self.report(Self.small + ["--threshold", "-1", "--recognise-threshold", "1"])
    #expect(report.outcomes["stranger"]?["verified"] == report.outcomes["stranger"]?.values.reduce(0, +))
  }

  /// The main path: captures that answer challenges, whose faces are those that are matched; attacks of every species beside.
  @Test func `people answer challenges, and attacks are played in both forms of the report`() throws {
    let arguments = [
      "simulate", "--subjects", "12", "--dimension", "256", "--attacks", "3", "--threshold", "0.3",
    ]
    let report = try Self.report(arguments + ["--json"])
    #expect(report.livenessScorer.hasPrefix("liveness-"))
    let right = try #require(report.outcomes["rightPerson"])
    // Bug: every attempt answered the first one's challenge, so that whoever failed once failed for good.
    #expect(right["verified"] == right.values.reduce(0, +))
    #expect(report.errors.failedLivenessVerified.count == 0)
    let attacks = try #require(report.attacks)
    let names = attacks.map(\.species)
    #expect(names.count == 24 && names.first == "bona_fide")
    #expect(names.suffix(2) == ["embedding_swapped", "embedding_mixed"])
    #expect(attacks[0].verified >= 1 && attacks.allSatisfy { $0.played == 3 })
    // Bug: a mixture of both faces was like the frames and like the reference, and was verified. No liveness refuses it.
    let mixed = try #require(attacks.last)
    #expect(mixed.verified == 0 && mixed.reasons.isEmpty)
    let swapped = attacks[attacks.count - 2]
    #expect(swapped.verified == 0 && swapped.reasons.contains { $0.reason == .otherFace })
    #expect(attacks.dropFirst().allSatisfy { !$0.isStoppable || $0.verified == 0 })
  }

  /// Bug: elsewhere than in the repository it said that attacks were not played, and exited with 0.
  @Test func `where the default liveness model is not there the file is named, and nothing is played`() throws
  {
    let run = try CommandRun(shell: "cd / && \"$0\" simulate --subjects 90")
    #expect(run.status == 65 && run.output.isEmpty)
    #expect(run.errors.hasPrefix("reverify: models/liveness/simulated-ideal-68.json: "))
    let passive = try CommandRun(
      shell: "cd / && \"$0\" simulate --subjects 90 --dimension 64 --liveness-model passive")
    #expect(passive.status == 0 && passive.output.contains("an upstream score is taken at its word"))
  }

  @Test(.enabled("no shared data here", { SharedData.has("orl-edgeface") }))
  func `a known file finds its space's thresholds, and real faces their owners`() throws {
    let report = try Self.report([
      "simulate", "--data", SharedData.folder("orl-edgeface"), "--liveness-model", "passive", "--json",
    ])
    #expect(report.space.model == "edgeface-xs" && report.targetFalseMatchRate == "1e-5")
    #expect(report.errors.wrongPersonVerified.count == 0)
    #expect(report.outcomes["rightPerson"]?["verified"] == 60)
  }
}
