/// `count` elements of `bytes` as 32-bit floats, in row-major order, and the position in `bytes` (in
/// elements) of the first finite one that is beyond their range.
///
/// `bytes` holds exactly `count` elements. With `columnMajorRows`, the number of rows, they lie column after
/// column.
func decodeElements(
  _ bytes: UnsafeRawBufferPointer, of format: ElementFormat, count: Int, columnMajorRows: Int?
) -> (values: [Float], firstTooLarge: Int?) {
  precondition(bytes.count == count * format.size, "the elements fill their bytes")
  let source = bytes.baseAddress!
  let layout = Layout(count: count, rows: columnMajorRows)
  var isAnyTooLarge = false

  let values = [Float](unsafeUninitializedCapacity: count) { buffer, initialised in
    let values = buffer.baseAddress!
    switch format.kind {
    case .float16:
      layout.fill(values, from: source, of: UInt16.self, isBigEndian: format.isBigEndian, float(ofHalf:))
    case .float32 where columnMajorRows == nil && format.isBigEndian == (UInt16(bigEndian: 1) == 1):
      UnsafeMutableRawPointer(values).copyMemory(from: source, byteCount: bytes.count)
    case .float32:
      layout.fill(values, from: source, of: UInt32.self, isBigEndian: format.isBigEndian) {
        Float(bitPattern: $0)
      }
    case .float64:
      layout.fill(values, from: source, of: UInt64.self, isBigEndian: format.isBigEndian) {
        let wide = Double(bitPattern: $0)
        let value = Float(wide)
        isAnyTooLarge = isAnyTooLarge || (value.isInfinite && wide.isFinite)
        return value
      }
    }
    initialised = count
  }

  guard isAnyTooLarge else { return (values, nil) }
  let first = (0..<count).first { index in
    let word = source.loadUnaligned(fromByteOffset: index * 8, as: UInt64.self)
    let wide = Double(bitPattern: format.isBigEndian ? UInt64(bigEndian: word) : UInt64(littleEndian: word))
    return wide.isFinite && Float(wide).isInfinite
  }
  return (values, first)
}

/// The 32-bit float equal to a 16-bit one; every one has an equal, and an infinity or NaN stays what it is.
@inline(__always)
func float(ofHalf half: UInt16) -> Float {
  let sign = UInt32(half & 0x8000) << 16
  let exponent = half & 0x7c00
  // Both have their fraction next to the exponent, so a shift by the 13 bits of difference aligns them.
  let shifted = UInt32(half & 0x7fff) << 13
  if exponent == 0 {
    // A subnormal is its fraction m times 2^-24: with the exponent of 2^-14 the bits read 2^-14 + m * 2^-24.
    let offset: UInt32 = 113 << 23
    let magnitude = Float(bitPattern: offset | shifted) - Float(bitPattern: offset)
    return Float(bitPattern: sign | magnitude.bitPattern)
  }
  // The biases of the exponents are 15 and 127; all ones (infinity, NaN) becomes all ones.
  let bias: UInt32 = exponent == 0x7c00 ? 255 - 31 : 127 - 15
  return Float(bitPattern: sign | (shifted + bias << 23))
}

/// The order of the elements of a matrix in a file.
private struct Layout {
  let count: Int
  /// The number of rows when the elements lie column after column.
  let rows: Int?

  /// Writes every element, converted, to its place in row-major order.
  @inline(__always)
  func fill<Word: FixedWidthInteger & BitwiseCopyable>(
    _ values: UnsafeMutablePointer<Float>, from source: UnsafeRawPointer, of type: Word.Type,
    isBigEndian: Bool,
    _ convert: (Word) -> Float
  ) {
    // A loop for each byte order, so that neither decides again at every element.
    if isBigEndian {
      fill(values) {
        convert(Word(bigEndian: source.loadUnaligned(fromByteOffset: $0 * Word.size, as: Word.self)))
      }
    } else {
      fill(values) {
        convert(Word(littleEndian: source.loadUnaligned(fromByteOffset: $0 * Word.size, as: Word.self)))
      }
    }
  }

  @inline(__always)
  private func fill(_ values: UnsafeMutablePointer<Float>, _ element: (Int) -> Float) {
    guard let rows else {
      for index in 0..<count { values[index] = element(index) }
      return
    }
    // Some rows at a time, so that what is written stays in the cache until all columns have passed.
    let dimension = count / rows
    for first in stride(from: 0, to: rows, by: 32) {
      let last = min(first + 32, rows)
      for column in 0..<dimension {
        for row in first..<last { values[row * dimension + column] = element(column * rows + row) }
      }
    }
  }
}

extension FixedWidthInteger {
  fileprivate static var size: Int { bitWidth / 8 }
}
