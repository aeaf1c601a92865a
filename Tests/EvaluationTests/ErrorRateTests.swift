import Biometrics
import Testing

@testable import Evaluation

@Suite struct ErrorRateTests {
  let scores = ScoreSet(mated: [0.2, 0.5, 0.5, 0.9], nonMated: [0.1, 0.5, 0.5, 0.2, 0.3])

  @Test("a score equal to the threshold matches")
  func equalMatches() throws {
    #expect(try scores.falseMatchRate(at: 0.5) == Proportion(2, of: 5))
    #expect(try scores.falseNonMatchRate(at: 0.5) == Proportion(1, of: 4))
    #expect(try scores.falseMatchRate(at: 0.5.nextUp) == Proportion(0, of: 5))
    #expect(try scores.falseNonMatchRate(at: 0.5.nextUp) == Proportion(3, of: 4))
  }

  @Test("infinite thresholds match everything and nothing, and NaN nothing")
  func extremeThresholds() throws {
    #expect(try scores.falseMatchRate(at: -.infinity) == Proportion(5, of: 5))
    #expect(try scores.falseNonMatchRate(at: -.infinity) == Proportion(0, of: 4))
    for threshold in [Double.infinity, .nan] {
      #expect(try scores.falseMatchRate(at: threshold) == Proportion(0, of: 5))
      #expect(try scores.falseNonMatchRate(at: threshold) == Proportion(4, of: 4))
    }
  }

  @Test("a rate over no comparisons is an error, not zero")
  func emptyClasses() throws {
    let onlyMated = ScoreSet(mated: [0.5], nonMated: [Double]())
    #expect(throws: EvaluationError.noNonMatedComparisons) { try onlyMated.falseMatchRate(at: 0) }
    #expect(throws: EvaluationError.noNonMatedComparisons) { try onlyMated.errorRateCurve() }
    #expect(try onlyMated.falseNonMatchRate(at: 0) == Proportion(0, of: 1))
    let onlyNonMated = ScoreSet(mated: [Float](), nonMated: [0.5])
    #expect(throws: EvaluationError.noMatedComparisons) { try onlyNonMated.falseNonMatchRate(at: 0) }
    #expect(throws: EvaluationError.noMatedComparisons) {
      try onlyNonMated.errorRates(atFalseMatchRate: .of("0.1"))
    }
  }

  @Test("scores that are not finite are failures, told as such")
  func failures() {
    let scores = ScoreSet(
      mated: [0.5, .nan, .infinity], nonMated: [-.infinity, 0.1],
      matedFailures: ComparisonFailures(toEnrol: 2, toAcquire: 1), nonMatedFailures: .none)
    #expect(scores.mated == [0.5] && scores.nonMated == [0.1])
    #expect(scores.matedFailures == ComparisonFailures(toEnrol: 2, toAcquire: 1, notFinite: 2))
    #expect(scores.matedFailures.total == 5 && scores.nonMatedFailures.total == 1)
    #expect(scores.warnings == [.notFinite(mated: 2, nonMated: 1)])
  }

  @Test("single-precision scores widen exactly")
  func widening() throws {
    let scores = ScoreSet(mated: [Float(0.1)], nonMated: [Float(0.7)])
    #expect(scores.mated == [Double(Float(0.1))])
    #expect(try scores.falseMatchRate(at: 0.7).count == 0, "the nearest Float to 0.7 is below it")
  }

  @Test(
    "FMR falls and FNMR rises along the curve, and each point is the rate at its threshold", arguments: 0..<40
  )
  func monotone(seed: Int) throws {
    var generator = SeededGenerator(seed: UInt64(seed))
    let step = [0.001, 0.1, 0.5, 2][seed % 4]
    let scores = ScoreSet(
      mated: generator.scores(1 + generator.next(below: 50), mean: 1, step: step),
      nonMated: generator.scores(1 + generator.next(below: 50), mean: 0, step: step))
    let curve = try scores.errorRateCurve()
    #expect(curve.first?.falseMatchRate.value == 1 && curve.first?.falseNonMatchRate.value == 0)
    #expect(curve.last?.falseMatchRate.value == 0 && curve.last?.falseNonMatchRate.value == 1)
    for (low, high) in zip(curve, curve.dropFirst()) {
      #expect(low.threshold < high.threshold)
      #expect(low.falseMatchRate.count >= high.falseMatchRate.count)
      #expect(low.falseNonMatchRate.count <= high.falseNonMatchRate.count)
      #expect(low.imbalance > high.imbalance, "one of the two moves at every distinct score")
    }
    for point in curve {
      #expect(try scores.errorRates(at: point.threshold) == point)
      #expect(point.falseMatchRate.count == scores.nonMated.count { $0 >= point.threshold })
      #expect(point.falseNonMatchRate.count == scores.mated.count { $0 < point.threshold })
    }
  }

  @Test("a proportion of nothing, or out of bounds, traps")
  func impossibleProportions() async {
    await #expect(processExitsWith: .failure) { _ = Proportion(0, of: 0) }
    await #expect(processExitsWith: .failure) { _ = Proportion(4, of: 3) }
    await #expect(processExitsWith: .failure) { _ = Proportion(-1, of: 3) }
  }
}
