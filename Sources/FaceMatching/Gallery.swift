import Biometrics

/// The references of approved sessions in one embedding space, by organisation, and exact search over them.
///
/// Searches never wait for enrolments or removals. After `enrol` returns, every later search sees the reference;
/// after `remove` returns, none does.
public final class Gallery: Sendable {
  /// How a gallery computes. Nothing here changes a result by a single bit.
  public struct Configuration: Sendable {
    /// What picks the candidates of a batch before they are rescored.
    public enum BatchFirstPass: String, CaseIterable, Sendable {
      /// The faster of the two on this processor.
      case automatic
      /// Our own 8-bit kernels.
      case int8
      /// OpenBLAS in f32; an error where it can't be used.
      case blas
    }

    /// The kernels' level; nil for what `REVERIFY_SIMD` or the processor says.
    public var level: KernelLevel?
    /// Threads that a search may use, at least 1; nil for one per core.
    public var threadCount: Int?
    public var batchFirstPass: BatchFirstPass
    /// A folder for the f32 rows, which then need not fit into memory: in files without a name, mapped, gone with the
    /// process. They hold templates in the clear, so it belongs on an encrypted disk. Nil keeps them in memory.
    public var rowFolder: String?
    /// Rows of a segment, a multiple of 16; nil for what suits the dimension. For tests of what many segments do.
    package var segmentRows: Int?

    public init(
      level: KernelLevel? = nil, threadCount: Int? = nil, batchFirstPass: BatchFirstPass = .automatic,
      rowFolder: String? = nil
    ) {
      self.level = level
      self.threadCount = threadCount
      self.batchFirstPass = batchFirstPass
      self.rowFolder = rowFolder
    }
  }

  public let space: EmbeddingSpace
  let engine: SearchEngine
  private let configuration: Configuration
  private let partitions = Guarded<[OrganisationID: Partition]>([:])

  /// An empty gallery. Throws `GalleryError` when the configuration can't be met.
  public init(space: EmbeddingSpace, configuration: Configuration = Configuration()) throws(GalleryError) {
    self.space = space
    engine = try SearchEngine(configuration: configuration)
    self.configuration = configuration
  }

  /// Enrols a reference and returns its place in the organisation's order of enrolment.
  ///
  /// Enrolling the same reference again changes nothing and returns the same number. Amortised cost is independent
  /// of the number enrolled. Throws `.otherSpace`, and `.sessionAlreadyEnrolled` for a session with another one.
  @discardableResult
  public func enrol(_ reference: Reference) throws(GalleryError) -> UInt64 {
    guard reference.embedding.space == space else {
      throw GalleryError(.otherSpace(expected: space, found: reference.embedding.space))
    }
    let partition = partitions.withLock { table in
      if let partition = table[reference.organisation] { return partition }
      let partition = Partition(
        dimension: space.dimension, kernels: engine.kernels, configuration: configuration)
      table[reference.organisation] = partition
      return partition
    }
    return try partition.enrol(reference)
  }

  /// Removes a session's reference from all later searches; false when there is none.
  @discardableResult
  public func remove(session: SessionID, from organisation: OrganisationID) -> Bool {
    guard let partition = partition(of: organisation) else { return false }
    let removal = partition.remove(session)
    if removal.wantsCompaction { engine.pool.start { partition.compact() } }
    return removal.isRemoved
  }

  /// Removes all references of an organisation; their memory is wiped when the last running search over it ends.
  public func remove(organisation: OrganisationID) {
    partitions.withLock { $0[organisation] = nil }
  }

  /// Rewrites what holds removed references, so that nothing of them stays in memory once running searches end.
  public func purge(organisation: OrganisationID) {
    partition(of: organisation)?.purge()
  }

  /// The references of an organisation as they are now; searches on it agree with each other.
  public func snapshot(of organisation: OrganisationID) -> GallerySnapshot {
    let partition = partition(of: organisation)
    return GallerySnapshot(
      space: space, view: partition?.view ?? PartitionView(), users: partition?.users, engine: engine)
  }

  /// A partition of what a snapshot holds; nil where sessions repeat or numbers don't ascend.
  func makePartition(_ views: [SegmentView], nextNumber: UInt64) -> Partition? {
    Partition(
      restoring: views, nextNumber: nextNumber, dimension: space.dimension, kernels: engine.kernels,
      configuration: configuration)
  }

  /// Adds a partition for an organisation that has none; false when it has one.
  func add(_ partition: Partition, of organisation: OrganisationID) -> Bool {
    partitions.withLock { table in
      guard table[organisation] == nil else { return false }
      table[organisation] = partition
      return true
    }
  }

  func partition(of organisation: OrganisationID) -> Partition? {
    partitions.withLock { $0[organisation] }
  }
}
