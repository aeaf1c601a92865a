import Biometrics
import FaceMatching
import Synchronization
import TestSupport
import Testing

private final class Flag: Sendable {
  let isSet = Atomic(false)
}

@Suite struct ChangeTests {
  @Test func `enrolling the same reference twice changes nothing, another one for its session is refused`()
    throws
  {
    let embeddings = try syntheticEmbeddings(2, dimension: 8)
    let gallery = try Gallery(space: .test(dimension: 8))
    let number = try gallery.enrol(.test(1, embeddings[0]))
    #expect(try gallery.enrol(.test(1, embeddings[0])) == number)
    #expect(gallery.snapshot(of: "organisation").count == 1)
    do {
      try gallery.enrol(.test(1, embeddings[1]))
      Issue.record("it was replaced")
    } catch { #expect(error.code == .sessionAlreadyEnrolled("session-1")) }
  }

  @Test func `a snapshot keeps what it saw`() throws {
    let embeddings = try syntheticEmbeddings(40, dimension: 8)
    let gallery = try Gallery(space: .test(dimension: 8))
    for row in 0..<20 { try gallery.enrol(.test(row, embeddings[row])) }
    let before = gallery.snapshot(of: "organisation")
    for row in 20..<40 { try gallery.enrol(.test(row, embeddings[row])) }
    for row in 0..<5 { #expect(gallery.remove(session: SessionID("session-\(row)"), from: "organisation")) }
    gallery.purge(organisation: "organisation")
    let after = gallery.snapshot(of: "organisation")
    #expect(try before.candidates(for: embeddings[0]).map(\.reference.number).sorted() == Array(0..<20))
    #expect(try after.candidates(for: embeddings[0]).map(\.reference.number).sorted() == Array(5..<40))
    #expect(before.count == 20 && after.count == 35)
    #expect(try after.candidates(for: embeddings[0], filter: .user("user")).count == 35)
    #expect(!gallery.remove(session: "session-0", from: "organisation"))
  }

  @Test func `what was removed can be enrolled again, with a new number`() throws {
    let embedding = try syntheticEmbeddings(1, dimension: 8)[0]
    let gallery = try Gallery(space: .test(dimension: 8))
    #expect(try gallery.enrol(.test(1, embedding)) == 0)
    #expect(gallery.remove(session: "session-1", from: "organisation"))
    #expect(try gallery.enrol(.test(1, embedding)) == 1)
    gallery.remove(organisation: "organisation")
    #expect(gallery.snapshot(of: "organisation").count == 0)
  }

  @Test func `random changes leave the gallery equal to a plain list of what is enrolled`() throws {
    let seed: UInt64 = 20_261
    var random = SeededGenerator(seed: seed)
    let embeddings = try syntheticEmbeddings(6000, dimension: 8)
    let gallery = try Gallery(space: .test(dimension: 8), configuration: .smallSegments(threadCount: 1))
    var present: [(number: UInt64, row: Int)] = []
    var next = 0
    while next < embeddings.count {
      // Mostly growth, then waves of removal that empty whole segments.
      let isShrinking = next / 1500 % 2 == 1
      if !present.isEmpty, Int.random(in: 0..<100, using: &random) < (isShrinking ? 48 : 10) {
        let place = Int.random(in: 0..<present.count, using: &random)
        let removed = present.remove(at: place)
        #expect(gallery.remove(session: SessionID("session-\(removed.row)"), from: "organisation"))
      } else {
        let number = try gallery.enrol(.test(next, embeddings[next], user: "user-\(next / 2)"))
        present.append((number, next))
        next += 1
      }
      if Int.random(in: 0..<2000, using: &random) == 0 { gallery.purge(organisation: "organisation") }
      if Int.random(in: 0..<150, using: &random) == 0 {
        try expectEqual(gallery, present, embeddings, probe: embeddings[next / 2], seed: seed)
      }
    }
    try expectEqual(gallery, present, embeddings, probe: embeddings[0], seed: seed)
  }

  private func expectEqual(
    _ gallery: Gallery, _ present: [(number: UInt64, row: Int)], _ embeddings: [Embedding], probe: Embedding,
    seed: UInt64
  ) throws {
    let snapshot = gallery.snapshot(of: "organisation")
    #expect(snapshot.count == present.count, "seed \(seed)")
    let expected = try present.map { (number: $0.number, score: try probe.score(with: embeddings[$0.row])) }
      .sorted { $0.score != $1.score ? $0.score > $1.score : $0.number < $1.number }.prefix(12)
    let found = try snapshot.candidates(for: probe, limit: 12)
    #expect(found.map(\.reference.number) == expected.map(\.number), "seed \(seed)")
    #expect(found.map(\.score) == expected.map(\.score), "seed \(seed)")
  }

  @Test func `a search that runs while others enrol and remove sees a whole state`() async throws {
    // Rows 0..<200 stay; the others come and go. Whoever stays must be found, in order, every time.
    let embeddings = try syntheticEmbeddings(1200, dimension: 32)
    let gallery = try Gallery(space: .test(dimension: 32), configuration: .init(threadCount: 2))
    for row in 0..<200 { try gallery.enrol(.test(row, embeddings[row], user: "stays")) }
    let flag = Flag()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for writer in 0..<2 {
        group.addTask {
          for round in 0..<6 {
            for row in stride(from: 200 + writer, to: 1200, by: 2) {
              try gallery.enrol(.test(row, embeddings[row], user: "comes"))
              // After enrol returns, a search finds it.
              if row % 50 == writer {
                let own = try gallery.snapshot(of: "organisation").candidates(
                  for: [embeddings[row]], limit: 1, filter: .user("comes"))
                #expect(own[0].first.map { $0.score.value > 0.999 } == true)
              }
            }
            for row in stride(from: 200 + writer, to: 1200, by: 2) {
              #expect(gallery.remove(session: SessionID("session-\(row)"), from: "organisation"))
            }
            if round == 3 { gallery.purge(organisation: "organisation") }
          }
        }
      }
      group.addTask {
        let stays = Exhaustive(references: (0..<200).map { .test($0, embeddings[$0], user: "stays") })
        var searches = 0
        while !flag.isSet.load(ordering: .relaxed) || searches == 0 {
          let probe = embeddings[searches * 7 % 1200]
          let snapshot = gallery.snapshot(of: "organisation")
          let first = try snapshot.candidates(for: [probe, probe], limit: 30)
          #expect(first[0] == first[1])
          #expect(try snapshot.candidates(for: [probe], limit: 30)[0] == first[0])
          let staying = try snapshot.candidates(for: [probe], filter: .excludingUser("comes"))[0]
          #expect(staying.map(Hit.init) == (try stays.search(probe, limit: 200)))
          searches += 1
        }
      }
      try await group.next()
      try await group.next()
      flag.isSet.store(true, ordering: .relaxed)
      try await group.waitForAll()
    }
    #expect(gallery.snapshot(of: "organisation").count == 200)
  }
}
