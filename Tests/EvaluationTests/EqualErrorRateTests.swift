import Biometrics
import Testing

@testable import Evaluation

struct HandWorkedSet: Decodable, CustomTestStringConvertible {
  let name: String
  let mated: [Double]
  let nonMated: [Double]
  let low, high, midpoint, threshold: Double
  let linear, argmin, minimumOfMaxima, hull: Double
  let warns: Bool

  var testDescription: String { name }
}

@Suite struct EqualErrorRateTests {
  /// Given to six decimals.
  static let tolerance = 5e-7

  @Test("the hand-worked sets have the equal error rates written down for them")
  func handWorked() throws {
    let sets = try Vectors<HandWorkedSet>.load("hand-worked")
    #expect(sets.count == 7)
    for set in sets {
      let scores = ScoreSet(mated: set.mated, nonMated: set.nonMated)
      let rate = try scores.equalErrorRate()
      let expected = [set.low, set.high, set.midpoint, set.linear, set.argmin, set.minimumOfMaxima, set.hull]
      let found = [
        rate.interval.low, rate.interval.high, rate.interval.midpoint, rate.linear, rate.argmin.value,
        rate.minimumOfMaxima.value, try scores.convexHull().equalErrorRate,
      ]
      for (value, expectation) in zip(found, expected) {
        #expect(isClose(value, expectation, within: Self.tolerance), "set \(set.name)")
      }
      #expect(rate.interval.threshold == set.threshold, "set \(set.name)")
      #expect(scores.warnings.contains(.matedScoresLieLower) == set.warns, "set \(set.name)")
    }
  }

  @Test("exact fractions come out exactly")
  func exactFractions() throws {
    let a = try ScoreSet(mated: [0.2, 0.6, 0.7, 0.8, 0.9], nonMated: [0.1, 0.3, 0.4, 0.65]).equalErrorRate()
    #expect(a.interval.low == 0.2 && a.interval.high == 0.25 && a.interval.midpoint == 0.225)
    #expect(a.before.threshold == 0.6 && a.after.threshold == 0.65)
    #expect(
      a.before.falseMatchRate == Proportion(1, of: 4) && a.before.falseNonMatchRate == Proportion(1, of: 5))
  }

  @Test("every definition agrees with a scan of the whole curve", arguments: 0..<60)
  func scan(seed: Int) throws {
    var generator = SeededGenerator(seed: UInt64(seed))
    let step = [0.001, 0.1, 0.5, 2][seed % 4]
    let scores = ScoreSet(
      mated: generator.scores(1 + generator.next(below: 40), mean: 1, step: step),
      nonMated: generator.scores(1 + generator.next(below: 40), mean: 0, step: step))
    let curve = try scores.errorRateCurve()
    let rate = try scores.equalErrorRate()
    let after = try #require(curve.firstIndex { $0.falseMatchRate.value <= $0.falseNonMatchRate.value })
    #expect(rate.after == curve[after])
    #expect(rate.before == (rate.after.imbalance == 0 ? curve[after] : curve[after - 1]))
    func difference(_ point: ErrorRates) -> Double {
      abs(point.falseMatchRate.value - point.falseNonMatchRate.value)
    }
    func greater(_ point: ErrorRates) -> Double {
      max(point.falseMatchRate.value, point.falseNonMatchRate.value)
    }
    let nearest = try #require(curve.map(difference).min())
    let argmin = try scores.errorRates(at: rate.argmin.threshold)
    #expect(isClose(difference(argmin), nearest, within: 1e-15))
    #expect(rate.minimumOfMaxima.value == curve.map(greater).min())
    #expect(try scores.convexHull().equalErrorRate <= rate.linear + 1e-15)
    #expect(rate.interval.low <= rate.interval.midpoint && rate.interval.midpoint <= rate.interval.high)
  }

  @Test("a class without scores has no equal error rate")
  func emptyClass() {
    #expect(throws: EvaluationError.noMatedComparisons) {
      try ScoreSet(mated: [Double](), nonMated: [1]).equalErrorRate()
    }
    #expect(throws: EvaluationError.noNonMatedComparisons) {
      try ScoreSet(mated: [1.0], nonMated: [Double.nan]).convexHull()
    }
  }
}
