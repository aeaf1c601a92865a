import BenchmarkOptions
import Foundation
import ReVerify
import Synchronization

/// How much a search slows down while references come and go: turns with and without changes, one after the other.
struct ChangesRun {
  private let count: Int
  private let dimension: Int
  private let changesPerSecond: Int
  private static let organisation: OrganisationID = "benchmark"
  static let options = ["count", "dimension", "changes"]
  private static let rounds = 8
  private static let searchesPerRound = 40

  init(_ options: Options) throws {
    count = try options.number("count")
    dimension = try options.number("dimension")
    changesPerSecond = try options.number("changes")
    guard count > 0, dimension > 0, changesPerSecond > 0 else {
      throw BenchmarkError("numbers above 0 were expected")
    }
  }

  func run() throws {
    let gallery = try Gallery(space: .benchmark(dimension: dimension), configuration: .init(threadCount: 1))
    let cohort = SyntheticCohort(seed: 1, dimension: dimension)
    for row in 0..<count { try gallery.enrol(try reference(row, cohort, gallery.space)) }
    let spare = try (0..<4096).map { try reference(count + $0, cohort, gallery.space) }
    let probes = try (0..<Self.searchesPerRound).map {
      try Embedding(cohort.embedding(subject: $0 * 97 % max(1, count / 2), image: 7), space: gallery.space)
    }
    var (quiet, busy, ratios, changes) = ([Double](), [Double](), [Double](), 0)
    for _ in 0..<Self.rounds {
      let still = try median(gallery, probes)
      let changing = Changes(gallery: gallery, spare: spare, perSecond: changesPerSecond)
      let moving = try median(gallery, probes)
      changes += changing.stop()
      quiet.append(still)
      busy.append(moving)
      ratios.append(moving / still)
    }
    print(
      String(
        format:
          "%d x %d, one search thread: %.2f ms a probe quiet, %.2f ms under %d changes a second asked for; "
          + "median ratio %.3f; %d changes made",
        count, dimension, Measurement.median(quiet), Measurement.median(busy), changesPerSecond,
        Measurement.median(ratios), changes))
  }

  private func median(_ gallery: Gallery, _ probes: [Embedding]) throws -> Double {
    Measurement.median(
      try probes.map { probe in
        try Measurement.milliseconds {
          _ = try gallery.snapshot(of: Self.organisation).candidates(for: probe, limit: 10)
        }
      })
  }

  private func reference(_ row: Int, _ cohort: SyntheticCohort, _ space: EmbeddingSpace) throws -> Reference {
    Reference(
      organisation: Self.organisation, workflow: "workflow", user: UserID("\(row / 2)"),
      session: SessionID("\(row)"),
      approvedAt: Instant(millisecondsSince1970: 0),
      embedding: try Embedding(cohort.embedding(subject: row / 2, image: row % 2), space: space))
  }

  /// A thread that enrols and removes in turn, at a rate.
  private final class Changes: Sendable {
    private let isStopping = Atomic(false)
    private let made = Atomic(0)
    private let ended = DispatchSemaphore(value: 0)

    init(gallery: Gallery, spare: [Reference], perSecond: Int) {
      Thread.detachNewThread { [self] in
        let start = ContinuousClock.now
        var number = 0
        while !isStopping.load(ordering: .relaxed) {
          let reference = spare[number / 2 % spare.count]
          if number % 2 == 0 {
            _ = try? gallery.enrol(reference)
          } else {
            gallery.remove(session: reference.session, from: reference.organisation)
          }
          number += 1
          let due = start + .nanoseconds(1_000_000_000 / perSecond * number)
          let wait = due - .now
          if wait > .zero { usleep(UInt32(wait.components.attoseconds / 1_000_000_000_000)) }
        }
        made.store(number, ordering: .relaxed)
        ended.signal()
      }
    }

    func stop() -> Int {
      isStopping.store(true, ordering: .relaxed)
      ended.wait()
      return made.load(ordering: .relaxed)
    }
  }
}
