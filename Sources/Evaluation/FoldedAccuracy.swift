/// One comparison of a cross-validation protocol.
public struct FoldedComparison: Hashable, Sendable {
  /// The fold it is tested in; any number names a fold.
  public let fold: Int
  /// Mated or non-mated, from ground truth.
  public let kind: ComparisonKind
  /// The score, or `nil` when the comparison failed. One that is not finite counts as `nil`.
  public let score: Double?

  /// A comparison of a fold. Any fold number, any score.
  public init(fold: Int, kind: ComparisonKind, score: Double?) {
    self.fold = fold
    self.kind = kind
    self.score = score.flatMap { $0.isFinite ? $0 : nil }
  }
}

/// The accuracy of cross-validation: each fold is decided by the threshold that is right most often on the
/// others.
///
/// Thresholds are looked for among all scores of the other folds and +∞, with `score >= threshold` a match.
/// Several may be right equally often, so there are three answers: the `low`est of them, the `high`est, and
/// `mid`, the mean of the two (the lowest when the highest is +∞). Folds weigh the same. A failed comparison
/// is a wrong decision.
public struct FoldedAccuracy: Hashable, Sendable {
  /// A figure for each choice among equally good thresholds.
  public struct Choice<Value> {
    /// At the lowest of the thresholds.
    public let low: Value
    /// At the mean of the lowest and the highest.
    public let mid: Value
    /// At the highest of the thresholds.
    public let high: Value

    func map<Result>(_ transform: (Value) -> Result) -> Choice<Result> {
      Choice<Result>(low: transform(low), mid: transform(mid), high: transform(high))
    }
  }

  /// The decisions on one fold.
  public struct Fold: Hashable, Sendable {
    /// Its number.
    public let fold: Int
    /// Comparisons of the fold, failed ones included.
    public let comparisons: Int
    /// The thresholds chosen on the other folds.
    public let threshold: Choice<Double>
    /// Right decisions at each threshold.
    public let right: Choice<Int>
  }

  /// The accuracy and thresholds when they are chosen on the very comparisons they are tested on: an upper
  /// bound.
  public struct Best: Hashable, Sendable {
    /// Right decisions among all comparisons, failed ones included.
    public let right: Proportion
    /// The lowest threshold that is right so often.
    public let lowestThreshold: Double
    /// The highest threshold that is right so often; may be +∞.
    public let highestThreshold: Double
  }

  /// By ascending number of the fold.
  public let folds: [Fold]
  /// Comparisons of all folds, failed ones included.
  public let comparisons: Int
  /// Comparisons without a score.
  public let failures: Int
  /// What one threshold for all folds comes to at best.
  public let bestOverall: Best

  /// The mean of the folds' accuracies.
  public var accuracy: Choice<Double> { estimates.map(\.mean) }

  /// The standard error of that mean: the folds' standard deviation (divided by folds − 1) over √folds.
  public var standardError: Choice<Double> { estimates.map(\.standardError) }

  private var estimates: Choice<(mean: Double, standardError: Double)> {
    func estimate(_ right: (Fold) -> Int) -> (mean: Double, standardError: Double) {
      let accuracies = folds.map { Double(right($0)) / Double($0.comparisons) }
      let n = Double(accuracies.count)
      let mean = accuracies.reduce(0, +) / n
      let squares = accuracies.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
      return (mean, (squares / (n - 1)).squareRoot() / n.squareRoot())
    }
    return Choice(low: estimate(\.right.low), mid: estimate(\.right.mid), high: estimate(\.right.high))
  }

  /// Evaluates the protocol in O(n log n + n · folds).
  ///
  /// Throws `.tooFewFolds` when there are fewer than two, and `.noTrainingComparisons` when all scores are in
  /// one.
  public init(_ comparisons: [FoldedComparison]) throws(EvaluationError) {
    let groups = Dictionary(grouping: comparisons, by: \.fold)
    guard groups.count >= 2 else { throw .tooFewFolds(found: groups.count) }
    let sorted = comparisons.compactMap(Scored.init).sorted { $0.score < $1.score }
    var folds: [Fold] = []
    for (fold, members) in groups.sorted(by: { $0.key < $1.key }) {
      guard let best = Self.bestThresholds(sorted.lazy.filter { $0.fold != fold }) else {
        throw .noTrainingComparisons(fold: fold)
      }
      let middle = best.highest.isFinite ? (best.lowest + best.highest) / 2 : best.lowest
      let threshold = Choice(low: best.lowest, mid: middle, high: best.highest)
      let tested = members.compactMap(Scored.init)
      folds.append(
        Fold(
          fold: fold, comparisons: members.count, threshold: threshold,
          right: threshold.map { threshold in tested.count { ($0.score >= threshold) == $0.isMated } }))
    }
    self.folds = folds
    self.comparisons = comparisons.count
    self.failures = comparisons.count - sorted.count
    // There are scores, or the first fold would have had no training comparisons.
    let best = Self.bestThresholds(sorted)!
    self.bestOverall = Best(
      right: Proportion(best.right, of: comparisons.count), lowestThreshold: best.lowest,
      highestThreshold: best.highest)
  }

  private struct Scored {
    let fold: Int
    let score: Double
    let isMated: Bool

    init?(_ comparison: FoldedComparison) {
      guard let score = comparison.score else { return nil }
      self.fold = comparison.fold
      self.score = score
      self.isMated = comparison.kind == .mated
    }
  }

  /// The lowest and the highest threshold among the scores and +∞ with the most right decisions; `nil` for no
  /// scores.
  private static func bestThresholds(
    _ ascending: some Sequence<Scored>
  ) -> (lowest: Double, highest: Double, right: Int)? {
    // Right decisions at each distinct score, less the constant number of mated comparisons.
    var gain = 0
    var best: (lowest: Double, highest: Double, gain: Int)?
    var (previous, mated) = (-Double.infinity, 0)
    func consider(_ threshold: Double) {
      if let known = best, gain <= known.gain {
        if gain == known.gain { best = (known.lowest, threshold, gain) }
      } else {
        best = (threshold, threshold, gain)
      }
    }
    for comparison in ascending {
      if comparison.score != previous { consider(comparison.score) }
      previous = comparison.score
      gain += comparison.isMated ? -1 : 1
      mated += comparison.isMated ? 1 : 0
    }
    guard best != nil else { return nil }
    consider(.infinity)
    return best.map { ($0.lowest, $0.highest, $0.gain + mated) }
  }
}

extension FoldedAccuracy.Choice: Sendable where Value: Sendable {}
extension FoldedAccuracy.Choice: Equatable where Value: Equatable {}
extension FoldedAccuracy.Choice: Hashable where Value: Hashable {}
