import Biometrics
import EnrolmentStore
import Evaluation
import EvaluationCommands
import Foundation
import Liveness
import LivenessTraining
import Simulation

enum WhatIfCommand: Command {
  static let name = "what-if"
  static let summary = "decide again under another policy and list what would change"
  static let explanation = """
    Runs the engine's own state machine twice, under the policy as it is and with the changes given, and lists the ends,
    the rates per transaction where the truth is known, and each re-verification that would have ended otherwise.

    On a cohort (data, or a synthetic one) the same people play the same scenes through the whole engine. On recorded
    decisions, one JSON decision record a line, recorded scores and liveness are decided anew; what would need an attempt
    that was never made, or a score that was never formed, is listed as undetermined.

    Another liveness model judges the same frames once more: on a cohort those of simulated captures, on records those of
    --captures, known by the digest in the decision record.

      reverify what-if --data FOLDER --threshold 0.45
      reverify what-if --records decisions.jsonl --attempts 2 --recognise-threshold 0.6 --json
      reverify what-if --records decisions.jsonl --captures captures.jsonl --liveness-model new.json
    """
  static let options =
    EmbeddingInput.options + [
      SpaceLibrary.option,
      .option("records", "FILE", "decision records, one a line"),
      .option("space", "NAME", "the embedding space of the data"),
      .option("threshold", "T", "another verify threshold, -1...1"),
      .option("recognise-threshold", "T", "another recognise threshold, -1...1"),
      .option("attempts", "N", "other attempts of a re-verification, 1...10"),
      .option("liveness-threshold", "T", "the lowest liveness score that is live, 0...1"),
      .option("liveness-model", "FILE", "another liveness model"),
      .option(
        "liveness-before", "FILE",
        "of a cohort: the model it is compared with (default models/liveness/simulated-ideal-68.json)"),
      .option("captures", "FILE", "of records: the captures they were made from, one a line"),
      .option("seed", "N", "of the parts, and of the synthetic cohort (default 1)"),
      .option("subjects", "N", "subjects of the synthetic cohort (default 2000)"),
      .option("dimension", "N", "its dimensions (default 512)"),
      .option("threads", "N", "threads a search may use (default: one per core)"),
      .flag("json", "the report as one JSON object"),
    ]

  static func run(_ arguments: Arguments) async throws -> Int32 {
    let change = try change(arguments)
    guard change != PolicyChange() else {
      throw UsageError("what if what? Give at least one value of another policy")
    }
    let report: WhatIfReport
    if let path = arguments["records"] {
      report = try recorded(path, change, arguments)
    } else {
      if arguments["captures"] != nil { throw UsageError("--captures belong to --records") }
      var options = ReVerificationSimulation.Options()
      options.livenessModel = try modelBefore(change, arguments)
      options.seed = try arguments.number("seed", in: 0...UInt64.max, default: 1)
      options.threadCount = try arguments.optionalNumber("threads", in: 1...1024)
      let (cohort, points, isEvidence) = try SimulateCommand.cohort(arguments, seed: options.seed)
      options.thresholds = try SimulateCommand.thresholds(options, points, isEvidence: isEvidence)
      var progress = Progress("what-if")
      report = try await CohortWhatIf(cohort, options: options, change: change).run {
        progress.show($0, of: $1)
      }
    }
    if arguments.has("json") {
      try Output.standard.write(json: report)
    } else {
      Output.standard.write(text(report))
    }
    return ExitStatus.success
  }

  private static func recorded(
    _ path: String, _ change: PolicyChange, _ arguments: Arguments
  ) throws -> WhatIfReport {
    let named =
      EmbeddingInput.options.map(\.name) + ["space", "subjects", "dimension", "seed", "liveness-before"]
    for name in named where arguments[name] != nil {
      throw UsageError("--\(name) is about a cohort, and records are given")
    }
    guard (change.livenessModel == nil) == (arguments["captures"] == nil) else {
      throw UsageError("--liveness-model judges the --captures of the records: give both")
    }
    var captures: [CaptureRecord] = []
    if let path = arguments["captures"] {
      let file = try CaptureFile(path)
      for index in 0..<file.count { captures.append(try file.record(index)) }
    }
    return try RecordedWhatIf(change, captures: captures).run(records(path))
  }

