import Biometrics
import EmbeddingFiles
import Evaluation
import FaceMatching
import Foundation

enum EvalCommand: Command {
  static let name = "eval"
  static let summary = "error rates of a data set or of score files, with how sure they are"
  static let explanation = """
    From embeddings, all in double precision: all pairs, the pairs and folds of pairs.csv, open-set identification,
    transactions of several attempts, and, with --group, groups of people. The names and nesting of the JSON are those of
    the shared baselines. From score files: the same rates of the scores in them. Comparisons without a score are counted,
    never dropped. A rate of several comparisons of one subject has an interval by subject besides the usual one; rates
    that the data can't support are named with what it would take.

      reverify eval --data FOLDER --json FILE --html FILE --csv FOLDER
      reverify eval --scores scores.csv --json FILE       a header: score, and same or label, or two subjects
      reverify eval --scores scores-dev --form four       bob's columns: claimed real path score (five: model too)
      reverify eval --mated a.txt --non-mated b.txt       the score is the last column of each
      reverify eval --presentations attacks.csv --liveness-threshold 0.8 --match-threshold 0.4

    Presentations give APCER of each attack species, BPCER and, with match scores, IAPAR, as defined in ISO/IEC 30107-3.
    """
  static let options =
    EmbeddingInput.options + ScoreInput.options + PresentationInput.options + [
      .option("metrics", "NAMES", "with commas: cosine, euclidean_l2norm, euclidean_raw (default: all)"),
      .option("target-fmr", "RATES", "with commas (default: 1e-2,1e-3,1e-4,1e-5,1e-6)"),
      .option("target-fpir", "RATES", "with commas (default: 1e-1,1e-2,1e-3)"),
      .option(
        "fixed", "NAME=T",
        "with commas: thresholds of euclidean_raw to give the accuracy of the pairs at, beside\nthose stated for the space that the file is known to be of"
      ), SpaceLibrary.option,
      .option("group", "COLUMN", "a column of index.csv (or of the scores) that names groups of people"),
      .option("group-fmr", "RATE", "the FMR whose threshold groups are judged at (default: 1e-3)"),
      .option("replicates", "N", "of the bootstrap by subject; 0 for none (default: 1000)"),
      .option("seed", "N", "of the bootstrap (default: 1)"),
      .option(
        "extrapolate", "RATES", "also estimate the thresholds of these FMRs beyond the data, marked so"),
      .option("json", "FILE", "where to write the figures (default: standard output)"),
      .option("html", "FILE", "also a report of one file, to read or print"),
      .option("csv", "FOLDER", "also the curves, a file each"),
      .option("threads", "N", "threads to use (default: one per core)"),
    ]

  static func run(_ arguments: Arguments) throws -> Int32 {
    let report = try report(arguments)
    for warning in report.warnings { complain("warning: \(warning)") }
    let text = Data((report.json.text() + "\n").utf8)
    if let path = arguments["json"] { try writeFile(text, to: path) }
    if let path = arguments["html"] { try writeFile(Data(report.html.utf8), to: path) }
    if let folder = arguments["csv"] { try writeCurves(report, to: folder) }
    if ["json", "html", "csv"].allSatisfy({ arguments[$0] == nil }) {
      Output.standard.write(report.json.text() + "\n")
    }
    return ExitStatus.success
  }

  private static func report(_ arguments: Arguments) throws -> EvaluationReport {
    // Read first, since it may be refused, and all pairs take their time.
    let presentations = try PresentationInput.figures(arguments)
    if ScoreInput.isGiven(arguments) { return try scores(arguments, presentations) }
    guard let presentations, arguments["data"] == nil, arguments["embeddings"] == nil else {
      return try data(arguments, presentations)
    }
    return EvaluationReport(presentations, provenance: try provenance(arguments, files: []))
  }

