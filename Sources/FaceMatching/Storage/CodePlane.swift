import CFaceKernels
import Glibc

/// The coded form of a segment's rows in blocks of sixteen, and for each row its scale and the bound of its error.
///
/// Owned by a segment, which says when it may be read and written; wiped when it is freed.
///
/// `@unchecked Sendable`: as its segment, whose rules guard it.
struct CodePlane: @unchecked Sendable {
  enum Width: Int {
    case threeBits = 3
    case eightBits = 8
  }

  let codes: UnsafeMutablePointer<UInt8>
  /// `capacity` scales, and as many bounds of errors after them.
  let scales: UnsafeMutablePointer<Float>
  var errors: UnsafeMutablePointer<Float> { scales + capacity }
  let bytesPerBlock: Int
  private let capacity: Int

  init(_ width: Width, capacity: Int, planeDimension: Int) {
    self.capacity = capacity
    bytesPerBlock = Self.bytesPerBlock(width, planeDimension: planeDimension)
    codes = .allocateAligned(capacity / Int(FK_BLOCK_ROWS) * bytesPerBlock)
    scales = .allocateAligned(2 * capacity)
    scales.update(repeating: 0, count: 2 * capacity)
  }

  static func bytesPerBlock(_ width: Width, planeDimension: Int) -> Int {
    Int(FK_BLOCK_ROWS) * planeDimension * width.rawValue / 8
  }

  func deallocate() {
    explicit_bzero(codes, capacity / Int(FK_BLOCK_ROWS) * bytesPerBlock)
    explicit_bzero(scales, 2 * capacity * MemoryLayout<Float>.size)
    free(codes)
    free(scales)
  }

  func block(_ index: Int) -> UnsafeMutablePointer<UInt8> { codes + index * bytesPerBlock }

  /// Bytes of the codes of the whole blocks among the first `rows` rows.
  func byteCount(rows: Int) -> Int { rows / Int(FK_BLOCK_ROWS) * bytesPerBlock }

  /// The scales and bounds of the first `rows` rows as a plane of just these whole blocks would hold them.
  func bounds(rows: Int) -> [Float] {
    let count = rows.roundedUp(toMultipleOf: Int(FK_BLOCK_ROWS))
    return Array(UnsafeBufferPointer(start: scales, count: count))
      + UnsafeBufferPointer(start: errors, count: count)
  }

  func set(scale: Float, error: Float, row: Int) {
    scales[row] = scale
    errors[row] = error
  }
}
