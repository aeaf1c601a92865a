extension EmbeddingFile {
  /// Rows of little-endian floats, each after its own dimension, a 32-bit integer; all of one dimension.
  static func decodeFvecs(_ source: ByteSource) throws(EmbeddingFileError) -> EmbeddingMatrix {
    let dimension = Int(try source.integer(at: 0, "the first row's dimension", as: Int32.self))
    guard dimension > 0 else {
      throw source.origin.error(
        .malformed, at: .byte(0), expected: "a dimension of at least 1", found: "\(dimension)")
    }
    let stride = 4 + 4 * dimension
    let rows = source.count / stride
    for row in 0..<rows {
      let found = Int(try source.integer(at: row * stride, "a row's dimension", as: Int32.self))
      guard found == dimension else {
        throw source.origin.error(
          .malformed, at: .byte(row * stride), expected: "the dimension \(dimension) of the first row",
          found: "\(found) in row \(row)")
      }
    }
    guard source.count == rows * stride else {
      throw source.origin.error(
        .truncated, at: .byte(rows * stride), expected: "row \(rows) (\(stride) bytes)",
        found: "\(source.count - rows * stride) bytes")
    }
    try source.origin.requireMemory(rows * dimension, of: MemoryLayout<Float>.size)

    let values = source.withUnsafeBytes { bytes in
      [Float](unsafeUninitializedCapacity: rows * dimension) { buffer, initialised in
        for row in 0..<rows {
          copyFloats(
            bytes.baseAddress! + row * stride + 4, to: buffer.baseAddress! + row * dimension, dimension)
        }
        initialised = rows * dimension
      }
    }
    return EmbeddingMatrix(rowCount: rows, dimension: dimension, values: values)
  }

  /// The number of rows and the dimension, 32-bit integers, then the rows' little-endian floats.
  static func decodeFbin(_ source: ByteSource) throws(EmbeddingFileError) -> EmbeddingMatrix {
    let rows = Int(try source.integer(at: 0, "the number of rows", as: UInt32.self))
    let dimension = Int(try source.integer(at: 4, "the dimension", as: UInt32.self))
    let count = try source.origin.valueCount(
      rows: rows, dimension: dimension, bytesEach: 4, available: source.count - 8, at: 8)
    let values = source.withUnsafeBytes { bytes in
      [Float](unsafeUninitializedCapacity: count) { buffer, initialised in
        copyFloats(bytes.baseAddress! + 8, to: buffer.baseAddress!, count)
        initialised = count
      }
    }
    return EmbeddingMatrix(rowCount: rows, dimension: dimension, values: values)
  }
}

private func copyFloats(_ source: UnsafeRawPointer, to values: UnsafeMutablePointer<Float>, _ count: Int) {
  UnsafeMutableRawPointer(values).copyMemory(from: source, byteCount: count * MemoryLayout<Float>.size)
  #if _endian(big)
    for index in 0..<count { values[index] = Float(bitPattern: values[index].bitPattern.byteSwapped) }
  #endif
}
