import Biometrics
import EnrolmentStore
import FaceMatching
import Liveness

/// Whether the face that is matched is the one whose liveness was judged.
///
/// A capture that was judged live says nothing of an embedding that comes beside it, so its frames carry embeddings of the
/// matching space, and both are compared: each embedding handed in with the frames' mean, and each frame's with the probe. By
/// the means alone frames of two people could stand between both.
enum BoundFace {
  /// The name under which decision records give the lowest of those scores.
  static let cue = "boundFaceScore"

  /// `assessment` once that is looked at: another one where the faces differ, or where nothing says that they are one and
  /// `policy` asks for it. Unchanged for a capture that is not live, and for passive scores alone, which show no face.
  static func held(
    _ assessment: LivenessAssessment, of attempt: Attempt, probe: Embedding, by policy: ReVerificationPolicy
  ) -> LivenessAssessment {
    guard assessment.verdict == .live, let recording = attempt.capture.recording else { return assessment }
    if let gap = gap(in: recording, space: probe.space) {
      return policy.faceBinding == .required ? assessment.refused(.unusable, for: gap) : assessment
    }
    let lowest = lowestScore(recording, attempt.embeddings, probe)
    var cues = assessment.cues
    cues[cue] = lowest.map { Double($0.value) }
    guard let lowest, lowest.matches(policy.verifyThreshold) else {
      return assessment.refused(.notLive, for: .otherFace, cues: cues)
    }
    return LivenessAssessment(
      .live, score: assessment.score, threshold: assessment.threshold, reasons: [], cues: cues)
  }

  /// Why the frames can't be compared with an embedding of `space`; `nil` when they can.
  private static func gap(in recording: Liveness.Capture, space: EmbeddingSpace) -> LivenessReason? {
    guard let model = recording.embeddingModel else { return .missingEmbeddings }
    guard model == Liveness.Capture.EmbeddingModel(space) else { return .otherEmbeddingModel }
    return recording.carriesEmbeddings ? nil : .missingEmbeddings
  }

  /// The lowest score between what was handed in and the frames; `nil` for embeddings that are none.
  private static func lowestScore(
    _ recording: Liveness.Capture, _ inputs: [UncheckedEmbedding], _ probe: Embedding
  ) -> SimilarityScore? {
    do throws(EmbeddingError) {
      var frames: [Embedding] = []
      for values in recording.frames.compactMap(\.embedding) {
        frames.append(try Embedding(values, space: probe.space))
      }
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
  /// Not live, or nothing that can be judged, for `reason`.
  fileprivate func refused(
    _ verdict: Verdict, for reason: LivenessReason, cues: [String: Double]? = nil
  ) -> LivenessAssessment {
    LivenessAssessment(
      verdict, score: verdict == .notLive ? 0 : nil, threshold: threshold, reasons: [reason],
      cues: cues ?? self.cues)
  }
}
