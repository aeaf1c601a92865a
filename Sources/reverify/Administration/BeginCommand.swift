import Biometrics
import EnrolmentStore
import EvaluationCommands
import Foundation
import ReVerification

/// The API key's secret, which no command line may show to others on the machine.
enum APIKeySecret {
  static func fromEnvironment() throws -> String {
    guard let secret = ProcessInfo.processInfo.environment["REVERIFY_API_KEY"], !secret.isEmpty
    else {
      throw UsageError(
        "the API key is taken from the environment variable REVERIFY_API_KEY, which is not set")
    }
    return secret
  }
}

enum BeginCommand: Command {
  static let name = "begin"
  static let summary = "begin a re-verification"
  static let explanation = """
    Prints the re-verification's id, attempts, expiry and what the client is to show its user at the first attempt as JSON
    (Documentation/Formats/Capture.md), or why it could not begin (exit status 1). For later attempts, or after 120 seconds,
    'reverify challenge' gives what to show. The API key is taken from the environment variable REVERIFY_API_KEY.

      REVERIFY_API_KEY=… reverify begin --store bank.db --workflow onboarding --email ada@example.org \\
        --liveness models/liveness/simulated-ideal-68.json
    """
  static let options =
    StoreAccess.options + EngineAccess.options + [
      .option("workflow", "ID", "the workflow the user was approved on"),
      .option("email", "ADDRESS", "the user, as the caller names them"),
    ]

  private struct Report: Encodable {
    let reVerification: String
    let challenge: String
    let schedule: JSONValue?
    let attemptsAllowed: Int
    let expiresAtMilliseconds: Int64
  }

  static func run(_ arguments: Arguments) async throws -> Int32 {
    let secret = try APIKeySecret.fromEnvironment()
    let workflow = WorkflowID(try arguments.required("workflow"))
    let email = try arguments.required("email")
    return try await EngineAccess.with(arguments, judging: true) { _, engine in
      switch try await engine.begin(workflowID: workflow, email: email, apiKey: secret) {
      case .begun(let begun):
        try Output.standard.write(
          json: Report(
            reVerification: begun.id.rawValue, challenge: begun.challenge.nonce,
            schedule: try begun.schedule.map { try JSONValue($0) },
            attemptsAllowed: begun.attemptsAllowed,
            expiresAtMilliseconds: begun.expiry.millisecondsSince1970))
        return ExitStatus.success
      case .ended(let outcome):
        Output.standard.write("\(AnswerText.text(outcome))\n")
        return ExitStatus.partial
      }
    }
  }
}
