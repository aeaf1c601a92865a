#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Reads JSON (RFC 8259) value by value from bytes, as a schema asks for them.
///
/// Not a general parser: no tree is made, nothing is recursive, and strings stay where they are. The reader never
/// looks beyond `count`.
struct JSONReader {
  let bytes: UnsafePointer<UInt8>
  let count: Int
  var position = 0
  /// Where an error is said to be.
  var frame: Int?
  var field: String?

  init(_ bytes: UnsafePointer<UInt8>, count: Int) {
    self.bytes = bytes
    self.count = count
  }

  func error(_ code: CaptureDecodingError.Code) -> CaptureDecodingError {
    CaptureDecodingError(code, frame: frame, field: field, offset: position)
  }

  /// The next byte that is no white space; 0 at the end, which no JSON text holds.
  mutating func peek() -> UInt8 {
    while position < count {
      let byte = bytes[position]
      guard byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09 else { return byte }
      position &+= 1
    }
    return 0
  }

  /// Takes `byte`, or throws: `wrongType` where another value begins, else `malformed`.
  mutating func expect(_ byte: UInt8) throws(CaptureDecodingError) {
    let next = peek()
    guard next == byte else {
      let opens = byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") || byte == UInt8(ascii: "\"")
      throw error(opens && next != 0 ? .wrongType : .malformed)
    }
    position &+= 1
  }

  /// After an entry of an object or array: whether another follows. `close` is taken when it doesn't.
  mutating func continues(_ close: UInt8) throws(CaptureDecodingError) -> Bool {
    let next = peek()
    position &+= 1
    if next == UInt8(ascii: ",") { return true }
    guard next == close else {
      position &-= 1
      throw error(.malformed)
    }
    return false
  }

  /// Whether the object or array just opened is empty; takes `close` then.
  mutating func closes(_ close: UInt8) -> Bool {
    guard peek() == close else { return false }
    position &+= 1
    return true
  }

  /// The raw bytes of a string, between its quotes, and whether they hold escapes.
  mutating func rawString() throws(CaptureDecodingError) -> (range: Range<Int>, hasEscapes: Bool) {
    try expect(UInt8(ascii: "\""))
    let start = position
    guard let quote = memchr(bytes + start, 0x22, count - start) else { throw error(.malformed) }
    var end = bytes.distance(to: quote.assumingMemoryBound(to: UInt8.self))
    guard memchr(bytes + start, 0x5c, end - start) != nil else {
      position = end &+ 1
      return (start..<end, false)
    }
    end = start
    while end < count, bytes[end] != 0x22 { end &+= bytes[end] == 0x5c ? 2 : 1 }
    guard end < count else { throw error(.malformed) }
    position = end &+ 1
    return (start..<end, true)
  }

  /// A string of printable ASCII, escapes resolved, of 1...`limit` characters (0 too when `emptyAllowed`).
  mutating func text(limit: Int) throws(CaptureDecodingError) -> String {
    let (range, hasEscapes) = try rawString()
    let plain =
      hasEscapes
      ? try unescaped(range) : Array(UnsafeBufferPointer(start: bytes + range.lowerBound, count: range.count))
    guard (1...limit).contains(plain.count), plain.allSatisfy({ (0x20...0x7e).contains($0) }) else {
      throw error(.outOfRange)
    }
    return String(decoding: plain, as: UTF8.self)
  }

  /// The bytes of a string with escapes resolved; a character beyond ASCII is none that a field takes.
  func unescaped(_ range: Range<Int>) throws(CaptureDecodingError) -> [UInt8] {
    var plain: [UInt8] = []
    plain.reserveCapacity(range.count)
    var index = range.lowerBound
    while index < range.upperBound {
      guard bytes[index] == 0x5c else {
        plain.append(bytes[index])
        index += 1
        continue
      }
      guard index + 1 < range.upperBound else { throw error(.malformed) }
      switch bytes[index + 1] {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): plain.append(bytes[index + 1])
      case UInt8(ascii: "u"):
        guard index + 6 <= range.upperBound,
          let value = UInt32(
            String(decoding: UnsafeBufferPointer(start: bytes + index + 2, count: 4), as: UTF8.self),
            radix: 16),
          bytes[index + 2] != UInt8(ascii: "+"), bytes[index + 2] != UInt8(ascii: "-")
        else { throw error(.malformed) }
        guard value < 0x80 else { throw error(.outOfRange) }
        plain.append(UInt8(value))
        index += 4
      case UInt8(ascii: "b"), UInt8(ascii: "f"), UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
        throw error(.outOfRange)
      default: throw error(.malformed)
      }
      index += 2
    }
    return plain
  }

  mutating func boolean() throws(CaptureDecodingError) -> Bool {
    switch peek() {
    case UInt8(ascii: "t"):
      try literal("true")
      return true
    case UInt8(ascii: "f"):
      try literal("false")
      return false
    case 0: throw error(.malformed)
    default: throw error(.wrongType)
    }
  }

  private mutating func literal(_ word: StaticString) throws(CaptureDecodingError) {
    guard position + word.utf8CodeUnitCount <= count,
      memcmp(bytes + position, word.utf8Start, word.utf8CodeUnitCount) == 0
    else { throw error(.malformed) }
    position += word.utf8CodeUnitCount
  }

  /// A key and its colon, as a place in `names`. An unknown key throws, and is named where it reads like the name of a field.
  mutating func key(among names: [StaticString]) throws(CaptureDecodingError) -> Int {
    field = nil
    guard peek() == UInt8(ascii: "\"") else { throw error(.malformed) }
    let (range, hasEscapes) = try rawString()
    guard !hasEscapes else {
      let plain = try unescaped(range)
      guard let index = names.firstIndex(where: { name in name.withUTF8Buffer { $0.elementsEqual(plain) } })
      else {
        throw unknown(plain)
      }
      return try taken(index)
    }
    let index = names.firstIndex { name in
      name.utf8CodeUnitCount == range.count
        && memcmp(name.utf8Start, bytes + range.lowerBound, range.count) == 0
    }
    guard let index else {
      throw unknown(Array(UnsafeBufferPointer(start: bytes + range.lowerBound, count: range.count)))
    }
    return try taken(index)
  }

  /// The error of a key that is none. One that is long, or of other characters, may hold anything and is not repeated.
  private mutating func unknown(_ key: [UInt8]) -> CaptureDecodingError {
    let isName =
      (1...CaptureLimits.keyLength).contains(key.count)
      && key.allSatisfy { byte in
        byte == UInt8(ascii: "_") || (0x30...0x39).contains(byte) || (0x61...0x7a).contains(byte | 0x20)
      }
    field = isName ? String(decoding: key, as: UTF8.self) : nil
    return error(.unknownField)
  }

  private mutating func taken(_ index: Int) throws(CaptureDecodingError) -> Int {
    guard peek() == UInt8(ascii: ":") else { throw error(.malformed) }
    position &+= 1
    return index
  }

  /// Where reading frames that are cut short stops, from the array at `start` on: the frame, and the last field begun in it.
  ///
  /// Looks at everything once more, so for errors alone.
  mutating func locateEnd(from start: Int, among names: [StaticString]) {
    position = start
    (frame, field) = (nil, "frames")
    var (open, index) = (0, 0)
    while position < count {
      switch bytes[position] {
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        open += 1
        position += 1
        if open == 2 { (frame, field) = (index, "frames") }
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        open -= 1
        position += 1
        if open == 1 {
          index += 1
          (frame, field) = (nil, "frames")
        }
      case UInt8(ascii: "\""):
        guard let (range, _) = try? rawString() else {
          position = count
          return
        }
        if open == 2, peek() == UInt8(ascii: ":") {
          let name = names.first { name in
            name.utf8CodeUnitCount == range.count
              && memcmp(name.utf8Start, bytes + range.lowerBound, range.count) == 0
          }
          field = name.map { "\($0)" } ?? "frames"
        }
      default: position += 1
      }
    }
  }

  /// Passes over an array or object without judging what is in it but its nesting; `depth` counts those around it.
  mutating func skipContainer(depth: Int) throws(CaptureDecodingError) {
    var open = depth
    repeat {
      switch peek() {
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        open += 1
        guard open <= CaptureLimits.depth else { throw error(.tooDeep) }
        position &+= 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        open -= 1
        position &+= 1
      case UInt8(ascii: "\""): _ = try rawString()
      case 0: throw error(.malformed)
      default: position &+= 1
      }
    } while open > depth
  }
}
