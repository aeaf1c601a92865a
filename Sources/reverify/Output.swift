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
    pending.withUTF8 { _ = fwrite($0.baseAddress, 1, $0.count, stdout) }
    pending = ""
    fflush(stdout)
  }

  /// `value` as one JSON object, keys sorted, readable.
  func write(json value: some Encodable) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    write(String(decoding: try encoder.encode(value), as: UTF8.self) + "\n")
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
    fputs("\r\(label): \(percent) %\(done == total ? "\n" : "")", stderr)
  }
}
