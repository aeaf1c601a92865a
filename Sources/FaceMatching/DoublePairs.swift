import CFaceKernels

/// All comparison scores among a set of rows in double precision, streamed: what an evaluation is made of that has to agree
/// with others' figures to nine digits.
///
/// The score of a decision is `Embedding`'s, in single precision; the two differ by some 1e-8. Bits are the same at every
/// SIMD level and for any number of threads. Memory is one copy of the rows, 8 bytes a component.
public struct DoublePairs: Sendable {
  /// How two rows are compared; for every one of them higher is closer.
  public enum Metric: String, Sendable, CaseIterable {
    /// The cosine, −1...1 but for rounding.
    case cosine
    /// The negated Euclidean distance of the rows at length 1: −2...0.
    case normalisedEuclidean
    /// The negated Euclidean distance of the rows as they are, by squared norms and a dot product.
    case euclidean
  }

  private let pairs: TiledPairs<Double>
  /// Squared norms, where distances are asked for.
  private let squaredNorms: [Double]?

  public var pairCount: Int { pairs.pairCount }

  /// The pairs among `count` rows that `fill` writes, scored on `threadCount` threads (nil: one per core).
  ///
  /// A row that is all zeros has NaN for its cosines. Throws `.threadCount`.
  public init(
    count: Int, dimension: Int, metric: Metric = .cosine, threadCount: Int? = nil,
    fill: (Int, UnsafeMutableBufferPointer<Double>) -> Void
  ) throws(GalleryError) {
    let engine = try SearchEngine(configuration: .init(threadCount: threadCount))
    var norms: [Double] = []
    let rows = TiledPairs<Double>.Rows(count: count, dimension: dimension) { row, place in
      fill(row, place)
      let squared = Self.product(UnsafeBufferPointer(place), UnsafeBufferPointer(place), engine.kernels)
      guard metric != .euclidean else { return norms.append(squared) }
      let norm = squared.squareRoot()
      for index in place.indices { place[index] /= norm }
      if metric == .normalisedEuclidean {
        norms.append(Self.product(UnsafeBufferPointer(place), UnsafeBufferPointer(place), engine.kernels))
      }
    }
    pairs = TiledPairs(rows: rows, dimension: dimension, kernels: engine.kernels, pool: engine.pool)
    squaredNorms = metric == .cosine ? nil : norms
  }

  private static func product(
    _ a: UnsafeBufferPointer<Double>, _ b: UnsafeBufferPointer<Double>, _ kernels: Kernels
  ) -> Double {
    var result = 0.0
    guard let a = a.baseAddress, let left = b.baseAddress else { return result }
    kernels.table.pointee.dot_pairs_f64(a, b.count, 1, left, b.count, 1, b.count, &result, 1)
    return result
  }

  /// The score of one pair, as it comes among all of them.
  public func score(_ row: Int, _ other: Int) -> Double {
    var result = [0.0]
    score(row, with: other..<other + 1, into: &result)
    return result[0]
  }

  /// The scores of a row with consecutive others, `scores[i]` with the i-th.
  public func score(_ row: Int, with others: Range<Int>, into scores: inout [Double]) {
    precondition(
      others.lowerBound >= 0 && others.upperBound <= pairs.rows.count && scores.count >= others.count)
    let (rows, stride) = (pairs.rows.values, pairs.rows.stride)
    scores.withUnsafeMutableBufferPointer { scores in
      guard !others.isEmpty, let first = scores.baseAddress else { return }
      Double.score(
        pairs.kernels.table, rows + row * stride, 1, rows + others.lowerBound * stride, others.count,
        stride: stride,
        dimension: pairs.dimension, into: first, scoreStride: others.count)
      finish(row, others.lowerBound, UnsafeMutableBufferPointer(start: first, count: others.count))
    }
  }

  /// Calls `visit` with every pair's score: for a row, the scores of consecutive others from `first` on, all of which
  /// come after the row. Each thread fills an accumulator of its own, made by `makeAccumulator`; all are returned.
  public func accumulate<Accumulator: Sendable>(
    _ makeAccumulator: @escaping @Sendable () -> Accumulator,
    visit:
      @escaping @Sendable (
        _ accumulator: inout Accumulator, _ row: Int, _ first: Int, _ scores: UnsafeBufferPointer<Double>
      ) -> Void
  ) -> [Accumulator] {
    pairs.accumulate(makeAccumulator) { accumulator, row, first, scores in
      finish(row, first, scores)
      visit(&accumulator, row, first, UnsafeBufferPointer(scores))
    }
  }

  /// Turns dot products into what the metric asks for.
  private func finish(_ row: Int, _ first: Int, _ scores: UnsafeMutableBufferPointer<Double>) {
    guard let squaredNorms, let start = scores.baseAddress else { return }
    squaredNorms.withUnsafeBufferPointer { norms in
      fk_negated_distances_f64(norms[row], norms.baseAddress! + first, scores.count, start)
    }
  }
}

extension DoublePairs {
  /// Scores each of the rows `probes` with all of `references`, strip by strip on all threads, and gives what `body` makes
  /// of each probe's scores, in order. `scores[i]` is with the i-th reference; the buffer is valid during the call alone.
  public func search<Result: Sendable>(
    probes: Range<Int>, references: Range<Int>,
    _ body: @escaping @Sendable (_ probe: Int, _ scores: UnsafeBufferPointer<Double>) -> Result
  ) -> [Result] {
    precondition(
      probes.lowerBound >= 0 && probes.upperBound <= pairs.rows.count && references.lowerBound >= 0
        && references.upperBound <= pairs.rows.count, "rows that are there")
    let stripRows = 32
    let width = max(references.count, 1)
    return pairs.pool.map((probes.count + stripRows - 1) / stripRows) { strip in
      let first = probes.lowerBound + strip * stripRows
      let rows = first..<min(first + stripRows, probes.upperBound)
      let (values, stride) = (pairs.rows.values, pairs.rows.stride)
      return withUnsafeTemporaryAllocation(of: Double.self, capacity: stripRows * width) { scores in
        let place = scores.baseAddress!
        // Blocks of references stay in the second-level cache while the strip goes by.
        for block in Swift.stride(from: references.lowerBound, to: references.upperBound, by: 256) {
          Double.score(
            pairs.kernels.table, values + first * stride, rows.count, values + block * stride,
            min(256, references.upperBound - block), stride: stride, dimension: pairs.dimension,
            into: place + (block - references.lowerBound), scoreStride: width)
        }
        return rows.map { row in
          let line = UnsafeMutableBufferPointer(
            start: place + (row - first) * width, count: references.count)
          finish(row, references.lowerBound, line)
          return body(row, UnsafeBufferPointer(line))
        }
      }
    }.flatMap { $0 }
  }
}
