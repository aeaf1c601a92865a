import Testing

@testable import Evaluation

@Suite struct PresentationAttackTests {
  let set = PresentationAttackSet(
    bonaFide: [0.9, 0.8, 0.5, .nan],
    attacks: ["print": [0.1, 0.5, 0.2], "mask": [0.6, 0.4], "none": [.nan]],
    bonaFideNonResponses: 2, attackNonResponses: ["print": 4, "replay": 1])

  @Test("attacks at the threshold pass, bona fide ones below it are refused")
  func rates() throws {
    #expect(try set.bonaFideErrorRate(at: 0.5) == Proportion(0, of: 3))
    #expect(try set.bonaFideErrorRate(at: 0.6) == Proportion(1, of: 3))
    #expect(try set.attackErrorRate(species: "print", at: 0.5) == Proportion(1, of: 3))
    #expect(try set.attackErrorRate(species: "mask", at: 0.5) == Proportion(1, of: 2))
  }

  @Test("the worst species is the one reported")
  func worst() throws {
    let worst = try set.worstAttackErrorRate(at: 0.5)
    #expect(worst.species == "mask" && worst.rate == Proportion(1, of: 2))
  }

  @Test("presentations without a response are counted, and enter no rate")
  func nonResponses() {
    #expect(set.bonaFideNonResponses == 3)
    #expect(set.attackNonResponses == ["print": 4, "mask": 0, "none": 1, "replay": 1])
    #expect(throws: EvaluationError.noAttackPresentations(species: "none")) {
      try set.attackErrorRate(species: "none", at: 0)
    }
    let empty = PresentationAttackSet(bonaFide: [], attacks: [:])
    #expect(throws: EvaluationError.noBonaFidePresentations) { try empty.bonaFideErrorRate(at: 0) }
    #expect(throws: EvaluationError.noAttackPresentations(species: nil)) {
      try empty.worstAttackErrorRate(at: 0)
    }
  }

  @Test("the threshold for an APCER holds for every species")
  func target() throws {
    let target = TargetRate.of("0.5")
    let threshold = try #require(try set.threshold(atAttackErrorRate: target).point)
    #expect(threshold == 0.4.nextUp)
    #expect(try set.worstAttackErrorRate(at: threshold).rate.value <= 0.5)
    #expect(try set.worstAttackErrorRate(at: 0.4).rate.value > 0.5)
    #expect(try set.threshold(atAttackErrorRate: .of("0.4")) == .notReachable(trials: 2, needed: 3))
  }

  @Test("an impostor attack is accepted when it passes liveness and matches")
  func impostorAttacks() throws {
    let set = ImpostorAttackSet([
      .init(species: "print", livenessScore: 0.9, comparisonScore: 0.9),
      .init(species: "print", livenessScore: 0.9, comparisonScore: 0.1),
      .init(species: "print", livenessScore: 0.1, comparisonScore: 0.9),
      .init(species: "print", livenessScore: nil, comparisonScore: nil),
      .init(species: "mask", livenessScore: 0.5, comparisonScore: 0.5),
    ])
    func rate(_ species: String) throws -> Proportion {
      try set.acceptRate(species: species, livenessThreshold: 0.5, matchThreshold: 0.5)
    }
    #expect(try rate("print") == Proportion(1, of: 4))
    #expect(try rate("mask") == Proportion(1, of: 1))
    #expect(throws: EvaluationError.noAttackPresentations(species: "replay")) { try rate("replay") }
  }
}