  private static func data(
    _ arguments: Arguments, _ presentations: PresentationFigures?
  ) throws -> EvaluationReport {
    let input = try EmbeddingInput.required(arguments)
    guard input.subjects != nil else { throw UsageError("whose are they? Give --index FILE") }
    _ = try EmbeddingInput.unnamedSpace(input.matrix, path: input.embeddingsPath)
    let labelled = try input.labelled(group: arguments["group"])
    var options = DataSetEvaluation.Options()
    options.metrics = try metrics(arguments["metrics"])
    options.targets = try rates(arguments, "target-fmr") ?? options.targets
    options.falsePositiveTargets = try rates(arguments, "target-fpir") ?? options.falsePositiveTargets
    options.bootstrap = try bootstrap(arguments)
    options.threadCount = try arguments.optionalNumber("threads", in: 1...1024)
    let known = try SpaceLibrary.read(arguments).space(ofFileWithDigest: sha256(ofFile: input.embeddingsPath))
    let asked = try stated(arguments["fixed"])
    options.fixedThresholds = (asked + (known?.statedThresholds ?? []).filter { stated in
      !asked.contains { $0.name == stated.name }
    }).map { ($0.name, $0.negatedDistance) }
    if let target = try rates(arguments, "group-fmr")?.first { options.groupTarget = target }
    let evaluation = try DataSetEvaluation(labelled, options: options) { stage in
      if isatty(2) == 1 { complain("evaluating: \(stage)") }
    }
    return EvaluationReport(
      evaluation, presentations: presentations, provenance: try provenance(arguments, files: input.files),
      extrapolated: try rates(arguments, "extrapolate") ?? [])
  }

  private static func scores(
    _ arguments: Arguments, _ presentations: PresentationFigures?
  ) throws -> EvaluationReport {
    if arguments["data"] != nil || arguments["embeddings"] != nil {
      throw UsageError("--data and score files are two things to evaluate: give one of them")
    }
    let input = try ScoreInput.read(arguments)
    let evaluation = ScoreSetEvaluation(
      input.scores, targets: try rates(arguments, "target-fmr") ?? ComparisonFigures.standardTargets,
      areLikelihoodRatios: arguments.has("llr"), bootstrap: try bootstrap(arguments),
      groupTarget: try rates(arguments, "group-fmr")?.first)
    return EvaluationReport(
      evaluation, presentations: presentations, provenance: try provenance(arguments, files: input.files),
      extrapolated: try rates(arguments, "extrapolate") ?? [])
  }

  /// What was read and run, without the paths of this machine.
  private static func provenance(_ arguments: Arguments, files: [String]) throws -> ReportProvenance {
    ReportProvenance(
      files: try (files + [arguments["presentations"]].compactMap { $0 }).map { path in
        .init(name: EmbeddingInput.lastComponent(path), sha256: try sha256(ofFile: path))
      },
      command: arguments.commandLine(
        "eval", paths: ["data", "embeddings", "index", "scores", "mated", "non-mated", "presentations", "json", "html", "csv", "models"]),
      engineVersion: EngineVersion.current)
  }

  private static func writeCurves(_ report: EvaluationReport, to folder: String) throws {
    do {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    } catch {
      throw InputError("\(folder): expected a folder that can be made")
    }
    for (name, text) in report.curveFiles { try writeFile(Data(text.utf8), to: "\(folder)/\(name)") }
  }

  private static func metrics(_ text: String?) throws -> [DoublePairs.Metric] {
    guard let text else { return DoublePairs.Metric.allCases }
    return try text.split(separator: ",").map { name in
      guard let metric = DoublePairs.Metric.allCases.first(where: { $0.baselineName == name }) else {
        throw UsageError("--metrics: no metric '\(name)'; cosine, euclidean_l2norm or euclidean_raw")
      }
      return metric
    }
  }

  static func rates(_ arguments: Arguments, _ name: String) throws -> [TargetRate]? {
    try arguments[name].map { text in
      try text.split(separator: ",", omittingEmptySubsequences: false).map { part in
        guard let rate = TargetRate(String(part)) else {
          throw UsageError("--\(name): '\(part)' is no rate above 0 and below 1")
        }
        return rate
      }.sorted(by: >)
    }
  }

  private static func bootstrap(_ arguments: Arguments) throws -> BootstrapPlan? {
    let replicates = try arguments.number("replicates", in: 0...1_000_000, default: 1000)
    guard replicates > 0 else { return nil }
    return BootstrapPlan(
      replicates: replicates, seed: try arguments.number("seed", in: 0...UInt64(Int.max), default: 1),
      threads: try arguments.optionalNumber("threads", in: 1...1024))
  }

  /// Named thresholds on the negated distance, all of different names.
  static func stated(_ text: String?) throws -> [OperatingPoints.StatedThreshold] {
    var found: [OperatingPoints.StatedThreshold] = []
    for part in (text ?? "").split(separator: ",", omittingEmptySubsequences: text == nil) {
      let sides = part.split(separator: "=", omittingEmptySubsequences: false)
      guard sides.count == 2, !sides[0].isEmpty, let threshold = Double(sides[1]), threshold.isFinite,
        !found.contains(where: { $0.name == sides[0] })
      else { throw UsageError("--fixed: '\(part)' is no NAME=THRESHOLD, each name once") }
      found.append(.init(name: String(sides[0]), negatedDistance: threshold))
    }
    return found
  }
}
