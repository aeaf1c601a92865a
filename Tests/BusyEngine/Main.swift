import Biometrics
import EnrolmentStore
import FaceMatching
import Foundation
import ReVerification

/// A process that enrols, begins, submits, erases and writes snapshots as fast as it can until it is killed, for `KillTests`.
///
/// Each thing that the engine acknowledged is a line on standard output, written after the call returned; so is, before it, that
/// an erasure was asked for. Usage: BusyEngine STORE SEED; the master key is in REVERIFY_MASTER_KEY. A store that can't be opened
/// is said on standard error, and the exit status is 75.
@main
struct BusyEngine {
  static let organisation: OrganisationID = "bank"
  static let workflow: WorkflowID = "onboarding"
  static let space = EmbeddingSpace(
    model: "busy", weightsDigest: "none", dimension: 16, preprocessing: "none")
  private static let workers = 4

  static func main() async throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 3, let seed = UInt64(arguments[2]) else {
      fatalError("usage: BusyEngine STORE SEED")
    }
    let store: SQLiteStore
    do {
      store = try await SQLiteStore.open(
        .init(path: arguments[1]), masterKey: try MasterKey.environment())
    } catch {
      FileHandle.standardError.write(Data("\(error)\n".utf8))
      exit(75)
    }
    if try await store.workflow(workflow, in: organisation) == nil { try await prepare(store) }
    let gallery = try Gallery(space: space, configuration: .init(threadCount: 1))
    let engine = try await ReVerificationEngine.open(
      store: store, gallery: gallery, liveness: UpstreamPassiveScorer())
    say("open")
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<workers {
        group.addTask {
          var worker = Worker(
            store: store, engine: engine, seed: seed &* 16 &+ UInt64(number),
            name: "\(seed)-\(number)")
          while true { try await worker.work() }
        }
      }
      try await group.waitForAll()
    }
  }

  private static func prepare(_ store: SQLiteStore) async throws {
    try await store.commit([
      .organisation(Organisation(id: organisation)),
      .workflow(
        Workflow(
          id: workflow, organisation: organisation,
          policy: ReVerificationPolicy(
            verifyThreshold: SimilarityThreshold(0.9)!,
            recogniseThreshold: SimilarityThreshold(0.95)!, faceBinding: .whereGiven))),
      .apiKey(APIKey(id: "key", secret: "busy", organisation: organisation)),
    ])
  }
}

/// Says one line, whole, before it returns.
func say(_ line: String) {
  let bytes = Array("\(line)\n".utf8)
  guard write(STDOUT_FILENO, bytes, bytes.count) == bytes.count else { exit(1) }
}

/// One of several that work at once, each with users of its own.
private struct Worker {
  let store: SQLiteStore
  let engine: ReVerificationEngine
  let name: String
  private var random: SeededGenerator
  private var users: [(id: UserID, face: [Float])] = []
  private var count = 0

  init(store: SQLiteStore, engine: ReVerificationEngine, seed: UInt64, name: String) {
    self.store = store
    self.engine = engine
    self.name = name
    random = SeededGenerator(seed: seed)
  }

  mutating func work() async throws {
    count += 1
    switch Int.random(in: 0..<20, using: &random) {
    case 0..<8: try await enrol()
    case 8: try await checkpoint()
    case 18... where users.count > 2: try await erase()
    default: try await reVerify()
    }
  }

  private mutating func face() -> [Float] {
    (0..<BusyEngine.space.dimension).map { _ in Float.random(in: -1...1, using: &random) }
  }

  private mutating func enrol() async throws {
    if users.isEmpty || Bool.random(using: &random) {
      let id = UserID("user-\(name)-\(count)")
      try await store.commit([
        .user(
          User(
            id: id, organisation: BusyEngine.organisation, email: EmailAddress("\(id)@example.org")!
          ))
      ])
      users.append((id, face()))
    }
    let user = users.randomElement(using: &random)!
    let approval = SessionApproval(
      id: SessionID("session-\(name)-\(count)"), organisation: BusyEngine.organisation,
      workflow: BusyEngine.workflow, user: user.id, approvedAt: SystemClock().now(),
      embeddings: [UncheckedEmbedding(user.face, space: BusyEngine.space)])
    if Bool.random(using: &random) {
      try await engine.enrol(approval)
    } else {
      try await engine.sessionApproved(approval)
    }
    say("enrolled \(approval.id) \(user.id)")
  }

  private func checkpoint() async throws {
    let results = try await engine.checkpoint()
    say("checkpointed \(results[BusyEngine.organisation]?.name ?? "nothing")")
  }

  private mutating func erase() async throws {
    let user = users.removeFirst()
    say("erasing \(user.id)")
    try await engine.erase(.user(user.id), of: BusyEngine.organisation, reason: .request)
    say("erased \(user.id)")
  }

  private mutating func reVerify() async throws {
    guard let user = users.randomElement(using: &random) else { return }
    let result = try await engine.begin(
      workflowID: BusyEngine.workflow, email: "\(user.id)@example.org", apiKey: "busy")
    guard case .begun(let begun) = result else { return }
    say("begun \(begun.id)")
    for number in 1...3 {
      let key = IdempotencyKey("key-\(number)")
      let face = Int.random(in: 0..<4, using: &random) == 0 ? user.face : face()
      let answer = try await engine.submit(
        Attempt(
          key: key, capture: Capture(passiveScores: [0.9, 0.9, 0.9]),
          embeddings: [UncheckedEmbedding(face, space: BusyEngine.space)]), to: begun.id)
      say("answered \(begun.id) \(key) \(answer.word)")
      if case .ended = answer { return }
    }
  }
}

extension Answer {
  /// The answer as one word, which `KillTests` compares.
  fileprivate var word: String {
    switch self {
    case .retry(let reason, let remaining): "retry:\(reason.rawValue):\(remaining)"
    case .ended(.verified(_, let session, let user)): "verified:\(session):\(user)"
    case .ended(.failed(let reason)): "failed:\(reason)"
    }
  }
}
