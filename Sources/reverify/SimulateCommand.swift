import Biometrics
import EmbeddingFiles
import Evaluation
import EvaluationCommands
import FaceMatching
import Foundation
import Liveness
import Simulation

enum SimulateCommand: Command {
  static let name = "simulate"
  static let summary = "play re-verifications through the engine and count outcomes against the truth"
  static let explanation = """
    From embeddings and subjects it makes an organisation: half of the subjects are verified on a workflow, a tenth on
    another one, the rest are strangers. Then re-verifications are played through the engine itself: by the right person,
    by somebody else who is enrolled, by a stranger, with a capture that fails the liveness check, and by users of the
    other workflow. Everybody answers the challenge with a simulated capture, whose frames carry embeddings about the one that
    is matched. Printed are the outcomes against the truth, errors with 95 % intervals, latencies, and what becomes of
    attacks of every species. Without its liveness model nothing is played, and the exit status is 65.

    Without data it plays a synthetic cohort, from a seed, of nobody. Thresholds are, in this order: those given; those of
    --space, or of the space that the file is known to be of; else chosen from a third of the subjects, who are held out.

      reverify simulate
      reverify simulate --data FOLDER --json
      reverify simulate --data FOLDER --space edgeface-xs --target-fmr 1e-4
    """
  static let options =
    EmbeddingInput.options + [
      SpaceLibrary.option,
      .option("space", "NAME", "the embedding space of the data, one of those that 'reverify info' lists"),
      .option("target-fmr", "RATE", "the false match rate to verify at (default 1e-5)"),
      .option("recognise-fmr", "RATE", "the false match rate to recognise others at (default 1e-6)"),
      .option("threshold", "T", "instead: the verify threshold itself, -1...1"),
      .option("recognise-threshold", "T", "with --threshold: the recognise threshold (default: the same)"),
      .option("attempts", "N", "attempts of a re-verification, 1...10 (default 3)"),
      .option("seed", "N", "another draw of parts, and another synthetic cohort (default 1)"),
      .option("subjects", "N", "subjects of the synthetic cohort (default 2000)"),
      .option("dimension", "N", "its dimensions (default 512)"),
      .option("threads", "N", "threads a search may use (default: one per core)"),
      .option(
        "liveness-model", "FILE",
        "judges captures (default \(defaultModel)); or 'passive': upstream scores at their word, and no attacks"
      ),
      .option("attacks", "N", "attacks of each species to play, 1...1000 (default 10)"),
      .flag("json", "the report as one JSON object"),
    ]

  static func run(_ arguments: Arguments) async throws -> Int32 {
    var options = ReVerificationSimulation.Options()
    options.seed = try arguments.number("seed", in: 0...UInt64.max, default: 1)
    options.attempts = try arguments.number("attempts", in: 1...10, default: 3)
    options.threadCount = try arguments.optionalNumber("threads", in: 1...1024)
    options.targetFalseMatchRate = try arguments.rate("target-fmr") ?? options.targetFalseMatchRate
    options.recogniseFalseMatchRate = try arguments.rate("recognise-fmr") ?? options.recogniseFalseMatchRate
    options.livenessModel = try livenessModel(arguments)
    if options.livenessModel == nil {
      try arguments.refuse(
        ["attacks"], because: "is about captures, and --liveness-model passive judges none")
    }
    let (cohort, points, isEvidence) = try cohort(arguments, seed: options.seed)
    options.thresholds = try thresholds(arguments, options, points, isEvidence: isEvidence)
    // A simulated capture costs some milliseconds; of many people one scene each is enough.
    if options.livenessModel != nil, cohort.rowsOfSubject.count > Self.many { options.scenesPerPerson = 1 }
    let attackers = try options.livenessModel.map { try attacks(by: $0, arguments, seed: options.seed) }
    if !arguments.has("json") {
      // The first line says what is played, before anything else can go wrong.
      Output.standard.write(SimulationText.heading(cohort, seed: options.seed) + "\n")
      Output.standard.flush()
    }
    var progress = Progress("simulate")
    var report = try await ReVerificationSimulation(cohort, options: options).run {
      progress.show($0, of: $1)
    }
    report.attacks = try await attackers?.run()
    if arguments.has("json") {
      try Output.standard.write(json: report)
    } else {
      Output.standard.write(SimulationText.body(report))
    }
    return ExitStatus.success
  }

