import Biometrics
import TestSupport
import Testing

@testable import EnrolmentStore

@Suite("An inspection of a SQLite store")
struct SQLiteInspectionTests {
  private static func filled() async throws -> StorePlace {
    let place = try StorePlace()
    let store = try await place.open()
    try await Sample.fill(store)
    try await store.commit([
      .captureSeen(SeenCapture(name: [1], expiry: Sample.noon, content: [2])),
      Sample.erasure(.session("s2")),
    ])
    await store.close()
    return place
  }

  @Test("nothing is found in a store that is whole, and every sealed table is among those looked at")
  func whole() async throws {
    let place = try await Self.filled()
    let database = try Database(place.path, access: .readWrite, files: nil)
    let tables = try database.all(
      "SELECT m.name FROM sqlite_schema m JOIN pragma_table_info(m.name) c ON c.name = 'sealed' WHERE m.type = 'table'"
    ) { (row: Row) throws(StoreError) in try row.text(0) }
    #expect(
      Set(tables) == Set((SealedTable.ofStore + SealedTable.ofOrganisations).map(\.name)))
    for table in tables { #expect(try database.count(table) > 0, "\(table)") }
    #expect(try await place.open().inspect() == [])
  }

  @Test(
    "a row of any table that doesn't open is found, and the table named",
    arguments: (SealedTable.ofStore + SealedTable.ofOrganisations).map(\.name))
  func damagedRow(_ table: String) async throws {
    let place = try await Self.filled()
    try place.execute([
      "UPDATE \(table) SET sealed = zeroblob(length(sealed))"
    ])
    let store: SQLiteStore
    do {
      store = try await place.open()
    } catch let error as StoreError where table == "erasures" {
      // The ledger is held against it at opening.
      #expect(error.code == .damaged)
      return
    }
    let found = await store.inspect()
    #expect(!found.isEmpty && found.allSatisfy { $0.code == .damaged && $0.context.hasPrefix(table) })
  }
}
