import Biometrics
import EnrolmentStore
import EvaluationCommands
import FaceMatching
import ReVerification

enum EraseCommand: Command {
  static let name = "erase"
  static let summary =
    "erase a user, a session, evidence, an organisation, or what is past retention"
  static let explanation = """
    Erases for good: rows and the space they took, in this store and, by its ledger, in every backup of it that is opened
    later. Decision records stay; they hold no biometric data. Ids of the erased are not given again. 'reverify
    verify-erased' looks for what is left.

      reverify erase --store bank.db --organisation bank --user u-17
      reverify erase --store bank.db --organisation bank --past-retention
    """
  static let options =
    StoreAccess.options + [
      StoreAccess.organisation, .option("user", "ID", "the user with sessions and evidence"),
      .option("session", "ID", "one session"),
      .option("evidence", "ID", "what a re-verification was judged on"),
      .flag("whole-organisation", "all of the organisation"),
      .flag("past-retention", "what is past its workflow's retention period"),
      .option("reason", "WHY", "request, retention, departure or correction (default: request)"),
    ]

  static func run(_ arguments: Arguments) async throws -> Int32 {
    let organisation = try StoreAccess.organisationID(arguments)
    let reason: Erasure.Reason = try arguments.choice("reason", default: .request)
    var subjects: [Erasure.Subject] = []
    if let id = arguments["user"] { subjects.append(.user(UserID(id))) }
    if let id = arguments["session"] { subjects.append(.session(SessionID(id))) }
    if let id = arguments["evidence"] { subjects.append(.evidence(ReVerificationID(id))) }
    if arguments.has("whole-organisation") { subjects.append(.organisation) }
    guard subjects.count + (arguments.has("past-retention") ? 1 : 0) == 1 else {
      throw UsageError(
        "one of --user, --session, --evidence, --whole-organisation and --past-retention is needed")
    }
    return try await StoreAccess.with(arguments) { store in
      if let subject = subjects.first {
        try await store.commit([
          .erase(Erasure(subject, of: organisation, reason: reason, at: SystemClock().now()))
        ])
        Output.standard.write("erased\n")
        return ExitStatus.success
      }
      try await store.requireKnown(organisation)
      var count = 0
      while true {
        let now = SystemClock().now()
        let past = try await store.pastRetention(in: organisation, at: now, limit: 1000)
        if past.isEmpty { break }
        try await store.commit(
          past.map { .erase(Erasure($0, of: organisation, reason: .retention, at: now)) })
        count += past.count
      }
      Output.standard.write("erased \(count)\n")
      return ExitStatus.success
    }
  }
}
