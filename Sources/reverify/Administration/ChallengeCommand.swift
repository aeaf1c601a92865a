import Biometrics
import EvaluationCommands
import ReVerification

enum ChallengeCommand: Command {
  static let name = "challenge"
  static let summary = "what a re-verification's client is to show at its next attempt"
  static let explanation = """
    Prints ovals, colours and times as JSON, and until when it can be answered: 120 seconds from now. Asked again it shows
    the same for the same attempt. Exit status 1 when there is no attempt left to be made.

      reverify challenge --store bank.db --re-verification ID --liveness models/liveness/simulated-ideal-68.json
    """
  static let options =
    StoreAccess.options + EngineAccess.options + [
      .option("re-verification", "ID", "as begin printed it")
    ]

  static func run(_ arguments: Arguments) async throws -> Int32 {
    let id = ReVerificationID(try arguments.required("re-verification"))
    return try await EngineAccess.with(arguments, judging: true) { _, engine in
      guard let schedule = try await engine.schedule(of: id) else {
        Output.standard.write("nothing to show\n")
        return ExitStatus.partial
      }
      try Output.standard.write(json: JSONValue(schedule))
      return ExitStatus.success
    }
  }
}
