import EnrolmentStore
import EvaluationCommands
import Foundation
import ReVerification

enum InitCommand: Command {
  static let name = "init"
  static let summary = "make a store, and a master key for it"
  static let explanation = """
    Makes an empty store. With --master-key and no such file it makes the key as well: 64 hexadecimal digits that only the
    owner can read. Whoever loses the key loses the store; whoever has both has the faces in it. Keep a copy elsewhere, and
    the ledger of erasures out of the database's backups.

      reverify init --store bank.db --master-key key.hex
    """
  static let options = StoreAccess.options

  static func run(_ arguments: Arguments) async throws -> Int32 {
    let configuration = try StoreAccess.configuration(arguments)
    guard !FileManager.default.fileExists(atPath: configuration.path) else {
      throw InputError("\(configuration.path): there is a file already")
    }
    if let path = arguments["master-key"], !FileManager.default.fileExists(atPath: path) {
      try makeKey(path)
      Output.standard.write("made the master key \(path)\n")
    }
    let store = try await SQLiteStore.open(
      configuration, masterKey: try StoreAccess.masterKey(arguments))
    await store.close()
    Output.standard.write("made the store \(configuration.path)\n")
    return ExitStatus.success
  }

  private static func makeKey(_ path: String) throws {
    let digits = hexadecimal(SystemRandomness().bytes(32))
    // Made unreadable to others before anything is in it, and never over a file that came meanwhile.
    let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw InputError("\(path): can't be made") }
    defer { close(file) }
    let line = Array("\(digits)\n".utf8)
    guard write(file, line, line.count) == line.count, fsync(file) == 0 else {
      throw InputError("\(path): can't be written")
    }
  }
}
