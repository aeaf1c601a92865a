import Biometrics

/// All comparison scores among a set of embeddings, streamed and never held: the symmetric half, each pair once.
///
/// Every score is the defined one, bit for bit as `Embedding.score(with:)` gives it. n·(n − 1)/2 scores; memory is
/// one packed copy of the embeddings and a block of scores for each thread.
public struct AllPairs: Sendable {
  private let pairs: TiledPairs<Float>

  public var pairCount: Int { pairs.pairCount }

  /// The pairs among `embeddings`, all of one space, scored on `threadCount` threads (nil: one per core).
  ///
  /// Throws `.otherSpace` and `.threadCount`.
  public init(_ embeddings: [Embedding], threadCount: Int? = nil) throws(GalleryError) {
    for embedding in embeddings where embedding.space != embeddings[0].space {
      throw GalleryError(.otherSpace(expected: embeddings[0].space, found: embedding.space))
    }
    try self.init(
      count: embeddings.count, dimension: embeddings.first?.values.count ?? 1, threadCount: threadCount
    ) { row, place in
      _ = place.update(from: embeddings[row].values)
    }
  }

  /// The pairs among `count` rows that `fill` writes, each of Euclidean norm 1 as `Embedding` makes it; for more of
  /// them than memory should hold twice. Throws `.threadCount`.
  public init(
    count: Int, dimension: Int, threadCount: Int? = nil,
    fill: (Int, UnsafeMutableBufferPointer<Float>) -> Void
  ) throws(GalleryError) {
    let engine = try SearchEngine(configuration: .init(threadCount: threadCount))
    pairs = TiledPairs(
      rows: .init(count: count, dimension: dimension, fill: fill), dimension: dimension,
      kernels: engine.kernels,
      pool: engine.pool)
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
    pairs.accumulate(makeAccumulator) { accumulator, row, first, scores in
      for index in scores.indices { scores[index] = min(max(scores[index], -1), 1) }
      visit(&accumulator, row, first, UnsafeBufferPointer(scores))
    }
  }
}
