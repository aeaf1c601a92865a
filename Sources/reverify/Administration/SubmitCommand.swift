import Biometrics
import EnrolmentStore
import EvaluationCommands
import Foundation
import ReVerification

enum SubmitCommand: Command {
  static let name = "submit"
  static let summary = "submit an attempt to a re-verification"
  static let explanation = """
    Prints the answer; it is durable by then. The same --key with the same content gets the same answer again. Exit status 0
    for verified, 1 for any other answer. With models, the capture must answer what 'begin' or 'challenge' printed for this
    attempt: each is answered once, within 120 seconds.

      reverify submit --store bank.db --re-verification ID --key attempt-1 --embeddings probe.npy \\
        --liveness models/liveness/simulated-ideal-68.json --capture capture.json
      reverify submit --store bank.db --re-verification ID --key attempt-1 --embeddings probe.npy \\
        --liveness passive --passive 0.9,0.9,0.9
    """
  static let options =
    StoreAccess.options + EngineAccess.options + EmbeddingRows.options + [
      .option("re-verification", "ID", "as begin printed it"),
      .option("key", "KEY", "the attempt's idempotency key"),
      .option("passive", "SCORES", "upstream passive scores of the frames, 0...1, with commas; the workflow's face binding must be whereGiven"),
      .option("capture", "FILE", "instead: a capture as its format says, for liveness models"),
    ]

  static func run(_ arguments: Arguments) async throws -> Int32 {
    let id = ReVerificationID(try arguments.required("re-verification"))
    let key = IdempotencyKey(try arguments.required("key"))
    let capture = try capture(arguments)
    return try await EngineAccess.with(arguments, judging: true) { store, engine in
      let embeddings = try EmbeddingRows.read(
        arguments, space: try await EngineAccess.space(of: store, arguments))
      let answer = try await engine.submit(
        Attempt(key: key, capture: capture, embeddings: embeddings), to: id)
      Output.standard.write("\(AnswerText.text(answer))\n")
      if case .ended(.verified) = answer { return ExitStatus.success }
      return ExitStatus.partial
    }
  }

  private static func capture(_ arguments: Arguments) throws -> Capture {
    if let path = arguments["capture"] { return Capture(try readRecording(path)) }
    let text = try arguments.required("passive")
    let scores = text.split(separator: ",").map { Double($0) }
    guard !scores.isEmpty, !scores.contains(nil) else {
      throw UsageError("--passive is numbers with commas, not '\(text)'")
    }
    return Capture(passiveScores: scores.compactMap { $0 })
  }
}
