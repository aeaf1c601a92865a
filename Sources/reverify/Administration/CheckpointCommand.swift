import ReVerification

enum CheckpointCommand: Command {
  static let name = "checkpoint"
  static let summary = "write the gallery's snapshots, so that the next start need not build it"
  static let explanation = """
    Loads the gallery, from its snapshots where they are of the store's present state, and writes those that aren't: one encrypted
    file an organisation, in the folder beside the store. Every command that opens an engine does so at its end.

      reverify checkpoint --store bank.db
    """
  static let options = StoreAccess.options + EngineAccess.options

  static func run(_ arguments: Arguments) async throws -> Int32 {
    try await StoreAccess.with(arguments) { store in
      let engine = try await EngineAccess.open(store, arguments)
      let origins = await engine.origins
      for (organisation, result) in try await engine.checkpoint().sorted(by: { $0.key < $1.key }) {
        let origin = origins[organisation].map { ", read \($0)" } ?? ""
        Output.standard.write("\(organisation): \(result.name)\(origin)\n")
      }
      return ExitStatus.success
    }
  }
}
