/// What a liveness scorer found in one capture.
public struct LivenessAssessment: Hashable, Sendable, Codable {
  public enum Verdict: String, Hashable, Sendable, Codable {
    /// A live person in front of the camera.
    case live
    case notLive
    /// Too poor to judge either way.
    case unusable
  }

  public let verdict: Verdict
  /// The liveness score, 0...1; higher means a live person. `nil` when none could be formed.
  public let score: Double?
  /// The lowest score that is `live`, 0...1.
  public let threshold: Double
  /// Why the verdict is not `live`, the weightiest first; empty when it is.
  public let reasons: [LivenessReason]
  /// The values the score was made from, by name; they stay on the server's side.
  public let cues: [String: Double]

  public init(
    _ verdict: Verdict, score: Double?, threshold: Double, reasons: [LivenessReason] = [],
    cues: [String: Double] = [:]
  ) {
    self.verdict = verdict
    self.score = score
    self.threshold = threshold
    self.reasons = reasons
    self.cues = cues
  }
}

/// Why a capture was not found live.
public enum LivenessReason: String, Hashable, Sendable, Codable, CaseIterable {
  /// The upstream passive scores are below the threshold.
  case lowPassiveScore
  /// Fewer frames than the scorer needs.
  case tooFewFrames
  /// Too few of the frames carry a passive score.
  case missingPassiveScores
}
