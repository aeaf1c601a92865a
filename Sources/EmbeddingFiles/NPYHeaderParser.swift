/// A parser for the one kind of Python literal that heads a numpy array: a dictionary with exactly the keys
/// `descr`, `fortran_order` and `shape`, in any order.
struct NPYHeaderParser {
  struct Fields {
    /// The element type; `nil` for a structured one, which is a list.
    var descriptor: [UInt8]?
    var descriptorOffset: Int
    var isColumnMajor: Bool
    var shape: [Int]
  }

  /// The most dimensions that numpy gives an array.
  private static let mostDimensions = 64

  private let source: ByteSource
  private let end: Int
  private var position: Int

  init(_ source: ByteSource, range: Range<Int>) {
    self.source = source
    end = range.upperBound
    position = range.lowerBound
  }

  mutating func parse() throws(EmbeddingFileError) -> Fields {
    var descriptor: (value: [UInt8]?, offset: Int)?
    var isColumnMajor: Bool?
    var shape: [Int]?

    try take("{")
    while !takeIfPresent("}") {
      let keyOffset = position
      let key = try takeString()
      try take(":")
      skipSpaces()
      switch String(decoding: key, as: UTF8.self) {
      case "descr" where descriptor == nil:
        let offset = position
        if next == UInt8(ascii: "[") {
          // Nothing after a structured type needs reading: it is refused in any case.
          return Fields(descriptor: nil, descriptorOffset: offset, isColumnMajor: false, shape: [])
        }
        descriptor = (try takeString(), offset)
      case "fortran_order" where isColumnMajor == nil: isColumnMajor = try takeBoolean()
      case "shape" where shape == nil: shape = try takeShape()
      default:
        throw error(at: keyOffset, "the keys descr, fortran_order and shape, once each", found: "another key")
      }
      if takeIfPresent(",") { continue }
      try take("}")
      break
    }
    skipSpaces()
    guard position == end else { throw error("the end of the header") }
    guard let descriptor, let isColumnMajor, let shape else {
      throw error("the keys descr, fortran_order and shape, once each", found: "fewer")
    }
    return Fields(
      descriptor: descriptor.value, descriptorOffset: descriptor.offset, isColumnMajor: isColumnMajor,
      shape: shape)
  }

  private var next: UInt8? { position < end ? source[position] : nil }

  private mutating func skipSpaces() {
    while let byte = next, byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\n") { position += 1 }
  }

  private mutating func takeIfPresent(_ character: Unicode.Scalar) -> Bool {
    skipSpaces()
    guard next == UInt8(ascii: character) else { return false }
    position += 1
    return true
  }

  private mutating func take(_ character: Unicode.Scalar) throws(EmbeddingFileError) {
    guard takeIfPresent(character) else { throw error("'\(character)'") }
  }

  /// A string in single or double quotation marks. None that is wanted has an escape in it.
  private mutating func takeString() throws(EmbeddingFileError) -> [UInt8] {
    skipSpaces()
    guard let quote = next, quote == UInt8(ascii: "'") || quote == UInt8(ascii: "\"") else {
      throw error("a string")
    }
    position += 1
    let start = position
    while let byte = next, byte != quote, byte != UInt8(ascii: "\\") { position += 1 }
    guard next == quote else { throw error("a closing quotation mark") }
    position += 1
    return Array(source[start..<position - 1])
  }

  private mutating func takeBoolean() throws(EmbeddingFileError) -> Bool {
    for (word, value) in [("True", true), ("False", false)] {
      let wordEnd = position + word.utf8.count
      if wordEnd <= end, source[position..<wordEnd].elementsEqual(word.utf8) {
        position = wordEnd
        return value
      }
    }
    throw error("True or False")
  }

  /// A tuple of whole numbers, which may have the `L` of Python 2 behind them.
  private mutating func takeShape() throws(EmbeddingFileError) -> [Int] {
    var shape: [Int] = []
    try take("(")
    while !takeIfPresent(")") {
      guard shape.count < Self.mostDimensions else {
        throw error("at most \(Self.mostDimensions) dimensions", found: "more")
      }
      shape.append(try takeNumber())
      if takeIfPresent(",") { continue }
      // Without a comma, one number in parentheses is a number, not a tuple.
      guard shape.count > 1 else { throw error("','") }
      try take(")")
      break
    }
    return shape
  }

  private mutating func takeNumber() throws(EmbeddingFileError) -> Int {
    skipSpaces()
    let start = position
    while let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { position += 1 }
    guard position > start else { throw error("a whole number, 0 or more") }
    guard let number = Int(String(decoding: source[start..<position], as: UTF8.self)) else {
      throw error(at: start, "a number below 2^63", found: "a number of \(position - start) digits")
    }
    if next == UInt8(ascii: "L") { position += 1 }
    return number
  }

  private func error(_ expected: String) -> EmbeddingFileError {
    error(expected, found: next.map { "'\(printable([$0]))'" } ?? "the end of the header")
  }

  private func error(at offset: Int? = nil, _ expected: String, found: String) -> EmbeddingFileError {
    source.origin.error(.malformed, at: .byte(offset ?? position), expected: expected, found: found)
  }
}
