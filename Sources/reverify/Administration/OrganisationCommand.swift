import Biometrics
import EnrolmentStore
import EvaluationCommands

enum OrganisationCommand: Command {
  static let name = "org"
  static let summary = "add an organisation, set its balance, or list all"
  static let explanation = """
    Without --organisation it lists the organisations with their balances. A balance of 'none' is never insufficient.

      reverify org --store bank.db --organisation bank --balance 1000
    """
  static let options =
    StoreAccess.options + [
      StoreAccess.organisation,
      .option("balance", "N", "what it can spend, or 'none' (the default of a new one)"),
    ]

  static func run(_ arguments: Arguments) async throws -> Int32 {
    try await StoreAccess.with(arguments) { store in
      if let id = arguments["organisation"].map({ OrganisationID($0) }) {
        var changes: [StoreChange] = [.organisation(Organisation(id: id))]
        if let text = arguments["balance"] { changes.append(.balance(try balance(text), of: id)) }
        try await store.commit(changes)
      }
      for organisation in try await store.organisations() {
        let balance = try await store.balance(of: organisation.id)
        Output.standard.write(
          "\(organisation.id)  balance \(balance.map { "\($0.units)" } ?? "none")\n")
      }
      return ExitStatus.success
    }
  }

  private static func balance(_ text: String) throws(UsageError) -> Credits? {
    if text == "none" { return nil }
    guard let units = Int64(text) else {
      throw UsageError("--balance is a whole number or 'none', not '\(text)'")
    }
    return Credits(units)
  }
}
