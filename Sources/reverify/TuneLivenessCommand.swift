import Biometrics
import EvaluationCommands
import Foundation
import Liveness
import LivenessTraining

enum TuneLivenessCommand: Command {
  static let name = "tune-liveness"
  static let summary = "make a liveness model of labelled captures, with its evidence"
  static let explanation = """
    Splits by subject: half to fit the cues, a quarter to calibrate and to choose the thresholds, a quarter to test. No
    subject is in two parts. Reports BPCER and APCER as counts with 95 % bounds, the worst species first. When a bound that
    was asked for is not met, or attacks may pass as often as people, it exits with 1 and writes no model, unless
    --write-unmet is given. Where none was asked for, neither is one with a lower bound of the BPCER above twice --bpcer, or of a
    species' APCER above 10 %. Cues can be switched off in the model's file one at a time; --without makes one without several. Labels are bona_fide and the species of 'simulate-captures'; name further ones with --species.

    The model is provisional unless every capture has "provenance":"camera", and the test part is large enough. Start with
    60 people, three captures each, and 300 attempts a species. Without --captures it is made from the simulator.

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
    .option("species", "NAMES", "with commas: further attack species that labels may name"),
    .flag("write-unmet", "write the model also when a bound is not met"),
    .option("without", "CUES", "with commas: cues that the model is to do without"),
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
    var outputs = OutputFiles()
    try outputs.announce("out", at: out)
    let recorded = (arguments["recorded"] ?? "").split(separator: ",").map(String.init)
    try outputs.requireDistinct(from: recorded + [arguments["captures"]].compactMap { $0 })
    let tuning: LivenessTuning
    switch (arguments["captures"], arguments["simulate"]) {
    case (let path?, nil): tuning = try tune(path, bounds, seed, arguments)
    case (nil, let landmarker?): tuning = try simulate(landmarker, bounds, seed, arguments)
    default: throw UsageError("from what? Give either --captures FILE or --simulate LANDMARKER")
    }
    Output.standard.write(LivenessReport.text(tuning.evaluation) + "\n")
    for each in tuning.reservations { complain("provisional: \(each)") }
    for each in tuning.unmet { complain("not met: \(each)") }
    guard tuning.unmet.isEmpty || arguments.has("write-unmet") else {
      complain("\(out): not written, since a bound is not met; --write-unmet writes it all the same")
      return ExitStatus.partial
    }
    if !tuning.isUsable { complain("\(out): no detector takes this model") }
    try outputs.stage(Data(tuning.model.encoded()), at: out)
    try outputs.commit()
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
      landmarker: landmarker, extractor: FeatureExtractor(template: template), limits: CheckLimits(),
      vocabulary: vocabulary(arguments), isOneSource: true)
    let taken = captures.count { $0.provenance == .camera }
    return try LivenessTuning(
      captures: captures, landmarker: landmarker, template: template, plan: try plan(arguments),
      bounds: bounds,
      seed: seed,
      provenance: provenance(
        ["captures": file.digest], "--captures FILE --seed \(seed)\(without(arguments))", arguments),
      note: "Labelled captures of subjects that the model was not made from; of all \(captures.count), "
        + "\(taken) say that a camera took them.")
  }

  static func vocabulary(_ arguments: Arguments) -> SpeciesVocabulary {
    SpeciesVocabulary(further: (arguments["species"] ?? "").split(separator: ",").map(String.init))
  }

  private static func simulate(
    _ name: String, _ bounds: LivenessTuning.Bounds, _ seed: UInt64, _ arguments: Arguments
  ) throws -> LivenessTuning {
    let subjects = try arguments.number("subjects", in: 8...100_000, default: 200)
    let paths = (arguments["recorded"] ?? "").split(separator: ",").map(String.init)
    var recorded: [RecordedSequence] = []
    var data: [String: String] = [:]
    for path in paths {
      let (sequences, digest) = try RecordedSequence.readWithDigest(path)
      recorded += sequences
      data[URL(filePath: path).lastPathComponent] = digest
    }
    var command = "--simulate \(name) --subjects \(subjects) --seed \(seed)"
    if !paths.isEmpty {
      command += " --recorded " + paths.map { URL(filePath: $0).lastPathComponent }.joined(separator: ",")
    }
    command += without(arguments)
    return try SimulatedTuning.tune(
      profile: SimulateCapturesCommand.profile(name), subjects: subjects, seed: seed, recorded: recorded,
      plan: plan(arguments), bounds: bounds, provenance: provenance(data, command, arguments))
  }

  private static func plan(_ arguments: Arguments) throws -> TrainingPlan {
    let cues = try (arguments["without"] ?? "").split(separator: ",").map { name in
      guard let cue = Cue(rawValue: String(name)) else {
        let all = Cue.allCases.map(\.rawValue).joined(separator: ", ")
        throw UsageError("--without: there is no cue '\(name)', only \(all)")
      }
      return cue
    }
    let plan = TrainingPlan.standard.without(Set(cues))
    guard plan.asksForAlways else { throw UsageError("--without leaves no cue that is always asked for") }
    return plan
  }

  private static func without(_ arguments: Arguments) -> String {
    arguments["without"].map { " --without \($0)" } ?? ""
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
