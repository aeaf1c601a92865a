import EmbeddingFiles
import EnrolmentStore
import EvaluationCommands
import Foundation
import ReVerification

enum VerifyErasedCommand: Command {
  static let name = "verify-erased"
  static let summary = "looks for the erased in the files of a store"
  static let explanation = """
    Opens the store, which applies the ledger of erasures, and looks for what should not be there any more: rows of erased
    users, sessions, organisations and evidence, anything in space of the database file that belongs to no row, and references of
    the erased in the gallery's snapshots, which it opens. With --email or --embeddings it also looks for those very bytes (embeddings as 32-bit and 16-bit floats and 8-bit
    integers) in the store's files and in those of --also: snapshots, logs, backups. Exit status 1 when something was found.

      reverify verify-erased --store bank.db --master-key key.hex --email ada@example.org --also /var/log/reverify
    """
  static let options = StoreAccess.options + [
    .option("email", "ADDRESS", "an address to look for"),
    .option("embeddings", "FILE", "embeddings to look for: any file that 'compare' reads"),
    .option("also", "PATH", "a file or folder to look in as well"),
  ]

  static func run(_ arguments: Arguments) async throws -> Int32 {
    let scan = try await StoreAccess.with(arguments) { try await self.scan($0, arguments) }
    Output.standard.write("erasures in the ledger: \(scan.erasures)\n")
    for file in scan.files { Output.standard.write("looked at \(file.path): \(file.bytes) bytes\n") }
    for finding in scan.findings { Output.standard.write("found in \(finding)\n") }
    Output.standard.write(scan.findings.isEmpty ? "nothing of the erased was found\n" : "")
    return scan.findings.isEmpty ? ExitStatus.success : ExitStatus.partial
  }

  private static func scan(_ store: SQLiteStore, _ arguments: Arguments) async throws -> ErasureScan {
    var traces: [ErasureTrace] = []
    if let email = arguments["email"] { traces.append(ErasureTrace(email: email)) }
    if let path = arguments["embeddings"] {
      let matrix = try EmbeddingFile.read(path)
      for row in 0..<matrix.rowCount {
        traces.append(ErasureTrace(embedding: Array(matrix[row]), name: "embedding \(row)"))
      }
    }
    var scan = try await store.verifyErased(
      traces: traces, others: try arguments["also"].map(files) ?? [])
    try await scan.lookIntoSnapshots(of: store)
    return scan
  }

  /// The file at `path`, or all files in and below the folder.
  private static func files(at path: String) throws -> [String] {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
      throw InputError("\(path): can't be read")
    }
    guard isFolder.boolValue else { return [path] }
    let names = FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String } ?? []
    return names.sorted().map { "\(path)/\($0)" }.filter { name in
      var isFolder: ObjCBool = false
      return FileManager.default.fileExists(atPath: name, isDirectory: &isFolder) && !isFolder.boolValue
    }
  }
}
