import Biometrics
import CFaceKernels
import Glibc
import Synchronization

/// A run of references in enrolment order, in the forms that a search reads.
///
/// Invariants: rows 0..<count are complete and never change but for their removal, so a reader that was handed a
/// count needs no lock. The coded planes hold whole blocks of sixteen rows; a block is written when its sixteenth row
/// arrives, so no byte of it is written once a reader may read it. Rows beyond the last whole block are scored exactly.
/// `count` and `largestNorm` are the writer's alone; readers get them in a view.
///
/// `@unchecked Sendable`: memory below a published count is immutable, `removedAt` is atomic, and one writer at a
/// time, under the partition's lock, appends.
final class Segment: @unchecked Sendable {
  /// The rows of a segment: as many as fill three huge pages of the coarse plane, which single probes stream.
  static func standardCapacity(dimension: Int) -> Int {
    let planeDimension = dimension.roundedUp(toMultipleOf: Int(FK_DIMENSION_STEP))
    return (6 << 20) / CodePlane.bytesPerBlock(.threeBits, planeDimension: planeDimension)
      * Int(FK_BLOCK_ROWS)
  }

  let dimension: Int
  /// Elements from one f32 row to the next: the dimension, padded to whole vectors of sixteen.
  let stride: Int
  /// Components of a coded row: the dimension, padded to the kernels' step.
  let planeDimension: Int
  let frame: CodingFrame
  let capacity: Int
  private(set) var count = 0
  /// A bound of the norm of every coded row, which is what the frame leaves of a row of norm 1.
  private(set) var largestNorm: Float = 0

  let rows: UnsafeMutablePointer<Float>
  private let memory: RowMemory
  /// Three eighths of the memory traffic of `fine`: for single probes, which are bound by it.
  let coarse: CodePlane
  /// What the coarse plane lacks to five bits.
  let residual: ResidualCodes
  /// For batches, which are bound by arithmetic rather than by memory.
  let fine: CodePlane
  /// Of each coded row, the part along the frame's axis; 0 where that has none.
  let axialComponents: UnsafeMutablePointer<Float>
  let references: UnsafeMutablePointer<EnrolledReference>
  /// The version at which a row was removed; `UInt64.max` while it is there.
  private let removedAt: UnsafeMutablePointer<Atomic<UInt64>>

  /// An empty segment. Throws `.rowFolder` where its rows can't be kept in `folder`; nil keeps them in memory.
  convenience init(dimension: Int, capacity: Int, frame: CodingFrame, rowsIn folder: String?)
    throws(GalleryError)
  {
    let elements = capacity * dimension.roundedUp(toMultipleOf: 16)
    self.init(
      dimension: dimension, capacity: capacity, frame: frame,
      memory: try folder.map { folder throws(GalleryError) in try .unnamedFile(in: folder, elements) }
        ?? .process(elements))
  }

  init(dimension: Int, capacity: Int, frame: CodingFrame, memory: RowMemory) {
    precondition(capacity > 0 && capacity % Int(FK_BLOCK_ROWS) == 0, "a segment holds whole blocks")
    self.dimension = dimension
    self.capacity = capacity
    self.frame = frame
    stride = dimension.roundedUp(toMultipleOf: 16)
    planeDimension = dimension.roundedUp(toMultipleOf: Int(FK_DIMENSION_STEP))
    self.memory = memory
    rows = memory.rows
    coarse = CodePlane(.threeBits, capacity: capacity, planeDimension: planeDimension)
    residual = ResidualCodes(capacity: capacity, planeDimension: planeDimension)
    fine = CodePlane(.eightBits, capacity: capacity, planeDimension: planeDimension)
    axialComponents = .allocateAligned(capacity)
    axialComponents.update(repeating: 0, count: capacity)
    references = .allocate(capacity: capacity)
    removedAt = .allocate(capacity: capacity)
  }

  /// A segment whose rows are in `memory`; the caller fills its planes before it is read.
  convenience init(
    restoring references: [EnrolledReference], dimension: Int, frame: CodingFrame, largestNorm: Float,
    memory: RowMemory
  ) {
    self.init(
      dimension: dimension, capacity: references.count.roundedUp(toMultipleOf: Int(FK_BLOCK_ROWS)),
      frame: frame,
      memory: memory)
    for (row, reference) in references.enumerated() {
      (self.references + row).initialize(to: reference)
      (removedAt + row).initialize(to: Atomic(.max))
    }
    count = references.count
    self.largestNorm = largestNorm
  }

  deinit {
    references.deinitialize(count: count)
    coarse.deallocate()
    residual.deallocate()
    fine.deallocate()
    explicit_bzero(axialComponents, capacity * MemoryLayout<Float>.size)
    free(axialComponents)
    references.deallocate()
    removedAt.deallocate()
  }

  var isFull: Bool { count == capacity }

