/// Base64 of RFC 4648, section 4: the standard alphabet, padding required, no line breaks, unused bits zero.
enum Base64 {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
  /// For each byte its six bits in each of the four places of a group; `invalid` set for what is no letter.
  private static let tables: [UInt32] = {
    var tables = [UInt32](repeating: invalid, count: 4 * 256)
    for (value, letter) in alphabet.enumerated() {
      for place in 0..<4 { tables[256 * place + Int(letter)] = UInt32(value) << UInt32(18 - 6 * place) }
    }
    return tables
  }()
  private static let invalid: UInt32 = 1 << 31

  /// The length of what `count` characters stand for, padding counted as data; `nil` unless a multiple of four.
  static func capacity(_ count: Int) -> Int? { count % 4 == 0 ? count / 4 * 3 : nil }

  /// Decodes into `result`, which holds `capacity(count)` bytes, and returns the number of bytes; `nil` for anything
  /// that isn't strictly base64.
  static func decode(
    _ text: UnsafePointer<UInt8>, count: Int, into result: UnsafeMutablePointer<UInt8>
  ) -> Int? {
    guard count % 4 == 0 else { return nil }
    guard count > 0 else { return 0 }
    return tables.withUnsafeBufferPointer { tables in
      let table = tables.baseAddress!
      var padding = 0
      if text[count - 1] == 0x3d { padding = text[count - 2] == 0x3d ? 2 : 1 }
      let whole = padding == 0 ? count : count - 4
      var seen: UInt32 = 0
      var (i, o) = (0, 0)
      while i < whole {
        let bits =
          table[Int(text[i])] | table[256 &+ Int(text[i &+ 1])] | table[512 &+ Int(text[i &+ 2])]
          | table[768 &+ Int(text[i &+ 3])]
        seen |= bits
        result[o] = UInt8(truncatingIfNeeded: bits &>> 16)
        result[o &+ 1] = UInt8(truncatingIfNeeded: bits &>> 8)
        result[o &+ 2] = UInt8(truncatingIfNeeded: bits)
        i &+= 4
        o &+= 3
      }
      if padding > 0 {
        var bits = table[Int(text[i])] | table[256 + Int(text[i + 1])]
        if padding == 1 { bits |= table[512 + Int(text[i + 2])] }
        seen |= bits
        guard bits & (padding == 1 ? 0xff : 0xffff) == 0 else { return nil }
        result[o] = UInt8(truncatingIfNeeded: bits >> 16)
        if padding == 1 { result[o + 1] = UInt8(truncatingIfNeeded: bits >> 8) }
        o += 3 - padding
      }
      return seen & invalid == 0 ? o : nil
    }
  }

  static func encode(_ bytes: some Collection<UInt8>) -> [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count + 2) / 3 * 4)
    var (group, held) = (UInt32(0), 0)
    for byte in bytes {
      group = group << 8 | UInt32(byte)
      held += 1
      if held == 3 {
        for shift in [18, 12, 6, 0] { text.append(alphabet[Int(group >> UInt32(shift) & 63)]) }
        (group, held) = (0, 0)
      }
    }
    if held > 0 {
      group <<= UInt32(8 * (3 - held))
      for (place, shift) in [18, 12, 6, 0].enumerated() {
        text.append(place <= held ? alphabet[Int(group >> UInt32(shift) & 63)] : 0x3d)
      }
    }
    return text
  }
}
