import Biometrics
import CFaceKernels

/// What a snapshot file is of.
public struct SnapshotFileInformation: Hashable, Sendable {
  public let organisation: OrganisationID
  public let space: EmbeddingSpace
  /// References in it.
  public let count: Int
  /// What the writer named the state of its store: 32 bytes.
  public let generation: [UInt8]
}

extension Gallery {
  /// Bytes of a generation, by which a caller knows whether a snapshot is of its store's present state.
  public static let generationBytes = SnapshotHeader.generationBytes

  /// Writes the organisation's references to a file, so that `readSnapshot` need not code them anew.
  ///
  /// The file is written beside `path` and takes its place when it is whole and on the disk, so that a reader finds the
  /// old one or the new one. `generation`, 32 bytes, is the caller's name of the store's state. Without a key the file
  /// holds templates in the clear, and belongs on an encrypted disk; with one it is sealed by XChaCha20-Poly1305. Removed
  /// references are never in it. Searches go on meanwhile; enrolments wait while rows are gathered, not while they are
  /// written. Costs the writing of about 3 KB a reference of 512 dimensions. Throws `SnapshotFileError`, code `.system`.
  public func writeSnapshot(
    of organisation: OrganisationID, to path: String, generation: [UInt8], key: SnapshotKey? = nil
  ) throws(SnapshotFileError) {
    precondition(generation.count == Self.generationBytes, "a generation has \(Self.generationBytes) bytes")
    let state =
      partition(of: organisation)?.gathered() ?? Partition.State(view: PartitionView(), nextNumber: 0)
    let segments = (0..<state.view.segmentCount).map { state.view[$0] }
    var frames: [CodingFrame] = []
    for view in segments where frames.last !== view.segment.frame { frames.append(view.segment.frame) }
    var frame = -1
    let entries = segments.map { view in
      if frame < 0 || frames[frame] !== view.segment.frame { frame += 1 }
      return SnapshotDirectory.SegmentEntry(count: view.count, frame: frame, largestNorm: view.largestNorm)
    }
    let directory = SnapshotDirectory(
      space: space, organisation: organisation, nextNumber: state.nextNumber, frameCount: frames.count,
      segments: entries)
    var writer = try SnapshotFileWriter(
      path: path, sectionCount: 1 + frames.count + segments.count * SegmentSections.kinds.count, key: key)
    try writer.write(.directory, 0, directory.bytes)
    for (index, frame) in frames.enumerated() {
      try writer.write(.frame, index, frame.centre, count: frame.centre.count)
    }
    for (index, view) in segments.enumerated() { try writer.write(view, index) }
    try writer.finish(generation: generation)
  }

  /// Takes over the references of a snapshot file, in their order and with their numbers.
  ///
  /// All of the file is checked before a reference of it can be found: a damaged, cut or foreign file throws, and the
  /// gallery is as it was. Of a file that is not sealed the f32 rows stay where they are, mapped, so it must not be written
  /// to while the gallery lives (writing a new snapshot to its path is safe). `generation`, where given, is the state that
  /// the file must be of. Costs a pass over the file. Throws `SnapshotFileError`.
  @discardableResult
  public func readSnapshot(
    from path: String, generation: [UInt8]? = nil, key: SnapshotKey? = nil
  ) throws(SnapshotFileError) -> SnapshotFileInformation {
    let reader = try SnapshotFileReader(path: path, key: key)
    let (directory, header) = (reader.directory, reader.header)
    guard directory.space == space else {
      throw SnapshotFileError(.otherSpace(expected: space, found: directory.space), path)
    }
    guard generation == nil || generation == header.generation else {
      throw SnapshotFileError(.otherGeneration, path)
    }
    guard partition(of: directory.organisation) == nil else {
      throw SnapshotFileError(.organisationPresent(directory.organisation), path)
    }
    var views: [SegmentView] = []
    for segment in engine.pool.map(directory.segments.count, { reader.segment($0) }) {
      views.append(try segment.get())
    }
    guard let partition = makePartition(views, nextNumber: directory.nextNumber) else {
      let expected = "sessions that differ, in ascending order of their numbers"
      throw SnapshotFileError(.malformed(section: "references", offset: 0, expected: expected), path)
    }
    guard add(partition, of: directory.organisation) else {
      throw SnapshotFileError(.organisationPresent(directory.organisation), path)
    }
    return SnapshotFileInformation(
      organisation: directory.organisation, space: space, count: views.reduce(0) { $0 + $1.count },
      generation: header.generation)
  }

  /// What a snapshot file is of; its references are neither read nor checked. Throws `SnapshotFileError`.
  public static func information(
    ofSnapshot path: String, key: SnapshotKey? = nil
  ) throws(SnapshotFileError) -> SnapshotFileInformation {
    let reader = try SnapshotFileReader(path: path, key: key)
    return SnapshotFileInformation(
      organisation: reader.directory.organisation, space: reader.directory.space,
      count: reader.directory.segments.reduce(0) { $0 + $1.count },
      generation: reader.header.generation)
  }
}

extension SnapshotFileWriter {
  /// Writes the sections of a segment of which every row is present.
  mutating func write(_ view: SegmentView, _ index: Int) throws(SnapshotFileError) {
    let segment = view.segment
    let references = UnsafeBufferPointer(start: segment.references, count: view.count)
    try write(.references, index, SnapshotReferences.bytes(references))
    try write(.rows, index, segment.rows, count: view.count * segment.stride)
    try write(.coarseCodes, .coarseBounds, index, segment.coarse, rows: view.count)
    try write(.fineCodes, .fineBounds, index, segment.fine, rows: view.count)
    let residual = segment.residual
    try write(.residualCodes, index, residual.codes, count: residual.byteCount(rows: view.count))
    let codedRows = view.count.roundedUp(toMultipleOf: Int(FK_BLOCK_ROWS))
    try write(.residualErrors, index, residual.errors, count: codedRows)
    try write(.axialComponents, index, segment.axialComponents, count: codedRows)
  }

  private mutating func write(
    _ codes: SnapshotSection.Kind, _ bounds: SnapshotSection.Kind, _ index: Int, _ plane: CodePlane, rows: Int
  ) throws(SnapshotFileError) {
    try write(codes, index, plane.codes, count: plane.byteCount(rows: rows))
    let bytes = plane.bounds(rows: rows)
    try write(bounds, index, bytes, count: bytes.count)
  }
}
