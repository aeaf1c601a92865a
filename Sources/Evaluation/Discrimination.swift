#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Number, mean and spread of the scores of one class.
public struct ScoreSummary: Hashable, Sendable {
  /// At least 1.
  public let count: Int
  /// The arithmetic mean.
  public let mean: Double
  /// The population standard deviation (divided by n).
  public let standardDeviation: Double
}

/// Figures of how well the scores tell the classes apart, over all thresholds at once.
extension ScoreSet {
  /// The probability that a mated score is above a non-mated one, counting a tie as a half: the area under
  /// the ROC, 0...1, by the Mann–Whitney statistic. O(m log n). Throws when a class is empty.
  public func areaUnderCurve() throws(EvaluationError) -> Double {
    _ = try window()
    var twiceWins = 0
    for score in mated {
      let below = nonMated.countBelow(score)
      twiceWins += below + (below < nonMated.count && nonMated[below] == score ? countAtMost(score) : below)
    }
    return Double(twiceWins) / (2 * Double(mated.count) * Double(nonMated.count))
  }

  private func countAtMost(_ score: Double) -> Int {
    nonMated.partitionPoint { $0 <= score }
  }

  /// The difference of the classes' means in units of their root mean variance: d′, positive when mated lie
  /// higher.
  ///
  /// (μₘ − μₙ) / √((σ²ₘ + σ²ₙ) / 2) with population variances; Daugman, "Biometric decision landscapes"
  /// (2000). Throws when a class is empty, and `.noSpread` when both variances are zero.
  public func decidability() throws(EvaluationError) -> Double {
    guard let mated = summary(of: .mated) else { throw .noMatedComparisons }
    guard let nonMated = summary(of: .nonMated) else { throw .noNonMatedComparisons }
    return try decidabilityOf(mated: mated, nonMated: nonMated)
  }

  /// Count, mean and standard deviation of a class; `nil` when it is empty.
  public func summary(of kind: ComparisonKind) -> ScoreSummary? {
    let scores = kind == .mated ? mated : nonMated
    guard !scores.isEmpty else { return nil }
    var moments = Moments()
    for start in stride(from: 0, to: scores.count, by: 4096) {
      moments.add(scores[start..<min(start + 4096, scores.count)])
    }
    return moments.summary
  }

  /// The score below which a proportion of a class lies, between neighbours linearly: type 7 of Hyndman & Fan
  /// (1996).
  ///
  /// `proportion` is clamped to 0...1. `nil` when the class is empty.
  public func quantile(_ proportion: Double, of kind: ComparisonKind) -> Double? {
    let scores = kind == .mated ? mated : nonMated
    guard !scores.isEmpty, !proportion.isNaN else { return nil }
    let position = min(max(proportion, 0), 1) * Double(scores.count - 1)
    let below = Int(position)
    let above = min(below + 1, scores.count - 1)
    return scores[below] + (scores[above] - scores[below]) * (position - Double(below))
  }

  /// The cost of these scores read as natural-log likelihood ratios, in bits: 0 is perfect, 1 tells nothing,
  /// above 1 misleads. Cosine scores are none; for those only `ConvexHull.minimumLogLikelihoodRatioCost` has
  /// a meaning.
  ///
  /// Cllr of Brümmer & du Preez, "Application-independent evaluation of speaker detection" (2006). Throws
  /// when a class is empty.
  public func logLikelihoodRatioCost() throws(EvaluationError) -> Double {
    _ = try window()
    let matedCost = mated.reduce(0.0) { $0 + softPlus(-$1) } / Double(mated.count)
    let nonMatedCost = nonMated.reduce(0.0) { $0 + softPlus($1) } / Double(nonMated.count)
    return (matedCost + nonMatedCost) / (2 * log(2.0))
  }
}

func decidabilityOf(mated: ScoreSummary, nonMated: ScoreSummary) throws(EvaluationError) -> Double {
  let variance =
    (mated.standardDeviation * mated.standardDeviation
      + nonMated.standardDeviation * nonMated.standardDeviation) / 2
  guard variance > 0 else { throw .noSpread }
  return (mated.mean - nonMated.mean) / variance.squareRoot()
}

/// ln(1 + eˣ) without overflow.
private func softPlus(_ x: Double) -> Double {
  max(x, 0) + log1p(exp(-abs(x)))
}

/// Count, mean and sum of squared deviations, joined by the update of Chan, Golub & LeVeque (1979), which
/// cancels nothing however many scores there are.
struct Moments: Hashable, Sendable {
  private(set) var count = 0
  private(set) var mean = 0.0
  private(set) var squaredDeviations = 0.0

  /// Adds a chunk of finite scores; a few thousand at most, so that its own sums stay accurate.
  mutating func add(_ chunk: some Collection<Double>) {
    guard let shift = chunk.first else { return }
    var (sum, squares) = (0.0, 0.0)
    for score in chunk {
      let difference = score - shift
      sum += difference
      squares += difference * difference
    }
    add(count: chunk.count, shift: shift, sum: sum, squares: squares)
  }

  /// Adds `count` scores of which the sum and the sum of squares about `shift` are known.
  mutating func add(count: Int, shift: Double, sum: Double, squares: Double) {
    guard count > 0 else { return }
    var chunk = Moments()
    chunk.count = count
    chunk.mean = shift + sum / Double(count)
    chunk.squaredDeviations = max(squares - sum * sum / Double(count), 0)
    merge(chunk)
  }

  mutating func merge(_ other: Moments) {
    guard other.count > 0 else { return }
    let total = Double(count + other.count)
    let difference = other.mean - mean
    squaredDeviations +=
      other.squaredDeviations + difference * difference * (Double(count) / total) * Double(other.count)
    mean += difference * (Double(other.count) / total)
    count += other.count
  }

  /// `nil` when nothing was added.
  var summary: ScoreSummary? {
    guard count > 0 else { return nil }
    return ScoreSummary(
      count: count, mean: mean, standardDeviation: (squaredDeviations / Double(count)).squareRoot())
  }
}
