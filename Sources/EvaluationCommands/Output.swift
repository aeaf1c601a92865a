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

private func put(_ text: String, to descriptor: Int32) -> Bool {
  var text = text
  return text.withUTF8 { put(UnsafeRawBufferPointer($0), to: descriptor) }
}

/// Writes all of `bytes`; false when a part of it was lost, and `errno` says why.
func put(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Bool {
  var rest = bytes
  while !rest.isEmpty {
    let count = Glibc.write(descriptor, rest.baseAddress, rest.count)
    if count < 0, errno == EINTR { continue }
    guard count > 0 else { return false }
    rest = UnsafeRawBufferPointer(rebasing: rest[count...])
  }
  return true
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
