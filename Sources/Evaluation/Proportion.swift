/// A count of errors among a number of trials, kept as the two counts: 3 of 120,000.
public struct Proportion: Hashable, Sendable {
  /// 0...`total`.
  public let count: Int
  /// At least 1.
  public let total: Int

  /// `count` of `total`. A count outside 0...`total`, or a total of zero, is a programming error and traps.
  public init(_ count: Int, of total: Int) {
    precondition(total > 0, "a proportion is of at least one trial, not \(total)")
    precondition(count >= 0 && count <= total, "a proportion counts 0...\(total), not \(count)")
    self.count = count
    self.total = total
  }

  /// The proportion as a number, 0...1.
  public var value: Double { Double(count) / Double(total) }
}

extension Proportion: CustomStringConvertible {
  /// Both counts: `3 of 120000`.
  public var description: String { "\(count) of \(total)" }
}

/// Whether the two samples of a comparison are of one data subject, known from ground truth.
public enum ComparisonKind: String, Hashable, Sendable, Codable, CaseIterable {
  /// The same subject.
  case mated
  /// Different subjects.
  case nonMated
}
