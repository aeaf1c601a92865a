import Biometrics
import EnrolmentStore
import FaceMatching
import Foundation
import TestSupport
import Testing

@testable import ReVerification

/// A busy engine's process is killed at a random instant, again and again; what it acknowledged must be there.
@Suite("A busy engine killed with SIGKILL")
struct KillTests {
  private static let organisation: OrganisationID = "bank"
  private static let space = EmbeddingSpace(
    model: "busy", weightsDigest: "none", dimension: 16, preprocessing: "none")
  private static let key = String(repeating: "5a", count: 32)

  /// What a store's processes acknowledged, over all of them.
  private struct Acknowledged {
    var sessions: [SessionID: UserID] = [:]
    var asked: Set<UserID> = []
    var erased: Set<UserID> = []
    var begun: Set<ReVerificationID> = []
    var answers: [ReVerificationID: [IdempotencyKey: String]] = [:]

    /// How many lines, but for those that say a process has opened.
    var lines = 0
    /// Openings that found the gallery in its snapshot, and those that had to build it, by why.
    var origins: [String: Int] = [:]

    mutating func note(_ line: Substring) {
      let words = line.split(separator: " ").map(String.init)
      if words.count > 1 { lines += 1 }
      switch words.first {
      case "enrolled": sessions[.init(words[1])] = .init(words[2])
      case "erasing": asked.insert(.init(words[1]))
      case "erased": erased.insert(.init(words[1]))
      case "begun": begun.insert(.init(words[1]))
      case "answered": answers[.init(words[1]), default: [:]][.init(words[2])] = words[3]
      default: break
      }
    }
  }

