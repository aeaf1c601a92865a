import Biometrics
import CFaceKernels
import Glibc

/// An open snapshot file whose header, table and directory have been found right; segments are read one by one.
struct SnapshotFileReader: Sendable {
  let path: String
  let header: SnapshotHeader
  let directory: SnapshotDirectory
  private let file: MappedFile
  private let seal: SnapshotSeal
  private let frames: [CodingFrame]
  /// The sections of the segments, by kind, in the order of the segments.
  private let sections: [SnapshotSection.Kind: [SnapshotSection]]

  /// Opens and checks the file. Memory use is a small multiple of its table and directory, whatever they claim.
  init(path: String, key: SnapshotKey?) throws(SnapshotFileError) {
    do throws(SnapshotFileError.Code) {
      try self.init(checked: path, key: key)
    } catch {
      throw SnapshotFileError(error, path)
    }
  }

  private init(checked path: String, key: SnapshotKey?) throws(SnapshotFileError.Code) {
    self.path = path
    file = try Self.map(path)
    let page = Array(
      UnsafeRawBufferPointer(start: file.start, count: min(SnapshotHeader.pageBytes, file.count)))
    header = try SnapshotHeader(page: page)
    guard header.fileBytes == UInt64(file.count) else {
      throw .length(found: UInt64(file.count), expected: header.fileBytes)
    }
    guard header.isSealed == (key != nil) else { throw .sealing(isSealed: header.isSealed) }
    seal = SnapshotSeal(key: key, nonce: header.nonce)
    let all = try Self.table(header, file, seal)
    guard let first = all.first, first.kind == .directory else {
      throw .malformed(
        section: "table", offset: UInt64(SnapshotHeader.pageBytes), expected: "a directory first")
    }
    let content = try Self.content(of: first, file, seal)
    let directory = try SnapshotFileError.Code.reading("directory", at: UInt64(first.offset)) {
      () throws(ByteReader.Failure) in try SnapshotDirectory(content)
    }
    self.directory = directory
    sections = Dictionary(grouping: all.dropFirst(), by: \.kind)
    try Self.check(sections, against: directory)
    frames = try Self.frames(sections[.frame] ?? [], file, seal, dimension: directory.space.dimension)
  }

