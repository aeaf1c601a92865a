import Biometrics
import EnrolmentStore
import EvaluationCommands
import ReVerification

enum KeyCommand: Command {
  static let name = "key"
  static let summary = "make or revoke an API key"
  static let explanation = """
    Makes a key of 256 random bits and prints it, once: only its digest is kept. --revoke takes the key's secret from the
    environment variable REVERIFY_API_KEY and revokes it for good.

      reverify key --store bank.db --organisation bank --key backend-1
    """
  static let options =
    StoreAccess.options + [
      StoreAccess.organisation, .option("key", "ID", "the key's public id"),
      .flag("sandbox", "for trying out an integration; re-verifies nobody"),
      .flag("without-re-verification", "a key that may not use re-verification"),
      .flag("revoke", "revokes the key in REVERIFY_API_KEY"),
    ]

  static func run(_ arguments: Arguments) async throws -> Int32 {
    let organisation = try StoreAccess.organisationID(arguments)
    return try await StoreAccess.with(arguments) { store in
      if arguments.has("revoke") {
        guard
          var key = try await store.apiKey(APIKey.digest(of: try APIKeySecret.fromEnvironment())),
          key.organisation == organisation
        else { throw InputError("\(organisation) has no such key") }
        key.status = .revoked
        try await store.commit([.apiKey(key)])
        Output.standard.write("revoked \(key.id)\n")
        return ExitStatus.success
      }
      let secret = SystemRandomness().bytes(32).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
        .joined()
      let key = APIKey(
        id: APIKeyID(try arguments.required("key")), secret: secret, organisation: organisation,
        environment: arguments.has("sandbox") ? .sandbox : .live,
        permissions: arguments.has("without-re-verification") ? [] : [.reVerification])
      try await store.commit([.apiKey(key)])
      Output.standard.write("\(secret)\n")
      return ExitStatus.success
    }
  }
}
