import CFaceKernels
import FaceMatching

/// The scores of one kind, streamed into bins, with those of one tail kept as they are.
///
/// Memory is fixed: 8 bytes a bin and at most 16 a score of `tailCapacity`. The tail holds all scores of as
/// many bins from its end as together have at most `tailCapacity` scores; which bins these are follows from
/// the counts alone, so neither order nor merging changes the result.
public struct ScoreHistogram: Sendable {
  /// The end of the score axis where errors happen: non-mated scores err when high, mated ones when low.
  enum Tail: Hashable, Sendable {
    case highest
    case lowest
  }

  let bins: ScoreBins
  let tail: Tail
  let tailCapacity: Int
  /// Scores in each bin.
  private(set) var counts: [Int]
  /// Scores that were not finite.
  public private(set) var notFinite = 0
  private(set) var moments = Moments()
  /// All scores of the bins `kept`, and perhaps some of others, in no order.
  private var tailScores: [Double] = []
  /// The bins of which every score so far is in `tailScores`. Only ever narrows.
  private var kept: Range<Int>

  /// Scores are taken in pieces of this many, so that the tail is checked for room between them.
  private static let pieceCount = 4096

  init(bins: ScoreBins, tail: Tail, tailCapacity: Int) {
    precondition(tailCapacity >= 0 && tailCapacity <= 1 << 40, "a tail holds 0...2^40 scores")
    self.bins = bins
    self.tail = tail
    self.tailCapacity = tailCapacity
    counts = Array(repeating: 0, count: bins.count)
    kept = 0..<bins.count
  }

  /// The number of scores taken in, those not finite left out.
  public var total: Int { moments.count }

  /// Count, mean and standard deviation, accurate to rounding; `nil` when there are no scores.
  public var summary: ScoreSummary? { moments.summary }

  mutating func add(_ scores: UnsafeBufferPointer<Double>) {
    addPieces(of: scores) { table, piece, count, call in
      table.pointee.bin_f64(piece, count, call.bins, call.shift, call.kept, call.counts, call.keptScores)
    }
  }

  mutating func add(_ scores: UnsafeBufferPointer<Float>) {
    addPieces(of: scores) { table, piece, count, call in
      table.pointee.bin_f32(piece, count, call.bins, call.shift, call.kept, call.counts, call.keptScores)
    }
  }

  /// What the counting kernel is given besides scores.
  private struct Call {
    let bins: UnsafePointer<fk_bins>
    let shift: Double
    let kept: fk_bin_range
    let counts: UnsafeMutablePointer<Int64>
    let keptScores: UnsafeMutablePointer<Double>
  }

  /// Counts in pieces, so that the sums stay accurate and the tail is checked for room between them.
  private mutating func addPieces<Score: BinaryFloatingPoint>(
    of scores: UnsafeBufferPointer<Score>,
    _ count: (UnsafePointer<fk_kernels>, UnsafePointer<Score>, Int, Call) -> fk_bin_sums
  ) {
    guard let first = scores.baseAddress else { return }
    let table = Kernels.shared.table
    let parameters = UnsafeMutablePointer<fk_bins>.allocate(capacity: 1)
    parameters.initialize(to: fk_bins(low: bins.low, scale: bins.scale, limit: bins.limit))
    defer { parameters.deallocate() }
    withUnsafeTemporaryAllocation(of: Double.self, capacity: min(Self.pieceCount, scores.count)) { room in
      var start = 0
      while start < scores.count {
        let size = min(Self.pieceCount, scores.count - start)
        if tailScores.count + size > max(2 * tailCapacity, tailCapacity + Self.pieceCount) { narrow() }
        let shift = first[start].isFinite ? Double(first[start]) : 0
        let range = fk_bin_range(first: Int32(kept.lowerBound), end: Int32(kept.upperBound))
        let sums = counts.withUnsafeMutableBufferPointer { counts in
          count(
            table, first + start, size,
            Call(
              bins: parameters, shift: shift, kept: range,
              counts: UnsafeMutableRawPointer(counts.baseAddress!).assumingMemoryBound(to: Int64.self),
              keptScores: room.baseAddress!))
        }
        moments.add(count: size - sums.failed, shift: shift, sum: sums.sum, squares: sums.squares)
        notFinite += sums.failed
        if sums.kept > 0 { tailScores.append(contentsOf: room[..<sums.kept]) }
        start += size
      }
    }
  }

  mutating func merge(_ other: ScoreHistogram) {
    precondition(
      bins == other.bins && tail == other.tail && tailCapacity == other.tailCapacity,
      "only histograms of one configuration can be merged")
    for bin in counts.indices { counts[bin] += other.counts[bin] }
    notFinite += other.notFinite
    moments.merge(other.moments)
    tailScores += other.tailScores
    narrow()
  }

  /// The bins whose scores are all in the tail by the rule; none when the outermost alone has too many.
  /// O(bins).
  var tailBins: Range<Int> {
    var room = tailCapacity
    func overflows(_ bin: Int) -> Bool {
      room -= counts[bin]
      return room < 0
    }
    switch tail {
    case .highest: return (counts.indices.last(where: overflows) ?? -1) + 1..<counts.count
    case .lowest: return 0..<(counts.indices.first(where: overflows) ?? counts.count)
    }
  }

  /// Lets go of scores outside the tail, so that at most `tailCapacity` remain. Counts only rise, so that the
  /// bins of the tail were all kept before, here and in what was merged.
  private mutating func narrow() {
    kept = tailBins
    let (kept, bins) = (kept, bins)
    tailScores.removeAll { !kept.contains(bins.bin(of: $0)) }
  }

  /// The scores of those of the `tailBins` that are wanted, in no order.
  func tailScores(in isWanted: (Int) -> Bool) -> [Double] {
    let (tail, bins) = (tailBins, bins)
    return tailScores.filter { score in
      let bin = bins.bin(of: score)
      return tail.contains(bin) && isWanted(bin)
    }
  }

  /// The bin of the score with so many below it in ascending order; `rank` is below `total`. O(bins).
  func bin(ofRank rank: Int) -> Int {
    var below = 0
    for bin in counts.indices {
      below += counts[bin]
      if rank < below { return bin }
    }
    preconditionFailure("rank \(rank) of \(total) scores")
  }

  /// The bounds between which the number of scores at or above a threshold lies.
  func countBounds(atLeast threshold: Double) -> ClosedRange<Int> {
    if threshold == -.infinity { return total...total }
    let bin = bins.bin(of: threshold)
    guard bin >= 0 else { return 0...0 }
    let above = counts[(bin + 1)...].reduce(0, +)
    guard tailBins.contains(bin) else { return above...above + counts[bin] }
    let exact = above + tailScores { $0 == bin }.count { $0 >= threshold }
    return exact...exact
  }
}
