import Biometrics
import EmbeddingFiles
import EnrolmentStore
import EvaluationCommands
import Foundation
import ReVerification

enum ImportCommand: Command {
  static let name = "import"
  static let summary = "enrol many approved sessions from a folder of embeddings"
  static let explanation = """
    Enrols embeddings.npy by index.csv: a subject is a user, an image a session of one embedding named SUBJECT/IMAGE. Users must
    be known, or --email-domain makes them, with the address SUBJECT@DOMAIN. When each was approved, from which its retention
    period counts, is a column approved_at of index.csv, or --approved-at for all, in milliseconds since 1970. Interrupted, the same command goes on: what is
    enrolled is passed over. Each session that can't be enrolled is named on stderr with its reason; exit status 1 then.

      reverify import --store bank.db --organisation bank --workflow onboarding --space edgeface-xs --data FOLDER \\
        --email-domain example.org --approved-at 1767225600000
    """
  static let options =
    StoreAccess.options + EngineAccess.options + EmbeddingInput.options + [
      StoreAccess.organisation, .option("workflow", "ID", "the workflow they were approved on"),
      .option(
        "approved-at", "MS",
        "when all were approved, in milliseconds since 1970 (default: the column approved_at)"),
      .option("email-domain", "DOMAIN", "makes users that aren't known yet"),
      .option("batch", "N", "sessions in one commit (default 1000)"),
    ]

  static func run(_ arguments: Arguments) async throws -> Int32 {
    let organisation = try StoreAccess.organisationID(arguments)
    let workflow = WorkflowID(try arguments.required("workflow"))
    let batch = try arguments.number("batch", in: 1...10_000, default: 1000)
    let input = try EmbeddingInput.required(arguments)
    guard let folder = arguments["data"] else {
      throw UsageError("--data FOLDER is needed, with its index.csv")
    }
    let index = try IndexFile.read("\(folder)/index.csv", rowCount: input.matrix.rowCount)
    let approvedAt = try ApprovalTime.ofRows("\(folder)/index.csv", arguments)
    return try await EngineAccess.with(arguments) { store, engine in
      let space = try await EngineAccess.space(of: store, arguments)
      var counts: [String: Int] = [:]
      var progress = Progress("import")
      for start in stride(from: 0, to: input.matrix.rowCount, by: batch) {
        let rows = start..<min(start + batch, input.matrix.rowCount)
        let entries = rows.map { index.entries[$0] }
        if let domain = arguments["email-domain"] {
          try await makeUsers(Set(entries.map(\.subject)), domain, organisation, in: store)
        }
        let approvals = zip(rows, entries).map { row, entry in
          SessionApproval(
            id: SessionID("\(entry.subject)/\(entry.image)"), organisation: organisation,
            workflow: workflow,
            user: UserID(entry.subject), approvedAt: approvedAt[row],
            embeddings: [UncheckedEmbedding(Array(input.matrix[row]), space: space)])
        }
        for (approval, result) in zip(approvals, await engine.importSessions(approvals)) {
          switch result {
          case .success(let enrolment): counts[enrolment.status.rawValue, default: 0] += 1
          case .failure(let error):
            counts["failed", default: 0] += 1
            complain("session \(approval.id): \(error)")
          }
        }
        progress.show(rows.upperBound, of: input.matrix.rowCount)
      }
      for (name, count) in counts.sorted(by: { $0.key < $1.key }) {
        Output.standard.write("\(name) \(count)\n")
      }
      return counts["failed"] == nil ? ExitStatus.success : ExitStatus.partial
    }
  }

  private static func makeUsers(
    _ subjects: Set<String>, _ domain: String, _ organisation: OrganisationID, in store: SQLiteStore
  ) async throws {
    var changes: [StoreChange] = []
    for subject in subjects.sorted() {
      guard try await store.user(UserID(subject), in: organisation) == nil else { continue }
      guard let email = EmailAddress("\(subject)@\(domain)") else {
        throw InputError("subject '\(subject)' makes no e-mail address in that domain")
      }
      changes.append(.user(User(id: UserID(subject), organisation: organisation, email: email)))
    }
    if !changes.isEmpty { try await store.commit(changes) }
  }
}
