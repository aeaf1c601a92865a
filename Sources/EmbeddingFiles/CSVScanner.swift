/// Splits text into records and fields, by RFC 4180: commas between, quotation marks around what has a comma,
/// line end or (doubled) quotation mark in it.
///
/// Lines end with LF or CR LF. A byte-order mark at the start and empty lines at the end are passed over; an
/// empty line elsewhere is an error, since one can't tell what is missing.
struct CSVScanner {
  /// A field of the current record.
  struct Field {
    /// Its bytes in the source, without the quotation marks around it.
    var range: Range<Int>
    var hasDoubledQuotes = false
  }

  let source: ByteSource
  /// The fields of the current record.
  private(set) var fields: [Field] = []
  /// The line on which the current record begins, from 1; 0 before the first one.
  private(set) var line = 0

  private var position: Int
  private var nextLine = 1

  init(_ source: ByteSource) {
    self.source = source
    position = source.starts(with: [0xef, 0xbb, 0xbf]) ? 3 : 0
  }

  /// Goes on to the next record; `false` at the end. Throws where the text breaks the rules.
  mutating func next() throws(EmbeddingFileError) -> Bool {
    guard position < source.count else { return false }
    line = nextLine
    if isAtLineEnd {
      let isRestEmpty = source[position..<source.count].allSatisfy { $0 == Self.cr || $0 == Self.lf }
      guard isRestEmpty else { throw error(expected: "a row", found: "an empty line") }
      position = source.count
      return false
    }
    fields.removeAll(keepingCapacity: true)
    while true {
      fields.append(try scanField())
      guard position < source.count else { return true }
      switch source[position] {
      case Self.comma:
        position += 1
      case Self.lf:
        position += 1
        nextLine += 1
        return true
      case Self.cr where position + 1 < source.count && source[position + 1] == Self.lf:
        position += 2
        nextLine += 1
        return true
      case Self.cr:
        throw error(expected: "a line feed after a carriage return", found: "something else")
      default:
        throw error(
          expected: "a comma or the line's end after a closing quotation mark", found: "something else")
      }
    }
  }

  /// The text of field `index` of the current record. Throws when it is not UTF-8.
  func text(_ index: Int) throws(EmbeddingFileError) -> String {
    let field = fields[index]
    var bytes = source[field.range]
    if field.hasDoubledQuotes {
      var isSecond = false
      bytes.removeAll { byte in
        isSecond = byte == Self.quote && !isSecond
        return isSecond
      }
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw error(expected: "UTF-8", found: "other bytes in column \(index + 1)")
    }
    return text
  }

  /// Throws unless the current record has `count` fields.
  func requireFields(_ count: Int) throws(EmbeddingFileError) {
    guard fields.count == count else {
      throw error(expected: "\(count) columns, as before", found: "\(fields.count)")
    }
  }

  func error(
    _ code: EmbeddingFileError.Code = .malformed, expected: String, found: String
  ) -> EmbeddingFileError {
    source.origin.error(code, at: .line(line), expected: expected, found: found)
  }

  private var isAtLineEnd: Bool { source[position] == Self.lf || source[position] == Self.cr }

  /// Takes a field and stops at what ended it.
  private mutating func scanField() throws(EmbeddingFileError) -> Field {
    guard position < source.count else { return Field(range: position..<position) }
    if source[position] == Self.quote { return try scanQuotedField() }
    let start = position
    while position < source.count {
      switch source[position] {
      case Self.comma, Self.lf, Self.cr: return Field(range: start..<position)
      case Self.quote:
        throw error(
          expected: "quotation marks around a whole field", found: "one within column \(fields.count + 1)")
      default: position += 1
      }
    }
    return Field(range: start..<position)
  }

  private mutating func scanQuotedField() throws(EmbeddingFileError) -> Field {
    position += 1
    var field = Field(range: position..<position)
    while position < source.count {
      let byte = source[position]
      position += 1
      if byte == Self.lf { nextLine += 1 }
      guard byte == Self.quote else { continue }
      guard position < source.count, source[position] == Self.quote else {
        field.range = field.range.lowerBound..<position - 1
        return field
      }
      field.hasDoubledQuotes = true
      position += 1
    }
    throw error(.truncated, expected: "a closing quotation mark", found: "the end of the file")
  }

  private static let comma = UInt8(ascii: ",")
  private static let quote = UInt8(ascii: "\"")
  private static let lf = UInt8(ascii: "\n")
  private static let cr = UInt8(ascii: "\r")
}
