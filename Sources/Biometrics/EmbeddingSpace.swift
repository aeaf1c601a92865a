/// What must be equal for two embeddings to be comparable: the fingerprint of the pipeline that made them.
///
/// Embeddings of two spaces are never compared; the attempt is a typed refusal before any score exists.
public struct EmbeddingSpace: Hashable, Sendable, Codable {
  /// How two embeddings of a space are compared. Cosine is the only one: −1...1, higher is closer.
  public enum Metric: String, Sendable, Codable {
    case cosine
  }

  /// The model's name, for example `edgeface-xs`.
  public let model: String
  /// A digest of the model's weights, so that a retrained model under the old name is another space.
  public let weightsDigest: String
  /// The number of components of an embedding, 1...`maximumDimension`.
  public let dimension: Int
  /// Version of face alignment and image preprocessing before the model.
  public let preprocessing: String
  public let metric: Metric

  /// The largest dimension that the integer kernels hold without overflow, with a margin.
  public static let maximumDimension = 4096

  /// A space of `dimension` components. A dimension outside 1...4096 is a programming error and traps.
  public init(
    model: String, weightsDigest: String, dimension: Int, preprocessing: String, metric: Metric = .cosine
  ) {
    precondition(
      (1...Self.maximumDimension).contains(dimension),
      "an embedding space has 1...\(Self.maximumDimension) dimensions, not \(dimension)")
    self.model = model
    self.weightsDigest = weightsDigest
    self.dimension = dimension
    self.preprocessing = preprocessing
    self.metric = metric
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let dimension = try container.decode(Int.self, forKey: .dimension)
    guard (1...Self.maximumDimension).contains(dimension) else {
      throw DecodingError.dataCorruptedError(
        forKey: .dimension, in: container,
        debugDescription: "expected 1...\(Self.maximumDimension), found \(dimension)")
    }
    self.init(
      model: try container.decode(String.self, forKey: .model),
      weightsDigest: try container.decode(String.self, forKey: .weightsDigest),
      dimension: dimension,
      preprocessing: try container.decode(String.self, forKey: .preprocessing),
      metric: try container.decode(Metric.self, forKey: .metric))
  }
}

extension EmbeddingSpace: CustomStringConvertible {
  /// The fingerprint in one line: model, weights, dimension, preprocessing and metric.
  public var description: String {
    "\(model)@\(weightsDigest)/\(dimension)/\(preprocessing)/\(metric.rawValue)"
  }
}
