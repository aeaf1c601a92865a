/// The thresholds of an embedding space, each with the evidence it rests on: what `models/embedding-spaces` holds.
///
/// Numbers only: no embedding, no subject. The format is described in `Documentation/Formats/OperatingPoints.md`.
public struct OperatingPoints: Hashable, Sendable, Codable {
  public static let format = "reverify-operating-points"
  public static let version = 1

  /// A set of embeddings, named so that it can be told apart from all others.
  public struct DataSet: Hashable, Sendable, Codable {
    public let name: String
    /// SHA-256 of the file of embeddings, in hexadecimal digits.
    public let sha256: String
    public let rowCount: Int

    public init(name: String, sha256: String, rowCount: Int) {
      self.name = name
      self.sha256 = sha256
      self.rowCount = rowCount
    }
  }

  /// The lowest threshold at which the evidence keeps within a false match rate.
  public struct Point: Hashable, Sendable, Codable {
    /// The false match rate that is kept, as a decimal: `1e-5`.
    public let targetFalseMatchRate: String
    public let threshold: SimilarityThreshold
    public let falseMatches: Int
    public let nonMatedComparisons: Int
    public let falseNonMatches: Int
    public let matedComparisons: Int
    /// The 95 % interval of the false match rate (Clopper–Pearson), as if comparisons were independent.
    public let falseMatchRateLow: Double
    public let falseMatchRateHigh: Double

    public init(
      targetFalseMatchRate: String, threshold: SimilarityThreshold, falseMatches: Int,
      nonMatedComparisons: Int,
      falseNonMatches: Int, matedComparisons: Int, falseMatchRateLow: Double, falseMatchRateHigh: Double
    ) {
      self.targetFalseMatchRate = targetFalseMatchRate
      self.threshold = threshold
      self.falseMatches = falseMatches
      self.nonMatedComparisons = nonMatedComparisons
      self.falseNonMatches = falseNonMatches
      self.matedComparisons = matedComparisons
      self.falseMatchRateLow = falseMatchRateLow
      self.falseMatchRateHigh = falseMatchRateHigh
    }
  }

  public let format: String
  public let version: Int
  public let space: EmbeddingSpace
  /// The data that the points were measured on.
  public let evidence: DataSet
  /// Other data known to be of the space, so that their files are recognised.
  public let alsoOfThisSpace: [DataSet]
  /// In descending order of target, so in ascending order of threshold.
  public let points: [Point]
  /// How they were made.
  public let command: String
  public let engineVersion: String

  public init(
    space: EmbeddingSpace, evidence: DataSet, alsoOfThisSpace: [DataSet], points: [Point], command: String,
    engineVersion: String
  ) {
    format = Self.format
    version = Self.version
    self.space = space
    self.evidence = evidence
    self.alsoOfThisSpace = alsoOfThisSpace
    self.points = points
    self.command = command
    self.engineVersion = engineVersion
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    format = try container.decode(String.self, forKey: .format)
    guard format == Self.format else {
      throw DecodingError.dataCorruptedError(
        forKey: .format, in: container, debugDescription: "expected \(Self.format)")
    }
    version = try container.decode(Int.self, forKey: .version)
    guard version == Self.version else {
      throw DecodingError.dataCorruptedError(
        forKey: .version, in: container, debugDescription: "expected \(Self.version), found \(version)")
    }
    space = try container.decode(EmbeddingSpace.self, forKey: .space)
    evidence = try container.decode(DataSet.self, forKey: .evidence)
    alsoOfThisSpace = try container.decode([DataSet].self, forKey: .alsoOfThisSpace)
    points = try container.decode([Point].self, forKey: .points)
    command = try container.decode(String.self, forKey: .command)
    engineVersion = try container.decode(String.self, forKey: .engineVersion)
  }

  /// The point for a target, by the text of its rate; nil when the evidence has none.
  public func point(forTarget target: String) -> Point? {
    points.first { $0.targetFalseMatchRate == target }
  }
}
