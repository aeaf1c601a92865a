import Biometrics
import EnrolmentStore
import FaceMatching

extension ReVerificationEngine {
  /// Enrols an approved session, if re-verification is on for its workflow. Again, it changes nothing.
  ///
  /// When it returns, the enrolment is durable, and is being prepared in the background: the user can be re-verified by it
  /// once its state is `ready`. Embeddings that can't be used are left out and named. Throws kind `validation` for an
  /// unknown workflow or user, a session without a usable embedding, or a known session with other content
  /// (`sessionConflict`).
  @discardableResult
  public nonisolated func sessionApproved(
    _ approval: SessionApproval
  ) async throws(ReVerificationError) -> Enrolment {
    let enrolment = try await observing("enrol") { () async throws(ReVerificationError) in
      try await keep(approval)
    }
    if enrolment.status != .notEnrolled {
      Task.detached { await self.prepareInBackground(approval.id, approval.organisation, enrolment.status) }
    }
    return enrolment
  }

  /// As `sessionApproved`, and returns when the reference takes part in every later comparison.
  @discardableResult
  public nonisolated func enrol(_ approval: SessionApproval) async throws(ReVerificationError) -> Enrolment {
    let enrolment = try await observing("enrol") { () async throws(ReVerificationError) in
      let enrolment = try await keep(approval)
      if enrolment.status != .notEnrolled { try await prepare(approval.organisation) }
      return enrolment
    }
    return enrolment
  }

  /// Returns when all that was approved before is prepared; throws what keeps it from being.
  public nonisolated func prepared(_ organisation: OrganisationID) async throws(ReVerificationError) {
    try await prepare(organisation)
  }

  /// How far a session is; `nil` for one that isn't kept.
  public nonisolated func preparation(
    of session: SessionID, in organisation: OrganisationID
  ) async throws(ReVerificationError) -> ApprovedSession.Preparation? {
    try await storage(await store.session(session, in: organisation))?.session.preparation
  }

  /// Enrols many sessions with few commits; the results are in the order of the approvals, each its own.
  ///
  /// When it returns, all that were enrolled are durable and prepared. Made again after an interruption, it goes on: what
  /// was enrolled is `alreadyEnrolled`. A failure of the store is the result of all that it concerns.
  public nonisolated func importSessions(
    _ approvals: [SessionApproval]
  ) async -> [Result<Enrolment, ReVerificationError>] {
    var results: [Result<Enrolment, ReVerificationError>?] = Array(repeating: nil, count: approvals.count)
    var kept: [(Int, SessionApproval, [RejectedEmbedding])] = []
    for (index, approval) in approvals.enumerated() {
      do throws(ReVerificationError) {
        if let (accepted, rejected) = try await admitted(approval) {
          kept.append((index, accepted, rejected))
        } else {
          results[index] = .success(Enrolment(status: .notEnrolled, rejected: []))
        }
      } catch {
        results[index] = .failure(error)
      }
    }
    let changes = kept.map { StoreChange.enrol($0.1.enrolled(in: feed.space)) }
    let isWhole = (try? await store.commit(changes)) != nil
    for (index, approval, rejected) in kept {
      if isWhole {
        results[index] = .success(Enrolment(status: .enrolled, rejected: rejected))
        observer.observe(.enrolled(approval.id, in: approval.organisation, .enrolled))
      } else {
        // One of them is known, or the store failed: each for itself tells which.
        results[index] = await Result { () async throws(ReVerificationError) in
          try await keep(accepted: approval, rejected)
        }
      }
    }
    for organisation in Set(approvals.map(\.organisation)) {
      do throws(ReVerificationError) {
        try await prepare(organisation)
      } catch {
        for index in approvals.indices where approvals[index].organisation == organisation {
          if case .success = results[index] { results[index] = .failure(error) }
        }
      }
    }
    return results.map { $0! }
  }

