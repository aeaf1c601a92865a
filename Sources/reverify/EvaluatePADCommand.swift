import Liveness
import LivenessTraining

enum EvaluatePADCommand: Command {
  static let name = "evaluate-pad"
  static let summary = "error rates of presentation attack detection on labelled captures"
  static let explanation = """
    In the terms of ISO/IEC 30107-3: BPCER, the live captures refused, and APCER of each attack species, the attacks
    passed, as counts with Wilson's 95 % bounds and the worst species first, at the model's own thresholds; then APCER at the
    thresholds of BPCER 1 % and 5 % of these very captures, for comparison only.

      reverify evaluate-pad --captures labelled.jsonl --model model.json
    """
  static let options: [CommandOption] = [
    .option("captures", "FILE", "capture records with label and subject, one a line"),
    .option("model", "FILE", "a liveness model"),
    .option("species", "NAMES", "with commas: further attack species that labels may name"),
    .option("policy", "NAME", "the model's policy (default: standard)"),
  ]

  static func run(_ arguments: Arguments) throws -> Int32 {
    guard let path = arguments["captures"] else { throw UsageError("which captures? Give --captures FILE") }
    let models = try ScoreLivenessCommand.readModels(arguments)
    guard models.count == 1, let model = models.first else { throw UsageError("--model takes one file here") }
    guard
      let template = FaceTemplate(
        layout: model.landmarker.layout!, x: model.template.x, y: model.template.y,
        relief: model.template.relief)
    else { throw InputError("the model's template can't be used") }
    let captures = try CaptureFile(path).labelled(
      landmarker: model.landmarker, extractor: FeatureExtractor(template: template), limits: model.limits,
      vocabulary: TuneLivenessCommand.vocabulary(arguments))
    let evaluation = try ModelEvaluation(model, policy: arguments["policy"] ?? "standard", on: captures)
    Output.standard.write(LivenessReport.text(evaluation) + "\n\n")
    Output.standard.write(try LivenessReport.operatingPoints(evaluation.scores) + "\n")
    return ExitStatus.success
  }
}
