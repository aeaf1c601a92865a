import Biometrics
import CFaultyFiles
import EnrolmentStore
import Foundation
import TestSupport
import Testing

/// Lets the ledger's nth call fail, and all later ones until it recovers.
private final class FailingDisk: Sendable {
  enum Fault: CaseIterable {
    /// Nothing is written.
    case refused
    /// Half of it is written.
    case torn
    /// All is written, and nobody knows whether it is on the disk.
    case unsynchronised
  }

  private struct Plan {
    var calls = 0
    var failing = Int.max
    var fault = Fault.refused
  }

  private let plan = Guarded(Plan())

  func fail(fromCall count: Int, _ fault: Fault) {
    plan.withLock { $0 = Plan(calls: 0, failing: count, fault: fault) }
  }

  func recover() { plan.withLock { $0.failing = .max } }

  private func fails() -> Fault? {
    plan.withLock { plan in
      plan.calls += 1
      return plan.calls >= plan.failing ? plan.fault : nil
    }
  }

  var disk: LedgerDisk {
    let system = LedgerDisk.system
    return LedgerDisk(
      write: { [self] descriptor, bytes in
        switch fails() {
        case nil: return system.write(descriptor, bytes)
        case .unsynchronised: return system.write(descriptor, bytes)
        case .refused: break
        case .torn:
          _ = system.write(descriptor, UnsafeRawBufferPointer(rebasing: bytes[..<(bytes.count / 2)]))
        }
        errno = ENOSPC
        return -1
      },
      synchronise: { [self] descriptor in
        guard fails() != nil else { return system.synchronise(descriptor) }
        errno = EIO
        return -1
      },
      truncate: { [self] descriptor, length in
        guard fails() != nil else { return system.truncate(descriptor, length) }
        errno = EIO
        return -1
      })
  }
}

/// Serialised, since the faulty files below the database have one plan for the process.
@Suite("A failing disk under the ledger of erasures", .serialized)
struct LedgerFaultTests {
  private static let subjects: [Erasure.Subject] = [
    .session("s1"), .user("bert"), .session("s2"), .session("s3"),
  ]

  private static func filled(_ place: StorePlace, _ disk: FailingDisk) async throws -> SQLiteStore {
    let store = try await place.open(ledger: disk.disk)
    try await Sample.people(of: store)
    try await store.commit([
      .user(Sample.user("bert", "bert@example.com")),
      .enrol(Sample.session("s1")), .enrol(Sample.session("s2")), .enrol(Sample.session("s3")),
    ])
    return store
  }

  private static func isThere(_ subject: Erasure.Subject, in store: SQLiteStore) async throws -> Bool {
    switch subject {
    case .user(let id): try await store.user(id, in: Sample.bank) != nil
    case .session(let id): try await store.session(id, in: Sample.bank) != nil
    case .organisation, .evidence: false
    }
  }

