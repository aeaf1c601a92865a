import Biometrics
import CFaceKernels

/// A validated face embedding of unit length in a known space.
///
/// Made of finite numbers of any magnitude; normalised in f64, so that neither tiny nor huge ones under- or
/// overflow. Its text form names the space only: components never reach a log.
public struct Embedding: Hashable, Sendable {
  public let space: EmbeddingSpace
  /// The components, `space.dimension` of them, of Euclidean norm 1 to within f32 rounding.
  public let values: [Float]

  private init(space: EmbeddingSpace, unchecked values: [Float]) {
    self.space = space
    self.values = values
  }

  /// Normalises `raw`, component by component (f32)(x / ‖x‖), the norm in f64.
  ///
  /// Throws `EmbeddingError` for a wrong dimension, a NaN, an infinity or a zero vector.
  public init(_ raw: [Float], space: EmbeddingSpace) throws(EmbeddingError) {
    let norm = try Self.norm(of: raw, space: space)
    let kernels = Kernels.shared.table.pointee
    let normalised = [Float](unsafeUninitializedCapacity: raw.count) { result, count in
      raw.withUnsafeBufferPointer {
        kernels.divide_f32($0.baseAddress!, norm, raw.count, result.baseAddress!)
      }
      count = raw.count
    }
    self.init(space: space, unchecked: normalised)
  }

  /// Takes back the `values` of an earlier embedding, bit for bit; nothing is normalised again.
  ///
  /// Throws as `init(_:space:)` does, and `.notNormalised` when the norm differs from 1 by more than 1e-4.
  public init(restoring values: [Float], space: EmbeddingSpace) throws(EmbeddingError) {
    let norm = try Self.norm(of: values, space: space)
    guard abs(norm - 1) <= 1e-4 else { throw EmbeddingError(.notNormalised) }
    self.init(space: space, unchecked: values)
  }

  /// Validates each of `rows`; a bad one never harms the others.
  public static func validated(
    _ rows: [[Float]], space: EmbeddingSpace
  ) -> [Result<Embedding, EmbeddingError>] {
    rows.map { row in
      do throws(EmbeddingError) {
        return .success(try Embedding(row, space: space))
      } catch {
        return .failure(error)
      }
    }
  }

  /// The renormalised mean of `embeddings`: components summed in f64 in the order given, rounded to f32, then
  /// normalised as on entry. A single embedding is its own mean, bit for bit.
  ///
  /// Throws `.nothingToFuse`, `.otherSpace`, or `.zero` when they cancel out.
  public static func fused(_ embeddings: [Embedding]) throws(EmbeddingError) -> Embedding {
    guard let first = embeddings.first else { throw EmbeddingError(.nothingToFuse) }
    for other in embeddings where other.space != first.space {
      throw EmbeddingError(.otherSpace(expected: first.space, found: other.space))
    }
    if embeddings.count == 1 { return first }
    var sum = [Double](repeating: 0, count: first.values.count)
    for embedding in embeddings {
      for index in sum.indices { sum[index] += Double(embedding.values[index]) }
    }
    return try Embedding(sum.map(Float.init), space: first.space)
  }

  /// The comparison score with `other` by the defined reduction: cosine, −1...1, higher is closer.
  ///
  /// The same number, bit for bit, as a search reports for the pair. Throws `.otherSpace`.
  public func score(with other: Embedding) throws(EmbeddingError) -> SimilarityScore {
    guard space == other.space else {
      throw EmbeddingError(.otherSpace(expected: space, found: other.space))
    }
    return score(with: other, kernels: Kernels.shared)
  }

  /// The score by the kernels of one level, for tests that hold the levels against each other.
  package func score(with other: Embedding, kernels: Kernels) -> SimilarityScore {
    values.withUnsafeBufferPointer { left in
      other.values.withUnsafeBufferPointer { right in
        SimilarityScore(
          clamping: kernels.table.pointee.dot_f32(left.baseAddress!, right.baseAddress!, left.count))
      }
    }
  }

  private static func norm(of raw: [Float], space: EmbeddingSpace) throws(EmbeddingError) -> Double {
    guard raw.count == space.dimension else {
      throw EmbeddingError(.wrongDimension(expected: space.dimension, found: raw.count))
    }
    let squared = raw.withUnsafeBufferPointer {
      Kernels.shared.table.pointee.squared_norm_f32($0.baseAddress!, raw.count)
    }
    if squared.isFinite, squared > 0 { return squared.squareRoot() }
    if let position = raw.firstIndex(where: { !$0.isFinite }) {
      throw EmbeddingError(
        raw[position].isNaN ? .notANumber(position: position) : .infinite(position: position))
    }
    throw EmbeddingError(.zero)
  }
}

extension SimilarityScore {
  /// The score of a dot product of two unit vectors, which rounding may have put just outside −1...1.
  init(clamping dot: Float) {
    self.init(min(max(dot, -1), 1))
  }
}

extension Embedding: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  public var description: String { "Embedding(\(space))" }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: ["space": space]) }
}
