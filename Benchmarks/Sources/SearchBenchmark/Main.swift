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
      let options = try Options(arguments.dropFirst())
      try RowGenerator(options).write(rows: options.text("rows"), probes: options.text("queries"))
    case "serve":
      let options = try Options(arguments.dropFirst(2))
      switch arguments.dropFirst().first {
      case "engine": try Worker.serve { try EngineParticipant(options) }
      case "openblas": try Worker.serve { try BLASParticipant(options) }
      default: throw BenchmarkError("serve: 'engine' or 'openblas' was expected")
      }
    case "scale": try ScaleRun(Options(arguments.dropFirst())).run()
    case "changes": try ChangesRun(Options(arguments.dropFirst())).run()
    default:
      complain(usage)
      exit(64)
    }
  }

  private static func complain(_ text: String) {
    _ = Array(text.utf8).withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
  }
}

/// Why a benchmark can't be run, in words.
struct BenchmarkError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}

/// `--name value` pairs.
struct Options {
  private var values: [String: String] = [:]

  init(_ arguments: ArraySlice<String>) throws {
    var rest = arguments
    while let name = rest.popFirst() {
      guard name.hasPrefix("--"), let value = rest.popFirst() else {
        throw BenchmarkError("an option --name and its value were expected, found '\(name)'")
      }
      values[String(name.dropFirst(2))] = value
    }
  }

  func optional(_ name: String) -> String? { values[name] }

  func text(_ name: String) throws -> String {
    guard let value = values[name] else { throw BenchmarkError("--\(name) is missing") }
    return value
  }

  func number<Number: LosslessStringConvertible>(_ name: String, _ type: Number.Type = Int.self) throws
    -> Number
  {
    let value = try text(name)
    guard let number = Number(value) else {
      throw BenchmarkError("--\(name): a number was expected, found '\(value)'")
    }
    return number
  }
}
