import Biometrics
import EnrolmentStore
import FaceMatching
import Foundation
import TestSupport
import Testing

@testable import ReVerification

@Suite("Start-up from the gallery's snapshot")
struct SnapshotTests {
  private func bank() async throws -> Bank {
    let bank = try await Bank(on: .sqlite)
    try await bank.enrol("s1", of: "anna", Face.anna)
    try await bank.enrol("s2", of: "bert", Face.bert)
    try await bank.enrol("s3", of: "carl", Face.carl, on: Bank.payout)
    return bank
  }

  private func folder(of bank: Bank) throws -> SnapshotFolder { try #require(bank.inner.snapshots) }

  /// The path of the bank's one snapshot.
  private func path(of bank: Bank) throws -> String {
    let files = try folder(of: bank).files()
    #expect(files.count == 1)
    return try #require(files.first)
  }

  private func origin(of bank: Bank) async throws -> GalleryOrigin {
    try #require(await bank.engine.origins[Bank.organisation])
  }

  private func sessions(_ bank: Bank) throws -> [SessionID] {
    let probe = try Embedding(Face.like(anna: 0.7, bert: 0.6, carl: 0.3), space: Bank.space)
    return try bank.gallery.snapshot(of: Bank.organisation).candidates(for: probe).map(\.reference.session)
  }

  @Test("a gallery comes back from its snapshot, decides the same, and goes on where it was")
  func fromSnapshot() async throws {
    var bank = try await bank()
    #expect(try await bank.engine.checkpoint() == [Bank.organisation: .written(references: 3)])
    #expect(try await bank.engine.checkpoint() == [Bank.organisation: .current])
    try await bank.reopen(seed: 2)
    #expect(try await origin(of: bank) == .snapshot(references: 3))
    #expect(bank.loaded == [3])
    #expect(try sessions(bank) == ["s1", "s2", "s3"])
    guard
      case .ended(.verified(_, "s1", "anna")) = try await bank.submit(.test("1", Face.anna), to: bank.begin())
    else { return #expect(Bool(false), "anna was not verified") }
    #expect(
      try await bank.submit(.test("1", Face.carl), to: bank.begin("bert")) == .ended(.failed(.notReVerified)))
    for record in try await bank.records() { #expect(try await bank.engine.replay(record) == .confirmed) }
    try await bank.enrol("s4", of: "dora", Face.stranger)
    #expect(try await bank.engine.checkpoint() == [Bank.organisation: .written(references: 4)])
    try await bank.reopen(seed: 3)
    #expect(try await origin(of: bank) == .snapshot(references: 4))
    for record in try await bank.records() { #expect(try await bank.engine.replay(record) == .confirmed) }
    let events = bank.observer.events.compactMap { event -> String? in
      switch event {
      case .opened(_, let origin): origin.name
      case .checkpointed(_, let result): result.name
      default: nil
      }
    }
    #expect(events == ["missing", "written", "current", "snapshot", "written", "snapshot"])
  }

  @Test("an empty organisation, and one whose last session was erased, come back from theirs")
  func edges() async throws {
    var bank = try await Bank(on: .sqlite)
    #expect(try await bank.engine.checkpoint() == [Bank.organisation: .written(references: 0)])
    try await bank.reopen(seed: 2)
    #expect(try await origin(of: bank) == .snapshot(references: 0))
    try await bank.enrol("s1", of: "anna", Face.anna)
    try await bank.enrol("s2", of: "bert", Face.bert)
    try await bank.engine.erase(.session("s2"), of: Bank.organisation, reason: .request)
    #expect(try await bank.engine.checkpoint() == [Bank.organisation: .written(references: 1)])
    try await bank.reopen(seed: 3)
    #expect(try await origin(of: bank) == .snapshot(references: 1))
    try await bank.enrol("s3", of: "carl", Face.carl)
    #expect(try sessions(bank) == ["s1", "s3"])
  }

  @Test(
    "a snapshot that can't be used is removed, and the gallery is built from the store: why is said",
    arguments: [
      SnapshotRefusal.Code.missing, .otherGeneration, .damaged, .foreignKey, .otherVersion, .unreadable,
    ])
  func refused(_ code: SnapshotRefusal.Code) async throws {
    var bank = try await bank()
    try await bank.engine.checkpoint()
    let path = try path(of: bank)
    switch code {
    case .missing: try FileManager.default.removeItem(atPath: path)
    case .otherGeneration: try await bank.enrol("s4", of: "dora", Face.stranger)
    case .damaged: try Self.edit(path) { $0[100] ^= 1 }
    case .foreignKey:
      let name = path.replacing(/-[0-9a-f]{16}\.gallery/, with: "-0123456789abcdef.gallery")
      try FileManager.default.moveItem(atPath: path, toPath: name)
    case .otherVersion: try Self.edit(path) { $0[8] = 9 }
    default:
      // A folder in the file's place: whatever the system's refusal, it stands in nobody's way.
      try FileManager.default.removeItem(atPath: path)
      try FileManager.default.createDirectory(atPath: path + "/x", withIntermediateDirectories: true)
    }
    try await bank.reopen(seed: 2)
    guard case .store(let count, let refusal) = try await origin(of: bank) else {
      return #expect(Bool(false), "it was used")
    }
    #expect(refusal.code == code || code == .unreadable, "\(refusal)")
    #expect(count == (code == .otherGeneration ? 4 : 3))
    #expect(try sessions(bank).starts(with: ["s1", "s2", "s3"]))
    if code != .unreadable { #expect(try folder(of: bank).files() == []) }
  }

  @Test("an engine of another embedding space does not take the snapshot for its own")
  func otherSpace() async throws {
    let bank = try await bank()
    try await bank.engine.checkpoint()
    let gallery = try Gallery(space: .test(dimension: 8), configuration: .init(threadCount: 1))
    let engine = try await Bank.engine(on: bank.inner, bank.clock, bank.scorer, seed: 2, gallery: gallery)
    guard case .store(3, let refusal) = try #require(await engine.origins[Bank.organisation]) else {
      return #expect(Bool(false), "it was used")
    }
    #expect(refusal.code == .otherSpace && gallery.snapshot(of: Bank.organisation).count == 0)
  }

  @Test("what a crash leaves at any step between commit and rename is not used, and does not stay")
  func crashWindows() async throws {
    var bank = try await bank()
    try await bank.engine.checkpoint()
    let path = try path(of: bank)
    let old = try Data(contentsOf: URL(filePath: path))
    // Killed while the next one was being written, and after the store's commit.
    try await bank.enrol("s4", of: "dora", Face.stranger)
    try old.prefix(old.count / 2).write(to: URL(filePath: path + ".123.new"))
    try await bank.reopen(seed: 2)
    #expect(try await origin(of: bank) == .store(sessions: 4, because: SnapshotRefusal(.otherGeneration)))
    #expect(try folder(of: bank).files() == [])
    // Killed between an erasure's commit and whatever follows it: the snapshot was gone before.
    try await bank.engine.checkpoint()
    let withAnna = try Data(contentsOf: URL(filePath: path))
    try await bank.inner.commit([
      .erase(Erasure(.user("anna"), of: Bank.organisation, reason: .request, at: bank.clock.now()))
    ])
    #expect(try folder(of: bank).files() == [])
    // And if somebody puts it back, it is of another state.
    try withAnna.write(to: URL(filePath: path))
    try await bank.reopen(seed: 3)
    #expect(try await origin(of: bank) == .store(sessions: 3, because: SnapshotRefusal(.otherGeneration)))
    #expect(try sessions(bank).contains("s1") == false)
    #expect(try folder(of: bank).files() == [])
  }

  @Test(
    "an erasure takes the snapshot with it before it is acknowledged, and one that can't be removed holds it up"
  )
  func erasure() async throws {
    let bank = try await bank()
    for subject in [Erasure.Subject.session("s3"), .user("bert"), .organisation] {
      try await bank.engine.checkpoint()
      #expect(try folder(of: bank).files().count == 1)
      try await bank.engine.erase(subject, of: Bank.organisation, reason: .request)
      #expect(try folder(of: bank).files() == [])
    }
    let other = try await self.bank()
    try await other.engine.checkpoint()
    let path = try path(of: other)
    try FileManager.default.removeItem(atPath: path)
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    await expect(.storeUnavailable) {
      try await other.engine.erase(.user("anna"), of: Bank.organisation, reason: .request)
    }
    #expect(try await other.inner.user("anna", in: Bank.organisation) != nil)
  }

  @Test("a session whose readiness could not be said is ready after a checkpoint and an opening from it")
  func preparing() async throws {
    var bank = try await bank()
    bank.store.failWrite(2, .beforeWriting)
    await expect(.storeUnavailable) { try await bank.enrol("s4", of: "anna", Face.anna) }
    try await bank.engine.checkpoint()
    try await bank.reopen(seed: 2)
    #expect(try await origin(of: bank) == .snapshot(references: 4))
    #expect(try await bank.engine.preparation(of: "s4", in: Bank.organisation) == .ready)
  }

  @Test("a checkpoint has what another engine on the store has enrolled, and nothing that it has erased")
  func sharedStore() async throws {
    var bank = try await bank()
    let other = try await Bank.engine(on: bank.inner, bank.clock, bank.scorer, seed: 9)
    try await other.erase(.user("anna"), of: Bank.organisation, reason: .request)
    try await other.enrol(
      SessionApproval(
        id: "s5", organisation: Bank.organisation, workflow: Bank.onboarding, user: "bert",
        approvedAt: bank.clock.now(), embeddings: [UncheckedEmbedding(Face.bert, space: Bank.space)]))
    #expect(try await bank.engine.checkpoint() == [Bank.organisation: .written(references: 3)])
    try await bank.reopen(seed: 2)
    #expect(try await origin(of: bank) == .snapshot(references: 3))
    #expect(try sessions(bank) == ["s2", "s5", "s3"])
  }

  @Test(
    "a flipped byte anywhere in a snapshot is a typed reason, or the gallery is right: never another person's"
  )
  func flips() async throws {
    var bank = try await bank()
    for number in 0..<20 {
      let face = Face.like(anna: Double(number) / 40, bert: 0.5, carl: 0.3)
      try await bank.enrol(SessionID("x\(number)"), of: UserID("u\(number)"), face)
    }
    try await bank.engine.checkpoint()
    let path = try path(of: bank)
    let whole = try Data(contentsOf: URL(filePath: path))
    let probe = try Embedding(Face.like(anna: 0.4, bert: 0.5, carl: 0.3), space: Bank.space)
    let right = try bank.gallery.snapshot(of: Bank.organisation).candidates(for: probe)
    var generator = SeededGenerator(seed: 3)
    var counts: [String: Int] = [:]
    // What means something lies at the beginning of pages; half of the flips are to hit it.
    let places = whole.indices.filter { whole[$0] != 0 }
    for flip in 0..<(LongRuns.areEnabled ? 2000 : 100) {
      var damaged = whole
      let offset =
        flip % 2 == 0
        ? places.randomElement(using: &generator)! : Int.random(in: 0..<whole.count, using: &generator)
      damaged[offset] ^= UInt8.random(in: 1...255, using: &generator)
      try damaged.write(to: URL(filePath: path))
      let gallery = try Bank.emptyGallery()
      let engine = try await Bank.engine(
        on: bank.inner, bank.clock, bank.scorer, seed: UInt64(flip) + 10, gallery: gallery)
      let origin = try #require(await engine.origins[Bank.organisation])
      let found = try gallery.snapshot(of: Bank.organisation).candidates(for: probe)
      let isRight = found == right
      #expect(isRight, "byte \(offset): \(origin)")
      if case .store(_, let refusal) = origin { #expect([.damaged, .otherVersion].contains(refusal.code)) }
      counts[origin.name, default: 0] += 1
    }
    #expect(counts["damaged", default: 0] > 0)
    print(
      "snapshot flips:",
      counts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", "))
    try await bank.reopen(seed: 5)
  }

  @Test(
    "no file of the snapshots holds an embedding in any form or an identifier, and the scan finds the erased in one that was put back"
  )
  func scan() async throws {
    let bank = try await Bank(on: .sqlite)
    var generator = SeededGenerator(seed: 8)
    let space = EmbeddingSpace.test(dimension: 64)
    let gallery = try Gallery(space: space, configuration: .init(threadCount: 1))
    let engine = try await Bank.engine(on: bank.inner, bank.clock, bank.scorer, seed: 2, gallery: gallery)
    var traces: [ErasureTrace] = []
    for number in 0..<20 {
      let user = UserID("person-\(number)")
      try await bank.addUser(user)
      let face = (0..<64).map { _ in Float.random(in: -1...1, using: &generator) }
      traces += [ErasureTrace(embedding: face), ErasureTrace(email: Bank.email(of: user))]
      try await engine.enrol(
        SessionApproval(
          id: SessionID("session-\(number)"), organisation: Bank.organisation, workflow: Bank.onboarding,
          user: user,
          approvedAt: bank.clock.now(), embeddings: [UncheckedEmbedding(face, space: space)]))
    }
    try await engine.checkpoint()
    let store = try #require(bank.inner as? SQLiteStore)
    let path = try path(of: bank)
    let file = try Data(contentsOf: URL(filePath: path))
    #expect(file.range(of: Data("person-".utf8)) == nil && file.range(of: Data("session-".utf8)) == nil)
    var scan = try await store.verifyErased(traces: traces)
    try await scan.lookIntoSnapshots(of: store)
    #expect(scan.findings.filter { $0.code != .log } == [] && scan.files.contains { $0.path == path })

    try await engine.erase(.user("person-3"), of: Bank.organisation, reason: .request)
    try await engine.erase(.session("session-4"), of: Bank.organisation, reason: .request)
    scan = try await store.verifyErased(traces: traces)
    try await scan.lookIntoSnapshots(of: store)
    #expect(scan.findings == [] && !scan.files.contains { $0.path == path })
    try file.write(to: URL(filePath: path))
    try file.write(to: URL(filePath: path + ".1.new"))
    scan = try await store.verifyErased(traces: traces)
    try await scan.lookIntoSnapshots(of: store)
    #expect(scan.findings.map(\.code) == [.snapshot, .snapshot, .snapshot])
    #expect(scan.findings.first?.place == "user person-3 of bank: 1 references")
    try Self.edit(path) { $0[$0.count - 4096] ^= 1 }
    try FileManager.default.removeItem(atPath: path + ".1.new")
    scan = try await store.verifyErased(traces: traces)
    try await scan.lookIntoSnapshots(of: store)
    #expect(scan.findings.map(\.code) == [.unreadable])
  }

  private static func edit(_ path: String, _ change: (inout Data) -> Void) throws {
    var data = try Data(contentsOf: URL(filePath: path))
    change(&data)
    try data.write(to: URL(filePath: path))
  }
}
