/// A stretch of a snapshot file, as its table names it: what it holds, where, and the mark of its content.
struct SnapshotSection {
  enum Kind: UInt32 {
    case directory = 1
    /// The centre of a coding frame; `index` is the frame's.
    case frame = 2
    // The rest belong to the segment `index`.
    case references = 3
    case rows = 4
    case coarseCodes = 5
    case coarseBounds = 6
    case fineCodes = 7
    case fineBounds = 8
    case residualCodes = 9
    case residualErrors = 10
    case axialComponents = 11
  }

  /// Bytes of an entry of the table.
  static let entryBytes = 24 + SnapshotSeal.markBytes

  /// Its place in the table.
  let number: Int
  let kind: Kind
  let index: Int
  let offset: Int
  let byteCount: Int
  var mark: [UInt8] = []

  /// The entry without the mark: what a sealed section is bound to.
  var identity: [UInt8] {
    var writer = ByteWriter()
    writer.write(kind.rawValue)
    writer.write(UInt32(index))
    writer.write(UInt64(offset))
    writer.write(UInt64(byteCount))
    return writer.bytes
  }

  var name: String { "\(kind) \(index)" }

  init(number: Int, kind: Kind, index: Int, offset: Int, byteCount: Int) {
    self.number = number
    self.kind = kind
    self.index = index
    self.offset = offset
    self.byteCount = byteCount
  }

  /// Reads an entry: of a section within `range` that begins on a page.
  init(number: Int, _ reader: inout ByteReader, within range: Range<Int>) throws(ByteReader.Failure) {
    let kind = Kind(rawValue: try reader.read())
    guard let kind else { throw ByteReader.Failure(position: reader.position, expected: "a kind of section") }
    let index = Int(try reader.read(UInt32.self))
    let (offset, byteCount) = (try reader.read(UInt64.self), try reader.read(UInt64.self))
    try reader.require(
      offset % UInt64(SnapshotHeader.pageBytes) == 0 && offset >= range.lowerBound
        && offset <= range.upperBound
        && byteCount <= UInt64(range.upperBound) - offset, "a section within the file")
    self.init(number: number, kind: kind, index: index, offset: Int(offset), byteCount: Int(byteCount))
    mark = Array(try reader.take(SnapshotSeal.markBytes))
  }
}

extension Int {
  var roundedUpToPage: Int { roundedUp(toMultipleOf: SnapshotHeader.pageBytes) }
}
