import Biometrics
import EnrolmentStore
import EvaluationCommands
import Foundation
import ReVerification

enum EnrolCommand: Command {
  static let name = "enrol"
  static let summary = "enrol one approved session"
  static let explanation = """
    Enrols a session that was approved, as the backend's call does. Embeddings that can't be used are named and left out.
    Points out, by ids, other sessions of the user that it doesn't match and other people who look the same; exit status 1
    then. The same session again changes nothing.

      reverify enrol --store bank.db --organisation bank --workflow onboarding --user u-17 --session s-42 \\
        --space edgeface-xs --embeddings faces.npy --rows 0-2
    """
  static let options =
    StoreAccess.options + EngineAccess.options + EmbeddingRows.options + [
      StoreAccess.organisation, .option("workflow", "ID", "the workflow it was approved on"),
      .option("user", "ID", "whose session it is"), .option("session", "ID", "its id"),
      .option(
        "approved-at", "MS", "when it was approved, in milliseconds since 1970 (default: now)"),
    ]

  static func run(_ arguments: Arguments) async throws -> Int32 {
    let organisation = try StoreAccess.organisationID(arguments)
    let session = SessionID(try arguments.required("session"))
    let workflow = WorkflowID(try arguments.required("workflow"))
    let user = UserID(try arguments.required("user"))
    let approvedAt = try ApprovalTime.option(arguments)
    return try await EngineAccess.with(arguments) { store, engine in
      let known = try await store.session(session, in: organisation)?.session.approvedAt
      let enrolment = try await engine.enrol(
        SessionApproval(
          id: session, organisation: organisation, workflow: workflow, user: user,
          approvedAt: approvedAt ?? known ?? SystemClock().now(),
          embeddings: try EmbeddingRows.read(
            arguments, space: try await EngineAccess.space(of: store, arguments))))
      for rejected in enrolment.rejected { complain("\(rejected.reason)") }
      Output.standard.write("\(session): \(enrolment.status.rawValue)\n")
      guard enrolment.status != .notEnrolled else { return ExitStatus.partial }
      let checks = try await engine.checks(of: session, in: organisation)
      for other in checks.inconsistentWith {
        Output.standard.write("does not match the user's session \(other)\n")
      }
      for duplicate in checks.duplicates {
        Output.standard.write("looks like user \(duplicate.user), session \(duplicate.session)\n")
      }
      return checks.isEmpty && enrolment.rejected.isEmpty ? ExitStatus.success : ExitStatus.partial
    }
  }
}
