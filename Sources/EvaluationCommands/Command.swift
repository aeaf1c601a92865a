/// One of the command's verbs.
package protocol Command: Sendable {
  static var name: String { get }
  /// One line for the overview.
  static var summary: String { get }
  /// What it reads, does and prints, with examples.
  static var explanation: String { get }
  static var options: [CommandOption] { get }
  /// Returns the exit status.
  static func run(_ arguments: Arguments) async throws -> Int32
}

/// Exit statuses, after BSD's sysexits.h; `Documentation/Formats/ExitStatus.md` has what each command means by them.
package enum ExitStatus {
  package static let success: Int32 = 0
  /// It ran, and a part of the input could not be used or a part of what was asked for could not be given.
  package static let partial: Int32 = 1
  package static let usage: Int32 = 64
  /// The input is not what it should be, or can't be read.
  package static let data: Int32 = 65
  /// An output can't be written, or was lost.
  package static let output: Int32 = 74
}

package enum KernelVariable {
  package static let help =
    "REVERIFY_SIMD=scalar|avx2|avx512|vnni|amx|neon forces a lower SIMD level; results never change."
}

extension CommandOption {
  package var heading: String { value.map { "--\(name) \($0)" } ?? "--\(name)" }
}

extension String {
  /// This text with blanks after it up to `width` characters.
  package func padded(to width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - count))
  }

  /// This text with blanks before it up to `width` characters.
  package func leftPadded(to width: Int) -> String {
    String(repeating: " ", count: max(0, width - count)) + self
  }
}