  @Test(
    "whichever of its calls fails, what was acknowledged as erased stays erased, and nothing else is lost",
    arguments: [false, true])
  func everyCall(reopens: Bool) async throws {
    var (refused, made) = (0, 0)
    for fault in FailingDisk.Fault.allCases {
      for call in 1...14 {
        let (place, disk) = (try StorePlace(), FailingDisk())
        var store = try await Self.filled(place, disk)
        disk.fail(fromCall: call, fault)
        var acknowledged: [Erasure.Subject] = []
        for subject in Self.subjects {
          do throws(StoreError) {
            try await store.commit([Sample.erasure(subject)])
            acknowledged.append(subject)
          } catch {
            #expect(error.code == .unavailable, "call \(call), \(fault): \(error)")
            refused += 1
            // Nobody else is held up by it, now or after the disk has recovered.
            _ = try? await store.commit([.balance(Credits(Int64(call)), of: Sample.bank)])
            disk.recover()
            if reopens {
              await store.close()
              store = try await place.open(ledger: disk.disk)
            }
            try await store.commit([.balance(Credits(1), of: Sample.bank)])
            if try await !Self.isThere(subject, in: store) { made += 1 }
            try await store.commit([Sample.erasure(subject)])
            acknowledged.append(subject)
          }
        }
        await store.close()
        store = try await place.open()
        for subject in Self.subjects { #expect(try await !Self.isThere(subject, in: store)) }
        #expect(acknowledged == Self.subjects)
        #expect(try await store.erasures(after: 0, limit: 9).map(\.erasure.subject) == Self.subjects)
        #expect(try await store.user("anna", in: Sample.bank) != nil)
        #expect(try await store.verifyErased().findings == [])
        await store.close()
      }
    }
    #expect(refused > 20)
    print("failing ledger: \(refused) erasures refused, \(made) of them made all the same")
  }

  @Test(
    "killed between ledger and commit, the erasures of the commit are made at the next opening, its other changes not"
  )
  func killedMidCommit() async throws {
    let status = faulty_files_register()
    #expect(status == 0)
    let (place, disk) = (try StorePlace(), FailingDisk())
    await (try await Self.filled(place, disk)).close()
    var configuration = SQLiteStore.Configuration(path: place.path)
    configuration.files = "faulty"
    configuration.ledgerDisk = disk.disk
    faulty_files_plan(.max, FAULTY_FILES_NONE)
    let store = try await SQLiteStore.open(configuration, masterKey: place.key)
    // A dead process takes nothing back: the entry's write and sync succeed, everything after them fails.
    disk.fail(fromCall: 3, .refused)
    faulty_files_plan(1, FAULTY_FILES_GONE)
    await expect(.unavailable) {
      try await store.commit([
        .balance(Credits(77), of: Sample.bank), .enrol(Sample.session("s9")), Sample.erasure(.session("s1")),
        Sample.erasure(.user("bert")),
      ])
    }
    await store.close()
    faulty_files_plan(.max, FAULTY_FILES_NONE)
    let again = try await place.open()
    #expect(try await again.session("s1", in: Sample.bank) == nil)
    #expect(try await again.user("bert", in: Sample.bank) == nil)
    #expect(try await again.session("s9", in: Sample.bank) == nil)
    #expect(try await again.balance(of: Sample.bank) != Credits(77))
    #expect(try await again.session("s2", in: Sample.bank) != nil)
    await again.close()
  }

  @Test(
    "on a disk that is really full writes are refused, and with room again all that was acknowledged is there"
  )
  func realFullDisk() async throws {
    let folder = try TemporaryFolder()
    guard Self.run("mount", ["-t", "tmpfs", "-o", "size=8m", "tmpfs", folder.path]) else {
      print("real full disk: skipped, no file system can be mounted here")
      return
    }
    defer { _ = Self.run("umount", ["-l", folder.path]) }
    let key = MasterKey(.random())
    let ballast = folder.path + "/ballast"
    try Data(count: 4_000_000).write(to: URL(filePath: ballast))
    var store = try await SQLiteStore.open(.init(path: folder.path + "/bank.db"), masterKey: key)
    try await Sample.people(of: store)
    var acknowledged: Set<SessionID> = []
    var (refused, number) = (0, 0)
    while refused < 5, number < 5000 {
      number += 1
      let id = SessionID("full-\(number)")
      let record = try Sample.decision(ReVerificationID(id.rawValue))
      do throws(StoreError) {
        try await store.commit([.enrol(Sample.session(id)), .decision(record)])
        acknowledged.insert(id)
      } catch {
        #expect(error.code == .unavailable, "\(error)")
        refused += 1
      }
    }
    #expect(refused == 5 && acknowledged.count > 20)
    // The ledger is on the same disk. It may fit, or be refused; never half.
    let erased = try #require(acknowledged.first)
    let isErased = (try? await store.commit([Sample.erasure(.session(erased))])) != nil
    await store.close()
    try FileManager.default.removeItem(atPath: ballast)
    store = try await SQLiteStore.open(.init(path: folder.path + "/bank.db"), masterKey: key)
    let found = Set(
      try await store.sessions(in: Sample.bank, after: 0, limit: .max).map(\.enrolled.session.id))
    #expect(found.isSuperset(of: acknowledged.subtracting([erased])))
    if isErased { #expect(!found.contains(erased)) }
    guard case .intact(let head) = try await store.audit(of: Sample.bank, noted: nil) else {
      Issue.record("the chain is broken")
      return
    }
    #expect(head.sequence >= Int64(acknowledged.count))
    try await store.commit([.enrol(Sample.session("after"))])
    await store.close()
    print("real full disk: \(acknowledged.count) commits made, then \(refused) refused, all there")
  }

  private static func run(_ command: String, _ arguments: [String]) -> Bool {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [command] + arguments
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return false }
    process.waitUntilExit()
    return process.terminationStatus == 0
  }
}
