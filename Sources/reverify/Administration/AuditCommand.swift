import Biometrics
import EnrolmentStore
import EvaluationCommands
import Foundation

enum AuditCommand: Command {
  static let name = "audit"
  static let summary = "check the chain of an organisation's decision records"
  static let explanation = """
    Finds the first record that was removed, edited or reordered, and a missing end; exit status 1 then. --note writes where
    the chain ends into a file, to be kept elsewhere; --noted reads one back, which shows whether the whole store was set back
    since.

      reverify audit --store bank.db --organisation bank --note head.json
    """
  static let options =
    StoreAccess.options + [
      StoreAccess.organisation, .option("note", "FILE", "writes the chain's head"),
      .option("noted", "FILE", "a head written earlier, which the chain must contain"),
    ]

  static func run(_ arguments: Arguments) async throws -> Int32 {
    let organisation = try StoreAccess.organisationID(arguments)
    var outputs = OutputFiles()
    try outputs.announce("note", at: arguments["note"])
    try outputs.requireDistinct(from: ["store", "ledger", "master-key"].compactMap { arguments[$0] })
    let noted = try arguments["noted"].map { path in
      guard let data = FileManager.default.contents(atPath: path),
        let head = try? JSONDecoder().decode(ChainHead.self, from: data)
      else { throw InputError("\(path): expected a head that 'audit --note' wrote") }
      return head
    }
    return try await StoreAccess.with(arguments) { store in
      switch try await store.audit(of: organisation, noted: noted) {
      case .intact(let head):
        Output.standard.write("intact: \(head.sequence) records\n")
        if let path = arguments["note"] { try writeFile(JSONEncoder().encode(head), to: path) }
        return ExitStatus.success
      case .broken(let fault):
        Output.standard.write("broken: \(fault)\n")
        return ExitStatus.partial
      }
    }
  }
}
