import Biometrics
import CFaceKernels
import Glibc

/// Writes a snapshot beside its place and moves it there when it is whole and on the disk.
struct SnapshotFileWriter: ~Copyable {
  private let path: String
  private let temporaryPath: String
  private let descriptor: Int32
  private let seal: SnapshotSeal
  private var sections: [SnapshotSection] = []
  private let sectionCount: Int
  private var end: Int
  private var isFinished = false

  init(path: String, sectionCount: Int, key: SnapshotKey?) throws(SnapshotFileError) {
    self.path = path
    self.sectionCount = sectionCount
    seal = SnapshotSeal(key: key)
    temporaryPath = "\(path).\(UInt64.random(in: .min ... .max)).new"
    descriptor = open(temporaryPath, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw SnapshotFileError(.system(SystemFailure(errno)), temporaryPath) }
    end = (SnapshotHeader.pageBytes + sectionCount * SnapshotSection.entryBytes).roundedUpToPage
  }

  deinit {
    close(descriptor)
    if !isFinished { unlink(temporaryPath) }
  }

  /// Appends a section of these bytes.
  mutating func write(_ kind: SnapshotSection.Kind, _ index: Int, _ bytes: [UInt8]) throws(SnapshotFileError)
  {
    let status = bytes.withUnsafeBytes { attempt(kind, index, $0) }
    if let error = status { throw error }
  }

  /// Appends a section of the memory at `start`.
  mutating func write<Element: BitwiseCopyable>(
    _ kind: SnapshotSection.Kind, _ index: Int, _ start: UnsafePointer<Element>, count: Int
  ) throws(SnapshotFileError) {
    let bytes = UnsafeRawBufferPointer(start: start, count: count * MemoryLayout<Element>.stride)
    if let error = attempt(kind, index, bytes) { throw error }
  }

  private mutating func attempt(
    _ kind: SnapshotSection.Kind, _ index: Int, _ bytes: UnsafeRawBufferPointer
  ) -> SnapshotFileError? {
    var section = SnapshotSection(
      number: sections.count, kind: kind, index: index, offset: end, byteCount: bytes.count)
    var failure: SystemFailure?
    if seal.key == nil {
      let content = UnsafeMutablePointer(mutating: bytes.baseAddress?.assumingMemoryBound(to: UInt8.self))
      section.mark = content.map { seal.seal($0, count: bytes.count, as: section) } ?? []
      failure = put(bytes, at: end)
    } else {
      withUnsafeTemporaryAllocation(byteCount: max(bytes.count, 1), alignment: 64) { sealed in
        sealed.copyMemory(from: bytes)
        let content = sealed.baseAddress!.assumingMemoryBound(to: UInt8.self)
        section.mark = seal.seal(content, count: bytes.count, as: section)
        failure = put(UnsafeRawBufferPointer(start: content, count: bytes.count), at: end)
      }
    }
    if let failure { return SnapshotFileError(.system(failure), temporaryPath) }
    sections.append(section)
    end = (end + bytes.count).roundedUpToPage
    return nil
  }

  /// Writes table and header, waits for the disk and takes the place of the file that was there.
  consuming func finish(generation: [UInt8]) throws(SnapshotFileError) {
    precondition(sections.count == sectionCount, "all sections are written before a snapshot is finished")
    let unmarked = SnapshotHeader(
      isSealed: seal.key != nil, fileBytes: UInt64(end), sectionCount: UInt32(sections.count),
      generation: generation,
      nonce: seal.nonce, digest: [])
    let table = sections.flatMap { $0.identity + $0.mark }
    let header = SnapshotHeader(
      isSealed: unmarked.isSealed, fileBytes: unmarked.fileBytes, sectionCount: unmarked.sectionCount,
      generation: generation, nonce: unmarked.nonce, digest: seal.digest(of: unmarked.content + table))
    var failure = (header.page + table).withUnsafeBytes { put($0, at: 0) }
    if failure == nil, ftruncate(descriptor, off_t(end)) != 0 || fsync(descriptor) != 0 {
      failure = SystemFailure(errno)
    }
    if failure == nil, rename(temporaryPath, path) != 0 { failure = SystemFailure(errno) }
    if let failure { throw SnapshotFileError(.system(failure), path) }
    isFinished = true
    if let failure = Self.synchroniseFolder(of: path) { throw SnapshotFileError(.system(failure), path) }
  }

  /// The rename itself outlives a loss of power only when the folder is on the disk.
  private static func synchroniseFolder(of path: String) -> SystemFailure? {
    let folder = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return SystemFailure(errno) }
    defer { close(descriptor) }
    return fsync(descriptor) == 0 ? nil : SystemFailure(errno)
  }

  private func put(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> SystemFailure? {
    var written = 0
    while written < bytes.count {
      let count = pwrite(
        descriptor, bytes.baseAddress! + written, bytes.count - written, off_t(offset + written))
      if count > 0 { written += count } else if count == 0 || errno != EINTR { return SystemFailure(errno) }
    }
    return nil
  }
}
