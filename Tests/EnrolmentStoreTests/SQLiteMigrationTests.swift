import Biometrics
import Foundation
import TestSupport
import Testing

@testable import EnrolmentStore

@Suite("Versions of the SQLite store")
struct SQLiteMigrationTests {
  private static let vectors = CommandRun.package.appending(path: "Tests/Vectors/Store").path
  private static let key = MasterKey(SecretKey(Array(0..<32))!)

  private static func contents(of store: any EnrolmentStore) async throws -> StoreContents {
    try await StoreContents(of: store).withoutChains
  }

  @Test(
    "an older store becomes one of today's, with all that is in it", arguments: 1...Int(Schema.version) - 1)
  func older(version: Int) async throws {
    let place = try StorePlace()
    for suffix in ["", "-erasures"] {
      try FileManager.default.copyItem(
        atPath: "\(Self.vectors)/version-\(version).db\(suffix)", toPath: place.path + suffix)
    }
    let expected = InMemoryStore()
    try await Sample.fillWithoutDecisions(expected)
    try expected.commit([Sample.erasure(.session("s2"))])
    for _ in 0..<2 {
      let store = try await place.open(key: Self.key)
      #expect(try await Self.contents(of: store) == Self.contents(of: expected))
      #expect(try await store.preparingSessions(in: Sample.bank, limit: 9).count == 1)
      await store.close()
      #expect(try place.userVersion() == Schema.version)
    }
  }

  @Test("a newer store is refused, also for reading, and left as it is")
  func newer() async throws {
    let place = try StorePlace()
    await (try await place.open()).close()
    try place.execute(["PRAGMA user_version=\(Schema.version + 1)"])
    let before = try Data(contentsOf: URL(filePath: place.path))
    for access in [SQLiteStore.Access.readWrite, .readOnly] {
      await expect(.unknownVersion) { _ = try await place.open(access) }
    }
    #expect(try Data(contentsOf: URL(filePath: place.path)) == before)
  }

  @Test("an older store is not opened for reading only, since that can't bring it up to date")
  func olderReadOnly() async throws {
    let place = try StorePlace()
    await (try await place.open()).close()
    try place.execute(["PRAGMA user_version=1"])
    await expect(.unknownVersion) { _ = try await place.open(.readOnly) }
  }

  @Test("a file that is no store is damaged, whatever it is")
  func noStore() async throws {
    let place = try StorePlace()
    try Data("no database at all, but long enough to be looked at as if it were one".utf8)
      .write(to: URL(filePath: place.path))
    await expect(.damaged) { _ = try await place.open() }
    let other = try StorePlace()
    try other.execute(["CREATE TABLE something (x)"])
    await expect(.damaged) { _ = try await other.open() }
    await expect(.unavailable) { _ = try await StorePlace().open(.readOnly) }
  }

  /// Run with REVERIFY_WRITE_VECTORS=1 to make the file of the version before anew.
  @Test(
    "the vector of the version before is written",
    .enabled(if: ProcessInfo.processInfo.environment["REVERIFY_WRITE_VECTORS"] == "1"))
  func write() async throws {
    let place = try StorePlace()
    let store = try await place.open(key: Self.key)
    try await Sample.fillWithoutDecisions(store)
    try await store.commit([Sample.erasure(.session("s2"))])
    await store.close()
    try place.execute(["DROP TABLE captures_seen", "VACUUM", "PRAGMA user_version=2"])
    try FileManager.default.createDirectory(atPath: Self.vectors, withIntermediateDirectories: true)
    for suffix in ["", "-erasures"] {
      let target = "\(Self.vectors)/version-2.db\(suffix)"
      try? FileManager.default.removeItem(atPath: target)
      try FileManager.default.copyItem(atPath: place.path + suffix, toPath: target)
    }
  }
}

extension StorePlace {
  func userVersion() throws -> Int64? {
    try Database(path, access: .readOnly, files: nil).first("PRAGMA user_version") {
      (row: Row) throws(StoreError) in try row.integer(0)
    }
  }
}
