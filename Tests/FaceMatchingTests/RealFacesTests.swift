import Biometrics
import EmbeddingFiles
import FaceMatching
import TestSupport
import Testing

/// All 13,233 LFW embeddings: the same bits in every way they can be computed.
@Suite(.enabled("no shared data here", { SharedData.has("lfw-edgeface") }), .serialized)
struct RealFacesTests {
  let references: [Reference]

  init() throws {
    let matrix = try EmbeddingFile.read("\(SharedData.folder("lfw-edgeface"))/embeddings.npy")
    let space = EmbeddingSpace.test(dimension: matrix.dimension)
    references = try (0..<matrix.rowCount).map {
      .test($0, try Embedding(Array(matrix[$0]), space: space), user: "\($0)")
    }
  }

  @Test func `13,233 × 100 scores have the same bits at every level`() throws {
    #expect(references.count == 13_233)
    let levels = try KernelLevel.available.map { try Kernels(level: $0) }
    var differing = 0
    for row in stride(from: 0, to: references.count, by: 133).prefix(100) {
      let probe = references[row].embedding
      for reference in references {
        let score = probe.score(with: reference.embedding, kernels: levels[0])
        for kernels in levels.dropFirst()
        where probe.score(with: reference.embedding, kernels: kernels) != score {
          differing += 1
        }
      }
    }
    #expect(differing == 0)
  }

  @Test func `a search finds the same bits at every level, batch size and thread count`() throws {
    let probes = stride(from: 0, to: references.count, by: 207).prefix(64).map { references[$0].embedding }
    let exhaustive = Exhaustive(references: references)
    let expected = try probes.prefix(16).map { try exhaustive.search($0, limit: 20) }
    var first: [[Candidate]]?
    for configuration in allConfigurations() {
      let gallery = try Gallery(space: references[0].embedding.space, configuration: configuration)
      for reference in references { try gallery.enrol(reference) }
      let snapshot = gallery.snapshot(of: "organisation")
      for size in [1, 7, 64] {
        let found = try stride(from: 0, to: probes.count, by: size).flatMap {
          try snapshot.candidates(for: Array(probes[$0..<min($0 + size, probes.count)]), limit: 20)
        }
        if first == nil { first = found }
        #expect(found == first, "\(configuration), batches of \(size)")
      }
    }
    #expect(first?.prefix(16).map { $0.map(Hit.init) } == expected)
  }

  @Test func `the ten best of the whole set are those of the exhaustive scan, in rows and bits`() throws {
    let probeCount = LongRuns.areEnabled ? 1000 : 60
    let probes = (0..<probeCount).map { references[$0 * references.count / probeCount].embedding }
    let exhaustive = Exhaustive(references: references)
    let gallery = try Gallery(space: references[0].embedding.space)
    for reference in references { try gallery.enrol(reference) }
    let found = try gallery.snapshot(of: "organisation").candidates(for: probes, limit: 10)
    for (probe, candidates) in zip(probes, found) {
      #expect(try candidates.map(Hit.init) == exhaustive.search(probe, limit: 10))
      #expect(
        try gallery.snapshot(of: "organisation").candidates(for: probe, limit: 10) == candidates)
    }
  }
}