  /// Whether scoring a row may mean waiting for a disk, so that bounds are worth more arithmetic.
  var readsRowsFromFile: Bool { memory.isFile }

  /// Has a row fetched that is scored soon.
  func fetch(_ row: Int) { memory.fetch(row * stride, count: dimension) }

  /// Appends a row. The caller publishes the new count.
  func append(_ values: UnsafeBufferPointer<Float>, as reference: EnrolledReference, kernels: Kernels) {
    precondition(!isFull && values.count == dimension, "the segment is full or the row has another dimension")
    let row = rows + count * stride
    row.update(from: values.baseAddress!, count: dimension)
    (row + dimension).update(repeating: 0, count: stride - dimension)
    (references + count).initialize(to: reference)
    (removedAt + count).initialize(to: Atomic(.max))
    count += 1
    if count % Int(FK_BLOCK_ROWS) == 0 { encodeBlock(count / Int(FK_BLOCK_ROWS) - 1, kernels: kernels) }
  }

  func isPresent(_ row: Int, at version: UInt64) -> Bool {
    removedAt[row].load(ordering: .relaxed) > version
  }

  func remove(_ row: Int, at version: UInt64) {
    removedAt[row].store(version, ordering: .relaxed)
  }

  /// The row with enrolment number `number` among the first `count`, by bisection.
  func row(of number: UInt64, count: Int) -> Int? {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if references[middle].number < number { low = middle + 1 } else { high = middle }
    }
    return low < count && references[low].number == number ? low : nil
  }

  /// Codes sixteen rows and interleaves them.
  private func encodeBlock(_ block: Int, kernels: Kernels) {
    let first = block * Int(FK_BLOCK_ROWS)
    let codeCount = Int(FK_BLOCK_ROWS) * planeDimension
    withUnsafeTemporaryAllocation(of: Float.self, capacity: planeDimension) { placed in
      withUnsafeTemporaryAllocation(byteCount: 2 * codeCount, alignment: 64) { codes in
        let fineCodes = codes.baseAddress!.assumingMemoryBound(to: Int8.self)
        let layeredCodes = (codes.baseAddress! + codeCount).assumingMemoryBound(to: UInt8.self)
        for lane in 0..<Int(FK_BLOCK_ROWS) {
          let (row, place) = (first + lane, lane * planeDimension)
          axialComponents[row] = frame.place(rows + row * stride, in: placed)
          let values = UnsafePointer(placed.baseAddress!)
          let norm = kernels.table.pointee.squared_norm_f32(values, planeDimension).squareRoot()
          largestNorm = max(largestNorm, Float(norm * (1 + 0x1p-30)).nextUp)
          let quantisation = kernels.table.pointee.quantise_i8(values, planeDimension, fineCodes + place)
          fine.set(scale: quantisation.scale, error: quantisation.error_norm, row: row)
          encodeLayers(values, layeredCodes + place, row: row)
        }
        fk_pack_block(fineCodes, planeDimension, planeDimension, planeDimension, fine.block(block))
        fk_pack_block_u3(layeredCodes, planeDimension, coarse.block(block))
        explicit_bzero(codes.baseAddress!, codes.count)
        explicit_bzero(placed.baseAddress!, planeDimension * MemoryLayout<Float>.size)
      }
    }
  }

  /// Codes a row in five bits, keeps the lower two and leaves the upper three in `codes`.
  private func encodeLayers(_ values: UnsafePointer<Float>, _ codes: UnsafeMutablePointer<UInt8>, row: Int) {
    let quantisation = fk_quantise_u5(values, planeDimension, codes)
    coarse.set(scale: 4 * quantisation.scale, error: quantisation.upper_error_norm, row: row)
    residual.errors[row] = quantisation.error_norm
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: planeDimension) { lower in
      for d in 0..<planeDimension {
        lower[d] = codes[d] & 3
        codes[d] >>= 2
      }
      fk_pack_row_u2(lower.baseAddress!, planeDimension, residual.row(row))
      explicit_bzero(lower.baseAddress!, planeDimension)
    }
  }
}

extension Int {
  func roundedUp(toMultipleOf step: Int) -> Int { (self + step - 1) / step * step }
}

extension UnsafeMutablePointer where Pointee: BitwiseCopyable {
  /// Memory on a cache-line boundary; on huge pages, where the system has them, when it is large.
  static func allocateAligned(_ count: Int) -> Self {
    let size = Swift.max(count, 1) * MemoryLayout<Pointee>.stride
    let hugePage = 2 << 20
    let isLarge = size >= hugePage
    var memory: UnsafeMutableRawPointer?
    guard posix_memalign(&memory, isLarge ? hugePage : 64, size) == 0, let memory else {
      fatalError("no memory for \(size) bytes")
    }
    if isLarge { madvise(memory, size, MADV_HUGEPAGE) }
    return memory.bindMemory(to: Pointee.self, capacity: count)
  }
}
