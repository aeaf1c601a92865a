#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A guess at thresholds beyond the data, from the shape of the highest non-mated scores. **No evidence**: it is made only
/// when asked for, and is marked so wherever it is shown.
///
/// The scores above the (k+1)-th highest are taken for a generalised Pareto distribution, fitted by probability-weighted
/// moments: Hosking & Wallis, "Parameter and quantile estimation for the generalized Pareto distribution" (1987). A tail
/// that label errors make says nothing of the matcher.
public struct TailExtrapolation: Hashable, Sendable {
  /// The scores that a fit uses at most, and those it needs.
  static let mostScores = 1000
  static let fewestScores = 50

  /// The score above which the tail was fitted.
  public let above: Double
  /// The number of scores above it.
  public let scores: Int
  /// ξ: below zero the tail ends, above zero it is heavy.
  public let shape: Double
  /// σ, in units of score.
  public let scale: Double
  private let comparisons: Int

  /// Fits the highest scores, given in descending order, of so many comparisons; nil for fewer than fifty distinct from
  /// the next, or without spread.
  public init?(highest: [Double], comparisons: Int) {
    let count = min(Self.mostScores, highest.count - 1, comparisons / 10)
    guard count >= Self.fewestScores else { return nil }
    above = highest[count]
    let excesses = highest[..<count].reversed().map { [above] in $0 - above }
    let n = Double(count)
    let mean = excesses.reduce(0, +) / n
    let weighted =
      excesses.enumerated().reduce(0.0) { $0 + Double(count - 1 - $1.offset) / (n - 1) * $1.element } / n
    guard mean > 0, mean - 2 * weighted > 0 else { return nil }
    scores = count
    shape = 2 - mean / (mean - 2 * weighted)
    scale = 2 * mean * weighted / (mean - 2 * weighted)
    self.comparisons = comparisons
  }

  /// The threshold at which FMR would be `rate` if the tail went on like this; nil for a rate above the fitted part's.
  public func threshold(atFalseMatchRate rate: Double) -> Double? {
    let share = rate * Double(comparisons) / Double(scores)
    guard share > 0, share <= 1 else { return nil }
    if abs(shape) < 1e-9 { return above - scale * log(share) }
    return above + scale / shape * (pow(share, -shape) - 1)
  }
}
