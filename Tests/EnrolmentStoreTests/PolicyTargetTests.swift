import Biometrics
import EnrolmentStore
import Foundation
import Testing

@Suite struct PolicyTargetTests {
  private static let space = EmbeddingSpace(
    model: "m", weightsDigest: "w", dimension: 4, preprocessing: "p")

  private static func points(recognise: [OperatingPoints.RecognisePoint] = []) -> OperatingPoints {
    func point(_ target: String, _ threshold: Float) -> OperatingPoints.Point {
      .init(
        targetFalseMatchRate: target, threshold: SimilarityThreshold(threshold)!, falseMatches: 10,
        nonMatedComparisons: 1_000_000, falseNonMatches: 1, matedComparisons: 1000, falseMatchRateLow: 0,
        falseMatchRateHigh: 1)
    }
    return OperatingPoints(
      space: space, evidence: .init(name: "d", sha256: "0", rowCount: 1), alsoOfThisSpace: [],
      points: [point("1e-2", 0.2), point("3/1000", 0.25), point("1e-4", 0.4), point("1e-5", 0.5)],
      recognisePoints: recognise, command: "c", engineVersion: "v")
  }

  private static func recognise(_ rate: String, _ enrolled: Int, _ threshold: Float)
    -> OperatingPoints.RecognisePoint
  {
    .init(
      targetFalsePositiveRate: rate, enrolled: enrolled, threshold: SimilarityThreshold(threshold)!,
      falsePositives: 3, nonMatedSearches: 300, falseNegatives: 1, matedSearches: 100,
      falsePositiveRateLow: 0, falsePositiveRateHigh: 1)
  }

  @Test(arguments: [(1e-2, 0.2 as Float), (0.5, 0.2), (3e-3, 0.25), (1e-3, 0.4), (1e-4, 0.4), (2e-5, 0.5)])
  func `a target rate reads the loosest threshold that is strict enough`(rate: Double, threshold: Float)
    throws
  {
    #expect(try Self.points().verifyThreshold(atFalseMatchRate: rate).value == threshold)
  }

  @Test func `more than the evidence supports is refused with what it would take`() throws {
    let error = try #require(throws: OperatingPointError.self) {
      try Self.points().verifyThreshold(atFalseMatchRate: 1e-6)
    }
    #expect(error.code == .falseMatchRateUnsupported && error.strictest == 1e-5)
    #expect((2_995_000...2_996_000).contains(error.comparisonsNeeded))
    for rate in [0, 1, -1, .nan] {
      let error = #expect(throws: OperatingPointError.self) {
        try Self.points().verifyThreshold(atFalseMatchRate: rate)
      }
      #expect(error?.code == .notARate)
    }
  }

  @Test func `recognising goes by searches over as many or more, or by the sum of the comparisons' rates`()
    throws
  {
    let points = Self.points(recognise: [
      Self.recognise("1e-1", 1000, 0.35), Self.recognise("1e-2", 1000, 0.45),
    ])
    #expect(try points.recogniseThreshold(atFalsePositiveRate: 0.01, enrolled: 1000).value == 0.45)
    #expect(try points.recogniseThreshold(atFalsePositiveRate: 0.1, enrolled: 900).value == 0.35)
    // Measured over 1,000, so it is used for ten although the sum, 10 · 1e-2, would allow 0.2.
    #expect(try points.recogniseThreshold(atFalsePositiveRate: 0.1, enrolled: 10).value == 0.35)
    // What ten were measured to need at 9e-1, twenty need at 5e-1: the sum, 20 · 1e-2, would allow 0.2.
    let few = Self.points(recognise: [Self.recognise("9e-1", 10, 0.45)])
    #expect(try few.recogniseThreshold(atFalsePositiveRate: 0.5, enrolled: 20).value == 0.45)
    // Over ten enrolled, FMR 1e-4 alone keeps 1e-3.
    #expect(try points.recogniseThreshold(atFalsePositiveRate: 0.001, enrolled: 10).value == 0.4)
    let error = try #require(throws: OperatingPointError.self) {
      try points.recogniseThreshold(atFalsePositiveRate: 0.01, enrolled: 100_000)
    }
    #expect(error.code == .falsePositiveRateUnsupported && error.enrolled == 100_000)
  }

  @Test(arguments: ["edgeface-xs", "dlib-resnet-v1"])
  func `no shipped space hands out less than it measured`(name: String) throws {
    let path = URL(filePath: #filePath).deletingLastPathComponent().appending(
      path: "../../models/embedding-spaces/\(name).json")
    let points = try JSONDecoder().decode(OperatingPoints.self, from: Data(contentsOf: path))
    #expect(!points.recognisePoints.isEmpty)
    for point in points.recognisePoints {
      let rate = try #require(Double(point.targetFalsePositiveRate))
      for enrolled in [point.enrolled, point.enrolled * 2] {
        guard let threshold = try? points.recogniseThreshold(atFalsePositiveRate: rate, enrolled: enrolled)
        else {
          continue
        }
        #expect(threshold >= point.threshold, "\(name), \(enrolled) enrolled, \(rate)")
      }
    }
  }

  @Test func `a policy takes its thresholds from targets, and none of another space`() throws {
    let points = Self.points(recognise: [Self.recognise("1e-1", 1000, 0.35)])
    let targets = PolicyTargets(falseMatchRate: 1e-4, falsePositiveRate: 0.1, enrolled: 1000)
    let policy = try ReVerificationPolicy(targets, by: points, for: Self.space, attempts: 2)
    #expect(policy.verifyThreshold.value == 0.4 && policy.attempts == 2)
    // 0.35 would lie below the verify threshold.
    #expect(policy.recogniseThreshold.value == 0.4)
    let other = EmbeddingSpace(model: "other", weightsDigest: "w", dimension: 4, preprocessing: "p")
    #expect(throws: OperatingPointError.self) { try ReVerificationPolicy(targets, by: points, for: other) }
    let strict = PolicyTargets(falseMatchRate: 1e-9, falsePositiveRate: 0.1, enrolled: 1000)
    #expect(throws: OperatingPointError.self) {
      try ReVerificationPolicy(strict, by: points, for: Self.space)
    }
    #expect(throws: PolicyError.self) {
      try ReVerificationPolicy(targets, by: points, for: Self.space, attempts: 0)
    }
  }
}