  /// Looks at a session's reference beside the user's others and everybody else's. Costs one search.
  ///
  /// Throws `unknownSession` for one that isn't ready.
  public nonisolated func checks(
    of session: SessionID, in organisation: OrganisationID
  ) async throws(ReVerificationError) -> EnrolmentChecks {
    let enrolled = try await storage(await store.session(session, in: organisation))
    guard let enrolled, enrolled.session.preparation == .ready, enrolled.session.space == feed.space else {
      throw ReVerificationError(.unknownSession, "session \(session) of \(organisation)")
    }
    let workflow = try await storage(await store.workflow(enrolled.session.workflow, in: organisation))
    guard let workflow else {
      throw ReVerificationError(.unknownWorkflow, "workflow \(enrolled.session.workflow) of \(organisation)")
    }
    let probe = try enrolled.approval.reference(in: feed.space).embedding
    let (snapshot, _) = feed.snapshot(of: organisation)
    let user = enrolled.session.user
    do throws(GalleryError) {
      let own = try snapshot.candidates(for: probe, filter: .user(user))
        .filter { $0.reference.session != session && !$0.score.matches(workflow.policy.verifyThreshold) }
      let others = try snapshot.candidates(
        for: probe, limit: EnrolmentChecks.duplicateLimit, threshold: workflow.policy.recogniseThreshold,
        filter: .excludingUser(user))
      return EnrolmentChecks(
        inconsistentWith: own.map(\.reference.session).sorted(),
        duplicates: others.map { .init(user: $0.reference.user, session: $0.reference.session) })
    } catch {
      throw ReVerificationError(.evaluationFailed, error.description)
    }
  }
}

extension ReVerificationEngine {
  /// The session as it can be kept, or `nil` where re-verification is not on for its workflow.
  private nonisolated func admitted(
    _ approval: SessionApproval
  ) async throws(ReVerificationError) -> (SessionApproval, [RejectedEmbedding])? {
    let organisation = approval.organisation
    let workflow = try await storage(await store.workflow(approval.workflow, in: organisation))
    guard let workflow else {
      throw ReVerificationError(.unknownWorkflow, "workflow \(approval.workflow) of \(organisation)")
    }
    guard workflow.reVerification == .on else { return nil }
    let user = try await storage(await store.user(approval.user, in: organisation))
    guard user != nil else {
      throw ReVerificationError(.unknownUser, "user \(approval.user) of \(organisation)")
    }
    return try approval.accepted(in: feed.space)
  }

  private nonisolated func keep(_ approval: SessionApproval) async throws(ReVerificationError) -> Enrolment {
    guard let (accepted, rejected) = try await admitted(approval) else {
      return Enrolment(status: .notEnrolled, rejected: [])
    }
    return try await keep(accepted: accepted, rejected)
  }

  private nonisolated func keep(
    accepted approval: SessionApproval, _ rejected: [RejectedEmbedding]
  ) async throws(ReVerificationError) -> Enrolment {
    let isNew = try await commit([.enrol(approval.enrolled(in: feed.space))])
    if !isNew {
      let known = try await storage(await store.session(approval.id, in: approval.organisation))
      guard let known, known.approval == approval else {
        throw ReVerificationError(.sessionConflict, "session \(approval.id) of \(approval.organisation)")
      }
    }
    let enrolment = Enrolment(status: isNew ? .enrolled : .alreadyEnrolled, rejected: rejected)
    observer.observe(.enrolled(approval.id, in: approval.organisation, enrolment.status))
    return enrolment
  }

  /// What comes after an approval's acknowledgement; what fails is observed, and made up for by the next one or at opening.
  private nonisolated func prepareInBackground(
    _ session: SessionID, _ organisation: OrganisationID, _ status: Enrolment.Status
  ) async {
    try? await observing("prepare") { () async throws(ReVerificationError) in
      try await prepare(organisation)
      guard status == .enrolled else { return }
      let checks = try await checks(of: session, in: organisation)
      if !checks.isEmpty { observer.observe(.conspicuous(session, in: organisation, checks)) }
    }
  }
}
