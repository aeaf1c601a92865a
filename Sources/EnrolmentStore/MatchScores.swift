import Biometrics

/// The scores of one probe that a decision rests on.
public struct MatchScores: Hashable, Sendable, Codable {
  /// The claimed user's references on the workflow, in any order.
  public let claimed: [ScoredReference]
  /// The claimed user's best reference on any other workflow.
  public let otherWorkflow: ScoredReference?
  /// The best reference of anybody else in the organisation.
  public let otherPerson: ScoredReference?
  /// The same of the face in the capture's frames; `nil` where they carry no embeddings of the matching space, and in records
  /// from before it was looked at.
  public let frames: FrameScores?

  public init(
    claimed: [ScoredReference], otherWorkflow: ScoredReference? = nil, otherPerson: ScoredReference? = nil,
    frames: FrameScores? = nil
  ) {
    self.claimed = claimed
    self.otherWorkflow = otherWorkflow
    self.otherPerson = otherPerson
    self.frames = frames
  }
}

/// The scores of the mean of a capture's frames, as `MatchScores` has them of the probe.
public struct FrameScores: Hashable, Sendable, Codable {
  public let claimed: [ScoredReference]
  public let otherWorkflow: ScoredReference?
  public let otherPerson: ScoredReference?

  public init(
    claimed: [ScoredReference], otherWorkflow: ScoredReference? = nil, otherPerson: ScoredReference? = nil
  ) {
    self.claimed = claimed
    self.otherWorkflow = otherWorkflow
    self.otherPerson = otherPerson
  }
}

/// A session's reference with its score against the probe.
public struct ScoredReference: Hashable, Sendable, Codable {
  public let session: SessionID
  public let user: UserID
  public let workflow: WorkflowID
  public let approvedAt: Instant
  public let score: SimilarityScore

  public init(
    session: SessionID, user: UserID, workflow: WorkflowID, approvedAt: Instant, score: SimilarityScore
  ) {
    self.session = session
    self.user = user
    self.workflow = workflow
    self.approvedAt = approvedAt
    self.score = score
  }
}
