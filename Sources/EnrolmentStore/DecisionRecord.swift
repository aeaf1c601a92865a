import Biometrics

/// Everything one decision was made from, so that it can be explained and made again.
///
/// It holds identifiers, digests and scores: no embedding, no e-mail address, no capture. It stays on the
/// server's side.
public struct DecisionRecord: Hashable, Sendable, Codable {
  /// What was decided.
  public enum Conclusion: Hashable, Sendable, Codable {
    /// An attempt was used, and others are left.
    case retry(RetryReason, attemptsRemaining: Int)
    case ended(Outcome)
    /// The caller cancelled; no outcome was reached.
    case cancelled
  }

  /// The attempt that was judged, and by what.
  public struct Evidence: Hashable, Sendable, Codable {
    /// The attempt's number, from 1.
    public let attempt: Int
    public let key: IdempotencyKey
    public let claimedAt: Instant
    /// Digest of capture and probe together.
    public let contentDigest: Digest
    public let captureDigest: Digest
    /// The liveness scorer, by name and version.
    public let livenessModel: String
    /// The time of day that the scorer was told.
    public let assessedAt: Instant
    public let liveness: LivenessAssessment
    /// `nil` when liveness had failed, so that no score was formed.
    public let scores: MatchScores?
    /// The number, in the order of enrolment, of the last session that was searched; `nil` when none was.
    public let searchedThrough: Int64?

    public init(
      attempt: Int, key: IdempotencyKey, claimedAt: Instant, contentDigest: Digest, captureDigest: Digest,
      livenessModel: String, assessedAt: Instant, liveness: LivenessAssessment, scores: MatchScores?, searchedThrough: Int64?
    ) {
      self.attempt = attempt
      self.key = key
      self.claimedAt = claimedAt
      self.contentDigest = contentDigest
      self.captureDigest = captureDigest
      self.livenessModel = livenessModel
      self.assessedAt = assessedAt
      self.liveness = liveness
      self.scores = scores
      self.searchedThrough = searchedThrough
    }
  }

  public let reVerification: ReVerificationID
  public let organisation: OrganisationID
  /// As the caller named it, existing or not.
  public let workflow: WorkflowID
  /// `nil` where the decision fell before the user was known.
  public let user: UserID?
  /// The key that began, or failed to begin, the re-verification.
  public let apiKey: APIKeyID
  public let conclusion: Conclusion
  /// What the clocks said.
  public let decidedAt: ClockReading
  /// What they said at its beginning; `nil` when it was never begun.
  public let begunAt: ClockReading?
  /// The end of its life, were the time of day never set.
  public let expiry: Instant?
  /// The terms it was judged by; `nil` where the workflow is unknown.
  public let policy: ReVerificationPolicy?
  /// The space of the references.
  public let space: EmbeddingSpace
  /// `nil` for a decision that judged no attempt.
  public let evidence: Evidence?
  /// What the re-verification has cost so far; `nil` when nothing.
  public let charged: Credits?
  /// When the user may begin again, if locked out.
  public let lockedOutUntil: Instant?
  public let engineVersion: String

  public init(
    reVerification: ReVerificationID, organisation: OrganisationID, workflow: WorkflowID, user: UserID?,
    apiKey: APIKeyID, conclusion: Conclusion, decidedAt: ClockReading, begunAt: ClockReading? = nil,
    expiry: Instant? = nil, policy: ReVerificationPolicy?, space: EmbeddingSpace, evidence: Evidence? = nil,
    charged: Credits? = nil, lockedOutUntil: Instant? = nil, engineVersion: String
  ) {
    self.reVerification = reVerification
    self.organisation = organisation
    self.workflow = workflow
    self.user = user
    self.apiKey = apiKey
    self.conclusion = conclusion
    self.decidedAt = decidedAt
    self.begunAt = begunAt
    self.expiry = expiry
    self.policy = policy
    self.space = space
    self.evidence = evidence
    self.charged = charged
    self.lockedOutUntil = lockedOutUntil
    self.engineVersion = engineVersion
  }
}

extension DecisionRecord {
  /// The digest of its stored form, by which it is chained.
  package var digest: Digest { Digest(of: RecordCoding.encode(self)) }
}

/// A decision record with its place in its organisation's order, from 1 without gaps.
public struct NumberedDecision: Hashable, Sendable, Codable {
  public let sequence: Int64
  public let record: DecisionRecord
  /// The value of the organisation's chain after this record.
  public let chain: Digest

  public init(sequence: Int64, _ record: DecisionRecord, chain: Digest) {
    self.sequence = sequence
    self.record = record
    self.chain = chain
  }
}
