/// A comparison score: the cosine of two embeddings, −1...1, higher is closer.
///
/// A type of its own, so that a distance, where lower is closer, can't be passed for a similarity.
public struct SimilarityScore: Hashable, Comparable, Sendable {
  public let value: Float

  /// A score of `value`, which must lie in −1...1; anything else (a NaN too) traps.
  public init(_ value: Float) {
    precondition(value >= -1 && value <= 1, "a similarity score lies in -1...1")
    self.value = value
  }

  public static func < (left: SimilarityScore, right: SimilarityScore) -> Bool {
    left.value < right.value
  }

  /// Whether this score is a match at `threshold`: `score >= threshold`.
  public func matches(_ threshold: SimilarityThreshold) -> Bool {
    value >= threshold.value
  }
}

/// The lowest similarity score that is a match, −1...1.
public struct SimilarityThreshold: Hashable, Comparable, Sendable {
  public let value: Float

  /// A threshold, or `nil` when `value` is outside −1...1 or not a number.
  public init?(_ value: Float) {
    guard value >= -1, value <= 1 else { return nil }
    self.value = value
  }

  public static func < (left: SimilarityThreshold, right: SimilarityThreshold) -> Bool {
    left.value < right.value
  }
}

extension SimilarityScore: Codable {
  public init(from decoder: any Decoder) throws {
    self.init(try decodeSimilarity(from: decoder))
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(value)
  }
}

extension SimilarityThreshold: Codable {
  public init(from decoder: any Decoder) throws {
    value = try decodeSimilarity(from: decoder)
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(value)
  }
}

private func decodeSimilarity(from decoder: any Decoder) throws -> Float {
  let value = try decoder.singleValueContainer().decode(Float.self)
  guard value >= -1, value <= 1 else {
    throw DecodingError.dataCorrupted(
      .init(codingPath: decoder.codingPath, debugDescription: "a similarity lies in -1...1"))
  }
  return value
}
