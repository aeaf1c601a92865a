import BenchmarkOptions
import Foundation
import ReVerify

/// How long a submission takes with many enrolled and each decision on the disk, split into its parts, and how long the engine
/// takes to open: from the store, where that has no snapshot yet, and from the snapshot that it wrote.
///
///     SubmitBenchmark [--enrolled N] [--submissions N] [--threads N] [--store FILE] [--seed N]
///
/// Fills a store with a synthetic cohort, one session a person, opens an engine on it, and submits one attempt to each of many
/// re-verifications, one after the other: half of them genuine. A store that is there already is used as it is.
@main
struct Main {
  /// Keeps the times of judged attempts.
  private actor Observations: EngineObserver {
    private(set) var times: [AttemptTimes] = []

    nonisolated func observe(_ event: EngineEvent) {
      guard case .judged(_, _, _, let times) = event else { return }
      Task { await add(times) }
    }

    private func add(_ times: AttemptTimes) { self.times.append(times) }
  }

  private let bank: Bank
  private let enrolled: Int
  private let submissions: Int
  private let threads: Int

  static func main() async throws {
    do {
      let known = ["enrolled", "submissions", "threads", "store", "seed"]
      try await run(Options(CommandLine.arguments.dropFirst(), known: known))
    } catch let error as BenchmarkError {
      FileHandle.standardError.write(Data("SubmitBenchmark: \(error)\n".utf8))
      exit(64)
    }
  }

  private static func run(_ options: Options) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(
      path: "reverify-submit-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = options.optional("store") ?? folder.appending(path: "bank.db").path
    let main = try Main(options, path: path)
    if options.optional("store") == nil {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }
    try await main.run()
  }

  private init(_ options: Options, path: String) throws {
    enrolled = try options.number("enrolled", or: 1_000_000)
    submissions = try options.number("submissions", or: 500)
    threads = try options.number("threads", or: 1)
    guard enrolled > 0, submissions > 0, threads > 0 else {
      throw BenchmarkError("numbers above 0 were expected")
    }
    bank = Bank(
      path: path,
      cohort: SyntheticCohort(seed: try options.number("seed", or: 1), dimension: Bank.space.dimension))
  }

  private func run() async throws {
    let level = try Kernels.fromEnvironment.get().level.rawValue
    print("\(threads) thread(s) a search, \(level), synchronous=FULL")
    let store = try await bank.open()
    try await timed("filled the store") { try await bank.fill(store, enrolled) }
    let observations = Observations()
    let engine = try await opened(store, "opened", observations)
    let verified = try await submit(to: engine.engine, count: engine.count)
    while await observations.times.count < submissions { await Task.yield() }
    Self.report(await observations.times)
    print("checksum: \(verified) verified of \(submissions)")
    let written = try await timed("wrote the snapshot") { try await engine.engine.checkpoint() }
    guard written[Bank.organisation] != nil else { throw BenchmarkError("no snapshot was written") }
    await store.close()
    let again = try await bank.open()
    _ = try await opened(again, "opened again, from the snapshot", Observations())
    await again.close()
  }

  private func opened(
    _ store: SQLiteStore, _ what: String, _ observations: Observations
  ) async throws -> (engine: ReVerificationEngine, count: Int) {
    let gallery = try Gallery(space: Bank.space, configuration: .init(threadCount: threads))
    let engine = try await timed(what) {
      try await ReVerificationEngine.open(
        store: store, gallery: gallery, liveness: UpstreamPassiveScorer(), observer: observations)
    }
    let count = gallery.snapshot(of: Bank.organisation).count
    print("  \(count) enrolled")
    return (engine, count)
  }

  private func timed<Result>(_ what: String, _ work: () async throws -> Result) async throws -> Result {
    let start = ContinuousClock.now
    let result = try await work()
    print("\(what) in \(Self.rounded((ContinuousClock.now - start) / .seconds(1))) s")
    return result
  }

  /// The number of those who were verified.
  private func submit(to engine: ReVerificationEngine, count: Int) async throws -> Int {
    var verified = 0
    for number in 0..<submissions {
      let user = (number &* 7919) % count
      guard
        case .begun(let begun) = try await engine.begin(
          workflowID: "onboarding", email: "user-\(user)@example.org", apiKey: "benchmark")
      else { throw BenchmarkError("user-\(user) can't be re-verified") }
      let face = bank.cohort.embedding(subject: number % 2 == 0 ? user : count + number, image: 1)
      let attempt = Attempt(
        key: "1", capture: Capture(passiveScores: [0.9, 0.9, 0.9]),
        embeddings: [UncheckedEmbedding(face, space: Bank.space)])
      if case .ended(.verified) = try await engine.submit(attempt, to: begun.id) { verified += 1 }
    }
    return verified
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
