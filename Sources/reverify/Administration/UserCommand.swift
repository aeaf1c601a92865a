import Biometrics
import EnrolmentStore
import EvaluationCommands

enum UserCommand: Command {
  static let name = "user"
  static let summary = "add a user or change their e-mail address, or show one"
  static let explanation = """
    With --email it adds the user, or changes the address; without, it shows the user's sessions and lock-out.

      reverify user --store bank.db --organisation bank --user u-17 --email ada@example.org
    """
  static let options =
    StoreAccess.options + [
      StoreAccess.organisation, .option("user", "ID", "the user's id"),
      .option("email", "ADDRESS", "the e-mail address, by which begin finds the user"),
    ]

  static func run(_ arguments: Arguments) async throws -> Int32 {
    let organisation = try StoreAccess.organisationID(arguments)
    let id = UserID(try arguments.required("user"))
    return try await StoreAccess.with(arguments) { store in
      if let text = arguments["email"] {
        guard let email = EmailAddress(text) else {
          throw UsageError("--email is no e-mail address")
        }
        try await store.commit([.user(User(id: id, organisation: organisation, email: email))])
      }
      guard try await store.user(id, in: organisation) != nil else {
        throw InputError("there is no user \(id) of \(organisation)")
      }
      Output.standard.write("user \(id) of \(organisation)\n")
      for session in try await store.sessions(of: id, in: organisation) {
        Output.standard.write(
          "session \(session.id)  workflow \(session.workflow)  \(session.preparation.rawValue)\n")
      }
      let failures = try await store.failures(of: id, in: organisation)
      Output.standard.write("failures counted: \(failures.failures.count)\n")
      return ExitStatus.success
    }
  }
}
