import Biometrics
import CFaceKernels

/// A segment and what of it is published.
struct SegmentView: Sendable {
  let segment: Segment
  let count: Int
  /// Bounds the norm of its coded rows.
  let largestNorm: Float

  /// The segment as its writer left it.
  init(_ segment: Segment) {
    self.segment = segment
    count = segment.count
    largestNorm = segment.largestNorm
  }
}

/// What a reader sees of a partition: all rows enrolled and none removed up to `version`.
struct PartitionView: Sendable {
  /// Segments that take no more rows.
  var sealed: [SegmentView] = []
  /// The segment that grows.
  var tail: SegmentView?
  var version: UInt64 = 0
  /// References present at this version.
  var referenceCount = 0

  var segmentCount: Int { sealed.count + (tail == nil ? 0 : 1) }

  var readsRowsFromFile: Bool {
    sealed.contains { $0.segment.readsRowsFromFile } || tail?.segment.readsRowsFromFile == true
  }

  subscript(position: Int) -> SegmentView {
    position < sealed.count ? sealed[position] : tail!
  }

  /// Where the reference of an enrolment number lies, by bisection over the segments.
  func location(of number: UInt64) -> RowLocation? {
    var low = 0
    var high = segmentCount
    while low < high {
      let middle = (low + high) / 2
      if self[middle].segment.references[0].number <= number { low = middle + 1 } else { high = middle }
    }
    guard low > 0 else { return nil }
    let view = self[low - 1]
    return view.segment.row(of: number, count: view.count).map { RowLocation(segment: low - 1, row: $0) }
  }
}

/// A row of a partition view; in the order of enrolment.
struct RowLocation: Hashable, Comparable, Sendable {
  let segment: Int
  let row: Int

  static func < (left: RowLocation, right: RowLocation) -> Bool {
    left.segment != right.segment ? left.segment < right.segment : left.row < right.row
  }
}

/// The references of one organisation.
///
/// Writers take turns under `writer`. Readers take a view, which a lock guards for the length of a pointer copy,
/// and never wait for a writer's work: rows are written before they are published, removals are stamped with a
/// version, and a rewritten segment replaces the old one, which lives on until its last reader is done.
final class Partition: Sendable {
  private struct Writer {
    var numbers: [SessionID: UInt64] = [:]
    var nextNumber: UInt64 = 0
    /// Rows removed from each segment, by position; the tail's is the last.
    var removedCounts: [Int] = []
    /// The frame of new segments, and the number of rows it was learnt from.
    var frame: CodingFrame
    var frameRowCount = 0

    init(dimension: Int) {
      frame = CodingFrame(dimension: dimension)
    }
  }

  /// Rows from which a frame needs no more.
  private static let frameRows = 4096

  let dimension: Int
  private let kernels: Kernels
  private let rowFolder: String?
  private let segmentCapacity: Int
  private let writer: Guarded<Writer>
  private let published = Guarded(PartitionView())
  let users = ShardedIndex<UserID>()

  init(dimension: Int, kernels: Kernels, configuration: Gallery.Configuration = .init()) {
    self.dimension = dimension
    self.kernels = kernels
    rowFolder = configuration.rowFolder
    segmentCapacity = configuration.segmentRows ?? Segment.standardCapacity(dimension: dimension)
    writer = Guarded(Writer(dimension: dimension))
  }

  /// Makes restored segments what an empty partition holds.
  func begin(with views: [SegmentView], numbers: [SessionID: UInt64], nextNumber: UInt64) {
    writer.withLock { writer in
      writer.numbers = numbers
      writer.nextNumber = nextNumber
      writer.removedCounts = views.map { _ in 0 }
      if let last = views.last { writer.frame = last.segment.frame }
      // Segments of the standard size are made when the frame has been learnt.
      writer.frameRowCount = views.count > 1 ? numbers.count : 0
      publish(PartitionView(sealed: views, referenceCount: numbers.count))
    }
  }