  /// In long runs 20 stores with 25 kills each; otherwise 6 kills on one.
  @Test(
    "nothing acknowledged is lost, no attempt given back, one outcome each, chain intact, gallery equal to the store",
    arguments: 1...(LongRuns.areEnabled ? 20 : 1) as ClosedRange<UInt64>)
  func survives(seed: UInt64) async throws {
    let folder = try TemporaryFolder()
    let path = "\(folder.path)/bank.db"
    var random = SeededGenerator(seed: seed)
    var acknowledged = Acknowledged()
    var waitedFor = 0
    for run in 0..<(LongRuns.areEnabled ? 25 : 6) {
      // Now and then while it opens, else after so many lines: at no time that it could foresee.
      let count = run % 5 == 3 ? 0 : Int.random(in: 1...120, using: &random)
      waitedFor += max(0, count - 1)
      let text = try runAndKill(path, seed: seed * 1000 + UInt64(run), after: count)
      // What follows the last line's end is cut off.
      for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
        acknowledged.note(line)
      }
      guard FileManager.default.fileExists(atPath: path) else { continue }
      let origin = try await check(
        path, acknowledged, "seed \(seed), run \(run), killed after \(count) lines",
        thenCheckpoint: Bool.random(using: &random))
      acknowledged.origins[origin, default: 0] += 1
    }
    #expect(acknowledged.lines >= waitedFor)
    print(
      "kill test, store \(seed): \(acknowledged.lines) things acknowledged, all there; galleries from",
      acknowledged.origins.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
        .joined(separator: ", "))
  }

  @Test("while a process has the store open another is refused, and told why; killed, the store is free")
  func secondProcess() async throws {
    let folder = try TemporaryFolder()
    let path = "\(folder.path)/bank.db"
    setenv("REVERIFY_KILL_TEST_KEY", Self.key, 1)
    let key = try MasterKey.environment("REVERIFY_KILL_TEST_KEY")
    let (first, output) = try Self.start(path, seed: 1)
    #expect(!output.fileHandleForReading.availableData.isEmpty)
    await #expect {
      _ = try await SQLiteStore.open(.init(path: path), masterKey: key)
    } throws: { ($0 as? StoreError)?.code == .inUse }
    let errors = Pipe()
    let (second, _) = try Self.start(path, seed: 2, errors: errors)
    let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    second.waitUntilExit()
    #expect(second.terminationReason == .exit && second.terminationStatus == 75)
    #expect(text.contains("inUse") && text.contains("\(path)-claim"))
    #expect(first.isRunning)
    kill(first.processIdentifier, SIGKILL)
    first.waitUntilExit()
    await (try await SQLiteStore.open(.init(path: path), masterKey: key)).close()
  }

  private static func start(
    _ path: String, seed: UInt64, errors: Pipe? = nil
  ) throws -> (Process, Pipe) {
    let process = Process()
    process.executableURL = CommandRun.product("BusyEngine")
    process.arguments = [path, "\(seed)"]
    process.environment = ProcessInfo.processInfo.environment.merging([
      "REVERIFY_MASTER_KEY": key
    ]) { $1 }
    let output = Pipe()
    process.standardOutput = output
    if let errors { process.standardError = errors }
    try process.run()
    return (process, output)
  }

  /// Runs a busy engine until it has said `count` lines, kills it, and returns all that it said.
  private func runAndKill(_ path: String, seed: UInt64, after count: Int) throws -> String {
    let (process, output) = try Self.start(path, seed: seed)
    var data = Data()
    while data.count(where: { $0 == UInt8(ascii: "\n") }) < count {
      let more = output.fileHandleForReading.availableData
      if more.isEmpty { break }
      data += more
    }
    kill(process.processIdentifier, SIGKILL)
    data += output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    #expect(
      process.terminationReason == .uncaughtSignal,
      "it ended by itself, with status \(process.terminationStatus)")
    return String(decoding: data, as: UTF8.self)
  }

  /// Returns where the gallery came from.
  private func check(
    _ path: String, _ acknowledged: Acknowledged, _ place: Comment, thenCheckpoint: Bool
  ) async throws -> String {
    setenv("REVERIFY_KILL_TEST_KEY", Self.key, 1)
    let store = try await SQLiteStore.open(
      .init(path: path), masterKey: try MasterKey.environment("REVERIFY_KILL_TEST_KEY"))
    let gallery = try Gallery(space: Self.space, configuration: .init(threadCount: 1))
    let engine = try await ReVerificationEngine.open(
      store: store, gallery: gallery, liveness: UpstreamPassiveScorer())
    let origin = await engine.origins[Self.organisation]
    #expect(origin?.isConspicuous != true, "\(place): \(String(describing: origin))")
    let snapshot = gallery.snapshot(of: Self.organisation)

    for (session, user) in acknowledged.sessions where !acknowledged.asked.contains(user) {
      #expect(
        snapshot.references(of: user).contains { $0.session == session },
        "\(place): session \(session) is lost")
    }
    for user in acknowledged.erased {
      #expect(try await store.user(user, in: Self.organisation) == nil, place)
      #expect(snapshot.references(of: user).isEmpty, place)
    }
    try await checkGallery(snapshot, of: store, place)
    try await checkDecisions(of: store, acknowledged, place)
    if thenCheckpoint { try await engine.checkpoint() }
    await store.close()
    return origin?.name ?? "no organisation"
  }

  /// All sessions are ready, and the gallery has them and no other, in order, with the same bits.
  private func checkGallery(
    _ snapshot: GallerySnapshot, of store: SQLiteStore, _ place: Comment
  ) async throws {
    let expected = try Gallery(space: Self.space, configuration: .init(threadCount: 1))
    var last: Int64 = 0
    while true {
      let page = try await store.sessions(in: Self.organisation, after: last, limit: 1000)
      guard let end = page.last else { break }
      last = end.sequence
      #expect(page.allSatisfy { $0.enrolled.session.preparation == .ready }, place)
      for numbered in page {
        try expected.enrol(numbered.enrolled.approval.reference(in: Self.space))
      }
    }
    let probe = try Embedding((0..<16).map { Float($0) - 3.5 }, space: Self.space)
    let (found, wanted) = try (
      snapshot.candidates(for: probe), expected.snapshot(of: Self.organisation).candidates(for: probe)
    )
    #expect(found.count == snapshot.count, place)
    let isEqual =
      found.map(\.reference.session) == wanted.map(\.reference.session)
      && found.map(\.reference.user) == wanted.map(\.reference.user)
      && found.map(\.score) == wanted.map(\.score)
    #expect(isEqual, "\(place): the gallery is not the store's")
  }

  private func checkDecisions(
    of store: SQLiteStore, _ acknowledged: Acknowledged, _ place: Comment
  ) async throws {
    guard case .intact = try await store.audit(of: Self.organisation, noted: nil) else {
      // An organisation that never came to be has no chain.
      #expect(acknowledged.lines == 0, "\(place): the chain is broken")
      return
    }
    let records = try await store.decisions(of: Self.organisation, after: 0, limit: .max).map(
      \.record)
    let ofEach = Dictionary(grouping: records, by: \.reVerification)
    for id in acknowledged.begun {
      guard let stored = try await store.reVerification(id) else {
        Issue.record("\(place): re-verification \(id) is lost")
        continue
      }
      let machine = try ReVerification(stored)
      let own = ofEach[id] ?? []
      let answers = acknowledged.answers[id] ?? [:]
      for (key, word) in answers {
        let answer = machine.attempts.first { $0.key == key }?.answer
        #expect(answer.map(Self.word) == word, "\(place): an answer is lost")
      }
      #expect(machine.attempts.count >= answers.count && machine.attempts.count <= 3, place)
      let judged = own.compactMap(\.evidence?.attempt)
      #expect(Set(judged).count == judged.count, "\(place): an attempt was judged twice")
      #expect(judged.count == machine.attempts.count { $0.answer != nil }, place)
      let endings = own.filter { if case .retry = $0.conclusion { false } else { true } }
      if case .ended = machine.state {
        #expect(endings.count == 1, "\(place): not one outcome")
      } else {
        #expect(endings.isEmpty, place)
      }
    }
  }

  private static func word(_ answer: Answer) -> String {
    switch answer {
    case .retry(let reason, let remaining): "retry:\(reason.rawValue):\(remaining)"
    case .ended(.verified(_, let session, let user)): "verified:\(session):\(user)"
    case .ended(.failed(let reason)): "failed:\(reason)"
    }
  }
}
