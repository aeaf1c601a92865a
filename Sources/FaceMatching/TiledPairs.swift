import CFaceKernels
import Glibc
import Synchronization

/// A number that the pair kernels work on.
protocol PairElement: BinaryFloatingPoint, BitwiseCopyable, Sendable {
  /// The kernel that scores rows with rows, at a level.
  static func score(
    _ table: UnsafePointer<fk_kernels>, _ a: UnsafePointer<Self>, _ aCount: Int, _ b: UnsafePointer<Self>,
    _ bCount: Int, stride: Int, dimension: Int, into scores: UnsafeMutablePointer<Self>, scoreStride: Int)
}

extension Float: PairElement {
  static func score(
    _ table: UnsafePointer<fk_kernels>, _ a: UnsafePointer<Float>, _ aCount: Int, _ b: UnsafePointer<Float>,
    _ bCount: Int, stride: Int, dimension: Int, into scores: UnsafeMutablePointer<Float>, scoreStride: Int
  ) {
    table.pointee.dot_pairs_f32(a, stride, aCount, b, stride, bCount, dimension, scores, scoreStride)
  }
}

extension Double: PairElement {
  static func score(
    _ table: UnsafePointer<fk_kernels>, _ a: UnsafePointer<Double>, _ aCount: Int, _ b: UnsafePointer<Double>,
    _ bCount: Int, stride: Int, dimension: Int, into scores: UnsafeMutablePointer<Double>, scoreStride: Int
  ) {
    table.pointee.dot_pairs_f64(a, stride, aCount, b, stride, bCount, dimension, scores, scoreStride)
  }
}

/// Rows of which all pairs are scored, block against block, on as many threads as the pool has.
struct TiledPairs<Element: PairElement>: Sendable {
  /// Packed rows, written before they are shared and wiped when they go.
  final class Rows: @unchecked Sendable {
    // Written before it is shared and never after: that is why it may be sent.
    let values: UnsafeMutablePointer<Element>
    let count: Int
    let stride: Int

    /// Rows of zeros; `fill` writes each.
    init(count: Int, dimension: Int, fill: (Int, UnsafeMutableBufferPointer<Element>) -> Void) {
      self.count = count
      stride = dimension.roundedUp(toMultipleOf: 16)
      values = .allocateAligned(max(count, 1) * stride)
      values.update(repeating: 0, count: max(count, 1) * stride)
      for row in 0..<count {
        fill(row, UnsafeMutableBufferPointer(start: values + row * stride, count: dimension))
      }
    }

    deinit {
      explicit_bzero(values, max(count, 1) * stride * MemoryLayout<Element>.size)
      free(values)
    }
  }

  /// Rows whose packed values stay in the second-level cache while others are compared with them.
  private static var blockRows: Int { 256 }
  /// Rows that are compared with a block at a time.
  private static var stripRows: Int { 32 }

  let rows: Rows
  let dimension: Int
  let kernels: Kernels
  let pool: WorkerPool

  var pairCount: Int { rows.count * (rows.count - 1) / 2 }

  /// Calls `visit` with every pair's score: for a row, those of consecutive others from `first` on, all of which come
  /// after the row. Each thread fills an accumulator of its own; all are returned.
  func accumulate<Accumulator: Sendable>(
    _ makeAccumulator: @escaping @Sendable () -> Accumulator,
    visit:
      @escaping @Sendable (
        _ accumulator: inout Accumulator, _ row: Int, _ first: Int,
        _ scores: UnsafeMutableBufferPointer<Element>
      ) -> Void
  ) -> [Accumulator] {
    let blockCount = (rows.count + Self.blockRows - 1) / Self.blockRows
    let nextBlock = BlockCounter()
    return pool.map(min(pool.threadCount, max(blockCount, 1))) { _ in
      var accumulator = makeAccumulator()
      var scores = [Element](repeating: 0, count: Self.stripRows * Self.blockRows)
      scores.withUnsafeMutableBufferPointer { scores in
        while let block = nextBlock.take(below: blockCount) {
          let others = block * Self.blockRows..<min((block + 1) * Self.blockRows, rows.count)
          for first in stride(from: 0, to: others.upperBound - 1, by: Self.stripRows) {
            visitStrip(
              first..<min(first + Self.stripRows, others.upperBound - 1), with: others, scores, &accumulator,
              visit)
          }
        }
      }
      return accumulator
    }
  }

  private func visitStrip<Accumulator>(
    _ strip: Range<Int>, with others: Range<Int>, _ scores: UnsafeMutableBufferPointer<Element>,
    _ accumulator: inout Accumulator,
    _ visit: (inout Accumulator, Int, Int, UnsafeMutableBufferPointer<Element>) -> Void
  ) {
    Element.score(
      kernels.table, rows.values + strip.lowerBound * rows.stride, strip.count,
      rows.values + others.lowerBound * rows.stride, others.count, stride: rows.stride, dimension: dimension,
      into: scores.baseAddress!, scoreStride: Self.blockRows)
    for row in strip {
      let range = max(row + 1, others.lowerBound)..<others.upperBound
      let start = (row - strip.lowerBound) * Self.blockRows + range.lowerBound - others.lowerBound
      visit(
        &accumulator, row, range.lowerBound,
        UnsafeMutableBufferPointer(rebasing: scores[start..<start + range.count]))
    }
  }
}

/// Numbers from 0 on, handed out to threads one by one; the last first, since later blocks hold more pairs.
private final class BlockCounter: Sendable {
  private let taken = Atomic(0)

  func take(below count: Int) -> Int? {
    let number = taken.wrappingAdd(1, ordering: .relaxed).oldValue
    return number < count ? count - 1 - number : nil
  }
}
