import Glibc
import ReVerify

/// One query's time beside a BLAS, in one run, in turn, on the same rows, the answers compared.
@main
struct SearchBenchmark {
  static func main() throws {
    let arguments = CommandLine.arguments.dropFirst().compactMap { Int($0) }
    let count = arguments.first ?? 100_000
    let dimension = arguments.dropFirst().first ?? 512
    let limit = 10
    let rounds = arguments.dropFirst(2).first ?? 21
    let cohort = SyntheticCohort(seed: 1, dimension: dimension)
    let space = EmbeddingSpace(
      model: "synthetic", weightsDigest: "seed-1", dimension: dimension, preprocessing: "none")
    let gallery = try Gallery(space: space, configuration: .init(threadCount: 1))
    var rows: [Float] = []
    rows.reserveCapacity(count * dimension)
    for row in 0..<count {
      let embedding = try Embedding(cohort.embedding(subject: row / 2, image: row % 2), space: space)
      rows += embedding.values
      try gallery.enrol(
        Reference(
          organisation: "benchmark", workflow: "workflow", user: UserID("\(row / 2)"), session: SessionID("\(row)"),
          approvedAt: Instant(millisecondsSince1970: 0), embedding: embedding))
    }
    let snapshot = gallery.snapshot(of: "benchmark")
    print("search: exact top \(limit) of \(count) x \(dimension), one probe, one thread, seed 1")
    print("kernels: \(try Kernels.fromEnvironment.get().level.rawValue)")
    guard let peer = PeerBLAS() else {
      print("OpenBLAS is not installed: no peer to compare with")
      return
    }
    print("peer: OpenBLAS cblas_sgemv (\(peer.coreName) kernels) and selection")
    var scores = [Float](repeating: 0, count: count)
    var engineTimes: [Double] = []
    var peerTimes: [Double] = []
    var differing = 0
    for round in 0..<rounds {
      let probe = try Embedding(cohort.embedding(subject: round * 97 % max(1, count / 2), image: 7), space: space)
      var found: [Candidate] = []
      var expected: [(row: Int, score: Float)] = []
      engineTimes.append(try milliseconds { found = try snapshot.candidates(for: probe, limit: limit) })
      peerTimes.append(
        milliseconds {
          expected = peer.search(probe.values, rows: rows, count: count, limit: limit, scores: &scores)
        })
      if found.map({ Int($0.reference.number) }) != expected.map(\.row) { differing += 1 }
    }
    let (engine, blas) = (median(engineTimes), median(peerTimes))
    print("engine: \(engine) ms a query (median of \(rounds)), peer: \(blas) ms, ratio \(blas / engine)")
    print("answers that differ from the peer's: \(differing) of \(rounds)")
  }

  private static func milliseconds(_ body: () throws -> Void) rethrows -> Double {
    let elapsed = try ContinuousClock().measure(body)
    let (seconds, attoseconds) = elapsed.components
    return Double(seconds) * 1000 + Double(attoseconds) * 1e-15
  }

  private static func median(_ values: [Double]) -> Double {
    values.sorted()[values.count / 2]
  }
}
