import Biometrics

/// One verification of a user that was approved on a workflow, with re-verification turned on there.
public struct ApprovedSession: Hashable, Sendable, Codable {
  /// How far its reference is.
  public enum Preparation: String, Hashable, Sendable, Codable {
    /// Kept, but nobody can be compared with it yet.
    case preparing
    /// Its reference takes part in comparisons.
    case ready
    /// It was looked at and takes no part in comparisons.
    case refused
  }

  public let id: SessionID
  public let organisation: OrganisationID
  public let workflow: WorkflowID
  public let user: UserID
  public let approvedAt: Instant
  /// The space of all its embeddings.
  public let space: EmbeddingSpace
  public var preparation: Preparation

  public init(
    id: SessionID, organisation: OrganisationID, workflow: WorkflowID, user: UserID, approvedAt: Instant,
    space: EmbeddingSpace, preparation: Preparation
  ) {
    self.id = id
    self.organisation = organisation
    self.workflow = workflow
    self.user = user
    self.approvedAt = approvedAt
    self.space = space
    self.preparation = preparation
  }
}

/// An approved session with the embeddings its reference is made from, in the order they were given.
///
/// They are kept as they came, so that the reference can be made anew and has the same bits each time.
public struct EnrolledSession: Hashable, Sendable {
  public var session: ApprovedSession
  public let embeddings: [UncheckedEmbedding]

  public init(_ session: ApprovedSession, embeddings: [UncheckedEmbedding]) {
    self.session = session
    self.embeddings = embeddings
  }
}

/// An enrolled session with its place in its organisation's order of enrolment, from 1.
public struct NumberedSession: Hashable, Sendable {
  public let sequence: Int64
  public let enrolled: EnrolledSession

  public init(sequence: Int64, _ enrolled: EnrolledSession) {
    self.sequence = sequence
    self.enrolled = enrolled
  }
}

/// A face embedding as a caller hands it in: of any length, and perhaps not finite.
///
/// A biometric template; its description holds none of its values.
public struct UncheckedEmbedding: Hashable, Sendable {
  public let values: [Float]
  public let space: EmbeddingSpace
  /// What the upstream quality measure said of the image, 0...1, higher is better; `nil` when it said nothing.
  public let quality: Float?

  public init(_ values: [Float], space: EmbeddingSpace, quality: Float? = nil) {
    self.values = values
    self.space = space
    self.quality = quality
  }
}

extension UncheckedEmbedding: CustomStringConvertible, CustomReflectable {
  public var description: String { "embedding of \(values.count) values in \(space)" }
  public var customMirror: Mirror { Mirror(self, children: ["space": space, "count": values.count]) }
}
