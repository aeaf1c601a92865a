import Foundation
import Glibc

/// Text to standard output, in large pieces.
final class Output {
  nonisolated(unsafe) static let standard = Output()  // The command prints from one task alone.

  private var pending = ""
  /// Whether all that was written reached its reader; once false, false for good.
  private(set) var isComplete = true
  private static let pieceSize = 1 << 16

  func write(_ text: String) {
    pending += text
    if pending.utf8.count >= Self.pieceSize { flush() }
  }

  func flush() {
    isComplete = put(pending, to: STDOUT_FILENO) && isComplete
    pending = ""
  }

  /// `value` as one JSON object, keys sorted, readable.
  func write(json value: some Encodable) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    write(String(decoding: try encoder.encode(value), as: UTF8.self) + "\n")
  }
}

/// Says on stderr what is wrong, after the command's name.
func complain(_ text: String) {
  _ = put("reverify: \(text)\n", to: STDERR_FILENO)
}

/// Writes a line of a log to stderr.
func log(_ line: String) {
  _ = put("\(line)\n", to: STDERR_FILENO)
}

/// Writes all of `text`; false when a part of it was lost.
private func put(_ text: String, to descriptor: Int32) -> Bool {
  var text = text
  return text.withUTF8 { bytes in
    var rest = UnsafeRawBufferPointer(bytes)
    while !rest.isEmpty {
      let count = Glibc.write(descriptor, rest.baseAddress, rest.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return false }
      rest = UnsafeRawBufferPointer(rebasing: rest[count...])
    }
    return true
  }
}

/// Writes a file whole: beside and renamed where it is a regular file or none, in place where it is a device, a pipe or a
/// link, which must not be replaced. Throws an `InputError`.
func writeFile(_ content: Data, to path: String) throws {
  var status = stat()
  let isRegular = lstat(path, &status) != 0 || status.st_mode & S_IFMT == S_IFREG
  do {
    try content.write(to: URL(filePath: path), options: isRegular ? .atomic : [])
  } catch {
    throw InputError("\(path): can't be written")
  }
}

/// How far a long command is, on stderr when that is a terminal, else nowhere.
struct Progress {
  private let label: String
  private let isShown = isatty(2) == 1
  private var lastPercent = -1

  init(_ label: String) {
    self.label = label
  }

  /// Shows how many there were so far, where nobody knows of how many.
  static func count(_ label: String, _ done: Int) {
    guard isatty(STDERR_FILENO) == 1 else { return }
    _ = put("\r\(label): \(done)", to: STDERR_FILENO)
  }

  mutating func show(_ done: Int, of total: Int) {
    guard isShown, total > 0 else { return }
    let percent = done * 100 / total
    guard percent != lastPercent else { return }
    lastPercent = percent
    _ = put("\r\(label): \(percent) %\(done == total ? "\n" : "")", to: STDERR_FILENO)
  }
}
