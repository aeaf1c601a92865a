import Biometrics
import EnrolmentStore
import FaceMatching

/// What came of making a decision again.
public enum Replay: Hashable, Sendable {
  /// All of it was computed anew, and is the same bit for bit.
  case confirmed
  /// The same, but for references that were erased since; what is left agrees with the record.
  case confirmedInPart(erased: [SessionID])
  /// These parts come out otherwise.
  case differs([Part])
  case impossible(Reason)

  public enum Part: String, Hashable, Sendable, CaseIterable {
    /// Capture or probe are not those that were judged.
    case captureDigest, contentDigest
    case liveness
    case claimedScores, otherWorkflowScore, otherPersonScore
    /// Those of the face in the frames.
    case frameScores
    case conclusion
  }

  public enum Reason: String, Hashable, Sendable, CaseIterable {
    /// No attempt was judged: it rests on what stood in the store, or on the clock.
    case noAttempt
    /// The evidence was not kept, or has been erased.
    case noEvidence
    /// This engine has another liveness scorer, or embedding space, than the one that judged.
    case otherLivenessModel, otherSpace
  }
}

extension ReVerificationEngine {
  /// Makes a recorded decision again, from the stored references and the evidence of its attempt, by an exhaustive scan.
  ///
  /// Costs a comparison with every session of the organisation up to the last that was searched. Changes nothing.
  public nonisolated func replay(_ record: DecisionRecord) async throws(ReVerificationError) -> Replay {
    guard let judged = record.evidence, let user = record.user, let policy = record.policy else {
      return replayWithoutAttempt(record)
    }
    guard record.space == feed.space else { return .impossible(.otherSpace) }
    guard judged.livenessModel == liveness.model else { return .impossible(.otherLivenessModel) }
    let kept = try await storage(
      await store.evidence(of: record.reVerification, attempt: judged.attempt))
    guard let kept, let capture = Capture(encoded: kept.capture) else { return .impossible(.noEvidence) }
    let stored = try await storage(await store.reVerification(record.reVerification))
    guard let stored else {
      throw ReVerificationError(.unknownReVerification, "re-verification \(record.reVerification)")
    }
    let machine = try ReVerification(stored)
    let challenge = machine.challenge.forAttempt(judged.attempt - 1)
    let attempt = Attempt(key: judged.key, capture: capture, embeddings: kept.probe)
    let prepared = PreparedAttempt(attempt, space: feed.space, liveness: liveness)

    var differing: [Replay.Part] = []
    func hold(_ part: Replay.Part, _ isSame: Bool) {
      if !isSame { differing.append(part) }
    }
    hold(.captureDigest, prepared.captureDigest == judged.captureDigest)
    hold(.contentDigest, prepared.content == judged.contentDigest)
    var assessment: LivenessAssessment
    do {
      assessment = try await liveness.reassess(
        capture, for: challenge, at: judged.assessedAt, findings: judged.liveness.reasons)
    } catch {
      throw ReVerificationError(.evaluationFailed, "liveness of re-verification \(record.reVerification)")
    }
    if let probe = try? prepared.probe.get() {
      assessment = BoundFace.held(assessment, of: attempt, probe: probe, by: policy)
    }
    hold(.liveness, assessment.isIdentical(to: judged.liveness))
    guard let recorded = judged.scores, let through = judged.searchedThrough else {
      // Whoever is live has scores.
      hold(
        .conclusion,
        assessment.verdict != .live
          && record.follows(from: .notMatched, liveness: assessment.verdict, in: machine))
      return differing.isEmpty ? .confirmed : .differs(differing)
    }
    let probe = try prepared.probe.get()
    var again = try await scores(of: probe, user, record.workflow, of: record.organisation, through: through)
    // An older record has none, and was decided without.
    if recorded.frames != nil, let shown = BoundFace.shown(in: attempt, space: probe.space) {
      again = again.beside(
        try await scores(of: shown, user, record.workflow, of: record.organisation, through: through))
    }
    let erased = try await missing(recorded, in: record.organisation)
    hold(.claimedScores, again.claimed.agree(with: recorded.claimed, without: erased))
    hold(.otherWorkflowScore, agree(again.otherWorkflow, recorded.otherWorkflow, without: erased))
    hold(.otherPersonScore, agree(again.otherPerson, recorded.otherPerson, without: erased))
    hold(.frameScores, agree(again.frames, recorded.frames, without: erased))
    // Of what was erased the recorded scores have to do.
    let basis = erased.isEmpty ? again : recorded
    hold(
      .conclusion,
      record.follows(from: basis.verdict(by: policy), liveness: assessment.verdict, in: machine))
    if !differing.isEmpty { return .differs(differing) }
    return erased.isEmpty ? .confirmed : .confirmedInPart(erased: erased.sorted())
  }

  /// An expiry follows from the clocks; other decisions without an attempt, from what stood in the store.
  private nonisolated func replayWithoutAttempt(_ record: DecisionRecord) -> Replay {
    guard record.conclusion == .ended(.failed(.expired)), let begun = record.begunAt,
      let policy = record.policy
    else { return .impossible(.noAttempt) }
    let passed = begun.elapsed(until: record.decidedAt) ?? policy.life
    return passed >= policy.life ? .confirmed : .differs([.conclusion])
  }

