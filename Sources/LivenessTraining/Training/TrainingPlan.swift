import Liveness

/// What a model is to be made of, and how often it may refuse people.
public struct TrainingPlan: Sendable {
  public struct CuePlan: Sendable {
    public var features: [Feature]
    public var isEnabled = true
    public var isRequired: Bool
    /// The part of bona fide calibration captures that the cue's floor, and that each of its ranges, may refuse.
    public var floorRate: Double
    public var lowRanges: [Feature] = []
    public var highRanges: [Feature] = []
    public var fixedRanges: [Feature: LivenessModel.Range] = [:]
    /// Whether the floor must refuse no recorded sequence of a person, where there are any in training.
    public var admitsRecorded = false

    public init(
      _ features: [Feature], isRequired: Bool, floorRate: Double, lowRanges: [Feature] = [],
      highRanges: [Feature] = [], fixedRanges: [Feature: LivenessModel.Range] = [:],
      admitsRecorded: Bool = false
    ) {
      self.features = features
      self.isRequired = isRequired
      self.floorRate = floorRate
      self.lowRanges = lowRanges
      self.highRanges = highRanges
      self.fixedRanges = fixedRanges
      self.admitsRecorded = admitsRecorded
    }
  }

  public var cues: [Cue: CuePlan]
  /// By policy, the part of bona fide calibration captures that may not pass.
  public var policies: [String: Double]
  public var limits: CheckLimits
  public var ridge = 1.0

  /// The same without `cues`, which the model then doesn't have.
  public func without(_ cues: Set<Cue>) -> TrainingPlan {
    var plan = self
    for cue in cues { plan.cues[cue] = nil }
    return plan
  }

  /// Whether one of its cues is asked for always; without, no model can be used.
  public var asksForAlways: Bool {
    cues.contains { $0.key != .colour && $0.value.isEnabled && $0.value.isRequired }
  }

  /// The twelve geometric features that carry the most.
  public static let geometry: [Feature] = [
    .parallaxGain, .parallaxSignificance, .parallaxCorrelation, .planeResidual, .planeSignal, .slopeGain,
    .reliefCorrelation, .reliefCorrelationBeyondQuadratic, .reliefGain, .reliefGainBeyondQuadratic,
    .reliefAmplitude, .reliefAmplitudeBeyondQuadratic,
  ]

  /// Every cue; geometry, texture, challenge, passive scores and identity required, colours where they are shown. Floors and
  /// ranges leave a part of the standard policy's errors to the score, so that it decides something.
  public static let standard = TrainingPlan(
    cues: [
      .geometry: .init(geometry, isRequired: true, floorRate: 0.005),
      .texture: .init(
        [.jitter, .jitterAutocorrelation, .smallestStep, .curvatureToStep, .jitterSpatialCorrelation],
        isRequired: true, floorRate: 0.003, highRanges: [.pathDisorder],
        // A path that hardly turns back at all was computed, not recorded.
        fixedRanges: [.pathReversals: .init(low: 0)], admitsRecorded: true),
      .challenge: .init(
        [
          .ovalSizeError, .ovalCentreError, .ovalSizeSpread, .ovalCentreSpread, .ovalCorrelation,
          .trackingError,
          .trackingWidthError, .trackingXError, .trackingYError,
        ],
        isRequired: true,
        floorRate: 0.0025, lowRanges: [.ovalCorrelation, .responseLag],
        highRanges: [.ovalCentreError, .ovalSizeSpread, .ovalCentreSpread, .responseLag, .trackingError]),
      .colour: .init([.colourCorrelation], isRequired: true, floorRate: 0.003),
      .passive: .init([.passiveMean, .passiveWorst], isRequired: true, floorRate: 0.003),
      .identity: .init(
        [.identityLowest, .identityStep, .identityChange], isRequired: true, floorRate: 0.001),
    ],
    policies: ["lenient": 0.03, "standard": 0.05, "strict": 0.08], limits: CheckLimits())
}
