import Biometrics
import Foundation
import Testing

@testable import Evaluation

@Suite struct DiscriminationTests {
  @Test("the area under the curve counts a tie as a half")
  func area() throws {
    #expect(try ScoreSet(mated: [0.5], nonMated: [0.5]).areaUnderCurve() == 0.5)
    #expect(try ScoreSet(mated: [0.2, 0.5, 0.9], nonMated: [0.5, 0.1]).areaUnderCurve() == 4.5 / 6)
    #expect(try ScoreSet(mated: [1.0], nonMated: [0.0]).areaUnderCurve() == 1)
    #expect(try ScoreSet(mated: [0.0], nonMated: [1.0]).areaUnderCurve() == 0)
  }

  @Test("d' is the distance of means in units of spread")
  func decidability() throws {
    // Means 3 and 0, variances 1 and 3.
    let scores = ScoreSet(mated: [2.0, 4.0], nonMated: [-1.5, -1.5, 3])
    let variance = (1.5 * 1.5 * 2 + 9.0) / 3
    #expect(isClose(try scores.decidability(), 3 / ((1 + variance) / 2).squareRoot(), within: 1e-15))
    #expect(throws: EvaluationError.noSpread) { try ScoreSet(mated: [1.0], nonMated: [0.0]).decidability() }
    #expect(throws: EvaluationError.noMatedComparisons) {
      try ScoreSet(mated: [Double](), nonMated: [0.0]).decidability()
    }
  }

  @Test("the spread of a small deviation about a large mean loses no digits")
  func moments() throws {
    // The squares alone, at 1e18, are multiples of 128.
    let scores = (0..<20_000).map { 1e9 + Double($0 % 2) }
    let summary = try #require(ScoreSet(mated: scores, nonMated: []).summary(of: .mated))
    #expect(summary.count == 20_000 && isClose(summary.mean, 1e9 + 0.5, within: 1e-15))
    #expect(isClose(summary.standardDeviation, 0.5, within: 1e-6))
    #expect(ScoreSet(mated: scores, nonMated: []).summary(of: .nonMated) == nil)
  }

  @Test("quantiles lie between neighbours linearly")
  func quantiles() {
    let scores = ScoreSet(mated: [1, 2, 4, 8], nonMated: [])
    #expect(scores.quantile(0, of: .mated) == 1 && scores.quantile(1, of: .mated) == 8)
    #expect(scores.quantile(0.5, of: .mated) == 3 && scores.quantile(0.75, of: .mated) == 5)
    #expect(scores.quantile(2, of: .mated) == 8 && scores.quantile(.nan, of: .mated) == nil)
    #expect(scores.quantile(0.5, of: .nonMated) == nil)
  }

  @Test("scores that tell nothing cost one bit, and overwhelming ones don't overflow")
  func cost() throws {
    #expect(
      isClose(try ScoreSet(mated: [0.0], nonMated: [0.0, 0]).logLikelihoodRatioCost(), 1, within: 1e-15))
    #expect(try ScoreSet(mated: [2000.0], nonMated: [-2000.0]).logLikelihoodRatioCost() == 0)
    #expect(
      isClose(try ScoreSet(mated: [-2000.0], nonMated: [2000.0]).logLikelihoodRatioCost(), 2000 / log(2.0)))
    let useless = try ScoreSet(mated: [1.0, 2], nonMated: [1.0, 2]).convexHull()
    #expect(isClose(useless.minimumLogLikelihoodRatioCost, 1, within: 1e-15) && useless.equalErrorRate == 0.5)
    #expect(try ScoreSet(mated: [2.0], nonMated: [1.0]).convexHull().minimumLogLikelihoodRatioCost == 0)
  }

  @Test("the hull's blocks rise in likelihood ratio and hold every comparison")
  func blocks() throws {
    var generator = SeededGenerator(seed: 5)
    let scores = ScoreSet(
      mated: generator.scores(200, mean: 1, step: 0.1), nonMated: generator.scores(300, mean: 0, step: 0.1))
    let blocks = try scores.convexHull().blocks
    #expect(blocks.reduce(0) { $0 + $1.mated } == 200 && blocks.reduce(0) { $0 + $1.nonMated } == 300)
    #expect(blocks.count > 5)
    for (low, high) in zip(blocks, blocks.dropFirst()) {
      #expect(low.lowestScore < high.lowestScore)
      #expect(low.mated * high.nonMated < high.mated * low.nonMated)
    }
  }
}
