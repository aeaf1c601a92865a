import Biometrics
import Liveness

/// What is known of one capture for training and evaluation: its features, and whose and what it is.
public struct LabelledCapture: Sendable {
  public static let bonaFide = "bona_fide"

  /// `bona_fide`, or the attack instrument's species.
  public var species: String
  /// The subject, or the attack's victim: no subject is in two parts of a split.
  public var subject: String
  public var features: FeatureVector
  /// What the hard checks found.
  public var findings: [LivenessReason]
  public var coloursShown: Bool
  /// Device, age group and the like, by name.
  public var groups: [String: String]
  /// Where it comes from; `nil` when nobody says.
  public var provenance: CaptureProvenance?
  /// What its passive scores and its embeddings came from.
  public var passiveModel: Capture.PassiveModel?
  public var embeddingModel: Capture.EmbeddingModel?
  /// How many captures it counts as when cues are fitted.
  public var weight = 1.0
  /// Whether it is a recorded sequence of landmarks rather than a capture.
  public var isRecorded = false

  public var isBonaFide: Bool { species == Self.bonaFide }

  public init(
    species: String, subject: String, features: FeatureVector, findings: [LivenessReason] = [],
    coloursShown: Bool = false, groups: [String: String] = [:], provenance: CaptureProvenance? = nil
  ) {
    self.species = species
    self.subject = subject
    self.features = features
    self.findings = findings
    self.coloursShown = coloursShown
    self.groups = groups
    self.provenance = provenance
  }

  /// Of a record whose truth is known.
  init(
    _ record: CaptureRecord, _ label: String, _ subject: String, extractor: FeatureExtractor,
    limits: CheckLimits
  ) {
    self.init(
      species: label, subject: subject,
      features: LivenessDetector.features(
        of: record.capture, answering: record.schedule, limits: limits, extractor: extractor),
      findings: LivenessDetector.findings(
        in: record.capture, answering: record.schedule, received: record.received, limits: limits),
      coloursShown: !record.schedule.flashes.isEmpty, groups: record.groups, provenance: record.provenance)
    passiveModel = record.capture.passiveModel
    embeddingModel = record.capture.embeddingModel
  }

  /// Of a simulated capture.
  public init(_ simulated: SimulatedCapture, extractor: FeatureExtractor, limits: CheckLimits) {
    let record = simulated.record
    self.init(record, record.label!, record.subject!, extractor: extractor, limits: limits)
  }

  /// Of a recorded sequence, which has neither challenge nor scores: geometry and texture alone.
  public init?(_ sequence: RecordedSequence, extractor: FeatureExtractor) {
    guard let landmarks = sequence.landmarks, landmarks.layout == extractor.template.layout else {
      return nil
    }
    let species =
      switch sequence.kind {
      case "rerendered_3d", "real_head_no_approach": Self.bonaFide
      case "attack_flat": AttackSpecies.flatPhoto.rawValue
      case "attack_bent": AttackSpecies.bentPhoto.rawValue
      default: sequence.kind
      }
    self.init(
      species: species, subject: "recorded-\(sequence.subject)",
      features: extractor.measure(
        landmarks, focalLength: focalLength(fieldOfView: sequence.fieldOfView ?? 70)
      ).features)
    isRecorded = true
    // Without an approach there is nothing to see of relief.
    if sequence.kind == "real_head_no_approach" {
      for feature in TrainingPlan.geometry { features[feature] = nil }
    }
  }
}
