import Biometrics
import CFaultyFiles
import EnrolmentStore
import TestSupport
import Testing

/// Serialised, since the faulty files have one plan for the process.
@Suite("A SQLite store on a failing disk", .serialized)
struct SQLiteFaultTests {
  private static let faults = [FAULTY_FILES_ERROR, FAULTY_FILES_TORN, FAULTY_FILES_FULL, FAULTY_FILES_GONE]

  init() {
    let status = faulty_files_register()
    #expect(status == 0)
  }

  @Test("after a failed write or a full disk everything acknowledged is there, and nothing is half there")
  func failingWrites() async throws {
    var (failed, ledgerAhead) = (0, 0)
    for seed in 0..<(LongRuns.areEnabled ? 200 : 24) {
      let run = try await FaultRun(seed: UInt64(seed), fault: Self.faults[seed % Self.faults.count])
      failed += run.failures
      ledgerAhead += run.keptThoughFailed
    }
    // The faults did hit.
    #expect(failed >= (LongRuns.areEnabled ? 150 : 15))
    print("failing writes: \(failed) commits failed, \(ledgerAhead) of them were kept all the same")
  }

  @Test("a rotation that was cut off goes on, and in between everything is read", arguments: [4, 12, 20])
  func cutOffRotation(operation: Int) async throws {
    let place = try StorePlace()
    faulty_files_plan(.max, FAULTY_FILES_NONE)
    let store = try await place.open(files: "faulty")
    try await Sample.fill(store)
    let contents = try await StoreContents(of: store)
    faulty_files_plan(operation, FAULTY_FILES_GONE)
    await #expect(throws: (any Error).self) { try await store.rotateDataKey(of: Sample.bank) }
    await store.close()
    let again = try await place.open()
    #expect(try await StoreContents(of: again) == contents)
    try await again.rotateDataKey(of: Sample.bank)
    #expect(try await StoreContents(of: again) == contents)
    await again.close()
    #expect(try place.generations(of: "bank").allSatisfy { $0 == 2 })
  }
}

/// A store filled by random commits, one of which the disk fails, against a model of what must be there.
private struct FaultRun {
  private(set) var failures = 0
  /// Commits that threw `unavailable` and were kept.
  private(set) var keptThoughFailed = 0

  private var acknowledged: [[StoreChange]] = []
  private var generator: SeededGenerator
  private let place: StorePlace
  private let seed: UInt64

  init(seed: UInt64, fault: faulty_files_fault) async throws {
    self.seed = seed
    generator = SeededGenerator(seed: seed)
    place = try StorePlace()
    faulty_files_plan(.max, FAULTY_FILES_NONE)
    var store = try await place.open(files: "faulty")
    try await Sample.people(of: store)
    faulty_files_plan(Int.random(in: 1...80, using: &generator), fault)
    for number in 0..<20 {
      let changes = try self.changes(number)
      let error = await Self.error(of: changes, in: store)
      if error == nil {
        acknowledged.append(changes)
      } else {
        #expect(error?.code == .unavailable, "seed \(seed)")
        failures += 1
        // Some runs go on with the store as it is, others open it anew, after the disk has recovered.
        faulty_files_plan(.max, FAULTY_FILES_NONE)
        let isOpen = (try? await store.organisations()) != nil
        if !isOpen || Bool.random(using: &generator) {
          await store.close()
          store = try await place.open(files: "faulty")
        }
        try await resolve(changes, in: store)
      }
    }
    await store.close()
    faulty_files_plan(.max, FAULTY_FILES_NONE)
    let again = try await place.open(files: "faulty")
    let found = try await contents(of: again)
    let expected = try await model(acknowledged)
    let isExpected = found == expected
    #expect(isExpected, "seed \(seed)")
    await again.close()
  }

  private static func error(of changes: [StoreChange], in store: SQLiteStore) async -> StoreError? {
    do throws(StoreError) {
      try await store.commit(changes)
      return nil
    } catch {
      return error
    }
  }

  /// The commit that failed is whole or not there at all.
  private mutating func resolve(_ changes: [StoreChange], in store: SQLiteStore) async throws {
    let found = try await contents(of: store)
    if try await found == model(acknowledged) { return }
    let kept = try await model(acknowledged + [changes])
    let isKept = found == kept
    #expect(isKept, "seed \(seed): a failed commit is half there")
    acknowledged.append(changes)
    keptThoughFailed += 1
  }

  private func model(_ commits: [[StoreChange]]) async throws -> StoreContents {
    let store = InMemoryStore()
    try await Sample.people(of: store)
    for changes in commits { try store.commit(changes) }
    return try await contents(of: store)
  }

  private func contents(of store: any EnrolmentStore) async throws -> StoreContents {
    try await StoreContents(of: store).withoutChains
  }

  /// A session that was enrolled.
  private var oldSession: SessionID? {
    let sessions = acknowledged.joined().compactMap { change -> SessionID? in
      if case .enrol(let enrolled) = change { enrolled.session.id } else { nil }
    }
    return sessions.last
  }

  /// A commit of several changes, as an engine makes them, or of an erasure.
  private mutating func changes(_ number: Int) throws -> [StoreChange] {
    switch Int.random(in: 0..<6, using: &generator) {
    case 0, 1: [.enrol(Sample.session("s\(number)")), .decision(try Sample.decision("d\(number)"))]
    case 2: [.balance(Credits(Int64(number)), of: Sample.bank), .charge(Credits(3), to: Sample.bank)]
    case 3:
      [.user(try Sample.user("u\(number)", "u\(number)@example.com")), .decision(try Sample.decision("d"))]
    case 4: oldSession.map { [Sample.erasure(.session($0))] } ?? [.balance(nil, of: Sample.airline)]
    default: [.enrol(Sample.session("p\(number)")), .ready("p\(number)", in: Sample.bank)]
    }
  }
}
