import Foundation

/// A number from zero up as text of so many significant digits: below 1e-3 with a power of ten, else in full, always with all
/// of its digits, so that a column reads alike.
struct SignificantDigits {
  enum Rounding {
    case nearest
    /// Never below the value, as an upper bound must be written.
    case up
    /// Never above it, as a lower bound must be.
    case down
  }

  let text: String

  init(_ value: Double, digits: Int = 3, _ rounding: Rounding = .nearest) {
    precondition(digits >= 1, "a number has one digit at least")
    guard value > 0, value.isFinite, value != 1 else {
      text = value == 0 ? "0" : value == 1 ? "1" : value.description
      return
    }
    let nearest = String(format: "%.\(digits - 1)e", value)
    let parts = nearest.split(separator: "e")
    var (mantissa, exponent) = (Int(parts[0].filter { $0 != "." })!, Int(parts[1])!)
    let limit = (0..<digits).reduce(1) { power, _ in power * 10 }
    let written = Double(nearest)!
    if rounding == .up, written < value { mantissa += 1 }
    if rounding == .down, written > value { mantissa -= 1 }
    if mantissa == limit { (mantissa, exponent) = (mantissa / 10, exponent + 1) }
    if mantissa < limit / 10 { (mantissa, exponent) = (limit - 1, exponent - 1) }
    text = Self.text(String(mantissa), exponent)
  }

  private static func text(_ digits: String, _ exponent: Int) -> String {
    func pointed(_ whole: Int) -> String {
      whole >= digits.count ? digits : "\(digits.prefix(whole)).\(digits.dropFirst(whole))"
    }
    if exponent < -3 { return "\(pointed(1))e\(exponent)" }
    if exponent < 0 { return "0." + String(repeating: "0", count: -exponent - 1) + digits }
    return pointed(exponent + 1) + String(repeating: "0", count: max(0, exponent + 1 - digits.count))
  }
}

/// Bounds as text of three significant digits, rounded outwards: the interval that is written holds the one that was found.
public enum BoundText {
  /// A lower bound, from zero up; never written higher than it is.
  public static func low(_ value: Double) -> String { SignificantDigits(value, .down).text }

  /// An upper bound, from zero up; never written lower than it is.
  public static func high(_ value: Double) -> String { SignificantDigits(value, .up).text }
}
