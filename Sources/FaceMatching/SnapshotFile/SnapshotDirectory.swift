import Biometrics
import CFaceKernels

/// What a snapshot file holds besides rows: whose references, of which space, in which segments.
struct SnapshotDirectory {
  struct SegmentEntry {
    let count: Int
    let frame: Int
    let largestNorm: Float
  }

  let space: EmbeddingSpace
  let organisation: OrganisationID
  /// The number of the next reference to be enrolled.
  let nextNumber: UInt64
  let frameCount: Int
  let segments: [SegmentEntry]

  private static let bytesPerSegment = 12

  init(
    space: EmbeddingSpace, organisation: OrganisationID, nextNumber: UInt64, frameCount: Int,
    segments: [SegmentEntry]
  ) {
    self.space = space
    self.organisation = organisation
    self.nextNumber = nextNumber
    self.frameCount = frameCount
    self.segments = segments
  }

  var bytes: [UInt8] {
    var writer = ByteWriter()
    writer.write(space.model)
    writer.write(space.weightsDigest)
    writer.write(UInt32(space.dimension))
    writer.write(space.preprocessing)
    writer.write(space.metric.rawValue)
    writer.write(organisation.rawValue)
    writer.write(nextNumber)
    writer.write(UInt32(frameCount))
    writer.write(UInt32(segments.count))
    for segment in segments {
      writer.write(UInt32(segment.count))
      writer.write(UInt32(segment.frame))
      writer.write(segment.largestNorm.bitPattern)
    }
    return writer.bytes
  }

  init(_ bytes: [UInt8]) throws(ByteReader.Failure) {
    var reader = ByteReader(bytes[...])
    space = try Self.space(&reader)
    organisation = OrganisationID(try reader.text())
    nextNumber = try reader.read()
    frameCount = Int(try reader.read(UInt32.self))
    var segments: [SegmentEntry] = []
    for _ in 0..<(try reader.count(bytesEach: Self.bytesPerSegment)) {
      let (count, frame) = (Int(try reader.read(UInt32.self)), Int(try reader.read(UInt32.self)))
      let norm = Float(bitPattern: try reader.read())
      try reader.require(count > 0 && frame < frameCount && norm >= 0, "rows, a known frame and a norm")
      segments.append(SegmentEntry(count: count, frame: frame, largestNorm: norm))
    }
    try reader.require(reader.isAtEnd, "the end")
    self.segments = segments
  }

  private static func space(_ reader: inout ByteReader) throws(ByteReader.Failure) -> EmbeddingSpace {
    let (model, weights) = (try reader.text(), try reader.text())
    let dimension = Int(try reader.read(UInt32.self))
    try reader.require(
      (1...EmbeddingSpace.maximumDimension).contains(dimension), "1...\(EmbeddingSpace.maximumDimension)")
    let (preprocessing, metric) = (try reader.text(), EmbeddingSpace.Metric(rawValue: try reader.text()))
    guard let metric else { throw ByteReader.Failure(position: reader.position, expected: "a metric") }
    return EmbeddingSpace(
      model: model, weightsDigest: weights, dimension: dimension, preprocessing: preprocessing, metric: metric
    )
  }
}

/// The references of a segment as bytes: the names of workflows once, then each row's.
enum SnapshotReferences {
  /// The least that a row's reference takes: two numbers, an index and two empty texts.
  private static let bytesEach = 28

  static func bytes(_ references: UnsafeBufferPointer<EnrolledReference>) -> [UInt8] {
    var writer = ByteWriter()
    var workflows: [WorkflowID: UInt32] = [:]
    var names: [WorkflowID] = []
    for reference in references where workflows[reference.workflow] == nil {
      workflows[reference.workflow] = UInt32(names.count)
      names.append(reference.workflow)
    }
    writer.write(UInt32(names.count))
    for name in names { writer.write(name.rawValue) }
    for reference in references {
      writer.write(reference.number)
      writer.write(reference.approvedAt.millisecondsSince1970)
      writer.write(workflows[reference.workflow]!)
      writer.write(reference.session.rawValue)
      writer.write(reference.user.rawValue)
    }
    return writer.bytes
  }

  /// `count` references in ascending order of their numbers, all below `limit`.
  static func read(
    _ bytes: [UInt8], count: Int, below limit: UInt64
  ) throws(ByteReader.Failure) -> [EnrolledReference] {
    var reader = ByteReader(bytes[...])
    var workflows: [WorkflowID] = []
    for _ in 0..<(try reader.count(bytesEach: 4)) { workflows.append(WorkflowID(try reader.text())) }
    try reader.require(count <= reader.remaining / bytesEach, "\(count) references")
    var references: [EnrolledReference] = []
    references.reserveCapacity(count)
    for _ in 0..<count {
      let (number, approvedAt) = (try reader.read(UInt64.self), try reader.read(Int64.self))
      let workflow = Int(try reader.read(UInt32.self))
      try reader.require(
        number < limit && references.last.map { $0.number < number } ?? true && workflow < workflows.count,
        "an ascending number and a known workflow")
      references.append(
        EnrolledReference(
          number: number, session: SessionID(try reader.text()), user: UserID(try reader.text()),
          workflow: workflows[workflow], approvedAt: Instant(millisecondsSince1970: approvedAt)))
    }
    try reader.require(reader.isAtEnd, "the end")
    return references
  }
}
