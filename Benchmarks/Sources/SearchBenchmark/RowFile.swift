import BenchmarkOptions
import Glibc

/// Rows of floats in an .fbin file (u32 count, u32 dimension, then little-endian f32 rows), memory-mapped.
final class RowFile {
  let count: Int
  let dimension: Int
  private let mapping: UnsafeMutableRawPointer
  private let byteCount: Int
  private static let headerBytes = 8

  init(_ path: String) throws {
    let descriptor = open(path, O_RDONLY)
    guard descriptor >= 0 else { throw BenchmarkError("\(path): \(String(cString: strerror(errno)))") }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_size >= Self.headerBytes,
      let mapping = mmap(nil, Int(status.st_size), PROT_READ, MAP_PRIVATE, descriptor, 0),
      mapping != MAP_FAILED
    else { throw BenchmarkError("\(path): an .fbin file was expected") }
    self.mapping = mapping
    byteCount = Int(status.st_size)
    count = Int(mapping.load(as: UInt32.self))
    dimension = Int(mapping.load(fromByteOffset: 4, as: UInt32.self))
    guard dimension > 0, byteCount == Self.headerBytes + count * dimension * 4 else {
      throw BenchmarkError("\(path): the header and the size of the file disagree")
    }
  }

  deinit { munmap(mapping, byteCount) }

  /// All components, row after row; valid as long as this object.
  var values: UnsafeBufferPointer<Float> {
    UnsafeBufferPointer(
      start: (mapping + Self.headerBytes).assumingMemoryBound(to: Float.self), count: count * dimension)
  }

  subscript(row: Int) -> UnsafeBufferPointer<Float> {
    UnsafeBufferPointer(rebasing: values[row * dimension..<(row + 1) * dimension])
  }

  /// Gives the pages that were read back to the system, so that they don't count as this process's memory.
  func releasePages() { madvise(mapping, byteCount, MADV_DONTNEED) }

  /// Writes `count` rows, made one by one.
  static func write(_ path: String, count: Int, dimension: Int, row: (Int) throws -> [Float]) throws {
    guard let file = fopen(path, "wb") else {
      throw BenchmarkError("\(path): \(String(cString: strerror(errno)))")
    }
    setvbuf(file, nil, _IOFBF, 1 << 20)
    var written = fwrite([UInt32(count), UInt32(dimension)], 4, 2, file) == 2
    for index in 0..<count where written {
      written = fwrite(try row(index), 4, dimension, file) == dimension
    }
    guard fclose(file) == 0, written else { throw BenchmarkError("\(path): can't be written whole") }
  }
}
