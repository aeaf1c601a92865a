/// The first page of a snapshot file; Documentation/Formats/GallerySnapshot.md is the table of it.
struct SnapshotHeader {
  static let magic = Array("RVGALRY\n".utf8)
  static let version: UInt32 = 3
  static let digestBytes = 32
  static let generationBytes = 32
  /// Sections begin at multiples of it, and the header takes one.
  static let pageBytes = 4096

  let isSealed: Bool
  let fileBytes: UInt64
  let sectionCount: UInt32
  /// The state of the store that the caller says the gallery had.
  let generation: [UInt8]
  let nonce: [UInt8]
  /// Of the rest of the header and the table.
  let digest: [UInt8]

  /// What the digest covers, without the table.
  var content: [UInt8] {
    var writer = ByteWriter()
    writer.write(Self.magic)
    writer.write(Self.version)
    writer.write(UInt32(isSealed ? 1 : 0))
    writer.write(fileBytes)
    writer.write(sectionCount)
    writer.write(UInt32(0))
    writer.write(generation)
    writer.write(nonce)
    return writer.bytes
  }

  var page: [UInt8] {
    let bytes = content + digest
    return bytes + [UInt8](repeating: 0, count: Self.pageBytes - bytes.count)
  }

  init(
    isSealed: Bool, fileBytes: UInt64, sectionCount: UInt32, generation: [UInt8], nonce: [UInt8],
    digest: [UInt8]
  ) {
    self.isSealed = isSealed
    self.fileBytes = fileBytes
    self.sectionCount = sectionCount
    self.generation = generation
    self.nonce = nonce
    self.digest = digest
  }

  /// Reads a page. Throws the code of what is wrong with it.
  init(page: [UInt8]) throws(SnapshotFileError.Code) {
    guard page.count >= Self.magic.count, Array(page.prefix(Self.magic.count)) == Self.magic else {
      throw .notASnapshot
    }
    guard page.count == Self.pageBytes else {
      throw .length(found: UInt64(page.count), expected: UInt64(Self.pageBytes))
    }
    var reader = ByteReader(page[Self.magic.count...])
    let version = try SnapshotFileError.Code.reading("header") { () throws(ByteReader.Failure) in
      try reader.read(UInt32.self)
    }
    guard version == Self.version else { throw .version(found: version, expected: Self.version) }
    self = try SnapshotFileError.Code.reading("header") { () throws(ByteReader.Failure) in
      try SnapshotHeader(after: &reader)
    }
  }

  private init(after reader: inout ByteReader) throws(ByteReader.Failure) {
    let sealing = try reader.read(UInt32.self)
    try reader.require(sealing <= 1, "0 or 1")
    let (fileBytes, sectionCount) = (try reader.read(UInt64.self), try reader.read(UInt32.self))
    try reader.require(try reader.read(UInt32.self) == 0, "0")
    self.init(
      isSealed: sealing == 1, fileBytes: fileBytes, sectionCount: sectionCount,
      generation: Array(try reader.take(Self.generationBytes)),
      nonce: Array(try reader.take(SnapshotSeal.nonceBytes)),
      digest: Array(try reader.take(Self.digestBytes)))
    try reader.require(try reader.take(reader.remaining).allSatisfy { $0 == 0 }, "zeros")
  }
}
