import Biometrics
import FaceMatching
import TestSupport
import Testing

@Suite struct AllPairsTests {
  @Test(arguments: [0, 1, 2, 255, 256, 257, 600], [1, 2])
  func `every pair comes once, with its defined score`(count: Int, threadCount: Int) throws {
    let embeddings = try syntheticEmbeddings(count, dimension: 20)
    let pairs = try AllPairs(embeddings, threadCount: threadCount)
    let parts = pairs.accumulate {
      [Int: Float]()
    } visit: { scores, row, first, block in
      for (offset, score) in block.enumerated() { scores[row * count + first + offset] = score }
    }
    var all: [Int: Float] = [:]
    for part in parts { all.merge(part) { _, _ in .nan } }
    #expect(all.count == count * max(count - 1, 0) / 2 && all.count == pairs.pairCount)
    for row in stride(from: 0, to: count, by: 7) {
      for other in row + 1..<max(count, row + 1) {
        #expect(try all[row * count + other] == embeddings[row].score(with: embeddings[other]).value)
      }
    }
  }

  @Test func `embeddings of two spaces are refused`() throws {
    let other = EmbeddingSpace.test(dimension: 8, model: "other")
    let foreign = try Embedding([1, 0, 0, 0, 0, 0, 0, 0], space: other)
    let own = try syntheticEmbeddings(1, dimension: 8)
    #expect(throws: GalleryError.self) { try AllPairs(own + [foreign]) }
  }
}
