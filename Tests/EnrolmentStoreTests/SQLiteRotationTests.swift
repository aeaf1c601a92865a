import Biometrics
import TestSupport
import Testing

@testable import EnrolmentStore

@Suite("Key rotation")
struct SQLiteRotationTests {
  @Test("after the master key was changed the new one opens the store, and the old one doesn't")
  func masterKey() async throws {
    let place = try StorePlace()
    let store = try await place.open()
    try await Sample.fill(store)
    let contents = try await StoreContents(of: store)
    let new = MasterKey(.random())
    try await store.rotateMasterKey(to: new)
    // An organisation that comes later is under the new key as well.
    try await store.commit([.organisation(Organisation(id: "rail"))])
    await store.close()
    await expect(.wrongKey) { _ = try await place.open() }
    let again = try await place.open(key: new)
    var after = try await StoreContents(of: again)
    after.organisations.removeAll { $0.id == "rail" }
    #expect(after == contents)
  }

  @Test("a new data key seals every row anew and changes nothing that is read")
  func dataKey() async throws {
    let place = try StorePlace()
    let store = try await place.open()
    try await Sample.fill(store)
    let contents = try await StoreContents(of: store)
    try await store.rotateDataKey(of: Sample.bank)
    #expect(try await StoreContents(of: store) == contents)
    await store.close()
    let generations = try place.generations(of: "bank")
    #expect(generations.count > 10 && generations.allSatisfy { $0 == 2 })
    #expect(try place.generations(of: "airline").allSatisfy { $0 == 1 })
    let again = try await place.open()
    #expect(try await StoreContents(of: again) == contents)
    try await again.rotateDataKey(of: Sample.bank)
    #expect(try await StoreContents(of: again) == contents)
  }
}

extension StorePlace {
  /// The generations of the keys that an organisation's rows are sealed under.
  func generations(of organisation: String) throws -> [Int64] {
    let database = try Database(path, access: .readWrite, files: nil)
    let tables = [
      "workflows", "users", "api_keys", "balances", "sessions", "session_embeddings", "re_verifications",
      "evidence",
      "failures", "decisions", "registers",
    ]
    return try tables.flatMap { table in
      try database.all("SELECT sealed FROM \(table) WHERE organisation = ?", organisation) {
        (row: Row) throws(StoreError) in
        Int64(try Sealing.generation(of: try row.bytes(0), SealedIdentity(table)))
      }
    }
  }
}
