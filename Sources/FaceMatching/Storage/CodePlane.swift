import CFaceKernels
import Glibc

/// The coded form of a segment's rows in blocks of sixteen, and for each row its scale and the bound of its error.
///
/// Owned by a segment, which says when it may be read and written; wiped when it is freed.
///
/// `@unchecked Sendable`: as its segment, whose rules guard it.
struct CodePlane: @unchecked Sendable {
  enum Width: Int {
    case fourBits = 4
    case eightBits = 8
  }

  let codes: UnsafeMutablePointer<UInt8>
  let scales: UnsafeMutablePointer<Float>
  let errors: UnsafeMutablePointer<Float>
  let bytesPerBlock: Int
  private let capacity: Int

  init(_ width: Width, capacity: Int, planeDimension: Int) {
    self.capacity = capacity
    bytesPerBlock = Int(FK_BLOCK_ROWS) * planeDimension * width.rawValue / 8
    codes = .allocateAligned(capacity / Int(FK_BLOCK_ROWS) * bytesPerBlock)
    scales = .allocateAligned(capacity)
    errors = .allocateAligned(capacity)
  }

  func deallocate() {
    explicit_bzero(codes, capacity / Int(FK_BLOCK_ROWS) * bytesPerBlock)
    free(codes)
    free(scales)
    free(errors)
  }

  func block(_ index: Int) -> UnsafeMutablePointer<UInt8> { codes + index * bytesPerBlock }

  func set(_ quantisation: fk_quantisation, row: Int) {
    scales[row] = quantisation.scale
    errors[row] = quantisation.error_norm
  }
}