  /// The model of a cohort as it is, where another one is to be tried.
  private static func modelBefore(_ change: PolicyChange, _ arguments: Arguments) throws -> LivenessModel? {
    guard let other = change.livenessModel else {
      if arguments["liveness-before"] != nil {
        throw UsageError("--liveness-before is what --liveness-model is compared with: give both")
      }
      return nil
    }
    let model = try livenessModel(arguments["liveness-before"] ?? SimulateCommand.defaultModel)
    guard model.landmarker == other.landmarker else {
      throw UsageError(
        "the two liveness models are of two landmarkers, so they can't judge the same captures")
    }
    return model
  }

  private static func livenessModel(_ path: String) throws -> LivenessModel {
    do {
      return try LivenessModel.load(path: path)
    } catch {
      throw InputError("\(path): \(error)")
    }
  }

  private static func change(_ arguments: Arguments) throws -> PolicyChange {
    let range = -1...1 as ClosedRange<Float>
    let change = PolicyChange(
      verifyThreshold: try arguments.optionalNumber("threshold", in: range).flatMap(SimilarityThreshold.init),
      recogniseThreshold: try arguments.optionalNumber("recognise-threshold", in: range)
        .flatMap(SimilarityThreshold.init),
      attempts: try arguments.optionalNumber("attempts", in: 1...10),
      livenessThreshold: try arguments.optionalNumber("liveness-threshold", in: 0...1),
      livenessModel: try arguments["liveness-model"].map(livenessModel))
    if let verify = change.verifyThreshold, let recognise = change.recogniseThreshold, recognise < verify {
      throw UsageError("--recognise-threshold can't lie below --threshold")
    }
    return change
  }

  /// One record a line, bare or with its number.
  private static func records(_ path: String) throws -> [DecisionRecord] {
    guard let data = FileManager.default.contents(atPath: path) else {
      throw InputError("\(path): can't be read")
    }
    guard !data.allSatisfy({ $0 == UInt8(ascii: "\n") }) else {
      throw InputError("\(path): expected at least one decision record, found none")
    }
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    return try data.split(separator: UInt8(ascii: "\n")).enumerated().map { index, line in
      do {
        if let numbered = try? decoder.decode(NumberedDecision.self, from: line) { return numbered.record }
        return try decoder.decode(DecisionRecord.self, from: line)
      } catch let error as DecodingError {
        throw InputError("\(path), line \(index + 1): \(error.shortDescription)")
      }
    }
  }

  private static func text(_ report: WhatIfReport) -> String {
    let names = Set(report.before.keys).union(report.after.keys).sorted()
    var lines = ["\(report.reVerifications) re-verifications", "end".padded(to: 20) + "    before     after"]
    lines += names.map { name in
      name.padded(to: 20) + "\(report.before[name] ?? 0)".leftPadded(to: 10)
        + "\(report.after[name] ?? 0)".leftPadded(to: 10)
    }
    if let before = report.ratesBefore, let after = report.ratesAfter {
      lines.append("rates per transaction, with 95 % intervals")
      lines.append(line("FAR (wrong person verified)", before.falseAccept, after.falseAccept))
      lines.append(line("FRR (right person not verified)", before.falseReject, after.falseReject))
      lines.append(
        line("failed liveness verified", before.failedLivenessVerified, after.failedLivenessVerified))
    }
    lines.append("decisions that would flip: \(report.flips.count)")
    lines += report.flips.map { flip in
      "  \(flip.id)\(flip.truth.map { " (\($0))" } ?? ""): \(flip.before) -> \(flip.after)"
    }
    lines.append("undetermined: \(report.undetermined.count)")
    lines += report.undetermined.map { "  \($0.id) (\($0.before)): \($0.reason)" }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func line(_ name: String, _ before: WhatIfReport.Rate?, _ after: WhatIfReport.Rate?)
    -> String
  {
    func text(_ rate: WhatIfReport.Rate?) -> String {
      guard let rate else { return "none of the kind" }
      return "\(rate.count) of \(rate.of) (\(BoundText.low(rate.low)) to \(BoundText.high(rate.high)))"
    }
    return "  \(name): \(text(before)) -> \(text(after))"
  }
}
