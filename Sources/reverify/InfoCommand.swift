import Biometrics
import EvaluationCommands
import FaceMatching

enum InfoCommand: Command {
  static let name = "info"
  static let summary = "processor level, BLAS kernels, embedding spaces"
  static let explanation = """
    Prints what the engine found here: the processor, its SIMD levels and the one in use, OpenBLAS and the kernels that
    were chosen for it, and the embedding spaces with their thresholds.
    """
  static let options = [SpaceLibrary.option, .flag("json", "the same as one JSON object")]

  private struct Report: Encodable {
    struct Space: Encodable {
      let name: String
      let dimension: Int
      let thresholds: [String: Float]
      let evidence: String
    }

    let engineVersion: String
    let processor: String
    let levels: [String]
    let levelInUse: String
    let openBLAS: String
    let spaces: [Space]
  }

  static func run(_ arguments: Arguments) throws -> Int32 {
    let report = Report(
      engineVersion: EngineVersion.current, processor: Processor.name,
      levels: KernelLevel.available.map(\.rawValue),
      levelInUse: try Kernels.fromEnvironment.get().level.rawValue,
      openBLAS: openBLAS, spaces: try SpaceLibrary.read(arguments).spaces.map(space))
    if arguments.has("json") {
      try Output.standard.write(json: report)
      return ExitStatus.success
    }
    Output.standard.write(
      """
      engine     \(report.engineVersion)
      processor  \(report.processor)
      levels     \(report.levels.joined(separator: ", ")); in use: \(report.levelInUse)
      OpenBLAS   \(report.openBLAS)

      """)
    for space in report.spaces {
      let thresholds = space.thresholds.sorted { $0.value < $1.value }.map { "\($0.key) \($0.value)" }
      Output.standard.write(
        "space      \(space.name): \(space.dimension) dimensions, FMR thresholds "
          + "\(thresholds.joined(separator: ", ")) (\(space.evidence))\n")
    }
    if report.spaces.isEmpty { Output.standard.write("spaces     none found; see --models\n") }
    return ExitStatus.success
  }

  private static var openBLAS: String {
    switch OpenBLAS.shared {
    case .success(let blas): "\(blas.coreName) kernels, checked on known answers"
    case .failure(let reason): "not used: \(reason)"
    }
  }

  private static func space(_ name: String, _ points: OperatingPoints) -> Report.Space {
    Report.Space(
      name: name, dimension: points.space.dimension,
      thresholds: Dictionary(
        points.points.map { ($0.targetFalseMatchRate, $0.threshold.value) },
        uniquingKeysWith: { first, _ in first }),
      evidence:
        "\(points.evidence.name), \(points.points.first?.nonMatedComparisons ?? 0) non-mated comparisons")
  }
}
