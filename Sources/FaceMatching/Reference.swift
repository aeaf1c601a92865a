import Biometrics

/// A biometric reference: the embedding of one approved session, and whose it is.
public struct Reference: Sendable {
  public let organisation: OrganisationID
  public let workflow: WorkflowID
  public let user: UserID
  public let session: SessionID
  public let approvedAt: Instant
  public let embedding: Embedding

  public init(
    organisation: OrganisationID, workflow: WorkflowID, user: UserID, session: SessionID, approvedAt: Instant,
    embedding: Embedding
  ) {
    self.organisation = organisation
    self.workflow = workflow
    self.user = user
    self.session = session
    self.approvedAt = approvedAt
    self.embedding = embedding
  }
}

/// An enrolled reference as a search names it: everything but the template.
public struct EnrolledReference: Hashable, Sendable {
  /// Its place in the order of enrolment within the organisation, ascending from 0, never used again.
  public let number: UInt64
  public let session: SessionID
  public let user: UserID
  public let workflow: WorkflowID
  public let approvedAt: Instant
}

/// One result of a search: a reference and the score of the probe with it.
public struct Candidate: Hashable, Sendable {
  public let reference: EnrolledReference
  public let score: SimilarityScore

  /// Best first: the higher score, then the earlier enrolment.
  static func isCloser(_ left: Candidate, _ right: Candidate) -> Bool {
    left.score != right.score ? left.score > right.score : left.reference.number < right.reference.number
  }
}
