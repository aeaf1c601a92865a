import Glibc
import ReVerify

/// Exact search as one would write it with a BLAS: `cblas_sgemv` over all rows, then selection of the best.
///
/// It uses the library that the engine has opened, with the kernels that the engine chose for this processor.
struct PeerBLAS {
  private typealias MatrixVectorProduct = @convention(c) (
    Int32, Int32, Int32, Int32, Float, UnsafePointer<Float>, Int32, UnsafePointer<Float>, Int32, Float,
    UnsafeMutablePointer<Float>, Int32
  ) -> Void

  let coreName: String
  private let sgemv: MatrixVectorProduct

  init?() {
    guard case .success(let blas) = OpenBLAS.shared, let handle = dlopen("libopenblas.so.0", RTLD_NOW),
      let symbol = dlsym(handle, "cblas_sgemv")
    else { return nil }
    coreName = blas.coreName
    sgemv = unsafeBitCast(symbol, to: MatrixVectorProduct.self)
  }

  /// The `limit` best rows, best first, ties by row.
  func search(
    _ probe: [Float], rows: UnsafePointer<Float>, count: Int, limit: Int, scores: inout [Float]
  ) -> [(row: Int, score: Float)] {
    let (rowMajor, noTranspose) = (Int32(101), Int32(111))
    sgemv(
      rowMajor, noTranspose, Int32(count), Int32(probe.count), 1, rows, Int32(probe.count), probe, 1, 0, &scores, 1)
    var best: [(row: Int, score: Float)] = []
    best.reserveCapacity(limit + 1)
    scores.withUnsafeBufferPointer { scores in
      for row in 0..<count where best.count < limit || scores[row] > best[limit - 1].score {
        let place = best.firstIndex { $0.score < scores[row] } ?? best.count
        best.insert((row, scores[row]), at: place)
        if best.count > limit { best.removeLast() }
      }
    }
    return best
  }
}
