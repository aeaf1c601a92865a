import Biometrics
import Glibc

/// Memory for the f32 rows of a segment, aligned to a cache line.
///
/// Rows are read in full only for the few candidates that a first pass leaves, so they need not be in memory: in a
/// file they cost what the system chooses to keep of them.
///
/// `@unchecked Sendable`: says where the rows lie and frees them; who may touch them when is the segment's rule.
final class RowMemory: @unchecked Sendable {
  private enum Owner {
    /// The process, which wipes it at the end: templates don't outlive their segment in freed memory.
    case process
    /// A file without a name, gone with the mapping.
    case unnamedFile
    /// A mapped snapshot, which is read only.
    case snapshot(MappedFile)
  }

  let rows: UnsafeMutablePointer<Float>
  private let owner: Owner
  private let byteCount: Int

  /// Whether reading a row may mean waiting for a disk.
  var isFile: Bool {
    if case .process = owner { false } else { true }
  }

  private init(_ rows: UnsafeMutablePointer<Float>, byteCount: Int, owner: Owner) {
    self.rows = rows
    self.byteCount = byteCount
    self.owner = owner
  }

  /// Memory of the process for `count` elements.
  static func process(_ count: Int) -> RowMemory {
    RowMemory(.allocateAligned(count), byteCount: count * MemoryLayout<Float>.size, owner: .process)
  }

  /// Memory in a file of its own in `folder`, readable by this user alone, that has no name and ends with the process.
  /// Throws `.rowFolder` where the file can't be made or the space isn't there.
  static func unnamedFile(in folder: String, _ count: Int) throws(GalleryError) -> RowMemory {
    let byteCount = count * MemoryLayout<Float>.size
    let name = "\(folder)/reverify-rows-\(UInt64.random(in: .min ... .max))"
    let descriptor = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw GalleryError(.rowFolder(folder, SystemFailure(errno))) }
    unlink(name)
    defer { close(descriptor) }
    // Taken now: a full disk met at a later touch of the mapping would end the process.
    let status = posix_fallocate(descriptor, 0, off_t(byteCount))
    guard status == 0 else { throw GalleryError(.rowFolder(folder, SystemFailure(status))) }
    guard let memory = mmap(nil, byteCount, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0),
      memory != MAP_FAILED
    else { throw GalleryError(.rowFolder(folder, SystemFailure(errno))) }
    // A candidate's row is read alone: its neighbours would be read for nothing.
    madvise(memory, byteCount, MADV_RANDOM)
    return RowMemory(
      memory.bindMemory(to: Float.self, capacity: count), byteCount: byteCount, owner: .unnamedFile)
  }

  /// `count` elements of a mapped snapshot from byte `offset` on, which the caller has checked.
  static func snapshot(_ file: MappedFile, offset: Int, count: Int) -> RowMemory {
    let start = UnsafeMutableRawPointer(mutating: file.start + offset)
    return RowMemory(
      start.bindMemory(to: Float.self, capacity: count), byteCount: count * MemoryLayout<Float>.size,
      owner: .snapshot(file))
  }

  /// Has the system fetch `count` elements from `first` on, without waiting for it.
  func fetch(_ first: Int, count: Int) {
    let page = UInt(sysconf(Int32(_SC_PAGESIZE)))
    let start = UInt(bitPattern: rows + first) / page * page
    madvise(
      UnsafeMutableRawPointer(bitPattern: start), Int(UInt(bitPattern: rows + first + count) - start),
      MADV_WILLNEED)
  }

  deinit {
    switch owner {
    case .process:
      explicit_bzero(rows, byteCount)
      free(rows)
    case .unnamedFile: munmap(rows, byteCount)
    case .snapshot: break
    }
  }
}

/// A file's bytes in memory, read only, until the last use ends.
///
/// `@unchecked Sendable`: never written.
final class MappedFile: @unchecked Sendable {
  let start: UnsafeRawPointer
  let count: Int

  /// Maps the first `count` bytes, at least one, of an open file.
  init(_ descriptor: Int32, count: Int) throws(SystemFailure) {
    guard let memory = mmap(nil, count, PROT_READ, MAP_PRIVATE, descriptor, 0), memory != MAP_FAILED else {
      throw SystemFailure(errno)
    }
    start = UnsafeRawPointer(memory)
    self.count = count
  }

  /// Says of a part that begins on a page that few of its pages will be asked for, one by one: the system then reads no
  /// neighbours along with them.
  func expectScatteredReads(from offset: Int, count: Int) {
    madvise(UnsafeMutableRawPointer(mutating: start + offset), count, MADV_RANDOM)
  }

  deinit { munmap(UnsafeMutableRawPointer(mutating: start), count) }
}

/// Why the system refused, by its number (`errno`).
public struct SystemFailure: Error, Hashable, Sendable, CustomStringConvertible {
  public let number: Int32

  public init(_ number: Int32) {
    self.number = number
  }

  public var description: String { strerror(number).map { String(cString: $0) } ?? "error \(number)" }
}
