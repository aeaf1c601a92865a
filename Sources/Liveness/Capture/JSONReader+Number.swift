extension JSONReader {
  private static let powersOfTen: [Double] = [
    1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
    1e19, 1e20,
    1e21, 1e22,
  ]

  /// A number, correctly rounded to double precision.
  ///
  /// Up to 15 digits and powers up to 10^22 are one exact division or multiplication of exact numbers (Clinger, "How
  /// to read floating point numbers accurately", 1990); the rest goes the standard library's way.
  mutating func number() throws(CaptureDecodingError) -> Double {
    var next = peek()
    let start = position
    let negative = next == UInt8(ascii: "-")
    if negative { advance(&next) }
    guard Self.isDigit(next) else {
      if isNoNumber(next) { throw error(.notFinite) }
      throw error(negative || start == count ? .malformed : .wrongType)
    }
    var (mantissa, digits, exponent) = (UInt64(0), 0, 0)
    if next == UInt8(ascii: "0") {
      advance(&next)
      if Self.isDigit(next) { throw error(.malformed) }
    } else {
      takeDigits(&next, &mantissa, &digits)
    }
    if next == UInt8(ascii: ".") {
      advance(&next)
      guard Self.isDigit(next) else { throw error(.malformed) }
      let before = position
      takeDigits(&next, &mantissa, &digits)
      exponent = before - position
    }
    if next == UInt8(ascii: "e") || next == UInt8(ascii: "E") {
      exponent += try takeExponent(&next)
    }
    if digits <= 15, (-22...22).contains(exponent) {
      let magnitude =
        exponent < 0
        ? Double(mantissa) / Self.powersOfTen[-exponent] : Double(mantissa) * Self.powersOfTen[exponent]
      return negative ? -magnitude : magnitude
    }
    guard position - start <= 64,
      let value = Double(
        String(decoding: UnsafeBufferPointer(start: bytes + start, count: position - start), as: UTF8.self)),
      value.isFinite
    else { throw error(.outOfRange) }
    return value
  }

  /// A number of `range`.
  mutating func number(in range: ClosedRange<Double>) throws(CaptureDecodingError) -> Double {
    let value = try number()
    guard range.contains(value) else { throw error(.outOfRange) }
    return value
  }

  /// A whole number of `range`.
  mutating func integer(in range: ClosedRange<Int>) throws(CaptureDecodingError) -> Int {
    let value = try number()
    guard let whole = Int(exactly: value), range.contains(whole) else { throw error(.outOfRange) }
    return whole
  }

  /// An array of exactly `count` numbers of `range`.
  mutating func numbers(_ count: Int, in range: ClosedRange<Double>) throws(CaptureDecodingError) -> [Double]
  {
    try expect(UInt8(ascii: "["))
    var values: [Double] = []
    values.reserveCapacity(count)
    guard !closes(UInt8(ascii: "]")) else { throw error(.wrongLength) }
    repeat {
      guard values.count < count else { throw error(.wrongLength) }
      values.append(try number(in: range))
    } while try continues(UInt8(ascii: "]"))
    guard values.count == count else { throw error(.wrongLength) }
    return values
  }

  /// Whether NaN or an infinity stands here, which some programs write though JSON has none.
  private func isNoNumber(_ next: UInt8) -> Bool {
    let word = String(
      decoding: UnsafeBufferPointer(start: bytes + position, count: min(3, count - position)), as: UTF8.self)
    return ["nan", "inf"].contains(word.lowercased())
  }

  private static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }

  private mutating func advance(_ next: inout UInt8) {
    position &+= 1
    next = position < count ? bytes[position] : 0
  }

  private mutating func takeDigits(_ next: inout UInt8, _ mantissa: inout UInt64, _ digits: inout Int) {
    while Self.isDigit(next) {
      // Leading zeros don't count as digits; beyond nineteen the mantissa isn't used.
      if digits < 19 { mantissa = mantissa &* 10 &+ UInt64(next &- 0x30) }
      if digits > 0 || next != UInt8(ascii: "0") { digits &+= 1 }
      advance(&next)
    }
  }

  private mutating func takeExponent(_ next: inout UInt8) throws(CaptureDecodingError) -> Int {
    advance(&next)
    let negative = next == UInt8(ascii: "-")
    if negative || next == UInt8(ascii: "+") { advance(&next) }
    guard Self.isDigit(next) else { throw error(.malformed) }
    var value = 0
    while Self.isDigit(next) {
      value = min(value * 10 + Int(next &- 0x30), 100_000)
      advance(&next)
    }
    return negative ? -value : value
  }
}
