import Testing

@testable import Evaluation

@Suite struct IdentificationTests {
  func searches() throws -> IdentificationSet {
    try IdentificationSet(
      enrolled: 20,
      mated: [
        MatedSearch(rank: 1, score: 0.9), MatedSearch(rank: 1, score: 0.5), MatedSearch(rank: 2, score: 0.8),
        MatedSearch(rank: 7, score: 0.3), MatedSearch(rank: nil, score: .nan),
      ],
      nonMatedBestScores: [0.1, 0.4, 0.4, 0.6, 0.7, 0.2, 0.2, 0.3, 0.35, 0.15], matedFailures: 1)
  }

  @Test("a mate below the threshold or beyond the rank is a false negative")
  func falseNegatives() throws {
    let set = try searches()
    #expect(try set.falseNegativeRate(at: 0) == Proportion(3, of: 5))
    #expect(
      try set.falseNegativeRate(at: 0.5) == Proportion(3, of: 5), "a score equal to the threshold is found")
    #expect(try set.falseNegativeRate(at: 0.6) == Proportion(4, of: 5))
    #expect(try set.falseNegativeRate(at: 0.6, rank: 2) == Proportion(3, of: 5))
    #expect(try set.falseNegativeRate(at: -1, rank: 20) == Proportion(1, of: 5))
  }

  @Test("a non-mated search with any candidate at the threshold is a false positive")
  func falsePositives() throws {
    let set = try searches()
    #expect(try set.falsePositiveRate(at: 0.4) == Proportion(4, of: 10))
    #expect(try set.falsePositiveRate(at: 0.71) == Proportion(0, of: 10))
  }

  @Test("the threshold for an FPIR follows the k-rule")
  func target() throws {
    let set = try searches()
    let point = try #require(try set.rates(atFalsePositiveRate: .of("0.2")).point)
    #expect(point.allowedFalsePositives == 2 && point.thresholdAbove == 0.4 && point.threshold == 0.4.nextUp)
    #expect(
      point.falsePositiveRate == Proportion(2, of: 10) && point.falseNegativeRate == Proportion(3, of: 5))
    #expect(try set.rates(atFalsePositiveRate: .of("0.01")) == .notReachable(trials: 10, needed: 100))
  }

  @Test("the CMC never falls, and agrees with the hit rates")
  func characteristic() throws {
    let set = try searches()
    let curve = try set.cumulativeMatchCharacteristic(upTo: 8)
    #expect(curve.map(\.count) == [2, 3, 3, 3, 3, 3, 4, 4])
    for (rank, rate) in zip(1..., curve) { #expect(try set.hitRate(rank: rank) == rate) }
  }

  @Test("the rank counts strictly higher scores only")
  func rank() {
    #expect(MatedSearch(scores: [0.5, 0.9, 0.5, .nan], mate: 0) == MatedSearch(rank: 2, score: 0.5))
    #expect(MatedSearch(scores: [0.5, 0.9, 0.5], mate: 1) == MatedSearch(rank: 1, score: 0.9))
  }

  @Test("failed searches are counted, and enter no rate")
  func failures() throws {
    let set = try IdentificationSet(
      enrolled: 1, mated: [MatedSearch(rank: 1, score: .nan), MatedSearch(rank: 1, score: 1)],
      nonMatedBestScores: [.nan, 0.5], matedFailures: 2, nonMatedFailures: 3)
    #expect(set.matedFailures == 3 && set.nonMatedFailures == 4)
    #expect(try set.falseNegativeRate(at: 0).total == 1 && set.falsePositiveRate(at: 0).total == 1)
  }

  @Test("rates of no searches and searches of nothing are errors")
  func empty() throws {
    #expect(throws: EvaluationError.noEnrolledReferences) {
      try IdentificationSet(enrolled: 0, mated: [], nonMatedBestScores: [])
    }
    let set = try IdentificationSet(enrolled: 1, mated: [], nonMatedBestScores: [])
    #expect(throws: EvaluationError.noMatedSearches) { try set.hitRate(rank: 1) }
    #expect(throws: EvaluationError.noMatedSearches) { try set.cumulativeMatchCharacteristic(upTo: 3) }
    #expect(throws: EvaluationError.noNonMatedSearches) { try set.falsePositiveRate(at: 0) }
  }
}
