import Biometrics
import EmbeddingFiles
import EvaluationCommands
import FaceMatching
import Glibc

enum SearchCommand: Command {
  static let name = "search"
  static let summary = "find the closest embeddings (1:N), exactly"
  static let explanation = """
    Prints probe,rank,row,score as CSV: for each probe the best rows of the data, best first, ties by row. The result is
    that of the exhaustive scan, bit for bit, whatever the SIMD level and the number of threads.

      reverify search --data FOLDER --probes probes.npy --limit 10
      reverify search --data FOLDER --probe-rows 0-99 --threshold 0.4     rows of the data themselves
    """
  static let options =
    EmbeddingInput.options + [
      .option("probes", "FILE", "embeddings to look for"),
      .option("probe-rows", "ROWS", "instead: rows of the data, such as 0,5,10-19"),
      .option("limit", "K", "at most so many rows a probe (default 10)"),
      .option("threshold", "T", "only rows with a score of at least T, -1...1"),
      .option("batch", "N", "probes searched together (default 64); changes the speed alone"),
      .option("threads", "N", "threads a search may use (default: one per core)"),
    ]

  static func run(_ arguments: Arguments) throws -> Int32 {
    let input = try EmbeddingInput.required(arguments)
    let limit = try arguments.number("limit", in: 0...1_000_000_000, default: 10)
    let batch = try arguments.number("batch", in: 1...4096, default: 64)
    let threshold = try arguments.optionalNumber("threshold", in: -1...1 as ClosedRange<Float>)
    let threads = try arguments.optionalNumber("threads", in: 1...1024)
    let space = try EmbeddingInput.unnamedSpace(input.matrix, path: input.embeddingsPath)
    let gallery = try Gallery(space: space, configuration: .init(threadCount: threads))
    let enrolled = input.embeddings(space: space)
    for (row, embedding) in enrolled.enumerated() {
      guard let embedding else { continue }
      try gallery.enrol(
        Reference(
          organisation: organisation, workflow: "data", user: UserID("\(row)"), session: SessionID("\(row)"),
          approvedAt: Instant(millisecondsSince1970: 0), embedding: embedding))
    }
    let probes = try probes(arguments, input: input, enrolled: enrolled, space: space)
    let snapshot = gallery.snapshot(of: organisation)
    Output.standard.write("probe,rank,row,score\n")
    var progress = Progress("search")
    let usable = probes.compactMap { probe in probe.embedding.map { (probe.number, $0) } }
    for start in stride(from: 0, to: usable.count, by: batch) {
      let part = usable[start..<min(start + batch, usable.count)]
      let results = try snapshot.candidates(
        for: part.map(\.1), limit: limit, threshold: threshold.flatMap { SimilarityThreshold($0) })
      for ((number, _), candidates) in zip(part, results) {
        for (rank, candidate) in candidates.enumerated() {
          Output.standard.write(
            "\(number),\(rank + 1),\(candidate.reference.session),\(candidate.score.value)\n")
        }
      }
      progress.show(start + part.count, of: usable.count)
    }
    let isComplete = usable.count == probes.count && enrolled.allSatisfy { $0 != nil }
    return isComplete ? ExitStatus.success : ExitStatus.partial
  }

  private static let organisation: OrganisationID = "data"

  private static func probes(
    _ arguments: Arguments, input: EmbeddingInput, enrolled: [Embedding?], space: EmbeddingSpace
  ) throws -> [(number: Int, embedding: Embedding?)] {
    switch (arguments["probes"], arguments["probe-rows"]) {
    case (let file?, nil):
      let matrix = try EmbeddingFile.read(file)
      guard matrix.dimension == input.matrix.dimension else {
        throw InputError(
          "\(file): expected probes of \(input.matrix.dimension) components, as the data has, found \(matrix.dimension)"
        )
      }
      let probes = EmbeddingInput(
        name: file, embeddingsPath: file, matrix: matrix, subjects: nil, pairsPath: nil)
      return probes.embeddings(space: space).enumerated().map { ($0, $1) }
    case (nil, let text?):
      return try rows(text, below: enrolled.count).map { ($0, enrolled[$0]) }
    case (nil, nil): throw UsageError("who is looked for? Give --probes FILE or --probe-rows ROWS")
    case (.some, .some): throw UsageError("--probes and --probe-rows can't both be given")
    }
  }

  /// Rows such as `0,5,10-19`, in the order given.
  static func rows(_ text: String, below count: Int) throws(UsageError) -> [Int] {
    var rows: [Int] = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      let bounds = part.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
      guard (1...2).contains(bounds.count), let first = bounds[0], let last = bounds.last ?? nil,
        0 <= first, first <= last, last < count
      else { throw UsageError("--probe-rows: '\(part)' is no row or range of rows within 0..\(count - 1)") }
      rows += first...last
    }
    return rows
  }
}
