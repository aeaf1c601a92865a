import Biometrics
import EnrolmentStore
import Foundation
import TestSupport
import Testing

@Suite("The SQLite store")
struct SQLiteStoreTests {
  @Test("behaves as every store does", arguments: StoreBehaviour.all)
  func behaves(as behaviour: StoreBehaviour) async throws {
    let place = try StorePlace()
    let store = try await place.open()
    try await behaviour.check(store)
    await store.close()
  }

  @Test("keeps everything when it is closed and opened again")
  func reopening() async throws {
    let place = try StorePlace()
    let store = try await place.open()
    try await Sample.fill(store)
    let before = try await StoreContents(of: store)
    await store.close()
    let again = try await place.open()
    #expect(try await StoreContents(of: again) == before)
    #expect(before.sessions.count == 3 && before.decisions.count == 3)
  }

  @Test("a second opening is refused while the first has it, and not after")
  func claim() async throws {
    let place = try StorePlace()
    let store = try await place.open()
    await expect(.inUse) { _ = try await place.open() }
    let reader = try await place.open(.readOnly)
    #expect(try await reader.organisations() == [])
    await expect(.unavailable) { try await reader.commit([.organisation(Organisation(id: "bank"))]) }
    await store.close()
    await expect(.unavailable) { _ = try await store.organisations() }
    _ = try await place.open()
  }

  @Test("another master key, a missing one, or a key file that others can read is refused")
  func masterKey() async throws {
    let place = try StorePlace()
    await (try await place.open()).close()
    await expect(.wrongKey) { _ = try await place.open(key: MasterKey(.random())) }
    let digits = String(repeating: "0a", count: 32)
    let file = try place.folder.write("key", Array((digits + "\n").utf8))
    await expect(.wrongKey) { _ = try MasterKey.file(file) }
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
    let expected = MasterKey(SecretKey([UInt8](repeating: 10, count: 32))!).identifier()
    #expect(try MasterKey.file(file).identifier() == expected)
    for (name, text) in [("short", "0a0a"), ("none", ""), ("no-hex", String(repeating: "zz", count: 32))] {
      let path = try place.folder.write(name, Array(text.utf8))
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
      await expect(.wrongKey) { _ = try MasterKey.file(path) }
    }
    await expect(.wrongKey) { _ = try MasterKey.file(place.folder.path + "/absent") }
    await expect(.wrongKey) { _ = try MasterKey.environment("REVERIFY_NO_SUCH_VARIABLE") }
    setenv("REVERIFY_TEST_KEY", digits, 1)
    #expect(try MasterKey.environment("REVERIFY_TEST_KEY").identifier() == expected)
  }
}

/// A folder with a store in it.
struct StorePlace {
  let folder: TemporaryFolder
  let key = MasterKey(.random())

  init() throws { folder = try TemporaryFolder() }

  var path: String { folder.path + "/store.db" }

  func open(
    _ access: SQLiteStore.Access = .readWrite, key other: MasterKey? = nil, files: String? = nil,
    ledger: LedgerDisk = .system
  ) async throws -> SQLiteStore {
    var configuration = SQLiteStore.Configuration(path: path, access: access)
    configuration.files = files
    configuration.ledgerDisk = ledger
    return try await SQLiteStore.open(configuration, masterKey: other ?? key)
  }

  /// The files of the store, but for the claim.
  var files: [String] {
    ["", "-wal", "-erasures"].map { path + $0 }.filter { FileManager.default.fileExists(atPath: $0) }
  }
}

/// That `work` throws a store's error with this code.
func expect(
  _ code: StoreError.Code, _ comment: Comment? = nil, sourceLocation: SourceLocation = #_sourceLocation,
  _ work: () async throws -> Void
) async {
  await #expect(comment, sourceLocation: sourceLocation) {
    try await work()
  } throws: { error in
    (error as? StoreError)?.code == code
  }
}

/// So that tests can number their records.
extension Identifier: ExpressibleByStringInterpolation {}
