import EnrolmentStore
import EvaluationCommands

/// `--lock-out`, of a workflow or an organisation.
enum LockOutOption {
  static let option = CommandOption.option(
    "lock-out", "F/W/D", "F failures within W seconds lock out for D seconds, or 'none'")

  /// What is given, or else what was.
  static func read(_ arguments: Arguments, old: LockOutPolicy?) throws -> LockOutPolicy? {
    guard let text = arguments["lock-out"] else { return old }
    if text == "none" { return nil }
    let numbers = text.split(separator: "/").map { Int($0) }
    guard numbers.count == 3, let failures = numbers[0], let window = numbers[1],
      let duration = numbers[2]
    else {
      throw UsageError(
        "--lock-out is failures/seconds/seconds, such as 5/180/1800, or 'none', not '\(text)'")
    }
    do {
      return try LockOutPolicy(
        failures: failures, window: .seconds(window), duration: .seconds(duration))
    } catch {
      throw UsageError("--lock-out \(text): \(error)")
    }
  }
}
