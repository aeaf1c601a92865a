import Testing

@testable import Evaluation

/// A set of scores with figures from numpy, scipy and the reference script.
struct ReferenceSet: Decodable {
  struct EER: Decodable {
    let eerInterval, low, high, thresholdGe, eerLinear, eerArgmin: Double
  }

  struct AtTarget: Decodable {
    let allowedFalseMatches: Int
    let fmr, fnmr: Double
    let falseNonMatches: Int
    let thresholdGt, thresholdGe: Double
  }

  let mated, nonMated: [Double]
  let auc, dPrime, cllr, minCllr, hullEER: Double
  let eer: EER
  let atTargets: [String: AtTarget?]
  let folds: [Int]
  let isMated: [Int]
  let foldScores: [Double]
  let kfold: ReferenceFolds
}

/// The part of the reference's cross-validation that is compared.
struct ReferenceFolds: Decodable {
  struct Fold: Decodable {
    let fold, n: Int
    let thresholdLow, thresholdMid, thresholdHigh: Double
    let rightLow, rightMid, rightHigh: Int
  }

  struct Best: Decodable {
    let accuracy, thresholdLow, thresholdHigh: Double
  }

  let folds: [Fold]
  let accuracyLow, accuracyMid, accuracyHigh: Double
  let stderrLow, stderrMid, stderrHigh: Double
  let bestOverall: Best

  /// Compares all of it: counts equal, rates to 1e-9, thresholds to 1e-6.
  func expectEqual(_ found: FoldedAccuracy, sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(found.folds.count == folds.count, sourceLocation: sourceLocation)
    for (found, expected) in zip(found.folds, folds) {
      #expect(found.fold == expected.fold && found.comparisons == expected.n, sourceLocation: sourceLocation)
      let right = FoldedAccuracy.Choice(
        low: expected.rightLow, mid: expected.rightMid, high: expected.rightHigh)
      #expect(found.right == right, sourceLocation: sourceLocation)
      for (threshold, expectation) in [
        (found.threshold.low, expected.thresholdLow), (found.threshold.mid, expected.thresholdMid),
        (found.threshold.high, expected.thresholdHigh),
      ] {
        #expect(isClose(threshold, expectation, within: 1e-6), sourceLocation: sourceLocation)
      }
    }
    let (accuracy, error, best) = (found.accuracy, found.standardError, found.bestOverall)
    for (rate, expectation) in [
      (accuracy.low, accuracyLow), (accuracy.mid, accuracyMid), (accuracy.high, accuracyHigh),
      (error.low, stderrLow), (error.mid, stderrMid), (error.high, stderrHigh),
      (best.right.value, bestOverall.accuracy),
    ] {
      #expect(isClose(rate, expectation), sourceLocation: sourceLocation)
    }
    #expect(
      isClose(best.lowestThreshold, bestOverall.thresholdLow, within: 1e-6), sourceLocation: sourceLocation)
    #expect(
      isClose(best.highestThreshold, bestOverall.thresholdHigh, within: 1e-6),
      sourceLocation: sourceLocation)
  }
}

extension ReferenceSet.EER {
  func expectEqual(_ found: EqualErrorRate, sourceLocation: SourceLocation = #_sourceLocation) {
    for (rate, expectation) in [
      (found.interval.midpoint, eerInterval), (found.interval.low, low), (found.interval.high, high),
      (found.linear, eerLinear), (found.argmin.value, eerArgmin),
    ] {
      #expect(isClose(rate, expectation), sourceLocation: sourceLocation)
    }
    #expect(isClose(found.interval.threshold, thresholdGe, within: 1e-6), sourceLocation: sourceLocation)
  }
}

extension [String: ReferenceSet.AtTarget?] {
  /// Compares all targets with what `find` gives for them.
  func expectEqual(
    sourceLocation: SourceLocation = #_sourceLocation,
    _ find: (TargetRate) throws -> TargetOutcome<FalseMatchOperatingPoint>
  ) throws {
    #expect(!isEmpty, sourceLocation: sourceLocation)
    for (name, expected) in self {
      let outcome = try find(.of(name))
      guard let expected else {
        #expect(outcome.point == nil, "target \(name)", sourceLocation: sourceLocation)
        continue
      }
      let point = try #require(outcome.point, "target \(name)", sourceLocation: sourceLocation)
      #expect(point.target.description == name, sourceLocation: sourceLocation)
      #expect(point.allowedFalseMatches == expected.allowedFalseMatches, sourceLocation: sourceLocation)
      let rates = point.rates
      #expect(rates.falseNonMatchRate.count == expected.falseNonMatches, sourceLocation: sourceLocation)
      #expect(isClose(rates.falseNonMatchRate.value, expected.fnmr), sourceLocation: sourceLocation)
      #expect(isClose(rates.falseMatchRate.value, expected.fmr), sourceLocation: sourceLocation)
      #expect(
        isClose(point.thresholdAbove, expected.thresholdGt, within: 1e-6), sourceLocation: sourceLocation)
      #expect(isClose(rates.threshold, expected.thresholdGe, within: 1e-6), sourceLocation: sourceLocation)
    }
  }
}

@Suite struct VectorTests {
  @Test("every figure of the reference sets is reproduced", arguments: 0..<4)
  func figures(index: Int) throws {
    let set = try Vectors<ReferenceSet>.load("score-sets")[index]
    let scores = ScoreSet(mated: set.mated, nonMated: set.nonMated)
    let hull = try scores.convexHull()
    for (found, expected) in [
      (try scores.areaUnderCurve(), set.auc), (try scores.decidability(), set.dPrime),
      (try scores.logLikelihoodRatioCost(), set.cllr), (hull.minimumLogLikelihoodRatioCost, set.minCllr),
      (hull.equalErrorRate, set.hullEER),
    ] {
      #expect(isClose(found, expected, within: 1e-12))
    }
    set.eer.expectEqual(try scores.equalErrorRate())
    try set.atTargets.expectEqual { try scores.errorRates(atFalseMatchRate: $0) }
  }

  @Test("cross-validation of the reference sets is reproduced", arguments: 0..<4)
  func folds(index: Int) throws {
    let set = try Vectors<ReferenceSet>.load("score-sets")[index]
    let comparisons = set.folds.indices.map {
      FoldedComparison(
        fold: set.folds[$0], kind: set.isMated[$0] == 1 ? .mated : .nonMated, score: set.foldScores[$0])
    }
    set.kfold.expectEqual(try FoldedAccuracy(comparisons))
  }
}
