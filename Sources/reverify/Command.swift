/// One of the command's verbs.
protocol Command: Sendable {
  static var name: String { get }
  /// One line for the overview.
  static var summary: String { get }
  /// What it reads, does and prints, with examples.
  static var explanation: String { get }
  static var options: [CommandOption] { get }
  /// Returns the exit status.
  static func run(_ arguments: Arguments) async throws -> Int32
}

/// Exit statuses, after BSD's sysexits.h.
enum ExitStatus {
  static let success: Int32 = 0
  /// It ran, and a part of the input could not be used.
  static let partial: Int32 = 1
  static let usage: Int32 = 64
  /// The input is not what it should be, or can't be read.
  static let data: Int32 = 65
  /// The output could not be written.
  static let output: Int32 = 74
}

let commands: [any (Command & Sendable).Type] = [
  CompareCommand.self, SearchCommand.self, SimulateCommand.self, EvalCommand.self, TuneCommand.self,
  WhatIfCommand.self, HealthCommand.self, TuneLivenessCommand.self,
  ScoreLivenessCommand.self, SimulateCapturesCommand.self, EvaluatePADCommand.self, VerifyErasedCommand.self,
  InfoCommand.self, InitCommand.self, OrganisationCommand.self, WorkflowCommand.self,
  UserCommand.self, KeyCommand.self, ImportCommand.self, EnrolCommand.self, BeginCommand.self,
  ChallengeCommand.self,
  SubmitCommand.self,
  EraseCommand.self, ReplayCommand.self, AuditCommand.self, CheckpointCommand.self, DoctorCommand.self,
  FlowDemoCommand.self,
]

var overview: String {
  """
  reverify: is the person in front of the camera the one that was verified before?

  usage: reverify COMMAND [options]

  \(commands.map { "  \($0.name.padded(to: 19))\($0.summary)" }.joined(separator: "\n"))

  Input everywhere: --data FOLDER with embeddings.npy and index.csv (or embeddings.npz, .fvecs, .fbin, .csv),
  or single files: --embeddings FILE, --index FILE. Progress goes to stderr when that is a terminal.
  \(KernelVariable.help)

  'reverify COMMAND --help' explains a command. Exit status: 0 done, 1 done in part, 64 wrong usage, 65 wrong input,
  74 output lost.

  """
}

enum KernelVariable {
  static let help =
    "REVERIFY_SIMD=scalar|avx2|avx512|vnni|amx|neon forces a lower SIMD level; results never change."
}

func help(of command: any Command.Type) -> String {
  let width = 2 + (command.options.map { $0.heading.count }.max() ?? 0)
  let options = command.options.map { option in
    let lines = option.help.split(separator: "\n", omittingEmptySubsequences: false)
    return "  \(option.heading.padded(to: width))"
      + lines.joined(separator: "\n  " + String(repeating: " ", count: width))
  }
  return """
    reverify \(command.name): \(command.summary)

    \(command.explanation)

    options:
    \(options.joined(separator: "\n"))

    """
}

extension CommandOption {
  var heading: String { value.map { "--\(name) \($0)" } ?? "--\(name)" }
}

extension String {
  /// This text with blanks after it up to `width` characters.
  func padded(to width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - count))
  }

  /// This text with blanks before it up to `width` characters.
  func leftPadded(to width: Int) -> String {
    String(repeating: " ", count: max(0, width - count)) + self
  }
}
