import BenchmarkOptions
import CFaceKernels
import ReVerify

/// What the machine allows here: how fast one thread reads memory, and multiplies bytes of the first-level cache. A search of
/// one probe can't be faster than its plane is read, a batch not faster than its products are formed.
struct LimitsRun {
  private static let rounds = 11
  private static let bytes = 256 << 20
  private static let dimension = 512

  func run() throws {
    let kernels = try Kernels.fromEnvironment.get()
    guard let level = Self.table(kernels.level) else { throw BenchmarkError("no kernels") }
    print("one thread, \(Processor.name), kernels \(kernels.level.rawValue); medians of \(Self.rounds)")
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.bytes, alignment: 2 << 20)
    defer { memory.deallocate() }
    for index in stride(from: 0, to: Self.bytes, by: 8) {
      memory.storeBytes(of: UInt64(index) &* 0x9e37_79b9_7f4a_7c15, toByteOffset: index, as: UInt64.self)
    }
    var sink: UInt64 = 0
    let plain = Measurement.median(
      (0..<Self.rounds).map { _ in
        Measurement.milliseconds { sink &+= Self.sum(UnsafeRawBufferPointer(memory)) }
      })
    print(
      "  reading 256 MB from four places at once: \(Self.gigabytes(Self.bytes, plain)) GB/s [\(sink & 1)]")
    print("  3-bit products with one probe, 252 MB: \(one(level, memory)) GB/s")
    print(
      "  8-bit products of 64 blocks with 64 probes: \(Self.rounded(batch(level, memory))) billion operations a second, two to "
        + "a product")
  }

  private static func table(_ level: KernelLevel) -> UnsafePointer<fk_kernels>? {
    let codes: [KernelLevel: fk_level] = [
      .scalar: .FK_LEVEL_SCALAR, .avx2: .FK_LEVEL_AVX2, .avx512: .FK_LEVEL_AVX512, .vnni: .FK_LEVEL_VNNI,
      .amx: .FK_LEVEL_AMX, .neon: .FK_LEVEL_NEON,
    ]
    return codes[level].flatMap { fk_kernels_at($0) }
  }

  /// Sums eight numbers a step from each quarter.
  private static func sum(_ memory: UnsafeRawBufferPointer) -> UInt64 {
    let quarter = memory.count / 4
    let start = memory.baseAddress!
    var (a, b, c, d) = (SIMD8<UInt64>(), SIMD8<UInt64>(), SIMD8<UInt64>(), SIMD8<UInt64>())
    for offset in stride(from: 0, to: quarter, by: 64) {
      a &+= start.load(fromByteOffset: offset, as: SIMD8<UInt64>.self)
      b &+= start.load(fromByteOffset: quarter + offset, as: SIMD8<UInt64>.self)
      c &+= start.load(fromByteOffset: 2 * quarter + offset, as: SIMD8<UInt64>.self)
      d &+= start.load(fromByteOffset: 3 * quarter + offset, as: SIMD8<UInt64>.self)
    }
    return (a &+ b &+ c &+ d).wrappedSum()
  }

  private func one(_ level: UnsafePointer<fk_kernels>, _ memory: UnsafeMutableRawBufferPointer) -> String {
    let query = [Int8](repeating: 3, count: Self.dimension)
    let unitBlocks = 512
    let unitBytes = unitBlocks * 6 * Self.dimension
    let unitCount = Self.bytes / unitBytes
    var products = [Int32](repeating: 0, count: 16 * unitBlocks)
    let milliseconds = Measurement.median(
      (0..<Self.rounds).map { _ in
        Measurement.milliseconds {
          for unit in 0..<unitCount {
            let blocks = (memory.baseAddress! + unit * unitBytes).assumingMemoryBound(to: UInt8.self)
            level.pointee.dot_blocks_u3(blocks, unitBlocks, Self.dimension, query, &products)
          }
        }
      })
    return Self.gigabytes(unitCount * unitBytes, milliseconds)
  }

  private func batch(_ level: UnsafePointer<fk_kernels>, _ memory: UnsafeMutableRawBufferPointer) -> Double {
    let (blockCount, probeCount, times) = (64, 64, 40)
    let queries = [Int8](repeating: 3, count: probeCount * Self.dimension)
    var products = [Int32](repeating: 0, count: 16 * blockCount * probeCount)
    let blocks = memory.baseAddress!.assumingMemoryBound(to: UInt8.self)
    let milliseconds = Measurement.median(
      (0..<Self.rounds).map { _ in
        Measurement.milliseconds {
          for _ in 0..<times {
            level.pointee.dot_blocks_i8(blocks, blockCount, Self.dimension, queries, probeCount, &products)
          }
        }
      })
    return 2 * Double(16 * blockCount * probeCount * Self.dimension * times) / milliseconds / 1e6
  }

  private static func gigabytes(_ bytes: Int, _ milliseconds: Double) -> String {
    rounded(Double(bytes) / milliseconds / 1e6)
  }

  private static func rounded(_ value: Double) -> String { "\((value * 10).rounded() / 10)" }
}
