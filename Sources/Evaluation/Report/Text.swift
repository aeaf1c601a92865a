import Foundation

/// Numbers as a reader of the report sees them.
enum Text {
  static func fixed(_ value: Double, _ digits: Int) -> String { String(format: "%.\(digits)f", value) }

  /// Significant digits, as the page's script writes them; kept on one line, which could break at the sign.
  static func rate(_ value: Double, digits: Int = 3) -> String {
    kept(SignificantDigits(value, digits: digits).text)
  }

  /// An upper bound: never written lower than it is.
  static func bound(_ value: Double) -> String { kept(BoundText.high(value)) }

  /// The bound with its sign, on one line.
  static func atMost(_ value: Double) -> String { kept("≤ \(BoundText.high(value))") }

  private static func kept(_ text: String) -> String { "<span class=\"n\">\(text)</span>" }

  static func count(_ value: Int) -> String {
    var digits = String(value.magnitude)
    var result = ""
    while digits.count > 3 {
      result = ",\(digits.suffix(3))\(result)"
      digits = String(digits.dropLast(3))
    }
    return (value < 0 ? "−" : "") + digits + result
  }

  /// A cell of a CSV, quoted where it must be.
  static func cell(_ text: String) -> String {
    let needsQuotes = text.utf8.contains { $0 == 0x22 || $0 == 0x2c || $0 == 0x0a || $0 == 0x0d }
    return needsQuotes ? "\"\(text.replacing("\"", with: "\"\""))\"" : text
  }

  static func proportion(_ value: Proportion) -> String {
    "\(rate(value.value)) <span class=\"n\">(\(count(value.count)) of \(count(value.total)))</span>"
  }

  static func interval(_ interval: ConfidenceInterval) -> String {
    kept("\(BoundText.low(interval.low)) – \(BoundText.high(interval.high))")
  }
}
