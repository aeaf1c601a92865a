import CFaceKernels
import Glibc

/// The system's OpenBLAS, opened at run time with the kernels that suit the processor, and checked before use.
///
/// A BLAS only ever chooses candidates: its order of summation is its own, so its results are bounded, never final.
/// Opening it sets its thread count to 1 for the process: the engine divides the work itself.
public struct OpenBLAS: Sendable {
  typealias MatrixProduct =
    @convention(c) (
      _ order: Int32, _ transposeA: Int32, _ transposeB: Int32, _ m: Int32, _ n: Int32, _ k: Int32,
      _ alpha: Float, _ a: UnsafePointer<Float>, _ lda: Int32, _ b: UnsafePointer<Float>, _ ldb: Int32,
      _ beta: Float, _ c: UnsafeMutablePointer<Float>, _ ldc: Int32
    ) -> Void
  /// Why there is no BLAS to use.
  public enum Unavailability: Error, Equatable, Sendable, CustomStringConvertible {
    case notInstalled
    case missingFunction(String)
    /// It gave a wrong product for a known answer; its kernels don't fit this processor.
    case wrongAnswer(coreName: String)

    public var description: String {
      switch self {
      case .notInstalled: "libopenblas.so.0 is not installed (Debian: libopenblas-dev)"
      case .missingFunction(let name): "libopenblas.so.0 has no function \(name)"
      case .wrongAnswer(let core): "its \(core) kernels gave a wrong product for a known answer"
      }
    }
  }

  private static let rowMajor: Int32 = 101
  private static let noTranspose: Int32 = 111
  private static let transpose: Int32 = 112

  /// What OpenBLAS calls the kernels it uses, for example `SkylakeX`.
  public let coreName: String
  private let sgemm: MatrixProduct

  /// Opened and checked once at first use.
  public static let shared: Result<OpenBLAS, Unavailability> = {
    do throws(Unavailability) {
      let blas = try OpenBLAS()
      guard blas.givesKnownAnswers() else { throw .wrongAnswer(coreName: blas.coreName) }
      return .success(blas)
    } catch {
      return .failure(error)
    }
  }()

  private init() throws(Unavailability) {
    let handle = Self.openWithSuitableKernels()
    guard let handle else { throw .notInstalled }
    func function<Function>(_ name: String, as type: Function.Type) throws(Unavailability) -> Function {
      guard let symbol = dlsym(handle, name) else { throw .missingFunction(name) }
      return unsafeBitCast(symbol, to: type)
    }
    sgemm = try function("cblas_sgemm", as: MatrixProduct.self)
    typealias CoreName = @convention(c) () -> UnsafePointer<CChar>?
    coreName =
      try function("openblas_get_corename", as: CoreName.self)().map { String(cString: $0) } ?? "unnamed"
    try function("openblas_set_num_threads", as: (@convention(c) (Int32) -> Void).self)(1)
  }

  /// OpenBLAS chooses its kernels when it is loaded, and older ones don't know newer processors; the variable that
  /// tells it is set only where nobody has set it, and only for the time of loading.
  private static func openWithSuitableKernels() -> UnsafeMutableRawPointer? {
    let variable = "OPENBLAS_CORETYPE"
    let suitable = getenv(variable) == nil ? fk_openblas_core_type() : nil
    if let suitable { setenv(variable, suitable, 0) }
    defer { if suitable != nil { unsetenv(variable) } }
    return dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL)
  }

  /// products[i * productStride + j] = left row i · right row j; rows of `count` elements, row-major.
  func multiplyRows(
    _ left: UnsafePointer<Float>, leftCount: Int, leftStride: Int, by right: UnsafePointer<Float>,
    rightCount: Int,
    rightStride: Int, count: Int, into products: UnsafeMutablePointer<Float>, productStride: Int
  ) {
    sgemm(
      Self.rowMajor, Self.noTranspose, Self.transpose, Int32(leftCount), Int32(rightCount), Int32(count), 1,
      left,
      Int32(leftStride), right, Int32(rightStride), 0, products, Int32(productStride))
  }

  /// Products of small whole numbers, whose sums are exact in f32 in any order, in shapes that reach the inner
  /// kernels and their edges.
  private func givesKnownAnswers() -> Bool {
    [(1, 1, 1), (3, 17, 130), (64, 96, 512), (65, 129, 513)].allSatisfy { shape in
      let (leftCount, rightCount, count) = shape
      let left = (0..<leftCount * count).map { Float($0 &* 7919 % 15 - 7) }
      let right = (0..<rightCount * count).map { Float($0 &* 104_729 % 13 - 6) }
      var products = [Float](repeating: .nan, count: leftCount * rightCount)
      multiplyRows(
        left, leftCount: leftCount, leftStride: count, by: right, rightCount: rightCount, rightStride: count,
        count: count, into: &products, productStride: rightCount)
      return (0..<leftCount).allSatisfy { i in
        (0..<rightCount).allSatisfy { j in
          var expected: Float = 0
          for k in 0..<count { expected += left[i * count + k] * right[j * count + k] }
          return products[i * rightCount + j] == expected
        }
      }
    }
  }
}
