/// What a detector knows: how one landmarker's captures are judged, and on what evidence.
///
/// A value read from a file of `models/liveness/`; see `Documentation/Formats/LivenessModel.md`.
public struct LivenessModel: Hashable, Sendable, Codable {
  public static let format = "reverify-liveness-model"
  public static let version = 2

  /// One feature's part in a cue: weight · (value − mean) / scale, the quotient held within ±8.
  public struct Term: Hashable, Sendable, Codable {
    public var feature: Feature
    public var mean: Double
    public var scale: Double
    public var weight: Double

    public init(feature: Feature, mean: Double, scale: Double, weight: Double) {
      self.feature = feature
      self.mean = mean
      self.scale = scale
      self.weight = weight
    }
  }

  /// The values of a feature that the cue lets through, ends included.
  public struct Range: Hashable, Sendable, Codable {
    public var low: Double?
    public var high: Double?

    public init(low: Double? = nil, high: Double? = nil) {
      self.low = low
      self.high = high
    }

    func contains(_ value: Double) -> Bool { value >= low ?? -.infinity && value <= high ?? .infinity }
  }

  /// A logistic regression, calibrated to a log-likelihood ratio: higher speaks for a live person.
  public struct CueModel: Hashable, Sendable, Codable {
    /// A cue that is off is neither formed nor asked for.
    public var isEnabled: Bool
    /// Without it a capture is inconclusive. Colours are asked for only where they were shown.
    public var isRequired: Bool
    public var terms: [Term]
    public var bias: Double
    /// The log-likelihood ratio is slope · sum + offset; the slope is not negative.
    public var slope: Double
    public var offset: Double
    /// A lower ratio fails whatever the other cues say.
    public var floor: Double
    public var ranges: [String: Range]

    public init(
      isEnabled: Bool = true, isRequired: Bool, terms: [Term], bias: Double, slope: Double, offset: Double,
      floor: Double, ranges: [String: Range] = [:]
    ) {
      self.isEnabled = isEnabled
      self.isRequired = isRequired
      self.terms = terms
      self.bias = bias
      self.slope = slope
      self.offset = offset
      self.floor = floor
      self.ranges = ranges
    }

    enum CodingKeys: String, CodingKey {
      case isEnabled = "enabled"
      case isRequired = "required"
      case terms, bias, slope, offset, floor, ranges
    }

    /// The uncalibrated sum; `nil` when a feature is absent.
    public func sum(_ features: FeatureVector) -> Double? {
      var sum = bias
      for term in terms {
        guard let value = features[term.feature] else { return nil }
        sum += term.weight * min(max((value - term.mean) / term.scale, -8), 8)
      }
      return sum
    }

    /// The log-likelihood ratio; `nil` when a feature is absent.
    public func ratio(_ features: FeatureVector) -> Double? {
      sum(features).map { slope * $0 + offset }
    }
  }

  public struct Fusion: Hashable, Sendable, Codable {
    public var bias: Double
    /// By cue, none negative.
    public var weights: [String: Double]
    /// Each ratio is held within ± this.
    public var clip: Double

    public init(bias: Double, weights: [String: Double], clip: Double = 4) {
      self.bias = bias
      self.weights = weights
      self.clip = clip
    }
  }

  /// A score of `pass` or more passes, one from `retry` to below `pass` is to be tried again.
  public struct Policy: Hashable, Sendable, Codable {
    public var pass: Double
    public var retry: Double

    public init(pass: Double, retry: Double) {
      self.pass = pass
      self.retry = retry
    }
  }

  /// How the cues that are on are weighed: a model is tuned once for all of its cues, and anew for each set of them that is left
  /// when some are switched off.
  public struct Tuning: Hashable, Sendable, Codable {
    /// Has a weight for each cue of the set, and for no other.
    public var fusion: Fusion
    /// By name.
    public var policies: [String: Policy]
    public var validation: ValidationReport

    public init(fusion: Fusion, policies: [String: Policy], validation: ValidationReport) {
      self.fusion = fusion
      self.policies = policies
      self.validation = validation
    }

    var cues: Set<String> { Set(fusion.weights.keys) }
  }

  public struct Template: Hashable, Sendable, Codable {
    public var x, y, relief: [Double]

    public init(x: [Double], y: [Double], relief: [Double]) {
      self.x = x
      self.y = y
      self.relief = relief
    }
  }

  public var format: String
  public var version: Int
  /// Whether no real, labelled captures stand behind it.
  public var provisional: Bool
  public var landmarker: Capture.Landmarker
  /// What the passive scores and the embeddings came from that it was made with: those of another model say nothing to it.
  public var passiveModel: Capture.PassiveModel?
  public var embeddingModel: Capture.EmbeddingModel?
  public var template: Template
  public var cues: [String: CueModel]
  public var fusion: Fusion
  public var policies: [String: Policy]
  public var limits: CheckLimits
  public var validation: ValidationReport
  /// In place of fusion, policies and validation where cues are off that those are for.
  public var reductions: [Tuning]
  public var provenance: Provenance

  public init(
    provisional: Bool, landmarker: Capture.Landmarker, passiveModel: Capture.PassiveModel?,
    embeddingModel: Capture.EmbeddingModel?, template: Template, cues: [Cue: CueModel], tuning: Tuning,
    reductions: [Tuning] = [], limits: CheckLimits, provenance: Provenance
  ) {
    format = Self.format
    version = Self.version
    self.provisional = provisional
    self.landmarker = landmarker
    self.template = template
    self.passiveModel = passiveModel
    self.embeddingModel = embeddingModel
    self.cues = Dictionary(uniqueKeysWithValues: cues.map { ($0.key.rawValue, $0.value) })
    (fusion, policies, validation) = (tuning.fusion, tuning.policies, tuning.validation)
    self.reductions = reductions
    self.limits = limits
    self.provenance = provenance
  }

  public subscript(cue: Cue) -> CueModel? { cues[cue.rawValue] }

  /// For all cues that the model was made with.
  public var tuning: Tuning {
    get { Tuning(fusion: fusion, policies: policies, validation: validation) }
    set { (fusion, policies, validation) = (newValue.fusion, newValue.policies, newValue.validation) }
  }

  /// The tuning for the cues that are on; `nil` when the model was not tuned for just those, and then it judges nothing.
  public var tuningInForce: Tuning? {
    let on = Set(cues.filter(\.value.isEnabled).keys)
    return ([tuning] + reductions).first { $0.cues == on }
  }
}

/// The independent grounds on which a capture is judged.
public enum Cue: String, Hashable, Sendable, CaseIterable, Codable {
  /// Has it the relief of a head?
  case geometry
  /// Does it jitter as that landmarker's output does?
  case texture
  /// Did it follow the ovals?
  case challenge
  /// Did it reflect the colours?
  case colour
  /// What an upstream passive check said.
  case passive
  /// Is it one person throughout?
  case identity
}
