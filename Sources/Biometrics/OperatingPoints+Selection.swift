extension OperatingPoints {
  /// The lowest threshold whose evidence keeps the false match rate of a comparison within `rate`: that of the loosest
  /// measured target that is not above it.
  ///
  /// Throws `.falseMatchRateUnsupported` when no measured target is so strict, and `.notARate` for one that is not above 0
  /// and below 1.
  public func verifyThreshold(
    atFalseMatchRate rate: Double
  ) throws(OperatingPointError) -> SimilarityThreshold {
    guard rate > 0, rate < 1 else { throw OperatingPointError(.notARate, asked: rate, space: space.model) }
    let strictEnough = points.filter { Self.isWithin($0.targetFalseMatchRate, rate) }
    guard let threshold = strictEnough.map(\.threshold).min() else {
      throw OperatingPointError(
        .falseMatchRateUnsupported, asked: rate, space: space.model,
        strictest: points.compactMap { Self.rate($0.targetFalseMatchRate) }.min())
    }
    return threshold
  }

  /// The lowest threshold whose evidence keeps the false positive rate of a search over `enrolled` references within
  /// `rate`: the lowest that was measured over as many or more. Where none was, by the sum of the comparisons' rates,
  /// FPIR ≤ N · FMR, and never below a threshold that was measured to be needed for a looser rate or fewer enrolled. Pooled
  /// comparisons don't stand for every cohort's searches, so a sum never beats a measurement.
  ///
  /// Throws `.falsePositiveRateUnsupported` when neither is there, and `.notARate` for a rate that is not above 0 and below
  /// 1 or a number below 1.
  public func recogniseThreshold(
    atFalsePositiveRate rate: Double, enrolled: Int
  ) throws(OperatingPointError) -> SimilarityThreshold {
    guard rate > 0, rate < 1, enrolled >= 1 else {
      throw OperatingPointError(.notARate, asked: rate, space: space.model)
    }
    // The false positive rate grows with the number enrolled, so that of more bounds that of fewer.
    let measured = recognisePoints.filter {
      $0.enrolled >= enrolled && Self.isWithin($0.targetFalsePositiveRate, rate)
    }.map(\.threshold)
    if let threshold = measured.min() { return threshold }
    let summed = points.filter { point in
      Self.rate(point.targetFalseMatchRate).map { $0 * Double(enrolled) <= rate * (1 + 1e-12) } ?? false
    }.map(\.threshold)
    guard let threshold = summed.min() else {
      throw OperatingPointError(
        .falsePositiveRateUnsupported, asked: rate, space: space.model,
        strictest: points.compactMap { Self.rate($0.targetFalseMatchRate) }.min(), enrolled: enrolled)
    }
    let needed = recognisePoints.filter { point in
      point.enrolled <= enrolled && Self.rate(point.targetFalsePositiveRate).map { $0 >= rate } ?? false
    }.map(\.threshold)
    return (needed + [threshold]).max()!
  }

  private static func isWithin(_ target: String, _ rate: Double) -> Bool {
    // Both were written as decimals, so that the same one compares as equal.
    self.rate(target).map { $0 <= rate * (1 + 1e-12) } ?? false
  }

  /// A target as a number: `1e-5`, or a fraction, `3/1000`.
  private static func rate(_ text: String) -> Double? {
    let parts = text.split(separator: "/").map { Double($0) }
    guard parts.count == 2, let above = parts[0], let below = parts[1] else { return Double(text) }
    return above / below
  }
}

/// A rate that a policy asks for and the evidence of its embedding space does not support.
public struct OperatingPointError: Error, Hashable, Sendable, CustomStringConvertible {
  public enum Code: String, Sendable, CaseIterable {
    /// Not above 0 and below 1, or over fewer than one enrolled.
    case notARate
    /// No measured threshold keeps so low a false match rate.
    case falseMatchRateUnsupported
    /// No measured threshold keeps so low a false positive rate over so many enrolled.
    case falsePositiveRateUnsupported
    /// The operating points are of another embedding space than the references.
    case otherSpace
  }

  public let code: Code
  /// The rate that was asked for.
  public let asked: Double
  /// The model of the embedding space.
  public let space: String
  /// The strictest false match rate that was measured; nil for none.
  public let strictest: Double?
  /// The number enrolled that was asked for.
  public let enrolled: Int?

  public init(_ code: Code, asked: Double, space: String, strictest: Double? = nil, enrolled: Int? = nil) {
    self.code = code
    self.asked = asked
    self.space = space
    self.strictest = strictest
    self.enrolled = enrolled
  }

  /// The comparisons without an error that would uphold the rate at 95 %: -ln 0.05 over it.
  public var comparisonsNeeded: Double {
    let rate = asked / Double(enrolled ?? 1)
    return rate > 0 ? (2.995_732_3 / rate).rounded(.up) : .infinity
  }

  public var description: String {
    let known = strictest.map { "the strictest measured is \($0)" } ?? "none was measured"
    switch code {
    case .notARate: return "a target rate lies above 0 and below 1, over 1 or more enrolled"
    case .falseMatchRateUnsupported:
      return
        "FMR \(asked) is not supported by the evidence of \(space): \(known); at least \(comparisonsNeeded) "
        + "non-mated comparisons without an error would uphold it"
    case .falsePositiveRateUnsupported:
      return
        "FPIR \(asked) over \(enrolled ?? 0) enrolled is not supported by the evidence of \(space), nor by N · FMR: "
        + "\(known); at least \(comparisonsNeeded) non-mated comparisons without an error would uphold it"
    case .otherSpace: return "the operating points are of \(space), the references of another embedding space"
    }
  }
}
