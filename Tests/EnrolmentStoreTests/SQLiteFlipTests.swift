import Biometrics
import EnrolmentStore
import Foundation
import TestSupport
import Testing

@Suite("A damaged SQLite store")
struct SQLiteFlipTests {
  private static let flips = LongRuns.areEnabled ? 2000 : 150

  @Test("a flipped byte anywhere in the database or the ledger is a typed error, or all answers are right")
  func flips() async throws {
    let place = try StorePlace()
    let store = try await place.open()
    try await Self.fill(store)
    await store.close()
    let contents = try await Self.contents(of: place)
    let files = [place.path, place.path + "-erasures"]
    var (refused, right) = (0, 0)
    var generator = SeededGenerator(seed: 1)
    for flip in 0..<Self.flips {
      // Nine in ten hit the database.
      let url = URL(filePath: files[flip % 10 == 9 ? 1 : 0])
      let whole = try Data(contentsOf: url)
      var damaged = whole
      let offset = Int.random(in: 0..<whole.count, using: &generator)
      damaged[offset] ^= UInt8.random(in: 1...255, using: &generator)
      try damaged.write(to: url)
      do {
        let found = try await Self.contents(of: place)
        // An audit says of a head it can't read that the chain is broken there.
        let isBroken = found.audits.contains { if case .broken = $0 { true } else { false } }
        let isRight = found == contents
        #expect(isRight || isBroken, "\(url.lastPathComponent), byte \(offset)")
        if isRight { right += 1 } else { refused += 1 }
      } catch let error as StoreError {
        #expect(
          [.damaged, .wrongKey, .unknownVersion, .unavailable].contains(error.code),
          "\(url.lastPathComponent), byte \(offset): \(error)")
        refused += 1
      }
      for path in [place.path + "-wal", place.path + "-shm"] {
        try? FileManager.default.removeItem(atPath: path)
      }
      try whole.write(to: url)
    }
    #expect(refused + right == Self.flips && refused > Self.flips / 2)
    print("flips: \(refused) refused, \(right) answered right, of \(Self.flips)")
  }

  @Test(
    "a flipped byte in the log is a typed error, or costs at most the last commit, which a crash may tear")
  func logFlips() async throws {
    let place = try StorePlace()
    let store = try await place.open()
    try await Self.fill(store)
    await store.close()
    // What a killed process leaves: the files as they are between two commits, with the log not written back.
    let open = try await place.open()
    try await open.commit([.balance(Credits(1), of: Sample.bank), .enrol(Sample.session("late-1"))])
    try await open.commit([.balance(Credits(2), of: Sample.bank), .enrol(Sample.session("late-2"))])
    let before = try await StoreContents(of: open)
    try await open.commit([.balance(Credits(3), of: Sample.bank), .decision(Sample.decision("r1"))])
    let after = try await StoreContents(of: open)
    let database = try Data(contentsOf: URL(filePath: place.path))
    let log = try Data(contentsOf: URL(filePath: place.path + "-wal"))
    await open.close()

    var (refused, right, older) = (0, 0, 0)
    var generator = SeededGenerator(seed: 2)
    for flip in 0...(Self.flips / 4) {
      try database.write(to: URL(filePath: place.path))
      var damaged = log
      let byte = Int.random(in: 0..<log.count, using: &generator)
      if flip > 0 { damaged[byte] ^= UInt8.random(in: 1...255, using: &generator) }
      try damaged.write(to: URL(filePath: place.path + "-wal"))
      try? FileManager.default.removeItem(atPath: place.path + "-shm")
      do {
        let found = try await Self.contents(of: place)
        let (isRight, isOlder) = (found == after, found == before)
        #expect(isRight || (flip > 0 && isOlder), "byte \(byte)")
        if isRight { right += 1 } else { older += 1 }
      } catch let error as StoreError {
        #expect(error.code == .damaged, "byte \(byte): \(error)")
        refused += 1
      }
    }
    #expect(refused > 0)
    print("log flips: \(refused) refused, \(right) right, \(older) without the last commit")
  }

  private static func fill(_ store: SQLiteStore) async throws {
    try await Sample.fill(store)
    for number in 1...20 {
      try await store.commit([
        .user(Sample.user("u\(number)", "u\(number)@example.com")),
        .enrol(Sample.session("x\(number)", of: "u\(number)")), .decision(Sample.decision("r1")),
      ])
    }
    try await store.commit([Sample.erasure(.session("x3")), Sample.erasure(.user("u4"))])
  }

  private static func contents(of place: StorePlace) async throws -> StoreContents {
    let store = try await place.open()
    do {
      let contents = try await StoreContents(of: store)
      await store.close()
      return contents
    } catch {
      await store.close()
      throw error
    }
  }
}
