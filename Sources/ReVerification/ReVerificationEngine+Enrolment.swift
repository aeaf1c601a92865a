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
  /// Of the session's accepted images, in order; all of the engine's space. Their renormalised mean is the reference.
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
public enum EnrolmentResult: Hashable, Sendable {
  case enrolled
  /// It was before; nothing has changed.
  case alreadyEnrolled
  /// Re-verification is not on for its workflow: nothing of it was kept.
  case notEnrolled
}

extension ReVerificationEngine {
  private static let pageSize = 1000

  /// Enrols an approved session, if re-verification is on for its workflow. Again, it changes nothing.
  ///
  /// When it returns, the enrolment is durable and takes part in every later comparison. Throws kind `validation` for
  /// an unknown workflow or user, a bad embedding, or a known session with other content (`sessionConflict`).
  public nonisolated func sessionApproved(
    _ approval: SessionApproval
  ) async throws(ReVerificationError) -> EnrolmentResult {
    let organisation = approval.organisation
    let workflow = try await storage(await store.workflow(approval.workflow, in: organisation))
    guard let workflow else {
      throw ReVerificationError(.unknownWorkflow, "workflow \(approval.workflow) of \(organisation)")
    }
    guard workflow.reVerification == .on else { return .notEnrolled }
    let user = try await storage(await store.user(approval.user, in: organisation))
    guard user != nil else {
      throw ReVerificationError(.unknownUser, "user \(approval.user) of \(organisation)")
    }
    let reference = try approval.reference(in: gallery.space)
    return try await enrolInTurn(approval, reference).get()
  }

  /// Kept first, then compared with, then ready: a session is never ready without its reference in the gallery.
  nonisolated func enrol(
    _ approval: SessionApproval, _ reference: Reference
  ) async -> Result<EnrolmentResult, ReVerificationError> {
    await Result { () async throws(ReVerificationError) in
      let enrolled = approval.enrolled(in: gallery.space)
      let added = try await commit([.enrol(enrolled)])
      if !added {
        let known = try await storage(
          await store.session(approval.id, in: approval.organisation))
        guard let known, known.approval == approval else {
          throw ReVerificationError(.sessionConflict, "session \(approval.id) of \(approval.organisation)")
        }
        if known.session.preparation != .preparing { return .alreadyEnrolled }
      }
      try await makeReady(reference)
      return added ? .enrolled : .alreadyEnrolled
    }
  }

  private nonisolated func makeReady(_ reference: Reference) async throws(ReVerificationError) {
    try addToGallery(reference)
    _ = try await commit([.ready(reference.session, in: reference.organisation)])
  }

  private nonisolated func addToGallery(_ reference: Reference) throws(ReVerificationError) {
    do throws(GalleryError) {
      try gallery.enrol(reference)
    } catch {
      throw ReVerificationError(.evaluationFailed, error.description)
    }
  }

  /// Fills the gallery from the store, and finishes enrolments that were cut off.
  nonisolated func loadGallery() async throws(ReVerificationError) {
    let organisations = try await storage(await store.organisations())
    for organisation in organisations {
      var last: Int64 = 0
      while true {
        let page = try await storage(
          await store.sessions(in: organisation.id, after: last, limit: Self.pageSize))
        guard let end = page.last else { break }
        for numbered in page where numbered.enrolled.session.space == gallery.space {
          try await load(numbered.enrolled)
        }
        last = end.sequence
      }
    }
  }

  private nonisolated func load(_ enrolled: EnrolledSession) async throws(ReVerificationError) {
    let reference: Reference
    do {
      reference = try enrolled.approval.reference(in: gallery.space)
    } catch {
      throw ReVerificationError(.storeDamaged, "session \(enrolled.session.id): \(error.context)")
    }
    switch enrolled.session.preparation {
    case .ready: try addToGallery(reference)
    case .preparing: try await makeReady(reference)
    case .refused: break
    }
  }
}

extension SessionApproval {
  /// The one reference of the session; throws for embeddings that make none.
  fileprivate func reference(in space: EmbeddingSpace) throws(ReVerificationError) -> Reference {
    guard Attempt.embeddingCount.contains(embeddings.count) else {
      throw ReVerificationError(
        .invalidEmbedding, "expected \(Attempt.embeddingCount) embeddings, found \(embeddings.count)")
    }
    return Reference(
      organisation: organisation, workflow: workflow, user: user, session: id, approvedAt: approvedAt,
      embedding: try fused(embeddings, in: space))
  }

  fileprivate func enrolled(in space: EmbeddingSpace) -> EnrolledSession {
    EnrolledSession(
      ApprovedSession(
        id: id, organisation: organisation, workflow: workflow, user: user, approvedAt: approvedAt,
        space: space, preparation: .preparing),
      embeddings: embeddings)
  }
}

extension EnrolledSession {
  fileprivate var approval: SessionApproval {
    SessionApproval(
      id: session.id, organisation: session.organisation, workflow: session.workflow, user: session.user,
      approvedAt: session.approvedAt, embeddings: embeddings)
  }
}
