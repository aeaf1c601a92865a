/// Bytes of a snapshot's header, table and directory: numbers little-endian, texts with their length before them.
struct ByteWriter {
  private(set) var bytes: [UInt8] = []

  mutating func write<Number: FixedWidthInteger>(_ number: Number) {
    withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
  }

  mutating func write(_ text: String) {
    write(UInt32(text.utf8.count))
    bytes.append(contentsOf: text.utf8)
  }

  mutating func write(_ content: [UInt8]) {
    bytes.append(contentsOf: content)
  }
}

/// Reads what a `ByteWriter` wrote, and nothing beyond the end.
struct ByteReader {
  /// What is stored can't be; the place and what was expected there.
  struct Failure: Error {
    let position: Int
    let expected: String
  }

  let bytes: ArraySlice<UInt8>
  private(set) var position: Int

  init(_ bytes: ArraySlice<UInt8>) {
    self.bytes = bytes
    position = bytes.startIndex
  }

  var isAtEnd: Bool { position == bytes.endIndex }
  var remaining: Int { bytes.endIndex - position }

  mutating func read<Number: FixedWidthInteger>(_: Number.Type = Number.self) throws(Failure) -> Number {
    let size = MemoryLayout<Number>.size
    guard remaining >= size else { throw Failure(position: position, expected: "a number of \(size) bytes") }
    var number: Number = 0
    for index in 0..<size { number |= Number(truncatingIfNeeded: bytes[position + index]) << (8 * index) }
    position += size
    return number
  }

  mutating func text() throws(Failure) -> String {
    let start = position
    let count = Int(try read(UInt32.self))
    guard remaining >= count, let text = String(validating: bytes[position..<position + count], as: UTF8.self)
    else {
      throw Failure(position: start, expected: "UTF-8 of a length that fits")
    }
    position += count
    return text
  }

  mutating func take(_ count: Int) throws(Failure) -> ArraySlice<UInt8> {
    guard remaining >= count else { throw Failure(position: position, expected: "\(count) more bytes") }
    defer { position += count }
    return bytes[position..<position + count]
  }

  /// A number of things that take at least `bytesEach`, so that no count makes room for more than the bytes can hold.
  mutating func count(bytesEach: Int) throws(Failure) -> Int {
    let start = position
    let count = Int(try read(UInt32.self))
    guard count <= remaining / bytesEach else {
      throw Failure(position: start, expected: "at most \(remaining / bytesEach)")
    }
    return count
  }

  func require(_ condition: Bool, _ expected: String) throws(Failure) {
    guard condition else { throw Failure(position: position, expected: expected) }
  }
}
