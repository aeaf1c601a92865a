import Biometrics
import EnrolmentStore
import TestSupport
import Testing

@Suite("reverify verify-erased")
struct VerifyErasedTests {
  private static let digits = String(repeating: "1f", count: 32)

  /// A folder with a store in which anna of the bank was erased.
  private func erased() async throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    let key = MasterKey(try #require(SecretKey([UInt8](repeating: 0x1F, count: 32))))
    let store = try await SQLiteStore.open(.init(path: folder.path + "/bank.db"), masterKey: key)
    try await Sample.fill(store)
    try await store.commit([
      .erase(Erasure(.user("anna"), of: Sample.bank, reason: .request, at: Sample.noon))
    ])
    await store.close()
    return folder
  }

  private func run(_ arguments: [String]) throws -> CommandRun {
    try CommandRun(["verify-erased"] + arguments, environment: ["REVERIFY_MASTER_KEY": Self.digits])
  }

  @Test("says that nothing was found, and in which files it looked")
  func nothing() async throws {
    let folder = try await erased()
    let path = folder.path + "/bank.db"
    let run = try self.run(["--store", path, "--email", "anna@example.com"])
    #expect(run.status == 0)
    #expect(run.lines.first == "erasures in the ledger: 1")
    #expect(run.lines.last == "nothing of the erased was found")
    #expect(run.output.contains("looked at \(folder.path)/bank.db-erasures"))
  }

  @Test("finds an address and an embedding in files beside, and shows neither")
  func traces() async throws {
    let folder = try await erased()
    let path = folder.path + "/bank.db"
    defer { withExtendedLifetime(folder) {} }
    _ = try folder.write("engine.log", Array("begin anna@example.com".utf8))
    let values = (0..<32).map { Float($0) * 0.37 - 5 }
    let table = try folder.write("looked-for.csv", Array(values.map { "\($0)" }.joined(separator: ",").utf8))
    _ = try folder.write(
      "core", values.flatMap { withUnsafeBytes(of: $0.bitPattern.littleEndian) { Array($0) } })
    let run = try self.run([
      "--store", path, "--email", "Anna@example.com", "--embeddings", table, "--also", folder.path,
    ])
    #expect(run.status == 1)
    #expect(run.output.contains("engine.log: trace: e-mail address at byte 6"))
    #expect(run.output.contains("core: trace: embedding 0 at byte 0"))
    #expect(!run.output.contains("anna@") && !run.errors.contains("anna@"))
  }

  @Test("a missing store, a wrong key and no key are errors with their reasons")
  func errors() async throws {
    let folder = try await erased()
    let path = folder.path + "/bank.db"
    defer { withExtendedLifetime(folder) {} }
    let missing = try run(["--store", folder.path + "/none.db"])
    #expect(missing.status == 65 && missing.errors.contains("there is no store"))
    let wrong = try CommandRun(
      ["verify-erased", "--store", path],
      environment: ["REVERIFY_MASTER_KEY": String(repeating: "2e", count: 32)])
    #expect(wrong.status == 65 && wrong.errors.contains("wrongKey"))
    #expect(try run([]).status == 64)
    let key = try folder.write("key", Array(Self.digits.utf8))
    let readable = try run(["--store", path, "--master-key", key])
    #expect(readable.status == 65 && readable.errors.contains("mode 600"))
  }
}
