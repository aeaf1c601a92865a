import Foundation
import Glibc

/// Text to standard output, in large pieces.
package final class Output {
  package nonisolated(unsafe) static let standard = Output()  // The command prints from one task alone.

  private var pending = ""
  /// Whether all that was written reached its reader; once false, false for good.
  private(set) var isComplete = true
  private static let pieceSize = 1 << 16

  package func write(_ text: String) {
    pending += text
    if pending.utf8.count >= Self.pieceSize { flush() }
  }

  package func flush() {
    isComplete = put(pending, to: STDOUT_FILENO) && isComplete
    pending = ""
  }

  /// `value` as one JSON object, keys sorted, readable.
  package func write(json value: some Encodable) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    write(String(decoding: try encoder.encode(value), as: UTF8.self) + "\n")
  }
}

/// Says on stderr what is wrong, after the command's name.
package func complain(_ text: String) {
  _ = put("reverify: \(text)\n", to: STDERR_FILENO)
}

/// Writes a line of a log to stderr.
package func log(_ line: String) {
  _ = put("\(line)\n", to: STDERR_FILENO)
}

/// Writes all of `text`; false when a part of it was lost.
private func put(_ text: String, to descriptor: Int32) -> Bool {
  var text = text
  return text.withUTF8 { put(UnsafeRawBufferPointer($0), to: descriptor) }
}

private func put(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Bool {
  var rest = bytes
  while !rest.isEmpty {
    let count = Glibc.write(descriptor, rest.baseAddress, rest.count)
    if count < 0, errno == EINTR { continue }
    guard count > 0 else { return false }
    rest = UnsafeRawBufferPointer(rebasing: rest[count...])
  }
  return true
}

/// Writes a file whole: beside and renamed where it is a regular file or none, in place where it is a device, a pipe or a
/// link, which must not be replaced. Throws an `InputError`.
package func writeFile(_ content: Data, to path: String) throws {
  try writeFile(to: path) { try $0(content) }
}

/// The same, piece by piece as `content` hands them out. When it throws, and when the process ends before it has, a regular file
/// is as it was before.
package func writeFile(to path: String, _ content: ((Data) throws -> Void) throws -> Void) throws {
  var status = stat()
  let isThere = lstat(path, &status) == 0
  let isBeside = !isThere || status.st_mode & S_IFMT == S_IFREG
  let written = isBeside ? "\(path).\(getpid()).part" : path
  let failure = InputError("\(path): can't be written")
  let flags = O_WRONLY | O_CREAT | O_CLOEXEC | (isBeside ? O_EXCL : O_TRUNC)
  let descriptor = open(written, flags, 0o666)
  guard descriptor >= 0 else { throw failure }
  do {
    if isBeside, isThere { _ = fchmod(descriptor, status.st_mode & 0o7777) }
    try content { piece in
      guard piece.withUnsafeBytes({ put($0, to: descriptor) }) else { throw failure }
    }
    // Pipes and devices can't be synchronised; what counts there is that they took it.
    guard !isBeside || fsync(descriptor) == 0 else { throw failure }
  } catch {
    close(descriptor)
    if isBeside { unlink(written) }
    throw error
  }
  guard close(descriptor) == 0, !isBeside || rename(written, path) == 0 else {
    if isBeside { unlink(written) }
    throw failure
  }
}

/// Throws an `InputError` where a file at `path` could not be written, so that a long command says so before its work.
package func requireWritable(_ path: String?) throws {
  guard let path else { return }
  var status = stat()
  if stat(path, &status) == 0 {
    guard status.st_mode & S_IFMT != S_IFDIR, access(path, W_OK) == 0 else {
      throw InputError("\(path): can't be written")
    }
    return
  }
  let folder = path.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
  let parent = folder.isEmpty ? (path.hasPrefix("/") ? "/" : ".") : folder
  guard stat(parent, &status) == 0, status.st_mode & S_IFMT == S_IFDIR, access(parent, W_OK) == 0 else {
    throw InputError("\(path): expected a folder that can be written in")
  }
}

/// How far a long command is, on stderr when that is a terminal, else nowhere.
package struct Progress {
  private let label: String
  private let isShown = isatty(2) == 1
  private var lastPercent = -1

  package init(_ label: String) {
    self.label = label
  }

  /// Shows how many there were so far, where nobody knows of how many.
  package static func count(_ label: String, _ done: Int) {
    guard isatty(STDERR_FILENO) == 1 else { return }
    _ = put("\r\(label): \(done)", to: STDERR_FILENO)
  }

  package mutating func show(_ done: Int, of total: Int) {
    guard isShown, total > 0 else { return }
    let percent = done * 100 / total
    guard percent != lastPercent else { return }
    lastPercent = percent
    _ = put("\r\(label): \(percent) %\(done == total ? "\n" : "")", to: STDERR_FILENO)
  }
}
