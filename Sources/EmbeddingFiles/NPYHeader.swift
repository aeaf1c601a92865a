/// The header of a numpy array: element type, order and shape.
///
/// Layout and grammar: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
struct NPYHeader: Equatable {
  static let magic: [UInt8] = [0x93] + Array("NUMPY".utf8)
  /// numpy reads no longer one either, unless told to; a plain array's has about a hundred bytes.
  static let longestText = 10_000

  let element: ElementFormat
  /// Fortran order: the values of a column lie together, rather than those of a row.
  let isColumnMajor: Bool
  let shape: [Int]
  /// Where the values begin.
  let dataOffset: Int

  /// Reads the header at the start of `source`.
  init(_ source: ByteSource) throws(EmbeddingFileError) {
    guard source.starts(with: Self.magic) else {
      throw source.origin.error(
        .malformed, at: .byte(0), expected: "a numpy array, which begins with \\x93NUMPY",
        found: source.count < Self.magic.count ? "\(source.count) bytes" : "other bytes")
    }
    let major = try source.integer(at: 6, "the format's version", as: UInt8.self)
    let minor = try source.integer(at: 7, "the format's version", as: UInt8.self)
    guard (1...3).contains(major), minor == 0 else {
      throw source.origin.error(
        .unsupported, at: .byte(6), expected: "version 1.0, 2.0 or 3.0", found: "\(major).\(minor)")
    }
    let textOffset = major == 1 ? 10 : 12
    let length =
      major == 1
      ? Int(try source.integer(at: 8, "the header's length", as: UInt16.self))
      : Int(try source.integer(at: 8, "the header's length", as: UInt32.self))
    guard length <= Self.longestText else {
      throw source.origin.error(
        .tooLarge, at: .byte(8), expected: "a header of at most \(Self.longestText) bytes", found: "\(length)"
      )
    }
    try source.require(length, at: textOffset, "the header")

    var parser = NPYHeaderParser(source, range: textOffset..<textOffset + length)
    let fields = try parser.parse()
    element = try ElementFormat(descriptor: fields.descriptor, source.origin, at: fields.descriptorOffset)
    isColumnMajor = fields.isColumnMajor
    shape = fields.shape
    dataOffset = textOffset + length
  }
}

/// How an element of an array is stored.
struct ElementFormat: Equatable {
  enum Kind: Int {
    case float16 = 2
    case float32 = 4
    case float64 = 8
  }

  let kind: Kind
  let isBigEndian: Bool

  var size: Int { kind.rawValue }

  /// The format that numpy's `descriptor` names, as in `<f4`; `nil` stands for a structured one.
  init(descriptor: [UInt8]?, _ origin: Origin, at offset: Int) throws(EmbeddingFileError) {
    let known: [(String, Kind)] = [("f2", .float16), ("f4", .float32), ("f8", .float64)]
    if let descriptor, let order = descriptor.first, order == UInt8(ascii: "<") || order == UInt8(ascii: ">"),
      let match = known.first(where: { descriptor.dropFirst().elementsEqual($0.0.utf8) })
    {
      kind = match.1
      isBigEndian = order == UInt8(ascii: ">")
      return
    }
    throw origin.error(
      .unsupported, at: .byte(offset), expected: "elements <f2, <f4, <f8, >f2, >f4 or >f8",
      found: descriptor.map { "elements '\(printable($0, limit: 20))'" } ?? "structured elements")
  }
}
