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

/// Why a capture was not found live, the weightiest first.
public enum LivenessReason: String, Hashable, Sendable, Codable, CaseIterable {
  // The capture isn't an answer to this challenge.
  /// The challenge was answered before.
  case usedChallenge
  case expiredChallenge
  /// Identifier or nonce are not the challenge's.
  case otherChallenge
  /// A frame was changed, dropped or reordered since the client chained them.
  case brokenChain
  /// The motion is that of an earlier capture.
  case replayedCapture
  // It isn't what a camera records.
  /// Frames out of their order.
  case reorderedFrames
  /// Times that can't be: gaps, too short or long a recording, longer than since the challenge.
  case staleTimestamps
  /// The same picture several times in a row.
  case frozenFrames
  case duplicateFrames
  /// More or fewer faces than one.
  case multipleFaces
  // It isn't a live person.
  case planarSurface
  case bentSurface
  /// Jitter that no landmarker has.
  case syntheticJitter
  /// The ovals were not followed.
  case challengeMismatch
  /// The face did not reflect the colours shown.
  case colourMismatch
  case identityChange
  /// The embeddings handed in for matching are not of the face in the capture's frames.
  case otherFace
  /// The upstream passive scores are below the threshold.
  case lowPassiveScore
  /// No ground alone, but all together.
  case lowLivenessScore
  // It can't be judged.
  /// The face did not come closer.
  case noApproach
  /// Too dark, too bright or blurred.
  case poorQuality
  /// Fewer frames a second than the scorer needs: a slow device.
  case lowFrameRate
  /// Fewer frames than the scorer needs.
  case tooFewFrames
  /// Too few of the frames carry a passive score.
  case missingPassiveScores
  /// They are of a model that is not the one they are judged by.
  case otherPassiveModel
  case missingEmbeddings
  /// They are of a model that is not the one they are judged by, or compared in.
  case otherEmbeddingModel
  case missingColours
  /// A required ground could not be formed.
  case inconclusive
}
