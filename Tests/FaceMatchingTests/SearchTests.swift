import Biometrics
import FaceMatching
import TestSupport
import Testing

@Suite struct SearchTests {
  /// A gallery of synthetic faces with awkward rows among them: equal ones, opposite ones and near-equal ones.
  static func references(_ count: Int, dimension: Int) throws -> [Reference] {
    var embeddings = try syntheticEmbeddings(count, dimension: dimension)
    for row in stride(from: 50, to: count, by: 97) { embeddings[row] = embeddings[row - 1] }
    for row in stride(from: 60, to: count, by: 89) {
      embeddings[row] = try Embedding(
        embeddings[row - 1].values.map { -$0 }, space: .test(dimension: dimension))
    }
    return embeddings.enumerated().map { row, embedding in
      .test(row, embedding, user: "user-\(row / 2)", workflow: row % 3 == 0 ? "other" : "workflow")
    }
  }

  /// Rows of 64 dimensions around one direction, their distances from it about `spread`.
  static func nearlyEqual(_ count: Int, spread: Float) throws -> [Reference] {
    let common = try syntheticEmbeddings(1, dimension: 64, seed: 5)[0].values
    let noise = try syntheticEmbeddings(count, dimension: 64, seed: 6, imagesPerSubject: 1)
    return try noise.enumerated().map { row, noise in
      let values = zip(common, noise.values).map { $0 + spread * $1 }
      return Reference.test(row, try Embedding(values, space: .test(dimension: 64)), user: "user-\(row)")
    }
  }

  static func gallery(_ references: [Reference], _ configuration: Gallery.Configuration) throws -> Gallery {
    let gallery = try Gallery(space: references[0].embedding.space, configuration: configuration)
    for reference in references { try gallery.enrol(reference) }
    return gallery
  }

  static func probes(dimension: Int) throws -> [Embedding] {
    try syntheticEmbeddings(64, dimension: dimension, imagesPerSubject: 3)
      + syntheticEmbeddings(
        6, dimension: dimension, seed: 99)
  }

