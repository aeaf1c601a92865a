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
    let trainer = ModelTrainer(plan: plan, landmarker: landmarker, template: template)
    var model = trainer.train(split, provenance: provenance)
    evaluation = try ModelEvaluation(model, policy: "standard", on: split.test)
    model.validation = evaluation.report(note: note)
    reservations = Self.reservations(captures, model.validation)
    model.provisional = !reservations.isEmpty
    self.model = model
    unmet =
      Self.unmet(evaluation, bounds)
      + (model.validation.showsDiscrimination
        ? []
        : ["attacks may pass as often as people, by the bounds of both rates: too few, or not told apart"])
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
    func check(_ name: String, _ rate: Proportion, _ most: Double?) {
      guard let most, rate.wilson().high > most else { return }
      unmet.append(
        "\(name): \(rate), upper bound \(percent(rate.wilson().high, .up)), asked at most \(percent(most))")
    }
    check("BPCER", evaluation.bonaFide.rate, bounds.maximumBPCER)
    for row in evaluation.attacks {
      if let known = AttackSpecies(rawValue: row.name), AttackSpecies.unstoppable.contains(known) { continue }
      check("APCER of \(row.name)", row.rate, bounds.maximumAPCER)
    }
    return unmet
  }
}

/// A rate as a percentage with three decimals; bounds are rounded outwards.
func percent(_ rate: Double, _ rule: FloatingPointRoundingRule = .toNearestOrAwayFromZero) -> String {
  let scaled = (rate * 100_000).rounded(rule) / 1000
  return "\(scaled) %"
}
