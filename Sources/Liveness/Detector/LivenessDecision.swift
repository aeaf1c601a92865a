import Biometrics

/// What a detector decided about one capture.
public struct LivenessDecision: Hashable, Sendable {
  public enum Verdict: String, Hashable, Sendable, Codable {
    /// A live person answered the challenge.
    case pass
    case fail
    /// Can't be judged: poor, incomplete, or without an approach.
    case retry
  }

  /// What one cue came to.
  public struct CueResult: Hashable, Sendable {
    /// The log-likelihood ratio, higher speaks for a live person; `nil` when the cue could not be formed.
    public let ratio: Double?
    /// Whether ratio and features are within what the model lets through.
    public let isAccepted: Bool
  }

  public let verdict: Verdict
  /// The liveness score, 0...1; higher means a live person. 0 when a hard check or a single cue refuses; `nil` when a
  /// required cue could not be formed.
  public let score: Double?
  /// The lowest score that passes.
  public let threshold: Double
  /// Why it did not pass, the weightiest first; empty when it did.
  public let reasons: [LivenessReason]
  public let cues: [Cue: CueResult]
  public let features: FeatureVector

  /// The number by which error rates are measured: the score, and 0 for what can't pass.
  public var scoreForEvaluation: Double { score ?? 0 }
}

extension LivenessReason {
  private static let ranks = Dictionary(uniqueKeysWithValues: zip(allCases, 0...))

  /// Whether it speaks of a capture that can't be judged rather than of an attack.
  public var asksForRetry: Bool {
    switch self {
    case .noApproach, .poorQuality, .lowFrameRate, .tooFewFrames, .missingPassiveScores, .otherPassiveModel,
      .missingEmbeddings, .otherEmbeddingModel, .missingColours, .inconclusive:
      true
    default: false
    }
  }

  /// The weightiest first, each once.
  public static func ordered(_ reasons: [LivenessReason]) -> [LivenessReason] {
    Set(reasons).sorted { ranks[$0]! < ranks[$1]! }
  }
}
