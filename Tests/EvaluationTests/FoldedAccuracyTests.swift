import Testing

@testable import Evaluation

@Suite struct FoldedAccuracyTests {
  func comparison(_ fold: Int, _ kind: ComparisonKind, _ score: Double?) -> FoldedComparison {
    FoldedComparison(fold: fold, kind: kind, score: score)
  }

  @Test("equally good thresholds give a lowest, a highest and their mean")
  func tiedThresholds() throws {
    // On fold 2, 0.4 gets 3 of 4 right, 0.6 (after a wrong 0.4) 2, 0.8 again 3.
    let accuracy = try FoldedAccuracy([
      comparison(1, .mated, 0.5), comparison(1, .nonMated, 0.7),
      comparison(2, .nonMated, 0.2), comparison(2, .mated, 0.4), comparison(2, .nonMated, 0.6),
      comparison(2, .mated, 0.8),
    ])
    let first = accuracy.folds[0]
    #expect(first.threshold == .init(low: 0.4, mid: (0.4 + 0.8) / 2, high: 0.8))
    #expect(first.right == .init(low: 1, mid: 0, high: 1))
    // On fold 1 accepting all and accepting none are right once each; +∞ has no mean.
    let second = accuracy.folds[1]
    #expect(second.threshold == .init(low: 0.5, mid: 0.5, high: .infinity))
    #expect(second.right == .init(low: 2, mid: 2, high: 2))
    #expect(accuracy.accuracy == .init(low: 0.5, mid: 0.25, high: 0.5))
    #expect(accuracy.standardError == .init(low: 0, mid: 0.25, high: 0))
  }

  @Test("a failed comparison is a wrong decision and no threshold")
  func failures() throws {
    let accuracy = try FoldedAccuracy([
      comparison(0, .mated, 0.9), comparison(0, .nonMated, .nan), comparison(1, .mated, 0.8),
      comparison(1, .nonMated, 0.1), comparison(1, .nonMated, nil),
    ])
    #expect(accuracy.comparisons == 5 && accuracy.failures == 2)
    #expect(accuracy.folds[0].right.low == 1 && accuracy.folds[0].comparisons == 2)
    #expect(accuracy.bestOverall.right == Proportion(3, of: 5))
    #expect(accuracy.bestOverall.lowestThreshold == 0.8 && accuracy.bestOverall.highestThreshold == 0.8)
  }

  @Test("one fold, or scores in one fold only, can't be cross-validated")
  func tooFew() {
    #expect(throws: EvaluationError.tooFewFolds(found: 0)) { try FoldedAccuracy([]) }
    #expect(throws: EvaluationError.tooFewFolds(found: 1)) { try FoldedAccuracy([comparison(3, .mated, 1)]) }
    #expect(throws: EvaluationError.noTrainingComparisons(fold: 3)) {
      try FoldedAccuracy([comparison(3, .mated, 1), comparison(4, .mated, nil)])
    }
  }
}
