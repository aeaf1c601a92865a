/// What a cell of a table is as a number.
enum DecimalNumber: Equatable {
  /// The 32-bit float nearest to it; an infinity or NaN when the cell says so.
  case number(Float)
  /// Finite and beyond the range of a 32-bit float.
  case tooLarge
  case text
  case nothing

  /// Reads `[+-] digits [. digits] [e [+-] digits]` (digits on one side of the point suffice), `inf`,
  /// `infinity` or `nan`, in upper or lower case, with spaces around it. Anything else is text, hexadecimal
  /// digits too.
  init(_ cell: Span<UInt8>) {
    let cell = cell.extracting(cell.trimmedRange)
    guard !cell.isEmpty else {
      self = .nothing
      return
    }
    var decimal = Decimal()
    guard decimal.parse(cell) else {
      self = Self.isSpecial(cell) ? .number(Self.convert(cell)) : .text
      return
    }
    let value = decimal.nearestFloat ?? Self.convert(cell)
    self = value.isInfinite ? .tooLarge : .number(value)
  }

  /// Swift's own conversion, always right, and much slower than `nearestFloat`.
  private static func convert(_ cell: Span<UInt8>) -> Float {
    let text = cell.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
    guard let value = Float(text) else { preconditionFailure("a number by its grammar is one by Swift's") }
    return value
  }

  private static func isSpecial(_ cell: Span<UInt8>) -> Bool {
    guard cell.count <= 9 else { return false }
    var word = cell.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }.lowercased()
    if word.hasPrefix("+") || word.hasPrefix("-") { word.removeFirst() }
    return ["inf", "infinity", "nan"].contains(word)
  }
}

/// A finite decimal number: ±mantissa × 10^exponent.
private struct Decimal {
  private var isNegative = false
  private var mantissa: UInt64 = 0
  private var exponent = 0

  /// Takes the number that all of `text` is; `false` when it is none.
  ///
  /// Nineteen digits always fit the mantissa; of the ones behind them only the place is kept.
  mutating func parse(_ text: Span<UInt8>) -> Bool {
    var position = 0
    isNegative = text[0] == UInt8(ascii: "-")
    if isNegative || text[0] == UInt8(ascii: "+") { position = 1 }

    var digits = 0
    var isFraction = false
    while position < text.count {
      let byte = text[position]
      if byte == UInt8(ascii: "."), !isFraction {
        isFraction = true
      } else if let digit = byte.digit {
        digits += 1
        if mantissa < 1_000_000_000_000_000_000 {
          mantissa = mantissa * 10 + UInt64(digit)
          exponent -= isFraction ? 1 : 0
        } else {
          exponent += isFraction ? 0 : 1
        }
      } else {
        break
      }
      position += 1
    }
    guard digits > 0 else { return false }
    return position == text.count || parseExponent(text, from: position)
  }

  private mutating func parseExponent(_ text: Span<UInt8>, from start: Int) -> Bool {
    guard text[start] | 0x20 == UInt8(ascii: "e") else { return false }
    var position = start + 1
    var isBelow = false
    if position < text.count, text[position] == UInt8(ascii: "-") || text[position] == UInt8(ascii: "+") {
      isBelow = text[position] == UInt8(ascii: "-")
      position += 1
    }
    guard position < text.count else { return false }
    var written = 0
    while position < text.count {
      guard let digit = text[position].digit else { return false }
      // Far beyond any float, and far from an overflow.
      written = min(written * 10 + Int(digit), 1_000_000)
      position += 1
    }
    exponent += isBelow ? -written : written
    return true
  }

  /// The nearest 32-bit float, or `nil` where this quick way can't tell which it is.
  ///
  /// Powers of ten up to 10^22 are exact in 64 bits (Clinger, How to read floating point numbers accurately,
  /// PLDI 1990), so two roundings separate `wide` from the number, and its last bit may be wrong by 2.
  /// Rounding `wide` to 32 bits drops 29 bits; it gives the nearest float unless they lie about half way,
  /// where that error could decide.
  var nearestFloat: Float? {
    guard mantissa != 0 else { return isNegative ? -0.0 : 0 }
    guard (-22...22).contains(exponent) else { return nil }
    let power = powersOfTen[abs(exponent)]
    let wide = exponent < 0 ? Double(mantissa) / power : Double(mantissa) * power
    let dropped = Int(wide.bitPattern & 0x1fff_ffff)
    // Below the least normal float more bits are dropped.
    guard abs(dropped - 0x1000_0000) > 8, wide >= Double(Float.leastNormalMagnitude) else { return nil }
    return Float(isNegative ? -wide : wide)
  }
}

private let powersOfTen: [Double] = [
  1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
  1e19, 1e20,
  1e21, 1e22,
]

extension UInt8 {
  fileprivate var digit: UInt8? {
    let value = self &- UInt8(ascii: "0")
    return value < 10 ? value : nil
  }
}

extension Span<UInt8> {
  /// The part without spaces and tabs at both ends.
  fileprivate var trimmedRange: Range<Int> {
    var range = indices
    while let first = range.first, self[first] == UInt8(ascii: " ") || self[first] == UInt8(ascii: "\t") {
      range.removeFirst()
    }
    while let last = range.last, self[last] == UInt8(ascii: " ") || self[last] == UInt8(ascii: "\t") {
      range.removeLast()
    }
    return range
  }
}
