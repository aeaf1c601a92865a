import Foundation
import ReVerify

/// How long a submission takes with many enrolled and each decision on the disk, split into its parts.
///
///     SubmitBenchmark [--enrolled N] [--submissions N] [--threads N] [--store FILE] [--seed N]
///
/// Fills a store with a synthetic cohort, one session a person, opens an engine on it, and submits one attempt to each of many
/// re-verifications, one after the other: half of them genuine. A store that is there already is used as it is.
@main
struct Main {
  private static let organisation: OrganisationID = "bank"
  private static let space = EmbeddingSpace(
    model: "synthetic", weightsDigest: "none", dimension: 512, preprocessing: "none")

  /// Keeps the times of judged attempts.
  private actor Times: EngineObserver {
    private(set) var all: [AttemptTimes] = []

    nonisolated func observe(_ event: EngineEvent) {
      guard case .judged(_, _, _, let times) = event else { return }
      Task { await add(times) }
    }

    private func add(_ times: AttemptTimes) {
      all.append(times)
    }
  }

  static func main() async throws {
    var options: [String: String] = [:]
    var words = CommandLine.arguments.dropFirst()
    while let name = words.popFirst(), let value = words.popFirst() { options[name] = value }
    let enrolled = Int(options["--enrolled"] ?? "") ?? 1_000_000
    let submissions = Int(options["--submissions"] ?? "") ?? 500
    let threads = Int(options["--threads"] ?? "") ?? 1
    let seed = UInt64(options["--seed"] ?? "") ?? 1
    let folder = FileManager.default.temporaryDirectory.appending(
      path: "reverify-submit-\(UUID().uuidString)")
    let path = options["--store"] ?? folder.appending(path: "bank.db").path
    if options["--store"] == nil {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }
    defer { try? FileManager.default.removeItem(at: folder) }

    let store = try await SQLiteStore.open(.init(path: path), masterKey: MasterKey(.benchmark()))
    let cohort = SyntheticCohort(seed: seed, dimension: space.dimension)
    let start = ContinuousClock.now
    try await fill(store, enrolled, cohort)
    let filled = ContinuousClock.now
    let times = Times()
    let gallery = try Gallery(space: space, configuration: .init(threadCount: threads))
    let engine = try await ReVerificationEngine.open(
      store: store, gallery: gallery, liveness: UpstreamPassiveScorer(), observer: times)
    let opened = ContinuousClock.now
    let count = gallery.snapshot(of: organisation).count
    print(
      "\(count) enrolled, \(threads) thread(s) a search, \(try Kernels.fromEnvironment.get().level.rawValue), synchronous=FULL"
    )
    print(
      "filled in \(rounded((filled - start) / .seconds(1))) s, opened in \(rounded((opened - filled) / .seconds(1))) s"
    )

    var verified = 0
    for number in 0..<submissions {
      let user = (number &* 7919) % enrolled
      guard
        case .begun(let begun) = try await engine.begin(
          workflowID: "onboarding", email: "user-\(user)@example.org", apiKey: "benchmark")
      else { fatalError("user-\(user) can't be re-verified") }
      let face = cohort.embedding(subject: number % 2 == 0 ? user : enrolled + number, image: 1)
      let attempt = Attempt(
        key: "1", capture: Capture(passiveScores: [0.9, 0.9, 0.9]),
        embeddings: [UncheckedEmbedding(face, space: space)])
      if case .ended(.verified) = try await engine.submit(attempt, to: begun.id) { verified += 1 }
    }
    while await times.all.count < submissions { await Task.yield() }
    report(await times.all)
    print("checksum: \(verified) verified of \(submissions)")
    await store.close()
  }

  private static func fill(_ store: SQLiteStore, _ enrolled: Int, _ cohort: SyntheticCohort) async throws {
    guard try await store.workflow("onboarding", in: organisation) == nil else { return }
    try await store.commit([
      .organisation(Organisation(id: organisation)),
      .workflow(
        Workflow(
          id: "onboarding", organisation: organisation,
          policy: ReVerificationPolicy(
            verifyThreshold: SimilarityThreshold(0.45)!, recogniseThreshold: SimilarityThreshold(0.55)!,
            lockOut: nil))),
      .apiKey(APIKey(id: "key", secret: "benchmark", organisation: organisation)),
    ])
    for start in stride(from: 0, to: enrolled, by: 1000) {
      var changes: [StoreChange] = []
      for subject in start..<min(start + 1000, enrolled) {
        let user = UserID("user-\(subject)")
        changes.append(
          .user(User(id: user, organisation: organisation, email: EmailAddress("\(user)@example.org")!)))
        changes.append(
          .enrol(
            EnrolledSession(
              ApprovedSession(
                id: SessionID("session-\(subject)"), organisation: organisation, workflow: "onboarding",
                user: user,
                approvedAt: Instant(millisecondsSince1970: 0), space: space, preparation: .ready),
              embeddings: [UncheckedEmbedding(cohort.embedding(subject: subject, image: 0), space: space)])))
      }
      try await store.commit(changes)
    }
  }

  private static func report(_ times: [AttemptTimes]) {
    let parts: [(String, (AttemptTimes) -> Duration)] = [
      ("decode", { $0.decode }), ("liveness", { $0.liveness }), ("search", { $0.search }),
      ("durability", { $0.durability }), ("all but durability", { $0.total - $0.durability }),
      ("total", { $0.total }),
    ]
    for (name, part) in parts {
      let milliseconds = times.map { part($0) / .milliseconds(1) }.sorted()
      func quantile(_ share: Double) -> Double {
        milliseconds[min(milliseconds.count - 1, Int(share * Double(milliseconds.count)))]
      }
      let label = name.padding(toLength: 20, withPad: " ", startingAt: 0)
      print("\(label) median \(rounded(quantile(0.5))) ms   99 %: \(rounded(quantile(0.99))) ms")
    }
  }

  private static func rounded(_ value: Double) -> Double { (value * 1000).rounded() / 1000 }
}

extension SecretKey {
  /// The same in each run, so that a store can be used again; it guards made-up faces only.
  fileprivate static func benchmark() -> SecretKey {
    SecretKey { (memory: UnsafeMutableRawBufferPointer) in
      for place in memory.indices { memory[place] = UInt8(place) }
    }
  }
}