  var view: PartitionView { published.withLock { $0 } }

  /// Adds a reference, or finds the one that its session has. Amortised cost is independent of the number enrolled.
  func enrol(_ reference: Reference) throws(GalleryError) -> UInt64 {
    try writer.withLock { (writer: inout Writer) throws(GalleryError) -> UInt64 in
      if let number = writer.numbers[reference.session] {
        guard isEnrolled(reference, as: number) else {
          throw GalleryError(.sessionAlreadyEnrolled(reference.session))
        }
        return number
      }
      let number = writer.nextNumber
      try append(reference, as: number, &writer)
      writer.nextNumber += 1
      writer.numbers[reference.session] = number
      return number
    }
  }

  /// Whether a reference was removed, and whether a segment holds so few by now that it should be rewritten.
  struct Removal {
    let isRemoved: Bool
    let wantsCompaction: Bool
  }

  /// Takes the session's reference out; later views don't have it. Costs the same whatever is enrolled.
  func remove(_ session: SessionID) -> Removal {
    writer.withLock { writer in
      guard let number = writer.numbers.removeValue(forKey: session), let location = view.location(of: number)
      else { return Removal(isRemoved: false, wantsCompaction: false) }
      var view = self.view
      let segment = view[location.segment].segment
      view.version += 1
      view.referenceCount -= 1
      segment.remove(location.row, at: view.version)
      writer.removedCounts[location.segment] += 1
      users.remove(number, from: segment.references[location.row].user)
      publish(view)
      // Asked for when it has just become more than half empty, and now and then if it was so before it was sealed.
      let removedCount = writer.removedCounts[location.segment]
      let isTime = (removedCount - 1) * 2 <= segment.count || removedCount % 256 == 0
      return Removal(isRemoved: true, wantsCompaction: isTime && isSparse(location.segment, of: view, writer))
    }
  }

  /// Rewrites the sealed segments of which more than half is removed. Enrolments and removals wait for it, searches
  /// don't.
  func compact() {
    writer.withLock { writer in
      var view = self.view
      var position = view.sealed.count - 1
      while position >= 0 {
        if isSparse(position, of: view, writer) { position = rewrite(position, of: &view, &writer) }
        position -= 1
      }
      publish(view)
    }
  }

  private func isSparse(_ position: Int, of view: PartitionView, _ writer: Writer) -> Bool {
    position < view.sealed.count && writer.removedCounts[position] * 2 > view.sealed[position].count
  }

  /// Rewrites every segment that holds removed references, so that nothing of them stays in memory once the
  /// searches that run now have ended. Costs a copy of those segments.
  func purge() { _ = gathered() }

  /// What a snapshot is made of: a view in which every row is present and the tail is sealed.
  struct State {
    let view: PartitionView
    let nextNumber: UInt64
  }

  /// Takes removed references out of the segments, and puts small neighbours together.
  func gathered() -> State {
    writer.withLock { writer in
      var view = self.view
      if let tail = view.tail {
        view.sealed.append(tail)
        view.tail = nil
      }
      var position = view.sealed.count - 1
      while position >= 0 {
        if writer.removedCounts[position] > 0 || fitsPredecessor(position, of: view, writer) {
          position = rewrite(position, of: &view, &writer)
        }
        position -= 1
      }
      publish(view)
      return State(view: view, nextNumber: writer.nextNumber)
    }
  }

  private func isEnrolled(_ reference: Reference, as number: UInt64) -> Bool {
    let view = self.view
    guard let location = view.location(of: number) else { return false }
    let segment = view[location.segment].segment
    let enrolled = segment.references[location.row]
    return enrolled.user == reference.user && enrolled.workflow == reference.workflow
      && enrolled.approvedAt == reference.approvedAt
      && reference.embedding.values.elementsEqual(
        UnsafeBufferPointer(start: segment.rows + location.row * segment.stride, count: dimension))
  }

