import Biometrics
import EmbeddingFiles
import Evaluation
import FaceMatching
import Foundation

package enum TuneCommand: Command {
  package static let name = "tune"
  package static let summary = "choose thresholds for target error rates, with evidence"
  package static let explanation = """
    Scores all pairs of a data set and finds, for each target FMR, the lowest threshold that keeps within it: with k the
    number of false matches allowed among n non-mated comparisons, just above the (k+1)-th highest non-mated score. A
    target that the data can't support (k would be 0, or scores of exactly 1 are tied) is named and left out, and the exit
    status is then 1, as it is when rows are no embedding. To recognise others, it searches by the
    open-set protocol (subjects in order, every other one enrolled with the first row, up to N of them) and keeps within
    each target FPIR. Writes one JSON file, numbers only. Comparisons of one subject are not independent: besides the
    usual 95 % interval a point has one by subject, which is the one to go by, and the rate that is upheld: a one-sided
    95 % bound, which may lie above the target that the threshold keeps on these data.

      reverify tune --data FOLDER --space edgeface-xs --weights DIGEST --preprocessing NAME --out FILE
    """
  package static let options =
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
        "with commas: thresholds that the model's makers state, on the negated distance of the rows as they are"
      ),
      .option("replicates", "N", "of the bootstrap by subject; 0 for none (default: 1000)"),
      .option("seed", "N", "of the bootstrap (default: 1)"),
      .option("out", "FILE", "where to write (default: standard output)"),
      .option("threads", "N", "threads to use (default: one per core)"),
    ]

  package static func run(_ arguments: Arguments) throws -> Int32 {
    let input = try EmbeddingInput.required(arguments)
    guard let subjects = input.subjects else { throw UsageError("whose are they? Give --index FILE") }
    let targets = try arguments.rates("target-fmr") ?? ComparisonFigures.standardTargets
    let searches = try Searches(arguments)
    let also = try others(arguments["also"], dimension: input.matrix.dimension)
    let bootstrap = try EvalCommand.bootstrap(arguments)
    let threads = try arguments.optionalNumber("threads", in: 1...1024)
    var outputs = OutputFiles()
    try outputs.announce("out", at: arguments["out"])
    try outputs.requireDistinct(from: input.files + also.files)
    let stated = try EvalCommand.stated(arguments["fixed"])
    _ = try EmbeddingInput.unnamedSpace(input.matrix, path: input.embeddingsPath)
    let space = EmbeddingSpace(
      model: arguments["space"] ?? "unnamed", weightsDigest: arguments["weights"] ?? "unknown",
      dimension: input.matrix.dimension, preprocessing: arguments["preprocessing"] ?? "unknown")
    let labelled = LabelledRows(input.embeddings(space: space), subjects: subjects)
    let unusable = input.matrix.rowCount - labelled.embeddings.count
    var isComplete = unusable == 0
    let points = try verifyPoints(labelled, targets, bootstrap, threads: threads, isComplete: &isComplete)
    let recognise = recognisePoints(labelled, searches, bootstrap, threads: threads, isComplete: &isComplete)
    let result = OperatingPoints(
      space: space,
      evidence: .init(
        name: input.name, sha256: try sha256(ofFile: input.embeddingsPath),
        rowCount: input.matrix.rowCount, unusableRowCount: unusable),
      alsoOfThisSpace: also.dataSets, points: points, recognisePoints: recognise, statedThresholds: stated,
      command: arguments.commandLine("tune", paths: ["data", "embeddings", "index", "also", "out"]),
      engineVersion: EngineVersion.current)
    if let path = arguments["out"] {
      try outputs.stage(try encoded(result), at: path)
      try outputs.commit()
    } else {
      try Output.standard.write(json: result)
    }
    return isComplete ? ExitStatus.success : ExitStatus.partial
  }

  private static func verifyPoints(
    _ labelled: LabelledRows, _ targets: [TargetRate], _ bootstrap: BootstrapPlan?, threads: Int?,
    isComplete: inout Bool
  ) throws -> [OperatingPoints.Point] {
    let pairs = try LabelledPairs(
      labelled.embeddings, subjects: labelled.subjects, threadCount: threads)
    var points: [OperatingPoints.Point] = []
    for (target, result) in try pairs.points(atFalseMatchRates: targets, bootstrap: bootstrap) {
      switch result {
      case .success(let point):
        points.append(point)
        tell("FMR", target, upheld: point.falseMatchRateUpheld)
      case .failure(let reason):
        isComplete = false
        complain("FMR \(target) is \(reason.description(of: "non-mated comparisons"))")
      }
    }
    return points
  }

  /// Says where what was observed keeps within a target that is not upheld.
  private static func tell(_ rate: String, _ target: TargetRate, over enrolled: Int? = nil, upheld: Double?) {
    guard let upheld, upheld > target.value else { return }
    complain(
      "\(rate) \(target)\(enrolled.map { " over \($0) enrolled" } ?? "") is kept by these data and not upheld: with 95 % "
        + "confidence, by subject, it is at most \(BoundText.high(upheld))")
  }

  /// What is to be searched for recognise points.
  private struct Searches {
    let targets: [TargetRate]
    /// How many are enrolled; nil for all that the protocol enrols.
    let enrolled: [Int?]

    init(_ arguments: Arguments) throws {
      targets =
        try arguments.rates("target-fpir") ?? [TargetRate(1, in: 10)!, TargetRate(1, in: 100)!]
      enrolled =
        try arguments["enrolled"].map { text in
          try text.split(separator: ",", omittingEmptySubsequences: false).map { part in
            guard let number = Int(part), number >= 1 else {
              throw UsageError("--enrolled: '\(part)' is no number above 0")
            }
            return number
          }
        } ?? [nil]
    }
  }

  private static func recognisePoints(
    _ labelled: LabelledRows, _ searches: Searches, _ bootstrap: BootstrapPlan?, threads: Int?,
    isComplete: inout Bool
  ) -> [OperatingPoints.RecognisePoint] {
    var points: [OperatingPoints.RecognisePoint] = []
    for number in searches.enrolled {
      do throws(EvaluationError) {
        let search = try RecogniseEvaluation(
          labelled.embeddings, subjects: labelled.subjects, enrolled: number, threadCount: threads)
        for target in searches.targets {
          switch try search.point(atFalsePositiveRate: target, bootstrap: bootstrap) {
          case .success(let point):
            points.append(point)
            tell("FPIR", target, over: point.enrolled, upheld: point.falsePositiveRateUpheld)
          case .failure(let reason):
            isComplete = false
            complain(
              "FPIR \(target) over \(search.searches.enrolled) enrolled is \(reason.description(of: "non-mated searches"))"
            )
          }
        }
      } catch {
        isComplete = false
        complain("recognising\(number.map { " with --enrolled \($0)" } ?? ""): \(error)")
      }
    }
    return points
  }

  /// Other data of the space, and the files that were read for them.
  private static func others(
    _ folders: String?, dimension: Int
  ) throws -> (dataSets: [OperatingPoints.DataSet], files: [String]) {
    let inputs = try (folders ?? "").split(separator: ",").map { try EmbeddingInput.read(folder: String($0)) }
    for input in inputs where input.matrix.dimension != dimension {
      throw InputError(
        "\(input.embeddingsPath): expected \(dimension) components, as the data of the space have, found "
          + "\(input.matrix.dimension)")
    }
    return (
      try inputs.map {
        .init(name: $0.name, sha256: try sha256(ofFile: $0.embeddingsPath), rowCount: $0.matrix.rowCount)
      }, inputs.flatMap(\.files)
    )
  }

  private static func encoded(_ points: OperatingPoints) throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return try encoder.encode(points) + Data("\n".utf8)
  }
}
