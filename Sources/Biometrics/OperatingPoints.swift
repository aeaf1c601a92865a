/// The thresholds of an embedding space, each with the evidence it rests on: what `models/embedding-spaces` holds.
///
/// Numbers only: no embedding, no subject. The format is described in `Documentation/Formats/OperatingPoints.md`.
public struct OperatingPoints: Hashable, Sendable, Codable {
  public static let format = "reverify-operating-points"
  /// The version written; those before it are read as well: 1 is without recognise points, 2 without unusable rows and
  /// what is upheld.
  public static let version = 3

  /// A set of embeddings, named so that it can be told apart from all others.
  public struct DataSet: Hashable, Sendable, Codable {
    public let name: String
    /// SHA-256 of the file of embeddings, in hexadecimal digits.
    public let sha256: String
    public let rowCount: Int
    /// Rows of which no embedding can be made (zeros, NaN, infinite), left out of every count; nil where nobody counted.
    public let unusableRowCount: Int?

    public init(name: String, sha256: String, rowCount: Int, unusableRowCount: Int? = nil) {
      self.name = name
      self.sha256 = sha256
      self.rowCount = rowCount
      self.unusableRowCount = unusableRowCount
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
    /// The 95 % interval by subject, from a bootstrap: the one to go by. Nil where none was made.
    public let falseMatchRateBySubjectLow: Double?
    public let falseMatchRateBySubjectHigh: Double?
    /// The one-sided 95 % upper bound by subject: the false match rate that the evidence upholds, often above the target,
    /// which is kept by what was observed. Nil where no bootstrap was made.
    public let falseMatchRateUpheld: Double?

    public init(
      targetFalseMatchRate: String, threshold: SimilarityThreshold, falseMatches: Int,
      nonMatedComparisons: Int,
      falseNonMatches: Int, matedComparisons: Int, falseMatchRateLow: Double, falseMatchRateHigh: Double,
      falseMatchRateBySubjectLow: Double? = nil, falseMatchRateBySubjectHigh: Double? = nil,
      falseMatchRateUpheld: Double? = nil
    ) {
      self.targetFalseMatchRate = targetFalseMatchRate
      self.threshold = threshold
      self.falseMatches = falseMatches
      self.nonMatedComparisons = nonMatedComparisons
      self.falseNonMatches = falseNonMatches
      self.matedComparisons = matedComparisons
      self.falseMatchRateLow = falseMatchRateLow
      self.falseMatchRateHigh = falseMatchRateHigh
      self.falseMatchRateBySubjectLow = falseMatchRateBySubjectLow
      self.falseMatchRateBySubjectHigh = falseMatchRateBySubjectHigh
      self.falseMatchRateUpheld = falseMatchRateUpheld
    }
  }

  /// A threshold that a model's makers state, on a measure of their own: for comparison, not for decisions.
  public struct StatedThreshold: Hashable, Sendable, Codable {
    public let name: String
    /// On the negated Euclidean distance of embeddings as they are, not normalised: `-distance >= threshold` matches.
    public let negatedDistance: Double

    public init(name: String, negatedDistance: Double) {
      self.name = name
      self.negatedDistance = negatedDistance
    }
  }

  /// The lowest threshold at which searches over so many enrolled keep within a false positive rate.
  public struct RecognisePoint: Hashable, Sendable, Codable {
    /// The false positive rate of a search that is kept, as a decimal: `1e-2`.
    public let targetFalsePositiveRate: String
    /// N: the references that were searched.
    public let enrolled: Int
    public let threshold: SimilarityThreshold
    public let falsePositives: Int
    public let nonMatedSearches: Int
    /// Mated searches whose closest candidate is another or below the threshold.
    public let falseNegatives: Int
    public let matedSearches: Int
    /// The 95 % interval of the false positive rate (Clopper–Pearson), as if searches were independent.
    public let falsePositiveRateLow: Double
    public let falsePositiveRateHigh: Double
    /// The same by subject, from a bootstrap: the one to go by. Nil where none was made.
    public let falsePositiveRateBySubjectLow: Double?
    public let falsePositiveRateBySubjectHigh: Double?
    /// The one-sided 95 % upper bound by subject: the rate that the evidence upholds.
    public let falsePositiveRateUpheld: Double?

    public init(
      targetFalsePositiveRate: String, enrolled: Int, threshold: SimilarityThreshold, falsePositives: Int,
      nonMatedSearches: Int, falseNegatives: Int, matedSearches: Int, falsePositiveRateLow: Double,
      falsePositiveRateHigh: Double, falsePositiveRateBySubjectLow: Double? = nil,
      falsePositiveRateBySubjectHigh: Double? = nil, falsePositiveRateUpheld: Double? = nil
    ) {
      self.targetFalsePositiveRate = targetFalsePositiveRate
      self.enrolled = enrolled
      self.threshold = threshold
      self.falsePositives = falsePositives
      self.nonMatedSearches = nonMatedSearches
      self.falseNegatives = falseNegatives
      self.matedSearches = matedSearches
      self.falsePositiveRateLow = falsePositiveRateLow
      self.falsePositiveRateHigh = falsePositiveRateHigh
      self.falsePositiveRateBySubjectLow = falsePositiveRateBySubjectLow
      self.falsePositiveRateBySubjectHigh = falsePositiveRateBySubjectHigh
      self.falsePositiveRateUpheld = falsePositiveRateUpheld
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
  /// By number enrolled, then in descending order of target.
  public let recognisePoints: [RecognisePoint]
  /// Stated elsewhere, without evidence here.
  public let statedThresholds: [StatedThreshold]
  /// How they were made.
  public let command: String
  public let engineVersion: String

  public init(
    space: EmbeddingSpace, evidence: DataSet, alsoOfThisSpace: [DataSet], points: [Point],
    recognisePoints: [RecognisePoint] = [], statedThresholds: [StatedThreshold] = [], command: String,
    engineVersion: String
  ) {
    format = Self.format
    version = Self.version
    self.space = space
    self.evidence = evidence
    self.alsoOfThisSpace = alsoOfThisSpace
    self.points = points
    self.recognisePoints = recognisePoints
    self.statedThresholds = statedThresholds
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
    guard (1...Self.version).contains(version) else {
      throw DecodingError.dataCorruptedError(
        forKey: .version, in: container, debugDescription: "expected 1 to \(Self.version), found \(version)")
    }
    space = try container.decode(EmbeddingSpace.self, forKey: .space)
    evidence = try container.decode(DataSet.self, forKey: .evidence)
    alsoOfThisSpace = try container.decode([DataSet].self, forKey: .alsoOfThisSpace)
    points = try container.decode([Point].self, forKey: .points)
    recognisePoints =
      version == 1 ? [] : try container.decode([RecognisePoint].self, forKey: .recognisePoints)
    statedThresholds =
      try container.decodeIfPresent([StatedThreshold].self, forKey: .statedThresholds) ?? []
    command = try container.decode(String.self, forKey: .command)
    engineVersion = try container.decode(String.self, forKey: .engineVersion)
  }

  /// The point for a target, by the text of its rate; nil when the evidence has none.
  public func point(forTarget target: String) -> Point? {
    points.first { $0.targetFalseMatchRate == target }
  }
}
