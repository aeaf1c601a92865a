import Biometrics
import Evaluation
import Liveness

/// What `reverify tune-liveness` does: labelled captures to a model with its evidence.
public struct LivenessTuning: Sendable {
  /// What the model must reach on the test part; an unmet one makes the command fail.
  public struct Bounds: Sendable {
    /// BPCER aimed at on calibration captures, and the upper end of the 95 % interval that testing must stay below.
    public var bpcer = 0.05
    public var maximumBPCER: Double?
    /// The upper end of the 95 % interval of every species' APCER, the unstoppable ones left out.
    public var maximumAPCER: Double?

    public init() {}

    /// Where no bound is asked for, the lower ends of the intervals must not lie above these: such a model is certainly bad.
    static let worstAPCER = 0.1
    var worstBPCER: Double { min(1, 2 * bpcer) }
  }

  public let model: LivenessModel
  public let evaluation: ModelEvaluation
  /// What was not reached, in words; empty when all was.
  public let unmet: [String]
  /// Why the model is provisional, in words; empty when it isn't.
  public let reservations: [String]

  /// Trains on `captures`, split by subject. `extra` are added to the training part, such as recorded sequences.
  ///
  /// The model is provisional unless every capture says that it was taken by a camera, and the test part is as large as
  /// `ValidationReport.Minimum`.
  public init(
    captures: [LabelledCapture], extra: [LabelledCapture] = [], landmarker: Capture.Landmarker,
    template: FaceTemplate, plan: TrainingPlan, bounds: Bounds, seed: UInt64, provenance: Provenance,
    note: String
  ) throws {
    var split = try SubjectSplit(captures, seed: seed)
    split = try SubjectSplit(train: split.train + extra, calibrate: split.calibrate, test: split.test)
    var plan = plan
    plan.policies["standard"] = bounds.bpcer
    var trainer = ModelTrainer(plan: plan, landmarker: landmarker, template: template)
    trainer.passiveModel = captures.lazy.compactMap(\.passiveModel).first
    trainer.embeddingModel = captures.lazy.compactMap(\.embeddingModel).first
    var model = trainer.train(split, provenance: provenance)
    evaluation = try ModelEvaluation(model, policy: "standard", on: split.test)
    model.validation = evaluation.report(note: note)
    model.reductions = try Self.validated(model, on: split.test, note: note)
    reservations = Self.reservations(captures, model.validation)
    model.provisional = !reservations.isEmpty
    for capture in captures + extra {
      let kind = capture.isRecorded ? "recorded" : capture.provenance?.rawValue ?? "unstated"
      model.provenance.captures[kind, default: 0] += 1
    }
    self.model = model
    unmet =
      Self.unmet(evaluation, bounds)
      + (model.validation.showsDiscrimination
        ? []
        : ["attacks may pass as often as people, by the bounds of both rates: too few, or not told apart"])
  }

  /// The model's tunings for cues switched off, each with its own evidence. Those that show no discrimination are left out, and
  /// the cue can't be switched off then.
  private static func validated(
    _ model: LivenessModel, on test: [LabelledCapture], note: String
  ) throws -> [LivenessModel.Tuning] {
    try Cue.allCases.compactMap { cue in
      guard let reduced = model.switchingOff(cue), var tuning = reduced.tuningInForce else { return nil }
      tuning.validation = try ModelEvaluation(reduced, policy: "standard", on: test)
        .report(note: "Without \(cue.rawValue). \(note)")
      return tuning.validation.showsDiscrimination ? tuning : nil
    }
  }

  /// Whether `model` can be loaded; otherwise a file of it would be of no use.
  public var isUsable: Bool { (try? LivenessDetector(models: [model])) != nil }

  private static func reservations(
    _ captures: [LabelledCapture], _ validation: ValidationReport
  ) -> [String] {
    var reservations: [String] = []
    let others = captures.count { $0.provenance != .camera }
    if others > 0 {
      reservations.append("\(others) of \(captures.count) captures don't say that a camera took them")
    }
    if !validation.isSufficient {
      typealias Minimum = ValidationReport.Minimum
      reservations.append(
        "the test part is below \(Minimum.subjects) subjects, \(Minimum.bonaFide) live captures or "
          + "\(Minimum.attacksOfSpecies) attacks of a species")
    }
    return reservations
  }

  static func unmet(_ evaluation: ModelEvaluation, _ bounds: Bounds) -> [String] {
    var unmet: [String] = []
    func check(_ name: String, _ rate: Proportion, _ most: Double?, _ worst: Double) {
      let (low, high) = (rate.wilson().low, rate.wilson().high)
      if let most, high > most {
        unmet.append("\(name): \(rate), upper bound \(percent(high, .up)), asked at most \(percent(most))")
      } else if most == nil, low > worst {
        unmet.append("\(name): \(rate), lower bound \(percent(low, .down)), above \(percent(worst))")
      }
    }
    check("BPCER", evaluation.bonaFide.rate, bounds.maximumBPCER, bounds.worstBPCER)
    for row in evaluation.attacks {
      if let known = AttackSpecies(rawValue: row.name), AttackSpecies.unstoppable.contains(known) { continue }
      check("APCER of \(row.name)", row.rate, bounds.maximumAPCER, Bounds.worstAPCER)
    }
    return unmet
  }
}

/// A rate as a percentage with three decimals; bounds are rounded outwards.
func percent(_ rate: Double, _ rule: FloatingPointRoundingRule = .toNearestOrAwayFromZero) -> String {
  let scaled = (rate * 100_000).rounded(rule) / 1000
  return "\(scaled) %"
}
