extension EmbeddingFile {
  /// Writes `matrix` to the file at `path` as a numpy array: version 1.0, little-endian 32-bit floats, C
  /// order.
  ///
  /// Replaces what is there, at once: nobody sees half of it. Throws `unwritable` with the system's reason.
  public static func write(npy matrix: EmbeddingMatrix, to path: String) throws(EmbeddingFileError) {
    let header = npyHeader(rowCount: matrix.rowCount, dimension: matrix.dimension)
    let values = littleEndian(matrix.values)
    let result = header.withUnsafeBytes { header in
      values.withUnsafeBytes { values in
        Result { () throws(EmbeddingFileError) in try replaceFile(path, with: [header, values]) }
      }
    }
    try result.get()
  }

  /// Magic, version, length and a dictionary, padded with spaces so that the values start at a multiple of
  /// 64.
  static func npyHeader(rowCount: Int, dimension: Int) -> [UInt8] {
    var text = "{'descr': '<f4', 'fortran_order': False, 'shape': (\(rowCount), \(dimension)), }"
    let used = NPYHeader.magic.count + 4 + text.utf8.count + 1
    text += String(repeating: " ", count: (64 - used % 64) % 64) + "\n"
    let length = UInt16(text.utf8.count)
    return NPYHeader.magic + [1, 0, UInt8(length & 0xff), UInt8(length >> 8)] + Array(text.utf8)
  }

  private static func littleEndian(_ values: [Float]) -> [Float] {
    #if _endian(little)
      values
    #else
      values.map { Float(bitPattern: $0.bitPattern.littleEndian) }
    #endif
  }
}