  @Test(arguments: [0.001, 0.1]) func `a gallery of rows that are nearly one is searched exactly`(
    spread: Float
  ) throws {
    // Neither plane rules out much of the first, the coarse one little of the second.
    let references = try Self.nearlyEqual(5000, spread: spread)
    let exhaustive = Exhaustive(references: references)
    let probes =
      [references[17].embedding, references[4999].embedding] + (try Self.probes(dimension: 64).prefix(2))
    // Enough of them that units which nothing rules out are scored for all at once.
    let batch = try references[100..<112].map(\.embedding) + (Self.probes(dimension: 64).prefix(1))
    let batchExpected = try batch.map { try exhaustive.search($0, limit: 10) }
    for configuration in allConfigurations() {
      let snapshot = try Self.gallery(references, configuration).snapshot(of: "organisation")
      #expect(
        try snapshot.candidates(for: batch, limit: 10).map { $0.map(Hit.init) } == batchExpected,
        "\(configuration)")
      for probe in probes {
        let expected = try exhaustive.search(probe, limit: 5000)
        for limit in [1, 10, 300] {
          #expect(
            try snapshot.candidates(for: probe, limit: limit).map(Hit.init) == Array(expected.prefix(limit)),
            "\(configuration) limit \(limit)")
        }
        let threshold = SimilarityThreshold(expected[200].score)!
        let reaching = expected.filter { $0.score >= threshold.value }
        #expect(try snapshot.candidates(for: probe, threshold: threshold).map(Hit.init) == reaching)
      }
    }
  }

  @Test(arguments: [1, 15, 16, 17, 255, 256, 257, 700, 9000], [3, 128])
  func `every way to search equals the exhaustive scan in rows and bits`(count: Int, dimension: Int) throws {
    let references = try Self.references(count, dimension: dimension)
    let exhaustive = Exhaustive(references: references)
    let probes = Array(try Self.probes(dimension: dimension).prefix(count > 1000 ? 12 : 24))
    let threshold = SimilarityThreshold(0.2)!
    let expected = try probes.map { try exhaustive.search($0, limit: 100) }
    let expectedMatches = try probes.map { try exhaustive.search($0, limit: count, threshold: threshold) }
    for configuration in allConfigurations() {
      let snapshot = try Self.gallery(references, configuration).snapshot(of: "organisation")
      for limit in [1, 10, 100] {
        for (found, expected) in zip(try snapshot.candidates(for: probes, limit: limit), expected) {
          #expect(found.map(Hit.init) == Array(expected.prefix(limit)), "\(configuration) limit \(limit)")
        }
      }
      for (probe, expected) in zip(probes, expectedMatches) {
        #expect(try snapshot.candidates(for: probe, threshold: threshold).map(Hit.init) == expected)
      }
    }
  }

  @Test func `a result does not depend on the size of its batch or on its neighbours`() throws {
    let references = try Self.references(3000, dimension: 64)
    let probes = try Self.probes(dimension: 64)
    for configuration in allConfigurations() {
      let snapshot = try Self.gallery(references, configuration).snapshot(of: "organisation")
      let single = try probes.map { try snapshot.candidates(for: $0, limit: 5) }
      for size in [1, 7, 64] {
        for start in stride(from: 0, to: probes.count, by: size) {
          let range = start..<min(start + size, probes.count)
          #expect(try snapshot.candidates(for: Array(probes[range]), limit: 5) == Array(single[range]))
        }
      }
    }
  }

  @Test func `the order of enrolment changes no score`() throws {
    let references = try Self.references(900, dimension: 32)
    let forward = try Self.gallery(references, .init()).snapshot(of: "organisation")
    let backward = try Self.gallery(references.reversed(), .init()).snapshot(of: "organisation")
    for probe in try Self.probes(dimension: 32) {
      let (left, right) = (
        try forward.candidates(for: probe, limit: 50), try backward.candidates(for: probe, limit: 50)
      )
      #expect(left.map(\.score) == right.map(\.score))
    }
  }

  @Test(arguments: KernelLevel.available)
  func `rows that nothing can prune are searched exactly`(level: KernelLevel) throws {
    // All rows lie within 8-bit error of each other, many are equal: every row survives the first pass.
    let dimension = 16
    let base = try syntheticEmbeddings(1, dimension: dimension)[0].values
    let references = try (0..<70_000).map { row in
      var values = base
      values[row % dimension] += Float(row % 7) * 1e-7
      return Reference.test(row, try Embedding(values, space: .test(dimension: dimension)))
    }
    let snapshot = try Self.gallery(references, .init(level: level, threadCount: 2)).snapshot(
      of: "organisation")
    let probe = try Embedding(base, space: .test(dimension: dimension))
    let expected = try Exhaustive(references: references).search(probe, limit: 70_000)
    #expect(try snapshot.candidates(for: probe, limit: 10).map(Hit.init) == Array(expected.prefix(10)))
    #expect(try snapshot.candidates(for: probe, limit: 1000).map(Hit.init) == Array(expected.prefix(1000)))
    #expect(try snapshot.candidates(for: probe).map(Hit.init) == expected)
    let closest = SimilarityThreshold(expected[5000].score)!
    let matches = try snapshot.candidates(for: probe, threshold: closest)
    #expect(matches.map(Hit.init) == expected.filter { $0.score >= closest.value })
  }

  @Test func `k is cut to the number enrolled, and nothing is found where nobody is`() throws {
    let references = try Self.references(5, dimension: 8)
    let gallery = try Self.gallery(references, .init())
    let probe = references[0].embedding
    #expect(try gallery.snapshot(of: "organisation").candidates(for: probe, limit: 100).count == 5)
    #expect(try gallery.snapshot(of: "organisation").candidates(for: probe, limit: 0).isEmpty)
    #expect(try gallery.snapshot(of: "nobody").candidates(for: probe, limit: 3).isEmpty)
    let empty = try Gallery(space: .test(dimension: 8))
    #expect(try empty.snapshot(of: "organisation").candidates(for: [probe, probe], limit: 3) == [[], []])
    #expect(throws: GalleryError.self) {
      try gallery.snapshot(of: "organisation").candidates(for: probe, limit: -1)
    }
  }

  @Test func `a score equal to the threshold is found, and a threshold of 0 is honoured`() throws {
    let space = EmbeddingSpace.test(dimension: 2)
    let gallery = try Gallery(space: space)
    for (row, values) in [[1, 0], [0, 1], [0, -1], [-1, 0]].enumerated() {
      try gallery.enrol(.test(row, try Embedding(values.map { Float($0) }, space: space)))
    }
    let probe = try Embedding([1, 0], space: space)
    let snapshot = gallery.snapshot(of: "organisation")
    let atZero = try snapshot.candidates(for: probe, threshold: SimilarityThreshold(0)!)
    #expect(atZero.map(\.score.value) == [1, 0, 0])
    #expect(atZero.map(\.reference.number) == [0, 1, 2])
    #expect(try snapshot.candidates(for: probe, threshold: SimilarityThreshold(1)!).count == 1)
    #expect(try snapshot.candidates(for: probe, threshold: SimilarityThreshold(-1)!).count == 4)
  }

  @Test func `filters look at their part of an organisation, and organisations never mix`() throws {
    let references = try Self.references(2000, dimension: 24)
    let gallery = try Self.gallery(references, .init())
    let foreign = Reference.test(
      0, references[7].embedding, user: "user-3", organisation: "another")
    try gallery.enrol(foreign)
    let exhaustive = Exhaustive(references: references)
    let snapshot = gallery.snapshot(of: "organisation")
    let filters: [(SearchFilter, (Reference) -> Bool)] = [
      (.all, { _ in true }),
      (.user("user-3"), { $0.user == "user-3" }),
      (.workflow("other"), { $0.workflow == "other" }),
      (.userOnWorkflow("user-3", "other"), { $0.user == "user-3" && $0.workflow == "other" }),
      (.excludingUser("user-3"), { $0.user != "user-3" }),
      (.user("nobody"), { _ in false }),
    ]
    for probe in [references[7].embedding, references[800].embedding] {
      for (filter, isIncluded) in filters {
        let expected = try exhaustive.search(probe, limit: 20, where: isIncluded)
        let found = try snapshot.candidates(for: probe, limit: 20, filter: filter)
        #expect(found.map(Hit.init) == expected, "\(filter)")
      }
    }
    let another = try gallery.snapshot(of: "another").candidates(for: references[7].embedding, limit: 5)
    #expect(another.map(\.reference.user) == ["user-3"])
  }

  @Test func `a probe of another space is refused before any score exists`() async throws {
    let gallery = try Self.gallery(Self.references(3, dimension: 8), .init())
    let other = EmbeddingSpace.test(dimension: 8, model: "other")
    let probe = try Embedding([1, 0, 0, 0, 0, 0, 0, 0], space: other)
    let refusal = GalleryError.Code.otherSpace(expected: gallery.space, found: other)
    let snapshot = gallery.snapshot(of: "organisation")
    do {
      _ = try await snapshot.question(probe, claimed: "user-0", on: "workflow")
      Issue.record("it was compared")
    } catch { #expect(error.code == refusal) }
    do {
      try gallery.enrol(.test(9, probe))
      Issue.record("it was enrolled")
    } catch { #expect(error.code == refusal) }
  }

  @Test func `the question of a claim finds the user, the user elsewhere and everybody else`() async throws {
    let references = try Self.references(1500, dimension: 48)
    let snapshot = try Self.gallery(references, .init()).snapshot(of: "organisation")
    let exhaustive = Exhaustive(references: references)
    for user in [0, 3, 4, 700] {
      let name = UserID("user-\(user)")
      let probe = references[user * 2].embedding
      let scores = try await snapshot.question(probe, claimed: name, on: "workflow")
      #expect(
        try scores.claimed.map(Hit.init)
          == exhaustive.search(probe, limit: 9) { $0.user == name && $0.workflow == "workflow" })
      #expect(
        try scores.otherWorkflow.map(Hit.init)
          == exhaustive.search(probe, limit: 1) { $0.user == name && $0.workflow != "workflow" }.first)
      #expect(
        try scores.otherPerson.map(Hit.init) == exhaustive.search(probe, limit: 1) { $0.user != name }.first)
    }
  }
}
