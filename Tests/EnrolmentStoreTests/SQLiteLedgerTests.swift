import Biometrics
import EnrolmentStore
import Foundation
import TestSupport
import Testing

@Suite("The ledger of erasures")
struct SQLiteLedgerTests {
  /// A store in which a session, a user and an organisation were erased, and a backup from before.
  private func erased() async throws -> (place: StorePlace, backup: Data) {
    let place = try StorePlace()
    let store = try await place.open()
    try await Sample.fill(store)
    await store.close()
    let backup = try Data(contentsOf: URL(filePath: place.path))
    let again = try await place.open()
    try await again.commit([
      Sample.erasure(.session("s2")), Sample.erasure(.user("anna")), Sample.erasure(.evidence("r2")),
    ])
    try await again.commit([Sample.erasure(.organisation, of: Sample.airline)])
    await again.close()
    return (place, backup)
  }

  @Test("a restored backup does not bring the erased back")
  func restore() async throws {
    let (place, backup) = try await erased()
    let before = try await place.open()
    let contents = try await StoreContents(of: before)
    await before.close()
    try backup.write(to: URL(filePath: place.path))
    let restored = try await place.open()
    #expect(try await StoreContents(of: restored) == contents)
    #expect(try await restored.erasures(after: 0, limit: 9).count == 4)
    #expect(try await restored.verifyErased().findings == [])
    await expect(.erased) { try await restored.commit([.user(Sample.user("anna", "x@example.com"))]) }
    // Going on, it numbers erasures on from the ledger's.
    try await restored.commit([Sample.erasure(.user("bert"))])
    #expect(try await restored.erasures(after: 4, limit: 9).map(\.sequence) == [5])
    await restored.close()
    let again = try await place.open()
    #expect(try await again.user("bert", in: Sample.bank) == nil)
  }

  @Test("a store opened for reading only is refused while erasures are to be applied")
  func readOnly() async throws {
    let (place, backup) = try await erased()
    try backup.write(to: URL(filePath: place.path))
    await expect(.unavailable) { _ = try await place.open(.readOnly) }
    await (try await place.open()).close()
    let reader = try await place.open(.readOnly)
    #expect(try await reader.user("anna", in: Sample.bank) == nil)
  }

  @Test("a missing ledger is refused, unless that is accepted")
  func missing() async throws {
    let (place, _) = try await erased()
    try FileManager.default.removeItem(atPath: place.path + "-erasures")
    await expect(.damaged) { _ = try await place.open() }
    let store = try await SQLiteStore.open(
      .init(path: place.path, ledgerLoss: .accept), masterKey: place.key)
    #expect(try await store.erasures(after: 0, limit: 9).count == 4)
    await store.close()
    let again = try await place.open()
    #expect(try await again.erasures(after: 0, limit: 9).count == 4)
  }

  @Test("a ledger that lost its last entries gets them back from the database")
  func shortened() async throws {
    let (place, _) = try await erased()
    let url = URL(filePath: place.path + "-erasures")
    let whole = try Data(contentsOf: url)
    for count in [1, 70, 300] {
      try whole.dropLast(count).write(to: url)
      await (try await place.open()).close()
      #expect(try Data(contentsOf: url) == whole, "\(count) bytes cut off")
    }
  }

  @Test("another store's ledger, or one with an altered, added or swapped line, is damaged")
  func altered() async throws {
    let (place, _) = try await erased()
    let url = URL(filePath: place.path + "-erasures")
    let whole = try Data(contentsOf: url)
    let lines = whole.split(separator: UInt8(ascii: "\n")).map { Data($0) }
    func joined(_ lines: [Data]) -> Data { lines.reduce(Data()) { $0 + $1 + Data("\n".utf8) } }
    var swapped = lines
    swapped.swapAt(1, 2)
    var edited = lines
    edited[2] = Data(String(decoding: lines[2], as: UTF8.self).replacing("anna", with: "bert").utf8)
    #expect(edited[2] != lines[2])
    let other = try StorePlace()
    await (try await other.open()).close()
    let foreign = try Data(contentsOf: URL(filePath: other.path + "-erasures"))
    for (name, content) in [
      ("swapped", joined(swapped)), ("edited", joined(edited)), ("foreign", foreign),
      ("added", whole + lines[1] + Data("\n".utf8)), ("removed", joined([lines[0]] + lines[2...])),
    ] {
      try content.write(to: url)
      await expect(.damaged, "\(name)") { _ = try await place.open() }
    }
  }

  @Test("an erasure that reached the ledger and not the database is carried out at the next opening")
  func cutOff() async throws {
    let (place, _) = try await erased()
    // The database of a moment before, with the ledger of a moment after, is what a crash between the two leaves.
    let before = try Data(contentsOf: URL(filePath: place.path))
    let store = try await place.open()
    try await store.commit([Sample.erasure(.user("bert"))])
    await store.close()
    try before.write(to: URL(filePath: place.path))
    let again = try await place.open()
    #expect(try await again.user("bert", in: Sample.bank) == nil)
    #expect(try await again.erasures(after: 0, limit: 9).count == 5)
  }

  @Test("a ledger elsewhere is used there")
  func elsewhere() async throws {
    let place = try StorePlace()
    let ledger = place.folder.path + "/elsewhere"
    let store = try await SQLiteStore.open(.init(path: place.path, ledgerPath: ledger), masterKey: place.key)
    try await Sample.fill(store)
    try await store.commit([Sample.erasure(.user("bert"))])
    await store.close()
    #expect(try Data(contentsOf: URL(filePath: ledger)).count > 100)
    #expect(!FileManager.default.fileExists(atPath: place.path + "-erasures"))
  }
}
