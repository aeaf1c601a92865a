import Biometrics
import EnrolmentStore
import Liveness
import ReVerification

/// Frame features that were recorded in front of the camera, to be judged once more by another liveness model.
public struct RecordedCaptures: Sendable {
  private let records: [Digest: CaptureRecord]
  private let detector: LivenessDetector

  /// Throws what `LivenessDetector` says of a model that it can't use.
  public init(_ records: [CaptureRecord], model: LivenessModel) throws {
    detector = try LivenessDetector(models: [model])
    self.records = Dictionary(
      records.map { ($0.capture.recordedDigest, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// The other model's assessment of an attempt's capture. That its challenge had been used before, that it was a replay, or
  /// that another face was handed in where the record has no score for it, is taken from the record; why there is none is a `Failure`.
  func assessment(of evidence: DecisionRecord.Evidence) -> Result<LivenessAssessment, Failure> {
    guard let record = records[evidence.captureDigest] else { return .failure(.notRecorded) }
    var kept: Set<LivenessReason> = [.usedChallenge, .replayedCapture]
    if evidence.liveness.boundFaceScore == nil { kept.insert(.otherFace) }
    let remembered = evidence.liveness.reasons.filter(kept.contains)
    do throws(LivenessError) {
      return .success(
        LivenessAssessment(
          try detector.assess(
            record.capture, answering: record.schedule, received: evidence.assessedAt,
            otherFindings: remembered)))
    } catch {
      return .failure(.otherLandmarker)
    }
  }

  enum Failure: Error {
    case notRecorded
    case otherLandmarker
  }
}
