import Biometrics
import EmbeddingFiles
import Evaluation
import FaceMatching
import Foundation
import Glibc

package enum EvalCommand: Command {
  package static let name = "eval"
  package static let summary = "error rates of a data set or of score files, with how sure they are"
  package static let explanation = """
    From embeddings, all in double precision: all pairs, the pairs and folds of pairs.csv, open-set identification,
    transactions of several attempts, and, with --group, groups of people. The names and nesting of the JSON are those of
    the shared baselines. From score files: the same rates of the scores in them. Comparisons without a score are counted,
    never dropped. A rate of several comparisons of one subject has an interval by subject besides the usual one; rates
    that the data can't support are named with what it would take: no error in 10,000 independent comparisons is at most
    3.0e-4 with 95 % confidence, not zero. Exit status 1 when rows are no embedding or groups could not be judged.

      reverify eval --data FOLDER --json FILE --html FILE --csv FOLDER
      reverify eval --scores scores.csv --json FILE       a header: score, and same or label, or two subjects
      reverify eval --scores scores-dev --form four       bob's columns: claimed real path score (five: model too)
      reverify eval --mated a.txt --non-mated b.txt       the score is the last column of each
      reverify eval --presentations attacks.csv --liveness-threshold 0.8 --match-threshold 0.4

    Presentations give APCER of each attack species, BPCER and, with match scores, IAPAR, as defined in ISO/IEC 30107-3.
    """
  package static let options =
    EmbeddingInput.options + ScoreInput.options + PresentationInput.options + [
      .option("metrics", "NAMES", "with commas: cosine, euclidean_l2norm, euclidean_raw (default: all)"),
      .option("target-fmr", "RATES", "with commas (default: 1e-2,1e-3,1e-4,1e-5,1e-6)"),
      .option("target-fpir", "RATES", "with commas (default: 1e-1,1e-2,1e-3)"),
      .option(
        "fixed", "NAME=T",
        "with commas: thresholds of euclidean_raw to give the accuracy of the pairs at, beside\nthose stated for the space that the file is known to be of"
      ), SpaceLibrary.option,
      .option("group", "COLUMN", "a column of index.csv (or of the scores) that names groups of people"),
      .option(
        "group-fmr", "RATE",
        "one FMR, whose threshold groups are judged at (default: 1e-3, or\nthe strictest target reached)"),
      .option("replicates", "N", "of the bootstrap by subject; 0 for none (default: 1000)"),
      .option("seed", "N", "of the bootstrap (default: 1)"),
      .option(
        "extrapolate", "RATES", "also estimate the thresholds of these FMRs beyond the data, marked so"),
      .option("json", "FILE", "where to write the figures (default: standard output)"),
      .option("html", "FILE", "also a report of one file, to read or print"),
      .option("csv", "FOLDER", "also the curves, a file each"),
      .option("threads", "N", "threads to use (default: one per core)"),
    ]

  package static func run(_ arguments: Arguments) throws -> Int32 {
    if arguments["group-fmr"] != nil, arguments["group"] == nil {
      throw UsageError("--group-fmr is about groups: give --group COLUMN")
    }
    var outputs = OutputFiles()
    for name in ["json", "html"] { try outputs.announce(name, at: arguments[name]) }
    outputs.announce("csv", EvaluationReport.curveFileNames, in: arguments["csv"])
    try outputs.requireDistinct(from: try inputs(arguments))
    // Made first, so that a place that can't be written to is known before all pairs are scored.
    let madeFolder = try arguments["csv"].flatMap { try makeFolder($0) ? $0 : nil }
    do {
      return try run(arguments, writing: &outputs)
    } catch {
      if let madeFolder { rmdir(madeFolder) }
      throw error
    }
  }

  private static func run(_ arguments: Arguments, writing outputs: inout OutputFiles) throws -> Int32 {
    let (report, isComplete) = try report(arguments)
    for warning in report.warnings { complain("warning: \(warning)") }
    let text = report.json.text() + "\n"
    if let path = arguments["json"] { try outputs.stage(Data(text.utf8), at: path) }
    if let path = arguments["html"] { try outputs.stage(Data(report.html.utf8), at: path) }
    if let folder = arguments["csv"] {
      for (name, text) in report.curveFiles { try outputs.stage(Data(text.utf8), at: "\(folder)/\(name)") }
    }
    try outputs.commit()
    if ["json", "html", "csv"].allSatisfy({ arguments[$0] == nil }) { Output.standard.write(text) }
    return isComplete ? ExitStatus.success : ExitStatus.partial
  }

  /// Every file that the options name to be read.
  private static func inputs(_ arguments: Arguments) throws -> [String] {
    var paths = ["embeddings", "index", "scores", "mated", "non-mated", "presentations"].compactMap {
      arguments[$0]
    }
    if let folder = arguments["data"] { paths += DataFolder.fileNames.map { "\(folder)/\($0)" } }
    return (paths + SpaceLibrary.files(arguments)).filter { access($0, F_OK) == 0 }
  }

  /// What says something of embeddings alone.
  private static let dataOptions = ["index", "metrics", "fixed", "models", "target-fpir"]

  /// The report, and whether all of the input could be used and all that was asked for by name be given.
  private static func report(_ arguments: Arguments) throws -> (EvaluationReport, isComplete: Bool) {
    // Read first, since it may be refused, and all pairs take their time.
    let presentations = try PresentationInput.figures(arguments)
    if ScoreInput.isGiven(arguments) { return try scores(arguments, presentations) }
    guard let presentations, arguments["data"] == nil, arguments["embeddings"] == nil else {
      return try data(arguments, presentations)
    }
    try arguments.refuse(
      dataOptions + ["form", "llr", "group", "target-fmr", "extrapolate", "replicates", "seed"],
      because: "is about comparisons, and only presentations are given")
    return (EvaluationReport(presentations, provenance: try provenance(arguments, files: [])), true)
  }

  private static func data(
    _ arguments: Arguments, _ presentations: PresentationFigures?
  ) throws -> (EvaluationReport, isComplete: Bool) {
    try arguments.refuse(["form", "llr"], because: "is about score files, and embeddings are given")
    let input = try EmbeddingInput.required(arguments)
    guard input.subjects != nil else { throw UsageError("whose are they? Give --index FILE") }
    _ = try EmbeddingInput.unnamedSpace(input.matrix, path: input.embeddingsPath)
    let labelled = try input.labelled(group: arguments["group"])
    var options = DataSetEvaluation.Options()
    options.metrics = try metrics(arguments["metrics"])
    options.targets = try arguments.rates("target-fmr") ?? options.targets
    options.falsePositiveTargets = try arguments.rates("target-fpir") ?? options.falsePositiveTargets
    options.bootstrap = try bootstrap(arguments)
    options.threadCount = try arguments.optionalNumber("threads", in: 1...1024)
    options.fixedThresholds = try fixedThresholds(input, arguments)
    options.groupTarget = try arguments.rate("group-fmr")
    if arguments["group"] != nil, !options.metrics.contains(.cosine) {
      throw UsageError("--group is judged by cosine, which --metrics leaves out")
    }
    let extrapolated = try arguments.rates("extrapolate") ?? []
    let evaluation = try DataSetEvaluation(labelled, options: options) { stage in
      if isatty(2) == 1 { complain("evaluating: \(stage)") }
    }
    let isJudged = isJudged(evaluation.groups, options.groupTarget, arguments)
    return (
      EvaluationReport(
        evaluation, presentations: presentations, provenance: try provenance(arguments, files: input.files),
        extrapolated: extrapolated),
      isJudged && evaluation.unusableRowCount == 0
    )
  }

  /// Thresholds that were given, and those stated for the space that the file is known to be of.
  private static func fixedThresholds(
    _ input: EmbeddingInput, _ arguments: Arguments
  ) throws -> [(name: String, threshold: Double)] {
    let known = try SpaceLibrary.read(arguments).space(ofFileWithDigest: sha256(ofFile: input.embeddingsPath))
    let asked = try stated(arguments["fixed"])
    let others = (known?.statedThresholds ?? []).filter { stated in
      !asked.contains { $0.name == stated.name }
    }
    return (asked + others).map { ($0.name, $0.negatedDistance) }
  }

  private static func scores(
    _ arguments: Arguments, _ presentations: PresentationFigures?
  ) throws -> (EvaluationReport, isComplete: Bool) {
    if arguments["data"] != nil || arguments["embeddings"] != nil {
      throw UsageError("--data and score files are two things to evaluate: give one of them")
    }
    try arguments.refuse(dataOptions, because: "is about embeddings, and score files are given")
    let input = try ScoreInput.read(arguments)
    let groupTarget = try arguments.rate("group-fmr")
    let evaluation = ScoreSetEvaluation(
      input.scores, targets: try arguments.rates("target-fmr") ?? ComparisonFigures.standardTargets,
      areLikelihoodRatios: arguments.has("llr"), bootstrap: try bootstrap(arguments), groupTarget: groupTarget
    )
    return (
      EvaluationReport(
        evaluation, presentations: presentations, provenance: try provenance(arguments, files: input.files),
        extrapolated: try arguments.rates("extrapolate") ?? []),
      isJudged(evaluation.groups, groupTarget, arguments)
    )
  }

  /// Whether groups were judged, where they were asked for; says so where they weren't.
  private static func isJudged(
    _ groups: DataSetEvaluation.Groups?, _ target: TargetRate?, _ arguments: Arguments
  ) -> Bool {
    guard arguments["group"] != nil, groups == nil else { return true }
    let reason =
      target.map { "FMR \($0) is not reachable with these comparisons" } ?? "no target FMR is reachable"
    complain("groups are not judged: \(reason)")
    return false
  }

  /// What was read and run, without the paths of this machine.
  private static func provenance(_ arguments: Arguments, files: [String]) throws -> ReportProvenance {
    ReportProvenance(
      files: try (files + [arguments["presentations"]].compactMap { $0 }).map { path in
        .init(name: EmbeddingInput.lastComponent(path), sha256: try sha256(ofFile: path))
      },
      command: arguments.commandLine(
        "eval",
        paths: [
          "data", "embeddings", "index", "scores", "mated", "non-mated", "presentations", "json", "html",
          "csv", "models",
        ]),
      engineVersion: EngineVersion.current)
  }

  /// Whether it was not there before.
  private static func makeFolder(_ folder: String) throws(OutputError) -> Bool {
    let isNew = access(folder, F_OK) != 0
    let isMade: Void? = try? FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: true)
    guard isMade != nil, access(folder, W_OK) == 0 else {
      throw OutputError("\(folder): expected a folder to write in")
    }
    return isNew
  }

  private static func metrics(_ text: String?) throws -> [DoublePairs.Metric] {
    guard let text else { return DoublePairs.Metric.allCases }
    let names = text.split(separator: ",", omittingEmptySubsequences: false)
    guard Set(names).count == names.count else { throw UsageError("--metrics: each metric once") }
    return try names.map { name in
      guard let metric = DoublePairs.Metric.allCases.first(where: { $0.baselineName == name }) else {
        throw UsageError("--metrics: no metric '\(name)'; cosine, euclidean_l2norm or euclidean_raw")
      }
      return metric
    }
  }

  package static func bootstrap(_ arguments: Arguments) throws -> BootstrapPlan? {
    let plan = BootstrapPlan(
      replicates: try arguments.number("replicates", in: 0...1_000_000, default: 1000),
      seed: try arguments.number("seed", in: 0...UInt64(Int.max), default: 1),
      threads: try arguments.optionalNumber("threads", in: 1...1024))
    return plan.replicates > 0 ? plan : nil
  }

  /// Named thresholds on the negated distance, all of different names.
  package static func stated(_ text: String?) throws -> [OperatingPoints.StatedThreshold] {
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
