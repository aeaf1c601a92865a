/// The directory of a zip archive, and its members' bytes.
///
/// Layout: PKWARE's APPNOTE 6.3.10, sections 4.3.7 (local header), 4.3.12 (central directory), 4.3.14 to
/// 4.3.16 (ends of it), 4.5.3 (zip64 extra field). Read: members stored or deflated, of one volume. Sizes
/// come from the central directory, since local headers may leave them to what follows the data.
struct ZIPArchive {
  static let firstBytes: [UInt8] = Array("PK".utf8) + [3, 4]

  struct Member {
    let name: [UInt8]
    let flags: UInt16
    let method: UInt16
    let checksum: UInt32
    let packedSize: Int
    let size: Int
    let headerOffset: Int
  }

  let source: ByteSource
  let members: [Member]
  /// Where the central directory begins: the end of all members.
  private let directoryOffset: Int

  init(_ source: ByteSource) throws(EmbeddingFileError) {
    let end = try DirectoryEnd(source)
    var members: [Member] = []
    var offset = end.directory.lowerBound
    while offset < end.directory.upperBound {
      let (member, next) = try Self.member(at: offset, source)
      members.append(member)
      offset = next
    }
    guard offset == end.directory.upperBound, members.count == end.memberCount else {
      throw source.origin.error(
        .malformed, at: .byte(offset),
        expected: "\(end.memberCount) members up to byte \(end.directory.upperBound)",
        found: "\(members.count) members")
    }
    self.source = source
    self.members = members
    directoryOffset = end.directory.lowerBound
    // Before one is chosen by its name, all names have to be right.
    for member in members { _ = try packedBytes(of: member) }
  }

  /// The entry of the central directory at `offset`, and where the next one begins.
  private static func member(
    at offset: Int, _ source: ByteSource
  ) throws(EmbeddingFileError) -> (Member, next: Int) {
    try source.requireSignature(0x0201_4b50, at: offset, "an entry of the central directory")
    try source.require(46, at: offset, "an entry of the central directory")
    let nameLength = Int(try source.integer(at: offset + 28, "a name's length", as: UInt16.self))
    let extraLength = Int(try source.integer(at: offset + 30, "an extra field's length", as: UInt16.self))
    let commentLength = Int(try source.integer(at: offset + 32, "a comment's length", as: UInt16.self))
    try source.require(
      nameLength + extraLength + commentLength, at: offset + 46, "an entry's name and comment")
    let extraOffset = offset + 46 + nameLength

    var sizes = Zip64Sizes(source, extra: extraOffset..<extraOffset + extraLength)
    // The order is the extra field's own.
    let size = try sizes.value(at: offset + 24, "a member's size")
    let packedSize = try sizes.value(at: offset + 20, "a member's packed size")
    let headerOffset = try sizes.value(at: offset + 42, "a member's offset")
    let member = Member(
      name: Array(source[offset + 46..<extraOffset]),
      flags: try source.integer(at: offset + 8, "a member's flags"),
      method: try source.integer(at: offset + 10, "a member's method"),
      checksum: try source.integer(at: offset + 16, "a member's checksum"),
      packedSize: packedSize, size: size, headerOffset: headerOffset)
    return (member, extraOffset + extraLength + commentLength)
  }

  /// The packed bytes of `member`, after its local header.
  func packedBytes(of member: Member) throws(EmbeddingFileError) -> ByteSource {
    let offset = member.headerOffset
    try source.requireSignature(0x0403_4b50, at: offset, "a member's local header")
    let nameLength = Int(try source.integer(at: offset + 26, "a name's length", as: UInt16.self))
    let extraLength = Int(try source.integer(at: offset + 28, "an extra field's length", as: UInt16.self))
    try source.require(nameLength + extraLength, at: offset + 30, "a member's name")
    guard source[offset + 30..<offset + 30 + nameLength].elementsEqual(member.name) else {
      throw source.origin.error(
        .malformed, at: .byte(offset + 30),
        expected: "the name \(printable(member.name)) of the central directory",
        found: "another")
    }
    let start = offset + 30 + nameLength + extraLength
    guard start <= directoryOffset, member.packedSize <= directoryOffset - start else {
      throw source.origin.error(
        .truncated, at: .byte(start), expected: "\(member.packedSize) bytes before the central directory",
        found: "\(max(0, directoryOffset - start))")
    }
    let origin = Origin(file: source.origin.file, member: String(decoding: member.name, as: UTF8.self))
    return source.part(start..<start + member.packedSize, origin: origin)
  }
}

/// Where the central directory lies, from the record at the archive's end.
private struct DirectoryEnd {
  let memberCount: Int
  let directory: Range<Int>

