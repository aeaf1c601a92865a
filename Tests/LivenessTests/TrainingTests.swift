import Biometrics
import Evaluation
import Liveness
import Testing

@testable import LivenessTraining

@Suite("Training")
struct TrainingTests {
  @Test("a logistic regression finds the coefficients that made the data")
  func regression() {
    var generator = SeededGenerator(seed: 1)
    let rows = (0..<8000).map { _ in
      [Double(generator.nextNearlyNormal()), Double(generator.nextNearlyNormal())]
    }
    let targets = rows.map { row in
      Double.random(in: 0..<1, using: &generator) < Elementary.logistic(0.5 + 1.5 * row[0] - 0.7 * row[1])
        ? 1.0 : 0
    }
    let weights = [Double](repeating: 1, count: rows.count)
    let fit = LogisticRegression(rows: rows, targets: targets, weights: weights, ridge: 1e-6)
    #expect((fit.intercept - 0.5).magnitude < 0.1)
    #expect((fit.coefficients[0] - 1.5).magnitude < 0.13)
    #expect((fit.coefficients[1] + 0.7).magnitude < 0.1)
    let nonNegative = LogisticRegression(
      rows: rows, targets: targets, weights: weights, ridge: 1e-6, nonNegative: true)
    #expect(nonNegative.coefficients[1] == 0)
    #expect(nonNegative.coefficients[0] > 1)
  }

  @Test("separable data end at finite coefficients")
  func separable() {
    let rows = (0..<100).map { [Double($0) - 49.5] }
    let fit = LogisticRegression(
      rows: rows, targets: rows.map { $0[0] > 0 ? 1 : 0 }, weights: [Double](repeating: 1, count: 100),
      ridge: 1)
    #expect(fit.coefficients[0].isFinite && fit.coefficients[0] > 0)
  }

  private func captures(_ subjects: Range<Int>, bonaFideEach: Int = 2) -> [LabelledCapture] {
    var cohort = SimulatedCohort(profile: Fixtures.profile, seed: 5, subjects: subjects.count)
    cohort.firstSubject = subjects.lowerBound
    cohort.bonaFideEach = bonaFideEach
    cohort.species = [.bonaFide, .flatPhoto, .bentPhoto, .replayInjected, .interpolatedNoisy, .personChange]
    return cohort.labelled(extractor: Fixtures.extractor)
  }

