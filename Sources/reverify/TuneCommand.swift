import Biometrics
import EmbeddingFiles
import Evaluation
import FaceMatching
import Foundation

enum TuneCommand: Command {
  static let name = "tune"
  static let summary = "choose thresholds for target false match rates, with evidence"
  static let explanation = """
    Scores all pairs of a data set and finds, for each target FMR, the lowest threshold that keeps within it: with k the
    number of false matches allowed among n non-mated comparisons, just above the (k+1)-th highest non-mated score. A
    target that the data can't support (k would be 0) is named and left out. Writes one JSON file, numbers only.
    Comparisons of one subject are not independent; the 95 % intervals count them as if they were.

      reverify tune --data FOLDER --space edgeface-xs --weights DIGEST --preprocessing NAME --out FILE
    """
  static let options =
    EmbeddingInput.options + [
      .option("space", "NAME", "the model's name (default: unnamed)"),
      .option("weights", "DIGEST", "a digest of the model's weights (default: unknown)"),
      .option("preprocessing", "NAME", "alignment and preprocessing, with its version (default: unknown)"),
      .option(
        "also", "FOLDERS", "other data folders of the same space, with commas: their files are recognised"),
      .option("target-fmr", "RATES", "with commas (default: 1e-2,1e-3,1e-4,1e-5,1e-6)"),
      .option("out", "FILE", "where to write (default: standard output)"),
      .option("threads", "N", "threads to use (default: one per core)"),
    ]

  static func run(_ arguments: Arguments) throws -> Int32 {
    let input = try EmbeddingInput.required(arguments)
    guard let subjects = input.subjects else { throw UsageError("whose are they? Give --index FILE") }
    let targets = try targets(arguments)
    _ = try EmbeddingInput.unnamedSpace(input.matrix, path: input.embeddingsPath)
    let space = EmbeddingSpace(
      model: arguments["space"] ?? "unnamed", weightsDigest: arguments["weights"] ?? "unknown",
      dimension: input.matrix.dimension, preprocessing: arguments["preprocessing"] ?? "unknown")
    let labelled = LabelledRows(input.embeddings(space: space), subjects: subjects)
    let pairs = try LabelledPairs(
      labelled.embeddings, subjects: labelled.subjects,
      threadCount: try arguments.optionalNumber("threads", in: 1...1024))
    let points = try pairs.operatingPoints(atFalseMatchRates: targets).enumerated().compactMap {
      index, outcome in
      switch outcome {
      case .reached(let point): return OperatingPoints.Point(point)
      case .notReachable(let trials, let needed):
        complain(
          "FMR \(targets[index]) is not supported by \(trials) non-mated comparisons; "
            + "at least \(needed) are needed for one error")
        return nil
      }
    }
    let result = OperatingPoints(
      space: space, evidence: try dataSet(input), alsoOfThisSpace: try others(arguments["also"]),
      points: points,
      command: command(targets), engineVersion: EngineVersion.current)
    try write(result, to: arguments["out"])
    return points.count == targets.count ? ExitStatus.success : ExitStatus.partial
  }

  private static func targets(_ arguments: Arguments) throws -> [TargetRate] {
    let text = arguments["target-fmr"] ?? "1e-2,1e-3,1e-4,1e-5,1e-6"
    return try text.split(separator: ",", omittingEmptySubsequences: false).map { part in
      guard let rate = TargetRate(String(part)) else {
        throw UsageError("--target-fmr: '\(part)' is no rate above 0 and below 1")
      }
      return rate
    }.sorted(by: >)
  }

  private static func dataSet(_ input: EmbeddingInput) throws -> OperatingPoints.DataSet {
    OperatingPoints.DataSet(
      name: input.name, sha256: try sha256(ofFile: input.embeddingsPath), rowCount: input.matrix.rowCount)
  }

  private static func others(_ folders: String?) throws -> [OperatingPoints.DataSet] {
    try (folders ?? "").split(separator: ",").map { try dataSet(EmbeddingInput.read(folder: String($0))) }
  }

  /// What was run, without the paths of this machine.
  private static func command(_ targets: [TargetRate]) -> String {
    "reverify tune --target-fmr " + targets.map(\.description).joined(separator: ",")
  }

  private static func write(_ points: OperatingPoints, to path: String?) throws {
    guard let path else { return try Output.standard.write(json: points) }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    try writeFile(encoder.encode(points) + Data("\n".utf8), to: path)
  }
}
