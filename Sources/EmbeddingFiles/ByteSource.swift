/// The bytes of a file, or of a member of one, with loads that throw where the bytes end.
///
/// Offsets count from the start of the source. Copies share the bytes.
struct ByteSource: Sendable {
  let origin: Origin
  private let bytes: [UInt8]
  private let range: Range<Int>

  init(_ bytes: [UInt8], origin: Origin) {
    self.init(bytes, range: bytes.indices, origin: origin)
  }

  private init(_ bytes: [UInt8], range: Range<Int>, origin: Origin) {
    self.bytes = bytes
    self.range = range
    self.origin = origin
  }

  var count: Int { range.count }

  subscript(offset: Int) -> UInt8 {
    bytes[range.lowerBound + offset]
  }

  subscript(part: Range<Int>) -> ArraySlice<UInt8> {
    bytes[range][range.lowerBound + part.lowerBound..<range.lowerBound + part.upperBound]
  }

  /// The bytes of `part`, which must lie inside, under another name.
  func part(_ part: Range<Int>, origin: Origin) -> ByteSource {
    precondition(part.lowerBound >= 0 && part.upperBound <= count, "a part lies inside its source")
    return ByteSource(
      bytes, range: range.lowerBound + part.lowerBound..<range.lowerBound + part.upperBound, origin: origin)
  }

  /// The little-endian integer at `offset`; `purpose` says what it is in the error thrown where the bytes
  /// end.
  func integer<Word: FixedWidthInteger & BitwiseCopyable>(
    at offset: Int, _ purpose: String, as type: Word.Type = Word.self
  ) throws(EmbeddingFileError) -> Word {
    try require(MemoryLayout<Word>.size, at: offset, purpose)
    return Word(
      littleEndian: bytes.span.bytes.unsafeLoadUnaligned(
        fromByteOffset: range.lowerBound + offset, as: Word.self))
  }

  /// Throws unless `size` bytes are there from `offset` on.
  func require(_ size: Int, at offset: Int, _ purpose: String) throws(EmbeddingFileError) {
    guard offset >= 0, size >= 0, offset <= count, size <= count - offset else {
      throw origin.error(
        .truncated, at: .byte(offset), expected: "\(purpose) (\(size) bytes)",
        found: "\(max(0, count - offset)) bytes")
    }
  }

  func starts(with prefix: [UInt8]) -> Bool {
    bytes[range].starts(with: prefix)
  }

  /// Calls `body` with the bytes of `part`.
  func withSpan<Result>(_ part: Range<Int>, _ body: (Span<UInt8>) -> Result) -> Result {
    body(bytes.span.extracting(range.lowerBound + part.lowerBound..<range.lowerBound + part.upperBound))
  }

  /// Calls `body` with all the bytes, which are valid during the call alone.
  func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    bytes.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[range])) }
  }
}

extension Origin {
  /// The number of values of a matrix of the shape that a header claims, after checking it against the
  /// `available` bytes behind the header: no more and no fewer.
  ///
  /// A decoder calls this before it allocates, so no claim costs memory that the file's own size does not bear
  /// out. `offset` is where the header ends.
  func valueCount(
    rows: Int, dimension: Int, bytesEach: Int, available: Int, at offset: Int
  ) throws(EmbeddingFileError) -> Int {
    guard rows > 0, dimension > 0 else {
      throw error(
        .empty, at: .byte(offset), expected: "at least one row of one component",
        found: "\(rows) rows of \(dimension) components")
    }
    let (count, countOverflow) = rows.multipliedReportingOverflow(by: dimension)
    let (size, sizeOverflow) = count.multipliedReportingOverflow(by: bytesEach)
    guard !countOverflow, !sizeOverflow, size <= available else {
      throw error(
        .truncated, at: .byte(offset),
        expected: "\(rows) rows of \(dimension) components of \(bytesEach) bytes",
        found: "\(available) bytes")
    }
    guard size == available else {
      throw error(
        .malformed, at: .byte(offset + size),
        expected: "the end, after \(rows) rows of \(dimension) components of \(bytesEach) bytes",
        found: "\(available - size) bytes more")
    }
    try requireMemory(count, of: MemoryLayout<Float>.size)
    return count
  }
}
