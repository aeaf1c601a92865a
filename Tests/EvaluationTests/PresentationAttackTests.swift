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

  @Test("the threshold for a BPCER is the highest that keeps it, and needs presentations that allow an error")
  func bonaFideTarget() throws {
    let live = PresentationAttackSet(bonaFide: (1...100).map { Double($0) / 100 }, attacks: [:])
    #expect(try live.threshold(atBonaFideErrorRate: .of("0.05")).point == 0.06)
    #expect(try live.bonaFideErrorRate(at: 0.06) == Proportion(5, of: 100))
    #expect(try live.bonaFideErrorRate(at: 0.06.nextUp) == Proportion(6, of: 100))
    #expect(
      try live.threshold(atBonaFideErrorRate: .of("0.001")) == .notReachable(trials: 100, needed: 1000))
    let tied = PresentationAttackSet(bonaFide: [0.5, 0.5, 0.5, 0.9], attacks: [:])
    #expect(try tied.threshold(atBonaFideErrorRate: .of("0.5")).point == 0.5)
    #expect(throws: EvaluationError.noBonaFidePresentations) {
      try PresentationAttackSet([]).threshold(atBonaFideErrorRate: .of("0.5"))
    }
  }

  @Test("presentations are the scores of their classes, and decisions are scores of 1 and 0")
  func presentations() throws {
    let set = PresentationAttackSet([
      .init(species: nil, livenessScore: Presentation.decision(isBonaFide: true)),
      .init(species: nil, livenessScore: Presentation.decision(isBonaFide: false)),
      .init(species: nil, livenessScore: nil), .init(species: "print", livenessScore: nil),
      .init(species: "mask", livenessScore: Presentation.decision(isBonaFide: true)),
    ])
    #expect(set.species == ["mask", "print"])
    #expect(try set.bonaFideErrorRate(at: Presentation.decisionThreshold) == Proportion(1, of: 2))
    #expect(try set.attackErrorRate(species: "mask", at: Presentation.decisionThreshold).value == 1)
    #expect(set.bonaFideNonResponses == 1 && set.attackNonResponses == ["print": 1, "mask": 0])
  }

  @Test("figures of presentations without one class have nulls for its rates, and say so")
  func figuresOfOneClass() throws {
    let attacks = PresentationFigures(
      [.init(species: "print", livenessScore: 0.9, comparisonScore: 0.9)], threshold: 0.5)
    let rates = try #require(attacks.points.first?.outcome.point)
    #expect(rates.bonaFide == nil && rates.worst?.species == "print" && rates.impostors.isEmpty)
    #expect(attacks.warnings.count == 2)
    let live = PresentationFigures([.init(species: nil, livenessScore: 0.9)], threshold: 0.5)
    #expect(live.json["at_given_threshold"]?["apcer_worst"] == .null)
    #expect(live.warnings == ["no attack presentation has a response, so APCER is undefined"])
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
