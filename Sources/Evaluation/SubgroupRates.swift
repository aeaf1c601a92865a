#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// One error rate by group of people, and how far the groups differ.
///
/// Groups too small to judge are named and left out of the ratios; a ratio is never made of them by silence.
public struct SubgroupRates: Hashable, Sendable {
  /// The rate of one group.
  public struct Group: Hashable, Sendable {
    /// The name given.
    public let name: String
    /// `nil` when the group has no comparison.
    public let rate: Proportion?
    /// The Clopper–Pearson interval of the rate; `nil` when there is none.
    public let interval: ConfidenceInterval?
    /// Whether it has too few comparisons for even zero errors to uphold the limit.
    public let isTooSmall: Bool
  }

  /// A ratio between groups, or why there is none.
  public enum Ratio: Hashable, Sendable {
    case value(Double)
    /// A group that is large enough has no error at all, so the ratio is unbounded; this group.
    case noErrors(group: String)
    /// Fewer than two groups are large enough.
    case tooFewGroups
  }

  /// By name.
  public let groups: [Group]
  /// The comparisons that a group needs at least: those with which zero errors uphold the limit.
  public let comparisonsNeeded: Int

  /// Rates of groups given as counts of errors and comparisons by name.
  ///
  /// `limit` is the rate that matters for the use, with the confidence of each group's interval; a group is
  /// too small when it could not uphold it even without errors. The comparisons of a group count as
  /// independent.
  public init(
    _ counts: [String: (errors: Int, comparisons: Int)], limit: TargetRate, confidence: Double = 0.95
  ) {
    let needed = RateClaim(atMost: limit, confidence: confidence).trialsNeeded(errors: 0) ?? .max
    comparisonsNeeded = needed
    groups = counts.sorted { $0.key < $1.key }.map { name, count in
      let rate = count.comparisons > 0 ? Proportion(count.errors, of: count.comparisons) : nil
      return Group(
        name: name, rate: rate, interval: rate?.clopperPearson(confidence: confidence),
        isTooSmall: count.comparisons < needed)
    }
  }

  /// The names of the groups too small to judge.
  public var tooSmall: [String] { groups.filter(\.isTooSmall).map(\.name) }

  /// The highest rate over the lowest, at least 1.
  public var highestToLowest: Ratio {
    ratio { rates in rates.max()! / rates.min()! }
  }

  /// The highest rate over the geometric mean of all, at least 1; less at the mercy of one group than the
  /// other ratio.
  ///
  /// Grother, "Demographic differentials in face recognition algorithms", NISTIR 8429 (2022).
  public var highestToGeometricMean: Ratio {
    ratio { rates in rates.max()! / exp(rates.reduce(0) { $0 + log($1) } / Double(rates.count)) }
  }

  private func ratio(_ of: ([Double]) -> Double) -> Ratio {
    let judged = groups.filter { !$0.isTooSmall }
    guard judged.count >= 2 else { return .tooFewGroups }
    if let none = judged.first(where: { $0.rate?.count == 0 }) { return .noErrors(group: none.name) }
    return .value(of(judged.compactMap { $0.rate?.value }))
  }
}
