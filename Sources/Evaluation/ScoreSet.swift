/// Comparison scores with ground truth: the mated, the non-mated, and how many comparisons failed.
///
/// Higher is closer. Both classes lie sorted, 8 bytes a score; for more than memory holds, see
/// `StreamedScores`. A score that is not finite (NaN above all) is no score: it is counted among the failures
/// and told as such.
public struct ScoreSet: Hashable, Sendable {
  /// Scores of mated comparisons, ascending, all finite.
  public let mated: [Double]
  /// Scores of non-mated comparisons, ascending, all finite.
  public let nonMated: [Double]
  /// Mated comparisons without a score.
  public let matedFailures: ComparisonFailures
  /// Non-mated comparisons without a score.
  public let nonMatedFailures: ComparisonFailures

  /// Sorts the scores, which costs O(n log n), and moves those that are not finite to the failures given.
  ///
  /// Single- and half-precision scores widen exactly.
  public init<Score: BinaryFloatingPoint>(
    mated: [Score], nonMated: [Score],
    matedFailures: ComparisonFailures = .none, nonMatedFailures: ComparisonFailures = .none
  ) {
    self.mated = Self.sorted(mated)
    self.nonMated = Self.sorted(nonMated)
    self.matedFailures = matedFailures.addingNotFinite(mated.count - self.mated.count)
    self.nonMatedFailures = nonMatedFailures.addingNotFinite(nonMated.count - self.nonMated.count)
  }

  private static func sorted<Score: BinaryFloatingPoint>(_ scores: [Score]) -> [Double] {
    let wide = scores as? [Double] ?? scores.map { Double($0) }
    return wide.filter(\.isFinite).sorted()
  }

  /// What a reader of any figure from these scores should know first.
  public var warnings: [ScoreWarning] {
    var found: [ScoreWarning] = []
    let notFinite = (matedFailures.notFinite, nonMatedFailures.notFinite)
    if notFinite != (0, 0) { found.append(.notFinite(mated: notFinite.0, nonMated: notFinite.1)) }
    if let area = try? areaUnderCurve(), area < 0.5 { found.append(.matedScoresLieLower) }
    return found
  }
}

/// Comparisons that gave no score, by reason. They enter no FMR or FNMR; FAR and FRR hold the failures to
/// acquire.
public struct ComparisonFailures: Hashable, Sendable {
  /// No reference could be made of one of the samples.
  public var toEnrol: Int
  /// No probe could be made of one of the samples.
  public var toAcquire: Int
  /// The comparison ran, and its score was NaN or infinite.
  public var notFinite: Int

  /// No failure.
  public static let none = ComparisonFailures()

  /// Failures by reason. A negative count is a programming error and traps.
  public init(toEnrol: Int = 0, toAcquire: Int = 0, notFinite: Int = 0) {
    precondition(toEnrol >= 0 && toAcquire >= 0 && notFinite >= 0, "failures are counted from zero")
    self.toEnrol = toEnrol
    self.toAcquire = toAcquire
    self.notFinite = notFinite
  }

  /// All of them.
  public var total: Int { toEnrol + toAcquire + notFinite }

  func addingNotFinite(_ count: Int) -> ComparisonFailures {
    ComparisonFailures(toEnrol: toEnrol, toAcquire: toAcquire, notFinite: notFinite + count)
  }
}

/// A doubt about a set of scores that no single rate shows.
public enum ScoreWarning: Hashable, Sendable {
  /// A mated score is more often below a non-mated one than above: these may be distances, or the labels
  /// swapped.
  case matedScoresLieLower
  /// So many comparisons gave NaN or an infinity and were counted as failures.
  case notFinite(mated: Int, nonMated: Int)
}

extension ScoreWarning: CustomStringConvertible {
  /// The warning as a sentence for a reader; holds counts only.
  public var description: String {
    switch self {
    case .matedScoresLieLower:
      "mated scores lie below non-mated ones, but higher means closer: distances, or labels swapped?"
    case .notFinite(let mated, let nonMated):
      "\(mated) mated and \(nonMated) non-mated scores are NaN or infinite and count as failures"
    }
  }
}
