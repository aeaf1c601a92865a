import Biometrics
import FaceMatching
import Synchronization
import TestSupport
import Testing

/// Many searches, at every level and number of threads, while references come and go: none may differ from the
/// exhaustive scan over what its snapshot holds. `REVERIFY_LONG=1 swift test -c release -Xswiftc -enable-testing` asks 10,000 probes of each.
@Suite(.serialized) struct ManyQueriesTests {
  private static let dimension = 64
  private static let staying = 1500
  #if DEBUG
    private static let queries = LongRuns.areEnabled ? 1000 : 50
  #else
    private static let queries = LongRuns.areEnabled ? 10_000 : 250
  #endif
  private static let batch = 25

  @Test func `no search differs from the exhaustive scan while others enrol and remove`() async throws {
    let references = try SearchTests.references(Self.staying + 600, dimension: Self.dimension)
    let probes = try syntheticEmbeddings(Self.queries, dimension: Self.dimension, imagesPerSubject: 3)
    for configuration in allConfigurations() {
      let gallery = try SearchTests.gallery(Array(references.prefix(Self.staying)), configuration)
      let writer = Writer(gallery: gallery, comers: Array(references.suffix(600)))
      async let changes = writer.run()
      for first in stride(from: 0, to: probes.count, by: Self.batch) {
        let asked = Array(probes[first..<min(first + Self.batch, probes.count)])
        try check(
          gallery.snapshot(of: "organisation"), asked, references, isSingle: first / Self.batch % 2 == 0)
        await Task.yield()
      }
      writer.isStopping.store(true, ordering: .relaxed)
      #expect(try await changes > 0, "\(configuration)")
    }
  }

  /// Compares single searches or a batch with scores of every row that the snapshot says it holds.
  private func check(
    _ snapshot: GallerySnapshot, _ probes: [Embedding], _ references: [Reference], isSingle: Bool
  ) throws {
    let held = try snapshot.candidates(for: probes[0]).map(\.reference).sorted { $0.number < $1.number }
    #expect(held.count == snapshot.count)
    let rows = held.map { Int($0.session.rawValue.split(separator: "-")[1])! }
    #expect(Set(rows).isSuperset(of: 0..<Self.staying))
    let expected = try probes.map { try best(100, of: rows, held, $0, references) }
    for limit in [1, 10, 100] {
      let found =
        isSingle
        ? try probes.map { try snapshot.candidates(for: $0, limit: limit) }
        : try snapshot.candidates(for: probes, limit: limit)
      for (found, expected) in zip(found, expected) {
        #expect(
          found.map(\.reference.number) == expected.prefix(limit).map(\.number)
            && found.map(\.score) == expected.prefix(limit).map(\.score))
      }
    }
  }

  private func best(
    _ limit: Int, of rows: [Int], _ held: [EnrolledReference], _ probe: Embedding, _ references: [Reference]
  ) throws -> ArraySlice<(number: UInt64, score: SimilarityScore)> {
    try zip(rows, held).map { (number: $1.number, score: try probe.score(with: references[$0].embedding)) }
      .sorted { $0.score != $1.score ? $0.score > $1.score : $0.number < $1.number }.prefix(limit)
  }

  private final class Writer: Sendable {
    private let gallery: Gallery
    private let comers: [Reference]
    let isStopping = Atomic(false)

    init(gallery: Gallery, comers: [Reference]) {
      self.gallery = gallery
      self.comers = comers
    }

    /// Enrols and removes the comers in waves until it is stopped; the number of changes.
    func run() async throws -> Int {
      var changes = 0
      while !isStopping.load(ordering: .relaxed) || changes == 0 {
        for reference in comers {
          if isStopping.load(ordering: .relaxed), changes > 0 { return changes }
          if (changes / comers.count) % 2 == 0 {
            try gallery.enrol(reference)
          } else {
            gallery.remove(session: reference.session, from: reference.organisation)
          }
          changes += 1
          if changes % 20 == 0 { await Task.yield() }
        }
        if changes % 5 == 0 { gallery.purge(organisation: "organisation") }
      }
      return changes
    }
  }
}
