import Foundation
import Glibc

/// Text to standard output, in large pieces.
final class Output {
  nonisolated(unsafe) static let standard = Output()  // The command prints from one task alone.

  private var pending = ""
  private static let pieceSize = 1 << 16

  func write(_ text: String) {
    pending += text
    if pending.utf8.count >= Self.pieceSize { flush() }
  }

  func flush() {
    put(pending, to: STDOUT_FILENO)
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
  put("reverify: \(text)\n", to: STDERR_FILENO)
}

private func put(_ text: String, to descriptor: Int32) {
  var text = text
  text.withUTF8 { bytes in
    var rest = UnsafeRawBufferPointer(bytes)
    while !rest.isEmpty {
      let count = Glibc.write(descriptor, rest.baseAddress, rest.count)
      // Nobody reads any more, or the disk is full: there is nowhere left to say so.
      guard count > 0 else { return }
      rest = UnsafeRawBufferPointer(rebasing: rest[count...])
    }
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

  mutating func show(_ done: Int, of total: Int) {
    guard isShown, total > 0 else { return }
    let percent = done * 100 / total
    guard percent != lastPercent else { return }
    lastPercent = percent
    put("\r\(label): \(percent) %\(done == total ? "\n" : "")", to: STDERR_FILENO)
  }
}
