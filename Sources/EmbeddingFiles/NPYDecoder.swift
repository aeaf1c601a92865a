extension EmbeddingFile {
  /// The array in `source`: two-dimensional, or one-dimensional and then one row.
  static func decodeNPY(_ source: ByteSource) throws(EmbeddingFileError) -> EmbeddingMatrix {
    let header = try NPYHeader(source)
    guard header.shape.count == 1 || header.shape.count == 2 else {
      throw source.origin.error(
        .unsupported, at: .byte(0), expected: "an array of one or two dimensions",
        found: "\(header.shape.count) dimensions")
    }
    let rows = header.shape.count == 1 ? 1 : header.shape[0]
    let dimension = header.shape[header.shape.count - 1]
    let count = try source.origin.valueCount(
      rows: rows, dimension: dimension, bytesEach: header.element.size,
      available: source.count - header.dataOffset, at: header.dataOffset)

    let (values, tooLarge) = source.withUnsafeBytes { bytes in
      decodeElements(
        UnsafeRawBufferPointer(rebasing: bytes[header.dataOffset...]), of: header.element, count: count,
        columnMajorRows: header.isColumnMajor ? rows : nil)
    }
    if let index = tooLarge {
      let (row, component) =
        header.isColumnMajor ? (index % rows, index / rows) : (index / dimension, index % dimension)
      throw source.origin.error(
        .outOfRange, at: .byte(header.dataOffset + index * header.element.size),
        expected: "a number within the range of a 32-bit float",
        found: "a greater one in row \(row), component \(component)")
    }
    return EmbeddingMatrix(rowCount: rows, dimension: dimension, values: values)
  }
}