  private func append(
    _ reference: Reference, as number: UInt64, _ writer: inout Writer
  ) throws(GalleryError) {
    var view = self.view
    if let full = view.tail, full.segment.isFull {
      view.sealed.append(full)
      view.tail = nil
      learnFrame(view, &writer)
    }
    if view.tail == nil {
      // The first segment is small, for organisations that have few users.
      let capacity =
        view.sealed.isEmpty
        ? (segmentCapacity / 32).roundedUp(toMultipleOf: Int(FK_BLOCK_ROWS)) : segmentCapacity
      view.tail = SegmentView(
        try Segment(dimension: dimension, capacity: capacity, frame: writer.frame, rowsIn: rowFolder))
      writer.removedCounts.append(0)
    }
    let segment = view.tail!.segment
    let enrolled = EnrolledReference(
      number: number, session: reference.session, user: reference.user, workflow: reference.workflow,
      approvedAt: reference.approvedAt)
    reference.embedding.values.withUnsafeBufferPointer { segment.append($0, as: enrolled, kernels: kernels) }
    view.tail = SegmentView(segment)
    view.referenceCount += 1
    publish(view)
    users.append(number, to: reference.user)
  }

  /// Learns the frame of new segments anew while there are few rows to learn it from.
  private func learnFrame(_ view: PartitionView, _ writer: inout Writer) {
    let rowCount = view.sealed.reduce(0) { $0 + $1.count }
    guard writer.frameRowCount < Self.frameRows, rowCount > writer.frameRowCount else { return }
    writer.frame = CodingFrame(meanOf: view.sealed, at: view.version, dimension: dimension)
    writer.frameRowCount = rowCount
  }

  /// Replaces a sealed segment, together with its predecessor when both fit into one, by a copy of what is present.
  /// Returns the position up to which segments are as they were.
  @discardableResult
  private func rewrite(_ position: Int, of view: inout PartitionView, _ writer: inout Writer) -> Int {
    let first = fitsPredecessor(position, of: view, writer) ? position - 1 : position
    let range = first..<position + 1
    let total = range.reduce(0) { $0 + presentCount($1, of: view, writer) }
    let capacity = max(total, 1).roundedUp(toMultipleOf: Int(FK_BLOCK_ROWS))
    let copy = segment(capacity: capacity, frame: writer.frame)
    for source in view.sealed[range] {
      for row in 0..<source.count where source.segment.isPresent(row, at: view.version) {
        let values = UnsafeBufferPointer(
          start: source.segment.rows + row * source.segment.stride, count: dimension)
        copy.append(values, as: source.segment.references[row], kernels: kernels)
      }
    }
    let replacement = copy.count == 0 ? [] : [SegmentView(copy)]
    view.sealed.replaceSubrange(range, with: replacement)
    writer.removedCounts.replaceSubrange(range, with: replacement.map { _ in 0 })
    return range.lowerBound
  }

  private func presentCount(_ position: Int, of view: PartitionView, _ writer: Writer) -> Int {
    view.sealed[position].count - writer.removedCounts[position]
  }

  private func fitsPredecessor(_ position: Int, of view: PartitionView, _ writer: Writer) -> Bool {
    position > 0
      && presentCount(position - 1, of: view, writer) + presentCount(position, of: view, writer)
        <= segmentCapacity
  }

  /// A segment for rows that are there already, so it has to be had: in memory where the folder has no room.
  private func segment(capacity: Int, frame: CodingFrame) -> Segment {
    if let rowFolder,
      let segment = try? Segment(dimension: dimension, capacity: capacity, frame: frame, rowsIn: rowFolder)
    {
      return segment
    }
    let memory = RowMemory.process(capacity * dimension.roundedUp(toMultipleOf: 16))
    return Segment(dimension: dimension, capacity: capacity, frame: frame, memory: memory)
  }

  private func publish(_ view: PartitionView) {
    published.withLock { $0 = view }
  }
}
