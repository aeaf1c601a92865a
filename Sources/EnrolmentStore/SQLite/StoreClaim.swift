import Glibc

/// The right of one process, and one store in it, to write to a store; given back when it goes, or when the process ends.
///
/// A lock on a file beside the database. It holds on local file systems; on one that several machines mount, only if that
/// file system passes locks on.
final class StoreClaim: Sendable {
  private let descriptor: Int32

  /// Throws `inUse` when it is taken, and `unavailable` when the file can't be made.
  init(_ path: String) throws(StoreError) {
    let descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw StoreError(.unavailable, "claim file \(path): \(systemError())") }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      let reason = errno
      Glibc.close(descriptor)
      guard reason == EWOULDBLOCK else {
        throw StoreError(.unavailable, "claim file \(path): \(systemError(reason))")
      }
      throw StoreError(.inUse, "another process has the store open (\(path))")
    }
    self.descriptor = descriptor
  }

  deinit { Glibc.close(descriptor) }
}

/// Makes an empty file that its owner alone can read, unless there is one, and puts its name on the disk.
func makePrivateFile(_ path: String) throws(StoreError) {
  let descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
  if descriptor < 0, errno == EEXIST { return }
  guard descriptor >= 0 else { throw StoreError(.unavailable, "\(path): \(systemError())") }
  Glibc.close(descriptor)
  let parts = path.split(separator: "/", omittingEmptySubsequences: false).dropLast()
  try synchronise(parts.isEmpty ? "." : parts.joined(separator: "/") + "/")
}

/// Brings a folder to the disk: what was made, renamed or removed in it stays so after a loss of power.
func synchronise(_ folder: String) throws(StoreError) {
  let directory = Glibc.open(folder, O_RDONLY | O_CLOEXEC)
  guard directory >= 0 else { throw StoreError(.unavailable, "\(folder): \(systemError())") }
  defer { Glibc.close(directory) }
  guard fsync(directory) == 0 else { throw StoreError(.unavailable, "\(folder): \(systemError())") }
}

/// What the system says of an error.
func systemError(_ code: Int32 = errno) -> String {
  String(cString: strerror(code))
}
