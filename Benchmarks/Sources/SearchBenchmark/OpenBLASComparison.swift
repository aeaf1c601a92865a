import BenchmarkOptions
import ReVerify

/// One query's time beside a BLAS, in one process, in turn, on the same rows, the answers compared.
struct OpenBLASComparison {
  let count: Int
  let dimension: Int
  let rounds: Int
  private static let limit = 10

  func run() throws {
    guard count > 0, dimension > 0, rounds > 0 else { throw BenchmarkError("numbers above 0 were expected") }
    let cohort = SyntheticCohort(seed: 1, dimension: dimension)
    let space = EmbeddingSpace.benchmark(dimension: dimension)
    let (gallery, rows) = try enrolled(cohort, space)
    let snapshot = gallery.snapshot(of: "benchmark")
    print("search: exact top \(Self.limit) of \(count) x \(dimension), one probe, one thread, seed 1")
    print("kernels: \(try Kernels.fromEnvironment.get().level.rawValue)")
    guard let peer = PeerBLAS(rows: rows, dimension: dimension) else {
      print("OpenBLAS is not installed: no peer to compare with")
      return
    }
    print("peer: OpenBLAS cblas_sgemv (\(peer.coreName) kernels) and selection")
    var engineTimes: [Double] = []
    var peerTimes: [Double] = []
    var differing = 0
    for round in 0..<rounds {
      let probe = try Embedding(
        cohort.embedding(subject: round * 97 % max(1, count / 2), image: 7), space: space)
      var found: [Candidate] = []
      var expected: [Hit] = []
      engineTimes.append(
        try Measurement.milliseconds { found = try snapshot.candidates(for: probe, limit: Self.limit) })
      peerTimes.append(Measurement.milliseconds { expected = peer.search(probe.values, limit: Self.limit) })
      if !agree(found, expected) { differing += 1 }
    }
    let (engine, blas) = (Measurement.median(engineTimes), Measurement.median(peerTimes))
    let ratio = Measurement.median(zip(peerTimes, engineTimes).map { $0 / $1 })
    print(
      "engine: \(rounded(engine)) ms a query (median of \(rounds)), peer: \(rounded(blas)) ms, "
        + "ratio \(rounded(ratio))")
    print("answers that differ from the peer's: \(differing) of \(rounds)")
    if differing > 0 { throw BenchmarkError("the answers differ") }
  }

  private func enrolled(_ cohort: SyntheticCohort, _ space: EmbeddingSpace) throws -> (Gallery, [Float]) {
    let gallery = try Gallery(space: space, configuration: .init(threadCount: 1))
    var rows: [Float] = []
    rows.reserveCapacity(count * dimension)
    for row in 0..<count {
      let embedding = try Embedding(cohort.embedding(subject: row / 2, image: row % 2), space: space)
      rows += embedding.values
      try gallery.enrol(
        Reference(
          organisation: "benchmark", workflow: "workflow", user: UserID("\(row / 2)"),
          session: SessionID("\(row)"),
          approvedAt: Instant(millisecondsSince1970: 0), embedding: embedding))
    }
    return (gallery, rows)
  }

  /// Equal but for the order of rows whose scores lie within the rounding of f32 sums of each other.
  private func agree(_ found: [Candidate], _ expected: [Hit]) -> Bool {
    found.count == expected.count
      && zip(found, expected).allSatisfy { candidate, hit in
        Int64(candidate.reference.number) == hit.row || abs(candidate.score.value - hit.score) <= 2e-6
      }
  }

  private func rounded(_ value: Double) -> Double { (value * 1000).rounded() / 1000 }
}
