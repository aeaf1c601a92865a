import Biometrics
import EnrolmentStore
import EvaluationCommands
import FaceMatching
import Foundation
import ReVerification

/// The store that a command works on, and the options that name it.
enum StoreAccess {
  static let options: [CommandOption] = [
    .option("store", "FILE", "the database"),
    .option("ledger", "FILE", "the ledger of erasures (default: beside the database)"),
    .option(
      "master-key", "FILE", "the master key (default: the environment variable REVERIFY_MASTER_KEY)"
    ),
  ]

  static let organisation = CommandOption.option("organisation", "ID", "whose it is")

  static func masterKey(_ arguments: Arguments) throws -> MasterKey {
    try arguments["master-key"].map { try MasterKey.file($0) } ?? MasterKey.environment()
  }

  static func configuration(_ arguments: Arguments) throws -> SQLiteStore.Configuration {
    .init(path: try arguments.required("store"), ledgerPath: arguments["ledger"])
  }

  /// Opens a store that is there, lets `work` use it, and closes it whatever comes of it.
  static func with<Value>(
    _ arguments: Arguments, _ work: (SQLiteStore) async throws -> Value
  ) async throws -> Value {
    let configuration = try configuration(arguments)
    guard FileManager.default.fileExists(atPath: configuration.path) else {
      throw InputError("\(configuration.path): there is no store; 'reverify init' makes one")
    }
    let store = try await SQLiteStore.open(configuration, masterKey: try masterKey(arguments))
    let result: Result<Value, any Error>
    do {
      result = .success(try await work(store))
    } catch {
      result = .failure(error)
    }
    await store.close()
    return try result.get()
  }

  static func organisationID(_ arguments: Arguments) throws -> OrganisationID {
    OrganisationID(try arguments.required("organisation"))
  }
}

extension Arguments {
  /// The value of an option that can't be left out.
  func required(_ name: String) throws(UsageError) -> String {
    guard let value = self[name] else { throw UsageError("--\(name) is needed") }
    return value
  }

  /// The value of `name` as one of a closed set, or `fallback` when it isn't given.
  func choice<Choice: RawRepresentable<String> & CaseIterable>(
    _ name: String, default fallback: Choice
  ) throws(UsageError) -> Choice {
    guard let text = self[name] else { return fallback }
    guard let choice = Choice(rawValue: text) else {
      let all = Choice.allCases.map(\.rawValue).joined(separator: ", ")
      throw UsageError("--\(name) is one of \(all), not '\(text)'")
    }
    return choice
  }
}
