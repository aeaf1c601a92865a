import Biometrics
import EmbeddingFiles
import Evaluation
import FaceMatching
import Foundation

enum TuneCommand: Command {
  static let name = "tune"
  static let summary = "choose thresholds for target error rates, with evidence"
  static let explanation = """
    Scores all pairs of a data set and finds, for each target FMR, the lowest threshold that keeps within it: with k the
    number of false matches allowed among n non-mated comparisons, just above the (k+1)-th highest non-mated score. A
    target that the data can't support (k would be 0) is named and left out. To recognise others, it searches by the
    open-set protocol (subjects in order, every other one enrolled with the first row, up to N of them) and keeps within
    each target FPIR. Writes one JSON file, numbers only. Comparisons of one subject are not independent: besides the
    usual 95 % interval a point has one by subject, which is the one to go by.

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
      .option("target-fpir", "RATES", "of searches, with commas (default: 1e-1,1e-2)"),
      .option(
        "enrolled", "NUMBERS", "with commas: N of the searches (default: all that the protocol enrols)"),
      .option(
        "fixed", "NAME=T",
        "with commas: thresholds that the model's makers state, on the negated distance of the rows as they are"),
      .option("replicates", "N", "of the bootstrap by subject; 0 for none (default: 1000)"),
      .option("out", "FILE", "where to write (default: standard output)"),
      .option("threads", "N", "threads to use (default: one per core)"),
    ]

  static func run(_ arguments: Arguments) throws -> Int32 {
    let input = try EmbeddingInput.required(arguments)
    guard let subjects = input.subjects else { throw UsageError("whose are they? Give --index FILE") }
    let targets = try targets(arguments)
    let stated = try EvalCommand.stated(arguments["fixed"])
    _ = try EmbeddingInput.unnamedSpace(input.matrix, path: input.embeddingsPath)
    let space = EmbeddingSpace(
      model: arguments["space"] ?? "unnamed", weightsDigest: arguments["weights"] ?? "unknown",
      dimension: input.matrix.dimension, preprocessing: arguments["preprocessing"] ?? "unknown")
    let labelled = LabelledRows(input.embeddings(space: space), subjects: subjects)
    let pairs = try LabelledPairs(
      labelled.embeddings, subjects: labelled.subjects,
      threadCount: try arguments.optionalNumber("threads", in: 1...1024))
    let threads = try arguments.optionalNumber("threads", in: 1...1024)
    let replicates = try arguments.number("replicates", in: 0...1_000_000, default: 1000)
    let found = try pairs.points(
      atFalseMatchRates: targets,
      bootstrap: replicates > 0 ? BootstrapPlan(replicates: replicates, threads: threads) : nil)
    var isComplete = true
    let points = found.compactMap { target, outcome -> OperatingPoints.Point? in
      if case .notReachable(let trials, let needed) = outcome {
        isComplete = false
        complain(
          "FMR \(target) is not supported by \(trials) non-mated comparisons; at least \(needed) are needed for one error"
        )
      }
      return outcome.point
    }
    let recognise = try recognisePoints(labelled, arguments, threads: threads, isComplete: &isComplete)
    let result = OperatingPoints(
      space: space, evidence: try dataSet(input), alsoOfThisSpace: try others(arguments["also"]),
      points: points, recognisePoints: recognise, statedThresholds: stated,
      command: arguments.commandLine("tune", paths: ["data", "embeddings", "index", "also", "out"]),
      engineVersion: EngineVersion.current)
    try write(result, to: arguments["out"])
    return isComplete ? ExitStatus.success : ExitStatus.partial
  }

  private static func recognisePoints(
    _ labelled: LabelledRows, _ arguments: Arguments, threads: Int?, isComplete: inout Bool
  ) throws -> [OperatingPoints.RecognisePoint] {
    let targets =
      try EvalCommand.rates(arguments, "target-fpir") ?? [TargetRate(1, in: 10)!, TargetRate(1, in: 100)!]
    let numbers: [Int?] =
      try arguments["enrolled"].map { text in
        try text.split(separator: ",").map { part in
          guard let number = Int(part), number >= 1 else {
            throw UsageError("--enrolled: '\(part)' is no number above 0")
          }
          return number
        }
      } ?? [nil]
    var points: [OperatingPoints.RecognisePoint] = []
    for number in numbers {
      do throws(EvaluationError) {
        let search = try RecogniseEvaluation(
          labelled.embeddings, subjects: labelled.subjects, enrolled: number, threadCount: threads)
        for target in targets {
          guard let point = try search.point(atFalsePositiveRate: target) else {
            isComplete = false
            complain(
              "FPIR \(target) is not supported by \(search.searches.nonMatedBestScores.count) non-mated searches"
            )
            continue
          }
          points.append(point)
        }
      } catch {
        isComplete = false
        complain("recognising: \(error)")
      }
    }
    return points
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

  private static func write(_ points: OperatingPoints, to path: String?) throws {
    guard let path else { return try Output.standard.write(json: points) }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    try writeFile(encoder.encode(points) + Data("\n".utf8), to: path)
  }
}
