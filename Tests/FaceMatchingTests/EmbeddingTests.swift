import Biometrics
import FaceMatching
import TestSupport
import Testing

@Suite struct EmbeddingTests {
  let space = EmbeddingSpace.test(dimension: 4)

  @Test(arguments: [1, 1e-4, 1e-6, 1e-23, 1e-30, 3e19, 1e30, 8e37] as [Float])
  func `one direction scores 1 at any magnitude`(magnitude: Float) throws {
    let direction: [Float] = [0.5, -1, 2, 4]
    let reference = try Embedding(direction, space: space)
    let scaled = try Embedding(direction.map { $0 * magnitude }, space: space)
    let score = try scaled.score(with: reference)
    #expect(abs(score.value - 1) <= 1e-6)
  }

  @Test func `a wrong dimension is refused with both numbers`() {
    #expect(throws: EmbeddingError(.wrongDimension(expected: 4, found: 3))) {
      try Embedding([1, 2, 3], space: space)
    }
  }

  @Test func `a component that is no finite number is refused with its position`() {
    #expect(throws: EmbeddingError(.notANumber(position: 2))) {
      try Embedding([1, 2, .nan, 3], space: space)
    }
    #expect(throws: EmbeddingError(.infinite(position: 1))) {
      try Embedding([1, -.infinity, .nan, 3], space: space)
    }
  }

  @Test func `a zero vector is refused`() {
    #expect(throws: EmbeddingError(.zero)) { try Embedding([0, -0.0, 0, 0], space: space) }
  }

  @Test func `a bad row leaves the others of its batch alone`() throws {
    let rows: [[Float]] = [[1, 0, 0, 0], [.nan, 0, 0, 0], [0, 0, 0, 0], [1, 1], [0, 2, 0, 0]]
    let results = Embedding.validated(rows, space: space)
    #expect(try results[0].get().values == [1, 0, 0, 0])
    #expect(results[1] == .failure(EmbeddingError(.notANumber(position: 0))))
    #expect(results[2] == .failure(EmbeddingError(.zero)))
    #expect(results[3] == .failure(EmbeddingError(.wrongDimension(expected: 4, found: 2))))
    #expect(try results[4].get().values == [0, 1, 0, 0])
  }

  @Test func `embeddings of two spaces are never compared`() throws {
    let other = EmbeddingSpace.test(dimension: 4, model: "other")
    let left = try Embedding([1, 0, 0, 0], space: space)
    let right = try Embedding([1, 0, 0, 0], space: other)
    #expect(throws: EmbeddingError(.otherSpace(expected: space, found: other))) {
      try left.score(with: right)
    }
    #expect(throws: EmbeddingError(.otherSpace(expected: space, found: other))) {
      try Embedding.fused([left, right])
    }
  }

  @Test func `a restored embedding keeps every bit`() throws {
    for embedding in try syntheticEmbeddings(20, dimension: 37) {
      let restored = try Embedding(restoring: embedding.values, space: embedding.space)
      #expect(restored == embedding)
    }
    #expect(throws: EmbeddingError(.notNormalised)) { try Embedding(restoring: [1, 1, 0, 0], space: space) }
  }

  @Test func `the fusion is the renormalised mean, and of one embedding itself`() throws {
    let left = try Embedding([1, 0, 0, 0], space: space)
    let right = try Embedding([0, 1, 0, 0], space: space)
    let fused = try Embedding.fused([left, right])
    let half = Float((0.5).squareRoot())
    #expect(fused.values == [half, half, 0, 0])
    #expect(try Embedding.fused([left]) == left)
    #expect(throws: EmbeddingError(.nothingToFuse)) { try Embedding.fused([]) }
    let opposite = try Embedding([-1, 0, 0, 0], space: space)
    #expect(throws: EmbeddingError(.zero)) { try Embedding.fused([left, opposite]) }
  }

  @Test func `the score of an embedding with itself is 1 and with its opposite −1, never beyond`() throws {
    for embedding in try syntheticEmbeddings(200, dimension: 130) {
      let opposite = try Embedding(embedding.values.map { -$0 }, space: embedding.space)
      let (same, far) = (try embedding.score(with: embedding), try embedding.score(with: opposite))
      #expect(same.value <= 1 && same.value >= 1 - 1e-6)
      #expect(far.value == -same.value)
    }
  }

  @Test func `text made of an embedding holds none of its components`() throws {
    let embedding = try Embedding([0.123, 0.4567, 0.89, 0.321], space: space)
    var dumped = ""
    dump(embedding, to: &dumped)
    for text in ["\(embedding)", String(reflecting: embedding), dumped] {
      for value in embedding.values { #expect(!text.contains("\(value)".prefix(5))) }
    }
  }
}
