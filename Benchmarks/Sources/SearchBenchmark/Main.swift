import BenchmarkOptions
import Glibc

/// Measures search through the engine's public API. `peers/bench.py` drives it; alone, it compares with OpenBLAS.
@main
struct SearchBenchmark {
  private static let usage = """
    SearchBenchmark openblas [COUNT] [DIMENSION] [ROUNDS]
        one query's time beside OpenBLAS in this process: 100000 512 21 unless given
    SearchBenchmark write --population cohort|lfw|near-equal|iid --count N --dimension D --seed S --rows FILE
        --queries FILE [--base FILE --noise X]
        writes a gallery and 1,024 probes, unit rows, as .fbin; `lfw` tiles the embeddings of --base (.fbin)
    SearchBenchmark serve engine|openblas --rows FILE --queries FILE --threads N [--limit-rows N]
        loads the rows, then answers one JSON request a line with the times it took
    SearchBenchmark scale --count N --dimension D --folder FOLDER [--threads N] [--rows folder] [--sealed yes]
        builds a gallery, searches it, writes a snapshot file to FOLDER, opens it and compares the answers
    SearchBenchmark changes --count N --dimension D --changes N
        one search's time with and without N changes a second
    SearchBenchmark limits
        how fast this machine reads memory and multiplies bytes, on one thread

    """

  static func main() {
    do {
      try run(Array(CommandLine.arguments.dropFirst()))
    } catch {
      complain("SearchBenchmark: \(error)\n")
      exit(1)
    }
  }

  private static func run(_ arguments: [String]) throws {
    switch arguments.first {
    case "openblas":
      let numbers = arguments.dropFirst().compactMap { Int($0) }
      try OpenBLASComparison(
        count: numbers.first ?? 100_000, dimension: numbers.dropFirst().first ?? 512,
        rounds: numbers.dropFirst(2).first ?? 21
      ).run()
    case "write":
      let options = try Options(arguments.dropFirst(), known: RowGenerator.options)
      try RowGenerator(options).write(rows: options.text("rows"), probes: options.text("queries"))
    case "serve":
      let options = try Options(arguments.dropFirst(2), known: ["rows", "queries", "threads", "limit-rows"])
      switch arguments.dropFirst().first {
      case "engine": try Worker.serve { try EngineParticipant(options) }
      case "openblas": try Worker.serve { try BLASParticipant(options) }
      default: throw BenchmarkError("serve: 'engine' or 'openblas' was expected")
      }
    case "scale": try ScaleRun(Options(arguments.dropFirst(), known: ScaleRun.options)).run()
    case "changes": try ChangesRun(Options(arguments.dropFirst(), known: ChangesRun.options)).run()
    case "limits": try LimitsRun().run()
    default:
      complain(usage)
      exit(64)
    }
  }

  private static func complain(_ text: String) {
    _ = Array(text.utf8).withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
  }
}
