import Biometrics
import EnrolmentStore
import EvaluationCommands

enum OrganisationCommand: Command {
  static let name = "org"
  static let summary = "add an organisation, set its balance or lock-out, or list all"
  static let explanation = """
    Without --organisation it lists the organisations with their balances. A balance of 'none' is never insufficient. The
    lock-out counts a user's failures over all workflows, beside the workflows' own; re-verifications that are under way keep
    the terms they were begun on.

      reverify org --store bank.db --organisation bank --balance 1000 --lock-out 20/86400/86400
    """
  static let options =
    StoreAccess.options + [
      StoreAccess.organisation,
      .option("balance", "N", "what it can spend, or 'none' (the default of a new one)"),
      LockOutOption.option,
    ]

  static func run(_ arguments: Arguments) async throws -> Int32 {
    try await StoreAccess.with(arguments) { store in
      if let id = arguments["organisation"].map({ OrganisationID($0) }) {
        let old = try await store.organisation(id)
        let lockOut = try LockOutOption.read(arguments, old: old?.lockOut)
        var changes: [StoreChange] = [.organisation(Organisation(id: id, lockOut: lockOut))]
        if let text = arguments["balance"] { changes.append(.balance(try balance(text), of: id)) }
        try await store.commit(changes)
      }
      for organisation in try await store.organisations() {
        let balance = try await store.balance(of: organisation.id)
        let lockOut = organisation.lockOut.map { "  lock-out \($0.text)" } ?? ""
        Output.standard.write(
          "\(organisation.id)  balance \(balance.map { "\($0.units)" } ?? "none")\(lockOut)\n")
      }
      return ExitStatus.success
    }
  }

  private static func balance(_ text: String) throws(UsageError) -> Credits? {
    if text == "none" { return nil }
    guard let units = Int64(text), units >= 0 else {
      throw UsageError("--balance is a whole number from 0 on or 'none', not '\(text)'")
    }
    return Credits(units)
  }
}

extension LockOutPolicy {
  /// As the option takes it.
  fileprivate var text: String {
    "\(failures)/\(window.components.seconds)/\(duration.components.seconds)"
  }
}