  init(_ source: ByteSource) throws(EmbeddingFileError) {
    let offset = try Self.find(source)
    var limit = offset
    var volumes = Int(try source.integer(at: offset + 4, "the volume", as: UInt16.self))
    var count = Int(try source.integer(at: offset + 10, "the number of members", as: UInt16.self))
    var size = Int(try source.integer(at: offset + 12, "the directory's size", as: UInt32.self))
    var start = Int(try source.integer(at: offset + 16, "the directory's offset", as: UInt32.self))

    // The locator says that there is a zip64 record; the fields above are then all ones, or the same small
    // numbers.
    if offset >= 20, try source.integer(at: offset - 20, "a signature", as: UInt32.self) == 0x0706_4b50 {
      limit = try source.size(at: offset - 12, "the zip64 record's offset")
      try source.requireSignature(0x0606_4b50, at: limit, "the zip64 end of the central directory")
      volumes = Int(try source.integer(at: limit + 16, "the volume", as: UInt32.self))
      count = try source.size(at: limit + 32, "the number of members")
      size = try source.size(at: limit + 40, "the directory's size")
      start = try source.size(at: limit + 48, "the directory's offset")
    }
    guard volumes == 0 else {
      throw source.origin.error(
        .unsupported, at: .byte(offset), expected: "an archive of one volume", found: "volume \(volumes)")
    }
    guard start <= limit, size == limit - start else {
      throw source.origin.error(
        .malformed, at: .byte(offset), expected: "a central directory that ends at byte \(limit)",
        found: "\(size) bytes of it from byte \(start)")
    }
    memberCount = count
    directory = start..<limit
  }

  /// The end record has a comment of up to 65,535 bytes behind it, and fits the file's end exactly.
  private static func find(_ source: ByteSource) throws(EmbeddingFileError) -> Int {
    var offset = source.count - 22
    while offset >= max(0, source.count - 22 - 0xffff) {
      // The byte first, for speed.
      if source[offset] == UInt8(ascii: "P"),
        try source.integer(at: offset, "a signature", as: UInt32.self) == 0x0605_4b50,
        try source.integer(at: offset + 20, "the comment's length", as: UInt16.self) == source.count - offset
          - 22
      {
        return offset
      }
      offset -= 1
    }
    throw source.origin.error(
      .truncated, at: .byte(source.count), expected: "the end of a zip archive's central directory",
      found: "none in the last bytes")
  }
}

/// Reads fields that, when they hold all ones, stand in the zip64 extra field instead, one after the other.
private struct Zip64Sizes {
  private let source: ByteSource
  private let extra: Range<Int>
  private var position: Int?

  init(_ source: ByteSource, extra: Range<Int>) {
    self.source = source
    self.extra = extra
  }

  mutating func value(at offset: Int, _ purpose: String) throws(EmbeddingFileError) -> Int {
    let short = try source.integer(at: offset, purpose, as: UInt32.self)
    guard short == 0xffff_ffff else { return Int(short) }
    let position = if let position { position } else { try findField() }
    guard position + 8 <= extra.upperBound else {
      throw source.origin.error(
        .malformed, at: .byte(position), expected: "\(purpose) in a zip64 extra field", found: "its end")
    }
    self.position = position + 8
    return try source.size(at: position, purpose)
  }

  /// Where the content of the zip64 extra field begins.
  private func findField() throws(EmbeddingFileError) -> Int {
    var offset = extra.lowerBound
    while offset + 4 <= extra.upperBound {
      let identifier = try source.integer(at: offset, "an extra field", as: UInt16.self)
      if identifier == 0x0001 { return offset + 4 }
      offset += 4 + Int(try source.integer(at: offset + 2, "an extra field's length", as: UInt16.self))
    }
    throw source.origin.error(
      .malformed, at: .byte(extra.lowerBound), expected: "a zip64 extra field", found: "none")
  }
}

extension ByteSource {
  fileprivate func requireSignature(_ wanted: UInt32, at offset: Int, _ purpose: String)
    throws(EmbeddingFileError)
  {
    let found = try integer(at: offset, purpose, as: UInt32.self)
    guard found == wanted else {
      throw origin.error(
        .malformed, at: .byte(offset), expected: "\(purpose) (0x\(String(wanted, radix: 16)))",
        found: "0x\(String(found, radix: 16))")
    }
  }

  /// A 64-bit size or offset, refused when no file can have it.
  fileprivate func size(at offset: Int, _ purpose: String) throws(EmbeddingFileError) -> Int {
    let value = try integer(at: offset, purpose, as: UInt64.self)
    guard let size = Int(exactly: value), size <= Int.max / 2 else {
      throw origin.error(.malformed, at: .byte(offset), expected: "\(purpose) below 2^62", found: "\(value)")
    }
    return size
  }
}
