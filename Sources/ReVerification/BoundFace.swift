import Biometrics
import EnrolmentStore
import FaceMatching
import Liveness

/// Whether the face that is matched is the one whose liveness was judged.
///
/// A capture that was judged live says nothing of an embedding that comes beside it, so its frames carry embeddings of the
/// matching space, and both are compared: each embedding handed in with the frames' mean, and each frame's with the probe. By
/// the means alone frames of two people could stand between both. Likeness is not handed on from one to the next: an embedding
/// mixed of two faces is like both, so the frames' mean is compared with the references as well as the probe (`shown`).
enum BoundFace {
  /// The name under which decision records give the lowest of those scores.
  static let cue = "boundFaceScore"

  /// `assessment` once that is looked at: another one where the faces differ, or where nothing says that they are one and
  /// `policy` asks for it; nothing says it of passive scores alone, which show no face. Unchanged for a capture that is not live.
  static func held(
    _ assessment: LivenessAssessment, of attempt: Attempt, probe: Embedding, by policy: ReVerificationPolicy
  ) -> LivenessAssessment {
    guard assessment.verdict == .live else { return assessment }
    if let gap = gap(in: attempt.capture.recording, space: probe.space) {
      return policy.faceBinding == .required ? assessment.refused(.unusable, for: gap) : assessment
    }
    let lowest = attempt.capture.recording.flatMap { lowestScore($0, attempt.embeddings, probe) }
    var cues = assessment.cues
    cues[cue] = lowest.map { Double($0.value) }
    guard let lowest, lowest.matches(policy.verifyThreshold) else {
      return assessment.refused(.notLive, for: .otherFace, cues: cues)
    }
    return LivenessAssessment(
      .live, score: assessment.score, threshold: assessment.threshold, reasons: [], cues: cues)
  }

  /// The face in the frames, their mean; `nil` where they carry no embeddings of `space`.
  static func shown(in attempt: Attempt, space: EmbeddingSpace) -> Embedding? {
    guard gap(in: attempt.capture.recording, space: space) == nil else { return nil }
    return attempt.capture.recording.flatMap { try? Embedding.fused(frames(of: $0, space)) }
  }

  private static func frames(
    of recording: Liveness.Capture, _ space: EmbeddingSpace
  ) throws(EmbeddingError) -> [Embedding] {
    var frames: [Embedding] = []
    for values in recording.frames.compactMap(\.embedding) {
      frames.append(try Embedding(values, space: space))
    }
    return frames
  }

  /// Why the frames can't be compared with an embedding of `space`; `nil` when they can.
  private static func gap(in recording: Liveness.Capture?, space: EmbeddingSpace) -> LivenessReason? {
    guard let recording, let model = recording.embeddingModel else { return .missingEmbeddings }
    guard model == Liveness.Capture.EmbeddingModel(space) else { return .otherEmbeddingModel }
    return recording.carriesEmbeddings ? nil : .missingEmbeddings
  }

  /// The lowest score between what was handed in and the frames; `nil` for embeddings that are none.
  private static func lowestScore(
    _ recording: Liveness.Capture, _ inputs: [UncheckedEmbedding], _ probe: Embedding
  ) -> SimilarityScore? {
    do throws(EmbeddingError) {
      let frames = try frames(of: recording, probe.space)
      let shown = try Embedding.fused(frames)
      var lowest = SimilarityScore(1)
      for input in inputs {
        lowest = min(lowest, try Embedding(input.values, space: input.space).score(with: shown))
      }
      for frame in frames { lowest = min(lowest, try frame.score(with: probe)) }
      return lowest
    } catch {
      return nil
    }
  }
}

extension LivenessAssessment {
  /// The lowest score between what was handed in and the capture's frames; `nil` where none was formed.
  public var boundFaceScore: Double? { cues[BoundFace.cue] }

  /// Not live, or nothing that can be judged, for `reason`.
  fileprivate func refused(
    _ verdict: Verdict, for reason: LivenessReason, cues: [String: Double]? = nil
  ) -> LivenessAssessment {
    LivenessAssessment(
      verdict, score: verdict == .notLive ? 0 : nil, threshold: threshold, reasons: [reason],
      cues: cues ?? self.cues)
  }
}
