import BenchmarkOptions
import ReVerify

/// The engine through its public API: rows enrolled as references of one organisation, searched in a snapshot.
struct EngineParticipant: Participant {
  let introduction: Introduction
  private let rows: RowFile
  private let rowCount: Int
  private let probes: [Embedding]
  private let gallery: Gallery
  private let snapshot: GallerySnapshot
  private static let organisation: OrganisationID = "benchmark"

  init(_ options: Options) throws {
    let kernels = try Kernels.fromEnvironment.get()
    let threads = try options.number("threads")
    let rows = try RowFile(options.text("rows"))
    let space = EmbeddingSpace.benchmark(dimension: rows.dimension)
    let queries = try RowFile(options.text("queries"))
    probes = try (0..<queries.count).map { try Embedding(restoring: Array(queries[$0]), space: space) }
    let rowCount =
      try min(rows.count, options.number("limit-rows", or: rows.count))
    let gallery = try Gallery(space: space, configuration: .init(threadCount: threads))
    let before = Worker.residentBytes()
    let milliseconds = try Measurement.milliseconds {
      for row in 0..<rowCount {
        try gallery.enrol(Self.reference(row, Embedding(restoring: Array(rows[row]), space: space)))
      }
    }
    rows.releasePages()
    self.rows = rows
    self.rowCount = rowCount
    self.gallery = gallery
    snapshot = gallery.snapshot(of: Self.organisation)
    guard snapshot.count == rowCount else { throw BenchmarkError("not every row was enrolled") }
    introduction = Introduction(
      name: "ReVerify", kernels: "\(kernels.level.rawValue), \(Self.blas)", level: kernels.level.rawValue,
      availableLevels: KernelLevel.available.map(\.rawValue), processor: Processor.name,
      version: EngineVersion.current, count: rowCount, dimension: rows.dimension,
      loadSeconds: milliseconds / 1000,
      residentBytes: Worker.residentBytes() - before)
  }

  private static var blas: String {
    switch OpenBLAS.shared {
    case .success(let blas): "OpenBLAS \(blas.coreName)"
    case .failure: "no OpenBLAS"
    }
  }

  private static func reference(_ row: Int, _ embedding: Embedding) -> Reference {
    Reference(
      organisation: organisation, workflow: "workflow", user: UserID("\(row)"), session: SessionID("\(row)"),
      approvedAt: Instant(millisecondsSince1970: 0), embedding: embedding)
  }

  func search(_ request: Request, probes range: Range<Int>) throws -> [[Candidate]] {
    switch request.operation {
    case .topK: return [try snapshot.candidates(for: probes[range.lowerBound], limit: request.k)]
    case .threshold:
      return [try snapshot.candidates(for: probes[range.lowerBound], threshold: Self.threshold(request))]
    case .batch: return try snapshot.candidates(for: Array(probes[range]), limit: request.k)
    }
  }

  func answers(_ found: [[Candidate]]) -> [[Hit]] {
    found.map { $0.map { Hit(row: Int64($0.reference.number), score: $0.score.value) } }
  }

  /// Every row's score by `Embedding.score(with:)`, sorted: what a search must equal bit for bit.
  func exhaustiveAnswers(_ request: Request, probes range: Range<Int>) throws -> [[Hit]] {
    let threshold = request.operation == .threshold ? try Self.threshold(request) : nil
    var answers = [[Hit]](repeating: [], count: range.count)
    for row in 0..<rowCount {
      let reference = try Embedding(restoring: Array(rows[row]), space: gallery.space)
      for (place, probe) in probes[range].enumerated() {
        let score = try reference.score(with: probe)
        if let threshold, !score.matches(threshold) { continue }
        if threshold == nil, answers[place].count == request.k,
          answers[place][request.k - 1].score >= score.value
        {
          continue
        }
        let index = answers[place].firstIndex { $0.score < score.value } ?? answers[place].count
        answers[place].insert(Hit(row: Int64(row), score: score.value), at: index)
        if threshold == nil, answers[place].count > request.k { answers[place].removeLast() }
      }
    }
    return answers
  }

  private static func threshold(_ request: Request) throws -> SimilarityThreshold {
    guard let threshold = SimilarityThreshold(request.threshold) else {
      throw BenchmarkError("a threshold of -1...1 was expected")
    }
    return threshold
  }
}
