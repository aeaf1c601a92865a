import CFaceKernels
import Glibc

/// The two lower bits of each component of coded rows, one row after the other, and for each row the bound of the error that
/// is left with them: for the rows that the coarse plane, which holds the upper bits, leaves here and there.
///
/// Owned by a segment, which says when it may be read and written; wiped when it is freed.
///
/// `@unchecked Sendable`: as its segment, whose rules guard it.
struct ResidualCodes: @unchecked Sendable {
  let codes: UnsafeMutablePointer<UInt8>
  let errors: UnsafeMutablePointer<Float>
  let bytesPerRow: Int
  private let capacity: Int

  init(capacity: Int, planeDimension: Int) {
    self.capacity = capacity
    bytesPerRow = Self.bytesPerRow(planeDimension: planeDimension)
    codes = .allocateAligned(capacity * bytesPerRow)
    errors = .allocateAligned(capacity)
    errors.update(repeating: 0, count: capacity)
  }

  static func bytesPerRow(planeDimension: Int) -> Int { planeDimension / 4 }

  func deallocate() {
    explicit_bzero(codes, capacity * bytesPerRow)
    explicit_bzero(errors, capacity * MemoryLayout<Float>.size)
    free(codes)
    free(errors)
  }

  func row(_ index: Int) -> UnsafeMutablePointer<UInt8> { codes + index * bytesPerRow }

  /// Bytes of the codes of the whole blocks among the first `rows` rows.
  func byteCount(rows: Int) -> Int { rows / Int(FK_BLOCK_ROWS) * Int(FK_BLOCK_ROWS) * bytesPerRow }
}