  private static let many = 500
  static let defaultModel = "models/liveness/simulated-ideal-68.json"

  /// What judges captures; `nil` where upstream scores are to be taken at their word.
  private static func livenessModel(_ arguments: Arguments) throws -> LivenessModel? {
    if arguments["liveness-model"] == "passive" { return nil }
    let path = arguments["liveness-model"] ?? defaultModel
    do {
      return try LivenessModel.load(path: path)
    } catch {
      throw InputError(
        "\(path): \(error); --liveness-model FILE names another, --liveness-model passive does without")
    }
  }

  /// Attacks of every species on the liveness check.
  private static func attacks(
    by model: LivenessModel, _ arguments: Arguments, seed: UInt64
  ) throws -> AttackSimulation {
    let count = try arguments.number("attacks", in: 1...1000, default: 10)
    guard let attacks = AttackSimulation(model: model, seed: seed, perSpecies: count) else {
      throw InputError("\(arguments["liveness-model"] ?? defaultModel): its landmarker can't be simulated")
    }
    return attacks
  }

  /// The people to play, the operating points of their space, and whether those were chosen on the same file.
  static func cohort(
    _ arguments: Arguments, seed: UInt64
  ) throws -> (Cohort, OperatingPoints?, isEvidence: Bool) {
    guard let input = try EmbeddingInput.read(arguments) else {
      if arguments["space"] != nil { throw UsageError("--space is about data: give --data FOLDER") }
      let cohort = try Cohort.synthetic(
        subjectCount: try arguments.number("subjects", in: 12...1_000_000, default: 2000),
        imagesPerSubject: 3,
        dimension: try arguments.number("dimension", in: 8...EmbeddingSpace.maximumDimension, default: 512),
        seed: seed)
      return (cohort, nil, false)
    }
    for name in ["subjects", "dimension"] where arguments[name] != nil {
      throw UsageError("--\(name) is about the synthetic cohort, and data are given")
    }
    guard let subjects = input.subjects else { throw UsageError("whose are they? Give --index FILE") }
    let library = try SpaceLibrary.read(arguments)
    let digest = try sha256(ofFile: input.embeddingsPath)
    let points = try arguments["space"].map(library.space(named:)) ?? library.space(ofFileWithDigest: digest)
    let space = try points?.space ?? EmbeddingInput.unnamedSpace(input.matrix, path: input.embeddingsPath)
    guard space.dimension == input.matrix.dimension else {
      throw InputError(
        "\(input.embeddingsPath): expected \(space.dimension) components, as \(space.model) has, found "
          + "\(input.matrix.dimension)")
    }
    let rows = LabelledRows(input.embeddings(space: space), subjects: subjects)
    let cohort = Cohort(name: input.name, space: space, embeddings: rows.embeddings, subjects: rows.subjects)
    return (cohort, points, points?.evidence.sha256 == digest)
  }

  private static func thresholds(
    _ arguments: Arguments, _ options: ReVerificationSimulation.Options, _ points: OperatingPoints?,
    isEvidence: Bool
  ) throws -> ThresholdChoice? {
    let range = -1...1 as ClosedRange<Float>
    if let verify = try arguments.optionalNumber("threshold", in: range) {
      let recognise = try arguments.number("recognise-threshold", in: range, default: verify)
      guard recognise >= verify else { throw UsageError("--recognise-threshold can't lie below --threshold") }
      return ThresholdChoice(
        verify: SimilarityThreshold(verify)!, recognise: SimilarityThreshold(recognise)!,
        targetFalseMatchRate: nil,
        source: "as given")
    }
    if arguments["recognise-threshold"] != nil { throw UsageError("--recognise-threshold needs --threshold") }
    return try thresholds(options, points, isEvidence: isEvidence)
  }

  /// Those of the space's operating points, or nil for ones from held-out subjects.
  static func thresholds(
    _ options: ReVerificationSimulation.Options, _ points: OperatingPoints?, isEvidence: Bool
  ) throws -> ThresholdChoice? {
    guard let points else { return nil }
    guard
      let choice = ThresholdChoice(
        points, verify: options.targetFalseMatchRate, recognise: options.recogniseFalseMatchRate,
        isEvidence: isEvidence)
    else {
      let known = points.points.map(\.targetFalseMatchRate).joined(separator: ", ")
      throw UsageError("the space \(points.space.model) has thresholds for FMR \(known) only")
    }
    return choice
  }
}
