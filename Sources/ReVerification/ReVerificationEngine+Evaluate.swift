import Biometrics
import EnrolmentStore
import FaceMatching

/// What an evaluation found, and from what.
struct Judgement: Sendable {
  let evaluation: ReVerification.Evaluation
  let liveness: LivenessAssessment
  let scores: MatchScores?
}

extension ReVerificationEngine {
  /// Liveness first; only for a live person are there scores at all.
  nonisolated func evaluate(
    _ attempt: Attempt, _ probe: Embedding, for machine: ReVerification
  ) async throws(ReVerificationError) -> Judgement {
    let assessment: LivenessAssessment
    do {
      assessment = try await liveness.assess(attempt.capture, for: machine.challenge)
    } catch {
      // A foreign error's text may hold anything: its type has to do.
      throw ReVerificationError(
        .evaluationFailed, "liveness of re-verification \(machine.id): \(type(of: error))")
    }
    switch assessment.verdict {
    case .notLive:
      return Judgement(evaluation: .notLive, liveness: assessment, scores: nil)
    case .unusable:
      return Judgement(evaluation: .unusable, liveness: assessment, scores: nil)
    case .live:
      let scores = try await scores(of: probe, for: machine)
      return Judgement(evaluation: .compared(scores), liveness: assessment, scores: scores)
    }
  }

  private nonisolated func scores(
    of probe: Embedding, for machine: ReVerification
  ) async throws(ReVerificationError) -> MatchScores {
    do throws(GalleryError) {
      let scores = try await gallery.snapshot(of: machine.organisation)
        .question(probe, claimed: machine.user, on: machine.workflow)
      return MatchScores(
        claimed: scores.claimed.map(ScoredReference.init),
        otherWorkflow: scores.otherWorkflow.map(ScoredReference.init),
        otherPerson: scores.otherPerson.map(ScoredReference.init))
    } catch {
      throw ReVerificationError(.evaluationFailed, "matching of re-verification \(machine.id): \(error)")
    }
  }

  /// The record of a decision about `machine`, in the state the decision left it in.
  nonisolated func record(
    of machine: ReVerification, _ conclusion: DecisionRecord.Conclusion,
    evidence: DecisionRecord.Evidence? = nil, lockedOutUntil: Instant? = nil, at now: Instant
  ) -> DecisionRecord {
    DecisionRecord(
      reVerification: machine.id, organisation: machine.organisation, workflow: machine.workflow,
      user: machine.user, apiKey: machine.apiKey, conclusion: conclusion, decidedAt: now,
      begunAt: machine.begunAt, expiry: machine.expiry, policy: machine.policy, space: gallery.space,
      evidence: evidence, charged: machine.charged, lockedOutUntil: lockedOutUntil,
      engineVersion: EngineVersion.current)
  }
}

extension ScoredReference {
  fileprivate init(_ candidate: Candidate) {
    self.init(
      session: candidate.reference.session, user: candidate.reference.user,
      workflow: candidate.reference.workflow, approvedAt: candidate.reference.approvedAt,
      score: candidate.score)
  }
}

extension Answer {
  /// The same as decision records put it.
  var conclusion: DecisionRecord.Conclusion {
    switch self {
    case .retry(let reason, let attemptsRemaining): .retry(reason, attemptsRemaining: attemptsRemaining)
    case .ended(let outcome): .ended(outcome)
    }
  }
}
