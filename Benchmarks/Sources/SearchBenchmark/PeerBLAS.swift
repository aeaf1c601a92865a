import BenchmarkOptions
import Glibc
import ReVerify

/// Exact search as one would write it with a BLAS: all scores of a block of rows, then selection of the best.
///
/// It uses the library that the engine has opened, with the kernels that the engine chose for this processor.
final class PeerBLAS {
  private typealias MatrixVectorProduct =
    @convention(c) (
      Int32, Int32, Int32, Int32, Float, UnsafePointer<Float>, Int32, UnsafePointer<Float>, Int32, Float,
      UnsafeMutablePointer<Float>, Int32
    ) -> Void
  private typealias MatrixProduct =
    @convention(c) (
      Int32, Int32, Int32, Int32, Int32, Int32, Float, UnsafePointer<Float>, Int32, UnsafePointer<Float>,
      Int32, Float,
      UnsafeMutablePointer<Float>, Int32
    ) -> Void

  private static let rowMajor: Int32 = 101
  private static let noTranspose: Int32 = 111
  private static let transpose: Int32 = 112
  /// Rows whose scores are made at once in a batch: 64 probes' scores of them stay in the L2 cache.
  private static let blockRows = 4096

  let coreName: String
  private let sgemv: MatrixVectorProduct
  private let sgemm: MatrixProduct
  private let setThreadCount: @convention(c) (Int32) -> Void
  private let rows: [Float]
  private let dimension: Int
  private let count: Int
  private var scores: [Float] = []

  /// Nil where there is no OpenBLAS.
  init?(rows: [Float], dimension: Int) {
    guard case .success(let blas) = OpenBLAS.shared, let handle = dlopen("libopenblas.so.0", RTLD_NOW),
      let vector = dlsym(handle, "cblas_sgemv"), let matrix = dlsym(handle, "cblas_sgemm"),
      let threads = dlsym(handle, "openblas_set_num_threads")
    else { return nil }
    coreName = blas.coreName
    sgemv = unsafeBitCast(vector, to: MatrixVectorProduct.self)
    sgemm = unsafeBitCast(matrix, to: MatrixProduct.self)
    setThreadCount = unsafeBitCast(threads, to: (@convention(c) (Int32) -> Void).self)
    self.rows = rows
    self.dimension = dimension
    count = rows.count / dimension
  }

  /// Lets OpenBLAS use its own threads. It is the engine's setting too: only for a process without an engine.
  func use(threads: Int) { setThreadCount(Int32(threads)) }

  /// The `limit` best rows, best first, ties by row.
  func search(_ probe: [Float], limit: Int) -> [Hit] {
    scoreAll(probe)
    var best: [Hit] = []
    select(scores[...], firstRow: 0, limit: limit, into: &best)
    return best
  }

  /// All rows that reach `threshold`, in order of rows.
  func search(_ probe: [Float], threshold: Float) -> [Hit] {
    scoreAll(probe)
    var found: [Hit] = []
    scores.withUnsafeBufferPointer { scores in
      for row in 0..<count where scores[row] >= threshold {
        found.append(Hit(row: Int64(row), score: scores[row]))
      }
    }
    return found
  }

  /// The `limit` best rows for each of the probes, which lie one after the other in `probes`.
  func search(batch probes: [Float], limit: Int) -> [[Hit]] {
    let probeCount = probes.count / dimension
    resizeScores(to: probeCount * Self.blockRows)
    var best = [[Hit]](repeating: [], count: probeCount)
    for first in stride(from: 0, to: count, by: Self.blockRows) {
      let width = min(Self.blockRows, count - first)
      rows.withUnsafeBufferPointer { rows in
        sgemm(
          Self.rowMajor, Self.noTranspose, Self.transpose, Int32(probeCount), Int32(width), Int32(dimension),
          1,
          probes, Int32(dimension), rows.baseAddress! + first * dimension, Int32(dimension), 0, &scores,
          Int32(width))
      }
      for probe in 0..<probeCount {
        select(scores[probe * width..<(probe + 1) * width], firstRow: first, limit: limit, into: &best[probe])
      }
    }
    return best
  }

  private func scoreAll(_ probe: [Float]) {
    resizeScores(to: count)
    sgemv(
      Self.rowMajor, Self.noTranspose, Int32(count), Int32(dimension), 1, rows, Int32(dimension), probe, 1, 0,
      &scores,
      1)
  }

  private func resizeScores(to size: Int) {
    if scores.count != size { scores = [Float](repeating: 0, count: size) }
  }

  private func select(_ scores: ArraySlice<Float>, firstRow: Int, limit: Int, into best: inout [Hit]) {
    scores.withUnsafeBufferPointer { scores in
      for index in scores.indices where best.count < limit || scores[index] > best[limit - 1].score {
        let place = best.firstIndex { $0.score < scores[index] } ?? best.count
        best.insert(Hit(row: Int64(firstRow + index), score: scores[index]), at: place)
        if best.count > limit { best.removeLast() }
      }
    }
  }
}

/// OpenBLAS in a process of its own, as a peer among the others.
struct BLASParticipant: Participant {
  let introduction: Introduction
  private let blas: PeerBLAS
  private let probes: RowFile

  init(_ options: Options) throws {
    let rows = try RowFile(options.text("rows"))
    probes = try RowFile(options.text("queries"))
    let count =
      try min(rows.count, options.number("limit-rows", or: rows.count))
    var made: PeerBLAS?
    let milliseconds = Measurement.milliseconds {
      made = PeerBLAS(rows: Array(rows.values.prefix(count * rows.dimension)), dimension: rows.dimension)
    }
    guard let blas = made else { throw BenchmarkError("OpenBLAS is not installed") }
    rows.releasePages()
    blas.use(threads: try options.number("threads"))
    self.blas = blas
    introduction = Introduction(
      name: "OpenBLAS and selection", kernels: blas.coreName, count: count, dimension: rows.dimension,
      loadSeconds: milliseconds / 1000, residentBytes: Worker.residentBytes())
  }

  func search(_ request: Request, probes range: Range<Int>) throws -> [[Hit]] {
    switch request.operation {
    case .topK: return [blas.search(Array(probes[range.lowerBound]), limit: request.k)]
    case .threshold: return [blas.search(Array(probes[range.lowerBound]), threshold: request.threshold)]
    case .batch:
      let values = probes.values[range.lowerBound * probes.dimension..<range.upperBound * probes.dimension]
      return blas.search(batch: Array(values), limit: request.k)
    }
  }

  func answers(_ found: [[Hit]]) -> [[Hit]] { found }

  func exhaustiveAnswers(_ request: Request, probes range: Range<Int>) throws -> [[Hit]] {
    throw BenchmarkError("the exhaustive scan is the engine's to define")
  }
}