  private static func map(_ path: String) throws(SnapshotFileError.Code) -> MappedFile {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .system(SystemFailure(errno)) }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw .system(SystemFailure(errno)) }
    guard status.st_mode & S_IFMT == S_IFREG, status.st_size > 0 else { throw .notASnapshot }
    do throws(SystemFailure) {
      return try MappedFile(descriptor, count: Int(status.st_size))
    } catch {
      throw .system(error)
    }
  }

  private static func table(
    _ header: SnapshotHeader, _ file: MappedFile, _ seal: SnapshotSeal
  ) throws(SnapshotFileError.Code) -> [SnapshotSection] {
    let start = SnapshotHeader.pageBytes
    let byteCount = Int(header.sectionCount) * SnapshotSection.entryBytes
    guard byteCount <= file.count - start else {
      throw .malformed(section: "header", offset: 24, expected: "a table within the file")
    }
    let table = Array(UnsafeRawBufferPointer(start: file.start + start, count: byteCount))
    guard seal.digest(of: header.content + table) == header.digest else {
      throw .damaged(section: "header", offset: 0)
    }
    return try SnapshotFileError.Code.reading("table", at: UInt64(start)) { () throws(ByteReader.Failure) in
      var reader = ByteReader(table[...])
      var sections: [SnapshotSection] = []
      for number in 0..<Int(header.sectionCount) {
        let from = sections.last.map { $0.offset + $0.byteCount } ?? start + byteCount
        sections.append(try SnapshotSection(number: number, &reader, within: from..<file.count))
      }
      return sections
    }
  }

  /// A section's bytes, checked; of small ones.
  private static func content(
    of section: SnapshotSection, _ file: MappedFile, _ seal: SnapshotSeal
  ) throws(SnapshotFileError.Code) -> [UInt8] {
    var bytes = Array(UnsafeRawBufferPointer(start: file.start + section.offset, count: section.byteCount))
    let isRight = bytes.withUnsafeMutableBufferPointer { bytes in
      bytes.baseAddress.map { seal.open($0, count: bytes.count, as: section) } ?? false
    }
    guard isRight else { throw .damaged(section: section.name, offset: UInt64(section.offset)) }
    return bytes
  }

  /// Every segment has each of its sections once, in order, of the size that its rows take.
  private static func check(
    _ sections: [SnapshotSection.Kind: [SnapshotSection]], against directory: SnapshotDirectory
  ) throws(SnapshotFileError.Code) {
    func fail(_ kind: SnapshotSection.Kind) -> SnapshotFileError.Code {
      .malformed(section: "table", offset: 0, expected: "\(kind) of every part, of its size")
    }
    guard sections[.directory] == nil else { throw fail(.directory) }
    let dimension = directory.space.dimension
    let frames = sections[.frame] ?? []
    guard frames.map(\.index) == Array(0..<directory.frameCount),
      frames.allSatisfy({ $0.byteCount == 4 * dimension })
    else { throw fail(.frame) }
    for kind in SegmentSections.kinds {
      let found = sections[kind] ?? []
      guard found.map(\.index) == Array(directory.segments.indices) else { throw fail(kind) }
      for (section, segment) in zip(found, directory.segments) {
        let size = SegmentSections.byteCount(kind, rows: segment.count, dimension: dimension)
        guard size == nil || size == section.byteCount else { throw fail(kind) }
      }
    }
  }

  private static func frames(
    _ sections: [SnapshotSection], _ file: MappedFile, _ seal: SnapshotSeal, dimension: Int
  ) throws(SnapshotFileError.Code) -> [CodingFrame] {
    var frames: [CodingFrame] = []
    for section in sections {
      let bytes = try content(of: section, file, seal)
      let centre = bytes.withUnsafeBytes { bytes in
        (0..<dimension).map {
          Float(bitPattern: UInt32(littleEndian: bytes.load(fromByteOffset: 4 * $0, as: UInt32.self)))
        }
      }
      guard let frame = CodingFrame(restoring: centre) else {
        throw .malformed(
          section: section.name, offset: UInt64(section.offset), expected: "a centre no longer than 1")
      }
      frames.append(frame)
    }
    return frames
  }

  /// Reads a segment: its codes into memory, its rows left where they are, or into memory when they are sealed. All of it
  /// is checked.
  func segment(_ index: Int) -> Result<SegmentView, SnapshotFileError> {
    do throws(SnapshotFileError.Code) {
      return .success(try read(index))
    } catch {
      return .failure(SnapshotFileError(error, path))
    }
  }

  private func read(_ index: Int) throws(SnapshotFileError.Code) -> SegmentView {
    let entry = directory.segments[index]
    let section = sections[.references]![index]
    let content = try Self.content(of: section, file, seal)
    let nextNumber = directory.nextNumber
    let references = try SnapshotFileError.Code.reading(section.name, at: UInt64(section.offset)) {
      () throws(ByteReader.Failure) in
      try SnapshotReferences.read(content, count: entry.count, below: nextNumber)
    }
    let segment = Segment(
      restoring: references, dimension: directory.space.dimension, frame: frames[entry.frame],
      largestNorm: entry.largestNorm, memory: try rows(sections[.rows]![index]))
    try fill(segment.coarse, index, .coarseCodes, .coarseBounds)
    try fill(segment.fine, index, .fineCodes, .fineBounds)
    try load(sections[.residualCodes]![index], into: segment.residual.codes)
    try load(sections[.residualErrors]![index], into: segment.residual.errors)
    try load(sections[.axialComponents]![index], into: segment.axialComponents)
    return SegmentView(segment)
  }

  private func rows(_ section: SnapshotSection) throws(SnapshotFileError.Code) -> RowMemory {
    let count = section.byteCount / MemoryLayout<Float>.size
    guard header.isSealed else {
      let bytes = (file.start + section.offset).assumingMemoryBound(to: UInt8.self)
      guard seal.isIntact(bytes, count: section.byteCount, as: section) else {
        throw .damaged(section: section.name, offset: UInt64(section.offset))
      }
      file.expectScatteredReads(from: section.offset, count: section.byteCount)
      return .snapshot(file, offset: section.offset, count: count)
    }
    let memory = RowMemory.process(count)
    try load(section, into: memory.rows)
    return memory
  }

  private func fill(
    _ plane: CodePlane, _ index: Int, _ codes: SnapshotSection.Kind, _ bounds: SnapshotSection.Kind
  ) throws(SnapshotFileError.Code) {
    try load(sections[codes]![index], into: plane.codes)
    try load(sections[bounds]![index], into: plane.scales)
  }

  private func load(
    _ section: SnapshotSection, into memory: UnsafeMutableRawPointer
  ) throws(SnapshotFileError.Code) {
    memory.copyMemory(from: file.start + section.offset, byteCount: section.byteCount)
    guard seal.open(memory.assumingMemoryBound(to: UInt8.self), count: section.byteCount, as: section) else {
      throw .damaged(section: section.name, offset: UInt64(section.offset))
    }
  }
}

/// The sections of a segment and their sizes.
enum SegmentSections {
  static let kinds: [SnapshotSection.Kind] = [
    .references, .rows, .coarseCodes, .coarseBounds, .fineCodes, .fineBounds, .residualCodes,
    .residualErrors, .axialComponents,
  ]

  /// The size that a kind has for a number of rows; nil for one that depends on their names.
  static func byteCount(_ kind: SnapshotSection.Kind, rows: Int, dimension: Int) -> Int? {
    let blocks = rows / Int(FK_BLOCK_ROWS)
    let planeDimension = dimension.roundedUp(toMultipleOf: Int(FK_DIMENSION_STEP))
    return switch kind {
    case .rows: rows * dimension.roundedUp(toMultipleOf: 16) * MemoryLayout<Float>.size
    case .coarseCodes: blocks * CodePlane.bytesPerBlock(.threeBits, planeDimension: planeDimension)
    case .fineCodes: blocks * CodePlane.bytesPerBlock(.eightBits, planeDimension: planeDimension)
    case .residualCodes:
      blocks * Int(FK_BLOCK_ROWS) * ResidualCodes.bytesPerRow(planeDimension: planeDimension)
    case .coarseBounds, .fineBounds:
      2 * rows.roundedUp(toMultipleOf: Int(FK_BLOCK_ROWS)) * MemoryLayout<Float>.size
    case .residualErrors, .axialComponents:
      rows.roundedUp(toMultipleOf: Int(FK_BLOCK_ROWS)) * MemoryLayout<Float>.size
    case .directory, .frame, .references: nil
    }
  }
}
