import Glibc

/// The whole content of the file at `path`, read at once.
///
/// Read, not mapped: a mapped file that another process cuts short kills the reader with a signal.
func readFile(_ path: String) throws(EmbeddingFileError) -> ByteSource {
  let origin = Origin(file: path)
  // Without O_NONBLOCK, opening a pipe that nobody writes to would wait for ever.
  let descriptor = try openFile(path, flags: O_RDONLY | O_NONBLOCK)
  defer { close(descriptor) }

  var status = stat()
  guard fstat(descriptor, &status) == 0 else {
    throw origin.error(.unreadable, expected: "a readable file", found: systemError())
  }
  guard status.st_mode & S_IFMT == S_IFREG else {
    throw origin.error(
      .wrongKind, expected: "a file",
      found: status.st_mode & S_IFMT == S_IFDIR ? "a folder" : "a device or pipe")
  }
  let size = Int(status.st_size)
  try origin.requireMemory(size, of: 1)

  var failure: String?
  let bytes = [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
    failure = fill(UnsafeMutableRawBufferPointer(buffer), from: descriptor)
    count = failure == nil ? size : 0
  }
  if let failure {
    throw origin.error(.unreadable, expected: "a readable file of \(size) bytes", found: failure)
  }
  return ByteSource(bytes, origin: origin)
}

/// Replaces the file at `path` by `parts`, one after the other; a reader sees the old file or the whole new
/// one.
func replaceFile(_ path: String, with parts: [UnsafeRawBufferPointer]) throws(EmbeddingFileError) {
  let partial = path + ".partial"
  let descriptor = try openFile(partial, flags: O_WRONLY | O_CREAT | O_TRUNC)
  var failure: String?
  for part in parts where failure == nil {
    failure = write(part, to: descriptor)
  }
  if close(descriptor) != 0, failure == nil { failure = systemError() }
  if failure == nil, rename(partial, path) != 0 { failure = systemError() }
  if let failure {
    unlink(partial)
    throw Origin(file: path).error(.unwritable, expected: "a file that can be written", found: failure)
  }
}

/// What is at `path`: the kind of its file after following links, or `nil` when there is nothing.
func fileKind(_ path: String) -> mode_t? {
  var status = stat()
  return stat(path, &status) == 0 ? status.st_mode & S_IFMT : nil
}

private func openFile(_ path: String, flags: Int32) throws(EmbeddingFileError) -> Int32 {
  let origin = Origin(file: path)
  let isWriting = flags & O_WRONLY != 0
  // C would take the path to end at a NUL and open another file.
  guard !path.isEmpty, !path.utf8.contains(0) else {
    throw origin.error(.notFound, expected: "the path of a file", found: "an empty path or one with a NUL")
  }
  let descriptor = open(path, flags | O_CLOEXEC, 0o644)
  guard descriptor >= 0 else {
    if !isWriting, errno == ENOENT {
      throw origin.error(.notFound, expected: "a file", found: "nothing of this name")
    }
    throw origin.error(
      isWriting ? .unwritable : .unreadable,
      expected: isWriting ? "a file that can be written" : "a readable file", found: systemError())
  }
  return descriptor
}

/// Reads until `buffer` is full; returns why it could not, or `nil`.
private func fill(_ buffer: UnsafeMutableRawBufferPointer, from descriptor: Int32) -> String? {
  var done = 0
  while done < buffer.count {
    let count = read(descriptor, buffer.baseAddress! + done, buffer.count - done)
    if count < 0, errno == EINTR { continue }
    if count < 0 { return systemError() }
    if count == 0 { return "\(done) bytes: it became shorter while it was read" }
    done += count
  }
  return nil
}

/// Writes all of `buffer`; returns why it could not, or `nil`.
private func write(_ buffer: UnsafeRawBufferPointer, to descriptor: Int32) -> String? {
  var done = 0
  while done < buffer.count {
    let count = Glibc.write(descriptor, buffer.baseAddress! + done, buffer.count - done)
    if count < 0, errno == EINTR { continue }
    if count < 0 { return systemError() }
    done += count
  }
  return nil
}

private func systemError() -> String {
  String(cString: strerror(errno))
}

extension Origin {
  /// Throws when `count` elements of `size` bytes are more than the machine has: the allocation would end the
  /// process.
  func requireMemory(_ count: Int, of size: Int) throws(EmbeddingFileError) {
    let memory = sysconf(Int32(_SC_PHYS_PAGES)).multipliedReportingOverflow(by: sysconf(Int32(_SC_PAGESIZE)))
    let (wanted, overflow) = count.multipliedReportingOverflow(by: size)
    guard !overflow, memory.overflow || wanted <= memory.partialValue else {
      throw error(
        .tooLarge, expected: "at most the \(memory.partialValue) bytes of this machine's memory",
        found: "\(count) times \(size) bytes")
    }
  }
}
