import Biometrics
import CFaceKernels
import Glibc
import Synchronization

/// All comparison scores among a set of embeddings, streamed and never held: the symmetric half, each pair once.
///
/// Every score is the defined one, bit for bit as `Embedding.score(with:)` gives it. n·(n − 1)/2 scores; memory is
/// one packed copy of the embeddings and a block of scores for each thread.
public struct AllPairs: Sendable {
  /// A packed, read-only copy of the embeddings, wiped when it goes.
  private final class Rows: @unchecked Sendable {
    // Written before it is shared and never after: that is why it may be sent.
    let values: UnsafeMutablePointer<Float>
    let count: Int
    let stride: Int

    init(_ embeddings: [Embedding], dimension: Int) {
      count = embeddings.count
      stride = dimension.roundedUp(toMultipleOf: 16)
      values = .allocateAligned(count * stride)
      for (row, embedding) in embeddings.enumerated() {
        (values + row * stride).update(from: embedding.values, count: dimension)
        (values + row * stride + dimension).update(repeating: 0, count: stride - dimension)
      }
    }

    deinit {
      explicit_bzero(values, count * stride * MemoryLayout<Float>.size)
      free(values)
    }
  }

  /// Rows whose packed values stay in the second-level cache while others are compared with them.
  private static let blockRows = 256

  private let rows: Rows
  private let dimension: Int
  private let kernels: Kernels
  private let pool: WorkerPool

  public var pairCount: Int { rows.count * (rows.count - 1) / 2 }

  /// The pairs among `embeddings`, all of one space, scored on `threadCount` threads (nil: one per core).
  ///
  /// Throws `.otherSpace` and `.threadCount`.
  public init(_ embeddings: [Embedding], threadCount: Int? = nil) throws(GalleryError) {
    let dimension = embeddings.first?.values.count ?? 1
    for embedding in embeddings where embedding.space != embeddings[0].space {
      throw GalleryError(.otherSpace(expected: embeddings[0].space, found: embedding.space))
    }
    let engine = try SearchEngine(configuration: .init(threadCount: threadCount))
    self.dimension = dimension
    rows = Rows(embeddings, dimension: dimension)
    kernels = engine.kernels
    pool = engine.pool
  }

  /// Calls `visit` with every pair's score: for a row, the scores of consecutive others from `first` on, all of which
  /// come after the row. Each thread fills an accumulator of its own, made by `makeAccumulator`; all are returned.
  public func accumulate<Accumulator: Sendable>(
    _ makeAccumulator: @escaping @Sendable () -> Accumulator,
    visit:
      @escaping @Sendable (
        _ accumulator: inout Accumulator, _ row: Int, _ first: Int, _ scores: UnsafeBufferPointer<Float>
      ) -> Void
  ) -> [Accumulator] {
    let blockCount = (rows.count + Self.blockRows - 1) / Self.blockRows
    let nextBlock = Counter()
    let (rows, dimension, kernels) = (rows, dimension, kernels)
    return pool.map(min(pool.threadCount, max(blockCount, 1))) { _ in
      var accumulator = makeAccumulator()
      var scores = [Float](repeating: 0, count: Self.blockRows)
      while let block = nextBlock.take(below: blockCount) {
        let others = block * Self.blockRows..<min((block + 1) * Self.blockRows, rows.count)
        for row in 0..<others.upperBound - 1 {
          let range = max(row + 1, others.lowerBound)..<others.upperBound
          kernels.table.pointee.dot_rows_f32(
            rows.values + row * rows.stride, rows.values + range.lowerBound * rows.stride, rows.stride,
            range.count,
            dimension, &scores)
          scores.withUnsafeMutableBufferPointer { scores in
            for index in 0..<range.count { scores[index] = min(max(scores[index], -1), 1) }
            visit(
              &accumulator, row, range.lowerBound, UnsafeBufferPointer(rebasing: scores[0..<range.count]))
          }
        }
      }
      return accumulator
    }
  }
}

/// Numbers from 0 on, handed out to threads one by one; the last first, since later blocks hold more pairs.
private final class Counter: Sendable {
  private let taken = Atomic(0)

  func take(below count: Int) -> Int? {
    let number = taken.wrappingAdd(1, ordering: .relaxed).oldValue
    return number < count ? count - 1 - number : nil
  }
}
