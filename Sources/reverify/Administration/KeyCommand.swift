import Biometrics
import EnrolmentStore
import EvaluationCommands
import ReVerification

enum KeyCommand: Command {
  static let name = "key"
  static let summary = "make, replace or revoke an API key"
  static let explanation = """
    Makes a key of 256 random bits and prints it, once: only its digest is kept. An id that is in use is refused; --replace
    gives it a new secret, with which the old one ends at once. --revoke revokes a key for good, by its id or, without --key, by
    its secret in the environment variable REVERIFY_API_KEY; a revoked id is never valid again.

      reverify key --store bank.db --organisation bank --key backend-1
      reverify key --store bank.db --organisation bank --key backend-1 --revoke
    """
  static let options =
    StoreAccess.options + [
      StoreAccess.organisation, .option("key", "ID", "the key's public id"),
      .flag("sandbox", "for trying out an integration; re-verifies nobody"),
      .flag("without-re-verification", "a key that may not use re-verification"),
      .flag("replace", "gives a key that is there a new secret"),
      .flag("revoke", "revokes the key"),
    ]

  static func run(_ arguments: Arguments) async throws -> Int32 {
    let organisation = try StoreAccess.organisationID(arguments)
    if arguments.has("revoke") {
      try arguments.refuse(
        ["sandbox", "without-re-verification", "replace"], because: "does not go with --revoke")
      return try await StoreAccess.with(arguments) { store in
        try await revoke(arguments, organisation, in: store)
      }
    }
    let id = APIKeyID(try arguments.required("key"))
    return try await StoreAccess.with(arguments) { store in
      try requireFree(
        try await store.apiKey(id, in: organisation), replacing: arguments.has("replace"),
        "\(organisation) has no key \(id)")
      let secret = hexadecimal(SystemRandomness().bytes(32))
      let key = APIKey(
        id: id, secret: secret, organisation: organisation,
        environment: arguments.has("sandbox") ? .sandbox : .live,
        permissions: arguments.has("without-re-verification") ? [] : [.reVerification])
      try await store.commit([.apiKey(key)])
      Output.standard.write("\(secret)\n")
      return ExitStatus.success
    }
  }

  /// Throws unless a key can be made where `known` is: there must be one to replace, and none else; a revoked one stays.
  private static func requireFree(
    _ known: APIKey?, replacing: Bool, _ missing: String
  ) throws(InputError) {
    guard let known else {
      if replacing { throw InputError(missing) }
      return
    }
    guard known.status != .revoked else {
      throw InputError("key \(known.id) was revoked, and its id is not given again")
    }
    guard replacing else {
      throw InputError("there is a key \(known.id); --replace ends its secret and makes a new one")
    }
  }

  private static func revoke(
    _ arguments: Arguments, _ organisation: OrganisationID, in store: SQLiteStore
  ) async throws -> Int32 {
    let found =
      if let id = arguments["key"] {
        try await store.apiKey(APIKeyID(id), in: organisation)
      } else {
        try await store.apiKey(APIKey.digest(of: try APIKeySecret.fromEnvironment()))
      }
    guard var key = found, key.organisation == organisation else {
      throw InputError("\(organisation) has no such key")
    }
    key.status = .revoked
    try await store.commit([.apiKey(key)])
    Output.standard.write("revoked \(key.id)\n")
    return ExitStatus.success
  }
}