  /// The scores by an exhaustive scan of the stored sessions up to `through`, in their order.
  private nonisolated func scores(
    of probe: Embedding, _ user: UserID, _ workflow: WorkflowID, of organisation: OrganisationID,
    through: Int64
  ) async throws(ReVerificationError) -> MatchScores {
    var (claimed, elsewhere, others): ([ScoredReference], ScoredReference?, ScoredReference?) = ([], nil, nil)
    var last: Int64 = 0
    while last < through {
      let page = try await storage(await store.sessions(in: organisation, after: last, limit: Self.pageSize))
      guard let end = page.last else { break }
      last = end.sequence
      for numbered in page where numbered.sequence <= through {
        guard let reference = try reference(of: numbered.enrolled) else { continue }
        let scored = try score(reference, probe)
        // The first of equal ones stays.
        if reference.user != user {
          if scored.score > others?.score ?? SimilarityScore(-1) || others == nil { others = scored }
        } else if reference.workflow == workflow {
          claimed.append(scored)
        } else if elsewhere == nil || scored.score > elsewhere!.score {
          elsewhere = scored
        }
      }
    }
    return MatchScores(claimed: claimed, otherWorkflow: elsewhere, otherPerson: others)
  }

  private nonisolated func score(
    _ reference: Reference, _ probe: Embedding
  ) throws(ReVerificationError) -> ScoredReference {
    do throws(EmbeddingError) {
      return ScoredReference(
        session: reference.session, user: reference.user, workflow: reference.workflow,
        approvedAt: reference.approvedAt, score: try reference.embedding.score(with: probe))
    } catch {
      throw ReVerificationError(.evaluationFailed, "session \(reference.session): \(error)")
    }
  }

  /// The recorded sessions that are not there any more.
  private nonisolated func missing(
    _ recorded: MatchScores, in organisation: OrganisationID
  ) async throws(ReVerificationError) -> Set<SessionID> {
    var missing: Set<SessionID> = []
    let all = [recorded, recorded.frames.map { MatchScores($0) }].compactMap { $0 }.flatMap { scores in
      scores.claimed + [scores.otherWorkflow, scores.otherPerson].compactMap { $0 }
    }
    for reference in all where !missing.contains(reference.session) {
      let session = try await storage(await store.session(reference.session, in: organisation))
      if session == nil { missing.insert(reference.session) }
    }
    return missing
  }
}

extension [ScoredReference] {
  /// Whether they are the recorded ones, but for those erased, each score with the same bits.
  fileprivate func agree(with recorded: [ScoredReference], without erased: Set<SessionID>) -> Bool {
    func order(_ references: [ScoredReference]) -> [ScoredReference] {
      references.sorted { $0.session < $1.session }
    }
    let left = order(recorded.filter { !erased.contains($0.session) })
    let again = order(self)
    return left == again
      && zip(left, again).allSatisfy { $0.score.value.bitPattern == $1.score.value.bitPattern }
  }
}

/// Whether the best of what is there is the recorded one, or, where that was erased, not above it.
private func agree(
  _ again: ScoredReference?, _ recorded: ScoredReference?, without erased: Set<SessionID>
) -> Bool {
  guard let recorded, erased.contains(recorded.session) else {
    return again == recorded && again?.score.value.bitPattern == recorded?.score.value.bitPattern
  }
  return again.map { $0.score <= recorded.score } ?? true
}

private func agree(_ again: FrameScores?, _ recorded: FrameScores?, without erased: Set<SessionID>) -> Bool {
  guard let again, let recorded else { return again == recorded }
  return again.claimed.agree(with: recorded.claimed, without: erased)
    && agree(again.otherWorkflow, recorded.otherWorkflow, without: erased)
    && agree(again.otherPerson, recorded.otherPerson, without: erased)
}

extension LivenessAssessment {
  /// Whether every number has the same bits.
  fileprivate func isIdentical(to other: LivenessAssessment) -> Bool {
    self == other && score?.bitPattern == other.score?.bitPattern
      && threshold.bitPattern == other.threshold.bitPattern
      && cues.mapValues(\.bitPattern) == other.cues.mapValues(\.bitPattern)
  }
}

extension DecisionRecord {
  /// Whether this is what rules 4 to 6 make of the attempt's verdicts, under the terms and for the user of the re-verification,
  /// with as many attempts as it had used, and what it answered.
  fileprivate func follows(
    from verdict: Verdict, liveness: LivenessAssessment.Verdict, in machine: ReVerification
  ) -> Bool {
    guard user == machine.user, policy == machine.policy, let number = evidence?.attempt,
      machine.attempts.indices.contains(number - 1),
      machine.attempts[number - 1].answer?.conclusion == conclusion
    else { return false }
    let failure: RetryReason
    switch (liveness, verdict) {
    case (.notLive, _): failure = .livenessFailed
    case (.unusable, _): failure = .captureUnusable
    case (.live, .notMatched): failure = .faceNotMatched
    case (.live, .notReVerified): return conclusion == .ended(.failed(.notReVerified))
    case (.live, .verified(let session)):
      return conclusion
        == .ended(.verified(reVerificationID: machine.id, originalSessionID: session, userID: machine.user))
    }
    // An attempt that was lost may be judged after later ones, so that more than its number can have been used.
    let used = machine.attempts.count
    switch conclusion {
    case .retry(failure, let remaining):
      return remaining > 0 && (number...used).contains(machine.policy.attempts - remaining)
    case .ended(.failed(.attemptsExhausted)): return used == machine.policy.attempts
    case .retry, .ended, .cancelled: return false
    }
  }
}
