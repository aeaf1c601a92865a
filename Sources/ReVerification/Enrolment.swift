import Biometrics
import EnrolmentStore
import FaceMatching

/// A session that was approved: the only way a face is enrolled.
public struct SessionApproval: Hashable, Sendable {
  public let id: SessionID
  public let organisation: OrganisationID
  public let workflow: WorkflowID
  public let user: UserID
  public let approvedAt: Instant
  /// Of the session's images, in order. The renormalised mean of the accepted ones is the reference.
  public let embeddings: [UncheckedEmbedding]

  public init(
    id: SessionID, organisation: OrganisationID, workflow: WorkflowID, user: UserID, approvedAt: Instant,
    embeddings: [UncheckedEmbedding]
  ) {
    self.id = id
    self.organisation = organisation
    self.workflow = workflow
    self.user = user
    self.approvedAt = approvedAt
    self.embeddings = embeddings
  }
}

/// What became of an approved session.
public struct Enrolment: Hashable, Sendable {
  public enum Status: String, Hashable, Sendable, CaseIterable {
    /// It is kept, and its reference takes part in comparisons as soon as it is prepared.
    case enrolled
    /// It was before; nothing has changed.
    case alreadyEnrolled
    /// Re-verification is not on for its workflow: nothing of it was kept.
    case notEnrolled
  }

  public let status: Status
  /// The embeddings that could not be used, in order; the others made the reference.
  public let rejected: [RejectedEmbedding]
}

/// An embedding of a session that is left out, and why.
public struct RejectedEmbedding: Hashable, Sendable {
  /// Its place among those handed in, from 0.
  public let index: Int
  public let reason: ReVerificationError
}

/// What a look at a new reference found worth a person's attention. Identifiers only; it decides nothing.
public struct EnrolmentChecks: Hashable, Sendable {
  /// Another person who looks the same.
  public struct Duplicate: Hashable, Sendable {
    public let user: UserID
    public let session: SessionID
  }

  /// The user's other sessions that this one does not match, on any workflow.
  public let inconsistentWith: [SessionID]
  /// Sessions of others that reach the recognise threshold, the closest first, at most `duplicateLimit`.
  public let duplicates: [Duplicate]

  public static let duplicateLimit = 10

  public var isEmpty: Bool { inconsistentWith.isEmpty && duplicates.isEmpty }
}

extension SessionApproval {
  /// The session with the embeddings that can be used, and the others with what is wrong with each.
  ///
  /// Throws for a number of embeddings out of range, and the first one's reason when none can be used.
  func accepted(
    in space: EmbeddingSpace
  ) throws(ReVerificationError) -> (SessionApproval, rejected: [RejectedEmbedding]) {
    guard Attempt.embeddingCount.contains(embeddings.count) else {
      throw ReVerificationError(
        .invalidEmbedding, "expected \(Attempt.embeddingCount) embeddings, found \(embeddings.count)")
    }
    var accepted: [UncheckedEmbedding] = []
    var rejected: [RejectedEmbedding] = []
    for (index, embedding) in embeddings.enumerated() {
      do throws(ReVerificationError) {
        _ = try checked(embedding, at: index, in: space)
        accepted.append(embedding)
      } catch {
        rejected.append(RejectedEmbedding(index: index, reason: error))
      }
    }
    if accepted.isEmpty, let first = rejected.first { throw first.reason }
    let approval = SessionApproval(
      id: id, organisation: organisation, workflow: workflow, user: user, approvedAt: approvedAt,
      embeddings: accepted)
    _ = try approval.reference(in: space)
    return (approval, rejected)
  }

  /// The one reference of the session; throws for embeddings that make none.
  func reference(in space: EmbeddingSpace) throws(ReVerificationError) -> Reference {
    guard Attempt.embeddingCount.contains(embeddings.count) else {
      throw ReVerificationError(
        .invalidEmbedding, "expected \(Attempt.embeddingCount) embeddings, found \(embeddings.count)")
    }
    return Reference(
      organisation: organisation, workflow: workflow, user: user, session: id, approvedAt: approvedAt,
      embedding: try fused(embeddings, in: space))
  }

  func enrolled(in space: EmbeddingSpace) -> EnrolledSession {
    EnrolledSession(
      ApprovedSession(
        id: id, organisation: organisation, workflow: workflow, user: user, approvedAt: approvedAt,
        space: space, preparation: .preparing),
      embeddings: embeddings)
  }
}

extension EnrolledSession {
  var approval: SessionApproval {
    SessionApproval(
      id: session.id, organisation: session.organisation, workflow: session.workflow, user: session.user,
      approvedAt: session.approvedAt, embeddings: embeddings)
  }
}
