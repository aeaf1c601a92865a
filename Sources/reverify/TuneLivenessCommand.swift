import Biometrics
import Foundation
import Liveness
import LivenessTraining

enum TuneLivenessCommand: Command {
  static let name = "tune-liveness"
  static let summary = "make a liveness model of labelled captures, with its evidence"
  static let explanation = """
    Splits by subject: half to fit the cues, a quarter to calibrate and to choose the thresholds, a quarter to test. No
    subject is in two parts. Reports BPCER and APCER as counts with 95 % bounds, the worst species first, and exits with
    1 when a bound that was asked for is not met. Start with 60 people, three captures each, and 300 attempts a species.
    Without --captures the model is made from the simulator and marked provisional.

      reverify tune-liveness --captures labelled.jsonl --out model.json --max-bpcer 0.08 --max-apcer 0.01
      reverify tune-liveness --simulate simulated-ideal-68 --subjects 800 --out model.json
    """
  static let options: [CommandOption] = [
    .option("captures", "FILE", "capture records with label and subject, one a line"),
    .option("simulate", "LANDMARKER", "make a provisional model from simulated captures instead"),
    .option("subjects", "N", "how many to simulate (default: 200)"),
    .option(
      "recorded", "FILES", "with commas: sequences of the landmarker's output to train on, with --simulate"),
    .option("bpcer", "RATE", "the part of live calibration captures that may be refused (default: 0.05)"),
    .option("max-bpcer", "RATE", "the upper bound of the tested BPCER must not exceed it"),
    .option("max-apcer", "RATE", "the same for every species that can be stopped"),
    .option("seed", "N", "of the split, and of the simulation (default: 1)"),
    .option("revision", "TEXT", "of the code, for the model's provenance (default: the engine's version)"),
    .option("date", "TEXT", "for the model's provenance (default: today)"),
    .option("out", "FILE", "where to write the model"),
  ]

  static func run(_ arguments: Arguments) throws -> Int32 {
    guard let out = arguments["out"] else { throw UsageError("where to? Give --out FILE") }
    var bounds = LivenessTuning.Bounds()
    bounds.bpcer = try arguments.number("bpcer", in: 0.0001...0.5, default: 0.05)
    bounds.maximumBPCER = try arguments.optionalNumber("max-bpcer", in: 0...1)
    bounds.maximumAPCER = try arguments.optionalNumber("max-apcer", in: 0...1)
    let seed = try arguments.number("seed", in: 0...UInt64.max, default: 1)
    let tuning: LivenessTuning
    switch (arguments["captures"], arguments["simulate"]) {
    case (let path?, nil): tuning = try tune(path, bounds, seed, arguments)
    case (nil, let landmarker?): tuning = try simulate(landmarker, bounds, seed, arguments)
    default: throw UsageError("from what? Give either --captures FILE or --simulate LANDMARKER")
    }
    try writeFile(Data(tuning.model.encoded()), to: out)
    Output.standard.write(LivenessReport.text(tuning.evaluation) + "\n")
    for each in tuning.unmet { complain("not met: \(each)") }
    return tuning.unmet.isEmpty ? ExitStatus.success : ExitStatus.partial
  }

  private static func tune(
    _ path: String, _ bounds: LivenessTuning.Bounds, _ seed: UInt64, _ arguments: Arguments
  ) throws -> LivenessTuning {
    let file = try CaptureFile(path)
    guard file.count > 0 else { throw InputError("\(path): no captures") }
    let landmarker = try file.record(0).capture.landmarker
    guard let layout = landmarker.layout, layout.carriesRelief else {
      throw InputError("\(path): expected 68 or 468 landmarks, found \(landmarker.points)")
    }
    let template = CanonicalFace.template(layout)
    let captures = try file.labelled(
      landmarker: landmarker, extractor: FeatureExtractor(template: template), limits: CheckLimits())
    return try LivenessTuning(
      captures: captures, landmarker: landmarker, template: template, plan: .standard, bounds: bounds,
      seed: seed,
      provisional: false,
      provenance: provenance(["captures": file.digest], "--captures FILE --seed \(seed)", arguments),
      note: "Labelled captures of subjects that the model was not made from.")
  }

  private static func simulate(
    _ name: String, _ bounds: LivenessTuning.Bounds, _ seed: UInt64, _ arguments: Arguments
  ) throws -> LivenessTuning {
    let subjects = try arguments.number("subjects", in: 8...100_000, default: 200)
    let paths = (arguments["recorded"] ?? "").split(separator: ",").map(String.init)
    var recorded: [RecordedSequence] = []
    var data: [String: String] = [:]
    for path in paths {
      recorded += try RecordedSequence.read(path)
      data[URL(filePath: path).lastPathComponent] = try CaptureFile(path).digest
    }
    var command = "--simulate \(name) --subjects \(subjects) --seed \(seed)"
    if !paths.isEmpty {
      command += " --recorded " + paths.map { URL(filePath: $0).lastPathComponent }.joined(separator: ",")
    }
    return try SimulatedTuning.tune(
      profile: SimulateCapturesCommand.profile(name), subjects: subjects, seed: seed, recorded: recorded,
      bounds: bounds, provenance: provenance(data, command, arguments))
  }

  private static func provenance(
    _ data: [String: String], _ command: String, _ arguments: Arguments
  ) -> Provenance {
    Provenance(
      data: data, command: "reverify tune-liveness \(command)",
      revision: arguments["revision"] ?? EngineVersion.current,
      date: arguments["date"] ?? String(Date.now.ISO8601Format().prefix(10)))
  }
}