  @Test("no subject is in two parts, and parts that share one are refused")
  func split() throws {
    let captures = captures(0..<12)
    let split = try SubjectSplit(captures, seed: 3)
    let parts = [split.train, split.calibrate, split.test].map { Set($0.map(\.subject)) }
    #expect(parts.map(\.count).reduce(0, +) == 12)
    #expect(parts[0].union(parts[1]).union(parts[2]).count == 12)
    #expect(throws: SubjectSplit.Failure.subjectInTwoParts) {
      try SubjectSplit(
        train: split.train, calibrate: split.calibrate, test: split.test + split.train.prefix(1))
    }
    #expect(throws: SubjectSplit.Failure.tooFewSubjects(found: 4, needed: 8)) {
      try SubjectSplit(
        captures.filter {
          ["simulated-0", "simulated-1", "simulated-2", "simulated-3"].contains($0.subject)
        }, seed: 1)
    }
    #expect(throws: SubjectSplit.Failure.noAttacks) {
      try SubjectSplit(captures.filter(\.isBonaFide), seed: 1)
    }
    #expect(throws: SubjectSplit.Failure.noBonaFide) {
      try SubjectSplit(captures.filter { !$0.isBonaFide }, seed: 1)
    }
  }

  @Test(
    "tuning gives a model that loads, with thresholds of the calibration part, and tells bounds that it misses"
  )
  func tuning() throws {
    let captures = captures(0..<20, bonaFideEach: 5)
    func tune(_ bounds: LivenessTuning.Bounds) throws -> LivenessTuning {
      try LivenessTuning(
        captures: captures, landmarker: Fixtures.profile.landmarker,
        template: CanonicalFace.template(.sixtyEight),
        plan: .standard, bounds: bounds, seed: 1,
        provenance: .init(data: [:], command: "test", revision: "none", date: "2026-01-01"), note: "a test")
    }
    // Twenty subjects make no good model, so it is asked for nothing.
    var bounds = LivenessTuning.Bounds()
    (bounds.maximumBPCER, bounds.maximumAPCER) = (1, 1)
    let tuned = try tune(bounds)
    #expect(tuned.unmet.isEmpty)
    #expect(try LivenessModel.load(tuned.model.encoded()) == tuned.model)
    #expect(try tune(bounds).model == tuned.model)
    #expect(tuned.model.validation.apcer.count == 5)
    // Five attacks of a species can't show less than this.
    bounds.maximumAPCER = 0.01
    #expect(try tune(bounds).unmet.count == 5)
    bounds.maximumAPCER = 0.9
    #expect(try tune(bounds).unmet.isEmpty)
  }

  /// Bug: without bounds the worst model was written, with exit status 0.
  @Test("where no bound is asked for, a model that is certainly bad is told all the same")
  func worst() throws {
    func evaluation(refused: Int, passed: Int) throws -> ModelEvaluation {
      let model = try Fixtures.model("simulated-ideal-68")
      // Captures without features are inconclusive; those of the simulator pass or don't as they are labelled.
      let live = Fixtures.simulator.capture(.bonaFide, subject: try passingSubject(), index: 0)
      let good = LabelledCapture(live, extractor: Fixtures.extractor, limits: .init())
      var attack = good
      attack.species = AttackSpecies.flatPhoto.rawValue
      var stopped = attack
      stopped.findings = [.frozenFrames]
      var poor = good
      poor.findings = [.frozenFrames]
      return try ModelEvaluation(
        model, policy: "standard",
        on: [LabelledCapture](repeating: poor, count: refused)
          + [LabelledCapture](repeating: good, count: 100 - refused)
          + [LabelledCapture](repeating: attack, count: passed)
          + [LabelledCapture](repeating: stopped, count: 100 - passed))
    }
    #expect(try LivenessTuning.unmet(evaluation(refused: 14, passed: 14), .init()).isEmpty)
    let unmet = try LivenessTuning.unmet(evaluation(refused: 20, passed: 20), .init())
    #expect(unmet.count == 2 && unmet[0].hasPrefix("BPCER: 20 of 100, lower bound 13.3"))
    #expect(unmet[1].hasPrefix("APCER of flat_photo: 20 of 100"))
    var asked = LivenessTuning.Bounds()
    (asked.maximumBPCER, asked.maximumAPCER) = (0.5, 0.5)
    #expect(try LivenessTuning.unmet(evaluation(refused: 20, passed: 20), asked).isEmpty)
  }

  private func passingSubject() throws -> Int { try Fixtures.passing().subject }

  @Test("a threshold refuses what its rate allows, and below it half of those are asked to try again")
  func policies() {
    // Of 100 people two are refused by a check or a floor.
    let scores = [Double](repeating: 0, count: 2) + (2..<100).map { Double($0) / 100 }
    #expect(ModelTrainer.policy(rate: 0.10, scores: scores) == .init(pass: 0.10, retry: 0.06))
    #expect(scores.count { $0 < 0.10 } == 10 && scores.count { $0 >= 0.06 && $0 < 0.10 } == 4)
    // Half a unit of log-odds below 0.03 is 1 / (1 + e^0.5 · 97 / 3), and so on.
    func below(_ pass: Double) -> Double { 1 / (1 + 1.6487212707001282 * (1 - pass) / pass) }
    let narrow = ModelTrainer.policy(rate: 0.03, scores: scores)
    #expect(narrow.pass == 0.03 && (narrow.retry - below(0.03)).magnitude < 1e-12)
    // Checks and floors alone refuse more than the rate: the threshold is what the others reach.
    let least = ModelTrainer.policy(rate: 0.01, scores: scores)
    #expect(least.pass == 0.02 && (least.retry - below(0.02)).magnitude < 1e-12)
    #expect(
      ModelTrainer.policy(rate: 0.05, scores: [Double](repeating: 0, count: 9)) == .init(pass: 1, retry: 1))
  }

  @Test("a model is provisional unless cameras took all captures and enough were tested")
  func provisional() throws {
    func tune(_ captures: [LabelledCapture]) throws -> LivenessTuning {
      try LivenessTuning(
        captures: captures, landmarker: Fixtures.profile.landmarker,
        template: CanonicalFace.template(.sixtyEight), plan: .standard, bounds: .init(), seed: 1,
        provenance: .init(data: [:], command: "test", revision: "none", date: "2026-01-01"), note: "a test")
    }
    // The same few captures under many names: enough by number for what is asked here.
    let few = captures(0..<4, bonaFideEach: 3)
    var many: [LabelledCapture] = []
    for copy in 0..<20 {
      for capture in few {
        var capture = capture
        capture.subject += "-\(copy)"
        capture.provenance = .camera
        many += [LabelledCapture](repeating: capture, count: capture.isBonaFide ? 1 : 5)
      }
    }
    #expect(try !tune(many).model.provisional)
    #expect(try tune(many).reservations.isEmpty)
    var mixed = many
    mixed[7].provenance = .rendered
    #expect(try tune(mixed).model.provisional)
    #expect(try tune(mixed).reservations.count == 1)
    // Forty subjects, of whom ten are tested.
    let short = try tune(many.filter { Int($0.subject.split(separator: "-").last!)! < 10 })
    #expect(short.model.provisional && short.reservations.count == 1)
    #expect(short.model.validation.subjects == 10)
  }

  @Test("the calibration part alone sets thresholds: other test captures change none")
  func leakage() throws {
    let split = try SubjectSplit(captures(0..<12), seed: 2)
    let others = try SubjectSplit(train: split.train, calibrate: split.calibrate, test: captures(100..<102))
    let trainer = ModelTrainer(
      plan: .standard, landmarker: Fixtures.profile.landmarker, template: CanonicalFace.template(.sixtyEight))
    let provenance = Provenance(data: [:], command: "", revision: "", date: "")
    let models = [split, others].map { trainer.train($0, provenance: provenance) }
    #expect(models[0] == models[1])
  }

  @Test("a report gives counts with Wilson's bounds, worst species first, and marks what can't be stopped")
  func report() throws {
    let model = try Fixtures.model("simulated-ideal-68")
    var cohort = SimulatedCohort(profile: Fixtures.profile, seed: 6, subjects: 3)
    cohort.species = [.bonaFide, .flatPhoto, .followingRender]
    let evaluation = try ModelEvaluation(
      model, policy: "standard", on: cohort.labelled(extractor: Fixtures.extractor))
    let text = LivenessReport.text(evaluation)
    #expect(text.contains("of 18 ("))
    #expect(text.contains("flat_photo: 0 of 3 (0.0 %, 95 %: 0.0 % to 56.1"))
    #expect(text.contains("(not stoppable by these cues)"))
    #expect(evaluation.attacks.map(\.rate.value) == evaluation.attacks.map(\.rate.value).sorted(by: >))
    // Of 18 live captures 1 % allows none, and 5 % none either: 20 would allow one.
    #expect(
      try LivenessReport.operatingPoints(evaluation.scores).hasSuffix(
        "not reachable with 18 live captures; 20 allow one error"))
  }

  @Test("operating points name the worst species, and no threshold for what is refused whatever it is")
  func operatingPoints() throws {
    var live = (1...100).map { Double($0) / 100 }
    let attacks = ["print": [0.005, 0.015], "mask": [0.04, 0.05]]
    let text = try LivenessReport.operatingPoints(PresentationAttackSet(bonaFide: live, attacks: attacks))
    #expect(text.contains("at BPCER 1.0 %: threshold 0.02\n  BPCER 1 of 100"))
    #expect(text.contains("APCER mask: 2 of 2") && text.contains("APCER print: 0 of 2"))
    #expect(text.contains("  worst: mask"))
    live.replaceSubrange(0..<3, with: [0, 0, 0])
    let refused = try LivenessReport.operatingPoints(PresentationAttackSet(bonaFide: live, attacks: attacks))
    #expect(refused.hasPrefix("at BPCER 1.0 %: not reachable, since more are refused"))
    #expect(refused.contains("at BPCER 5.0 %: threshold 0.06"))
  }
}
