#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The lower convex hull of the points (FMR, FNMR): what thresholds, chosen at random in fixed proportions,
/// can reach.
///
/// Its corners are the blocks of isotonic regression (pool adjacent violators) of class on score. Provost &
/// Fawcett, "Robust classification for imprecise environments" (2001); Fawcett & Niculescu-Mizil, "PAV and
/// the ROC convex hull" (2007).
public struct ConvexHull: Hashable, Sendable {
  /// Mated and non-mated comparisons that isotonic regression gives one and the same likelihood ratio.
  public struct Block: Hashable, Sendable {
    /// The lowest score of the block. Its scores reach up to the next block's.
    public let lowestScore: Double
    /// Mated comparisons of the block.
    public let mated: Int
    /// Non-mated comparisons of the block.
    public let nonMated: Int
  }

  /// From the lowest scores to the highest, with strictly rising likelihood ratios. The first may hold no
  /// mated comparison, the last no non-mated one.
  public let blocks: [Block]
  let matedTotal: Int
  let nonMatedTotal: Int

  /// The corners (FMR, FNMR), from (1, 0) to (0, 1).
  public var corners: [(falseMatchRate: Double, falseNonMatchRate: Double)] {
    var (rejected, rejectedNonMated) = (0, 0)
    return [(1, 0)]
      + blocks.map { block in
        rejected += block.mated
        rejectedNonMated += block.nonMated
        return (
          Double(nonMatedTotal - rejectedNonMated) / Double(nonMatedTotal),
          Double(rejected) / Double(matedTotal)
        )
      }
  }

  /// The equal error rate of the hull, where it meets FMR = FNMR: 0...0.5. Never above
  /// `EqualErrorRate.linear`, which is one such mixture; the midpoint of the interval, which is none, may lie
  /// below it.
  public var equalErrorRate: Double {
    let corners = corners
    // The last corner, (0, 1), lies beyond the diagonal and the first, (1, 0), before it.
    let after = corners.firstIndex { $0.falseMatchRate <= $0.falseNonMatchRate }!
    let (f1, n1) = corners[after - 1]
    let (f2, n2) = corners[after]
    return f1 + (f2 - f1) * ((f1 - n1) / ((f1 - n1) - (f2 - n2)))
  }

  /// The cost of the best calibration of these scores, in bits: 0 separates the classes, 1 tells nothing.
  ///
  /// minCllr of Brümmer & du Preez, "Application-independent evaluation of speaker detection" (2006): Cllr
  /// after the scores are replaced by the log likelihood ratios of isotonic regression.
  public var minimumLogLikelihoodRatioCost: Double {
    let (m, n) = (Double(matedTotal), Double(nonMatedTotal))
    let cost = blocks.reduce(0.0) { sum, block in
      // A block of one class alone has an infinite likelihood ratio the right way round, and costs nothing.
      guard block.mated > 0, block.nonMated > 0 else { return sum }
      let ratio = (Double(block.mated) / m) / (Double(block.nonMated) / n)
      return sum + Double(block.mated) / m * log1p(1 / ratio) + Double(block.nonMated) / n * log1p(ratio)
    }
    return cost / (2 * log(2.0))
  }
}

extension ConvexHull {
  /// Pools groups of comparisons that come from the lowest score to the highest.
  struct Builder {
    private var blocks: [Block] = []
    private var (mated, nonMated) = (0, 0)

    mutating func add(_ score: Double, mated: Int, nonMated: Int) {
      guard mated + nonMated > 0 else { return }
      self.mated += mated
      self.nonMated += nonMated
      var block = Block(lowestScore: score, mated: mated, nonMated: nonMated)
      while let last = blocks.last,
        Int128(last.mated) * Int128(block.nonMated) >= Int128(block.mated) * Int128(last.nonMated)
      {
        blocks.removeLast()
        block = Block(
          lowestScore: last.lowestScore, mated: last.mated + block.mated,
          nonMated: last.nonMated + block.nonMated)
      }
      blocks.append(block)
    }

    var hull: ConvexHull { ConvexHull(blocks: blocks, matedTotal: mated, nonMatedTotal: nonMated) }
  }
}

extension ScoreSet {
  /// The convex hull of the error rates, by pooling adjacent violators. O(n). Throws when a class is empty.
  public func convexHull() throws(EvaluationError) -> ConvexHull {
    _ = try window()
    var builder = ConvexHull.Builder()
    forEachDistinctScore { builder.add($0, mated: $1, nonMated: $2) }
    return builder.hull
  }
}
