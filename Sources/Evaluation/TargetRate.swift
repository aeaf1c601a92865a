/// A rate that must not be exceeded, as an exact fraction above 0 and below 1.
///
/// A fraction, because 1e-4 is no binary number: the number of errors allowed among n has to be the floor of
/// the exact product.
public struct TargetRate: Hashable, Sendable {
  /// At least 1, without a factor in common with the denominator.
  public let numerator: Int
  /// Greater than the numerator.
  public let denominator: Int

  /// The rate `numerator`/`denominator`, reduced; `nil` unless it lies above 0 and below 1.
  public init?(_ numerator: Int, in denominator: Int) {
    guard numerator > 0, denominator > numerator else { return nil }
    var (divisor, remainder) = (numerator, denominator % numerator)
    while remainder != 0 { (divisor, remainder) = (remainder, divisor % remainder) }
    self.numerator = numerator / divisor
    self.denominator = denominator / divisor
  }

  /// The rate written as a decimal, `0.001` or `1e-3`; `nil` when it is none, is not above 0 and below 1, or
  /// has digits beyond the eighteenth place.
  public init?(_ text: String) {
    let parts = text.split(whereSeparator: { $0 == "e" || $0 == "E" })
    guard (1...2).contains(parts.count), text.filter({ $0 == "e" || $0 == "E" }).count == parts.count - 1,
      var exponent = parts.count == 2 ? Int(parts[1]) : 0, abs(exponent) <= 400
    else { return nil }
    let mantissa = parts[0].split(separator: ".", omittingEmptySubsequences: false)
    guard mantissa.count <= 2, mantissa.allSatisfy({ $0.utf8.allSatisfy { (48...57).contains($0) } }) else {
      return nil
    }
    if mantissa.count == 2 { exponent -= mantissa[1].count }
    var digits = mantissa.joined()
    while digits.hasSuffix("0") {
      digits.removeLast()
      exponent += 1
    }
    guard (-18 ... -1).contains(exponent), let numerator = Int(digits) else { return nil }
    self.init(numerator, in: (0 ..< -exponent).reduce(1) { power, _ in power * 10 })
  }

  /// The rate that `value` prints as, so that 0.0001 is one in ten thousand; `nil` as for the text.
  public init?(_ value: Double) {
    self.init(value.description)
  }

  /// The rate as a number, the nearest to the fraction.
  public var value: Double { Double(numerator) / Double(denominator) }

  /// The greatest number of errors among `total` that does not exceed this rate: ⌊rate · total⌋, exactly.
  public func allowedErrors(of total: Int) -> Int {
    Int(Int128(numerator) * Int128(total) / Int128(denominator))
  }

  /// The least number of trials of which this rate allows one error: ⌈1 / rate⌉.
  public var trialsForOneError: Int { (denominator - 1) / numerator + 1 }
}

extension TargetRate: Comparable {
  /// Compares the fractions exactly.
  public static func < (left: Self, right: Self) -> Bool {
    Int128(left.numerator) * Int128(right.denominator) < Int128(right.numerator) * Int128(left.denominator)
  }
}

extension TargetRate: CustomStringConvertible {
  /// `1e-4` for a power of ten, else the fraction: `3/1000`.
  public var description: String {
    var (power, rest) = (0, denominator)
    while rest % 10 == 0 { (power, rest) = (power + 1, rest / 10) }
    return numerator == 1 && rest == 1 ? "1e-\(power)" : "\(numerator)/\(denominator)"
  }
}

/// What a target rate comes to with the data at hand.
public enum TargetOutcome<Point> {
  /// The lowest threshold that stays within the target, and the rates there.
  case reached(Point)
  /// The data allow not one error at the target: `trials` were made, `needed` would allow one.
  ///
  /// A threshold above every score would make no error here, but that is no evidence for the target.
  case notReachable(trials: Int, needed: Int)

  /// The point reached, or `nil`.
  public var point: Point? {
    if case .reached(let point) = self { point } else { nil }
  }
}

extension TargetOutcome: Sendable where Point: Sendable {}
extension TargetOutcome: Equatable where Point: Equatable {}
