import Biometrics
import EnrolmentStore
import FaceMatching

/// What an evaluation found, and from what.
struct Judgement: Sendable {
  let evaluation: ReVerification.Evaluation
  let liveness: LivenessAssessment
  /// The time of day that the liveness scorer was told.
  let assessedAt: Instant
  let scores: MatchScores?
  /// The number of the last session that was searched; `nil` without scores.
  let searchedThrough: Int64?
  /// What the liveness scorer has to know again after a restart.
  let seen: SeenCapture?
}

extension ReVerificationEngine {
  /// Liveness first, then whether its face is the one that is matched; only for a live person are there scores at all.
  nonisolated func evaluate(
    _ attempt: Attempt, _ probe: Embedding, for machine: ReVerification, _ times: inout AttemptTimes
  ) async throws(ReVerificationError) -> Judgement {
    let judged: LivenessJudgement
    let now = clock.now()
    let stopwatch = Stopwatch()
    do {
      judged = try await liveness.judge(attempt.capture, for: machine.currentChallenge, at: now)
    } catch {
      // A foreign error's text may hold anything: its type has to do.
      throw ReVerificationError(
        .evaluationFailed, "liveness of re-verification \(machine.id): \(type(of: error))")
    }
    let assessment = BoundFace.held(judged.assessment, of: attempt, probe: probe, by: machine.policy)
    times.liveness = stopwatch.elapsed
    let seen = judged.seen
    switch assessment.verdict {
    case .notLive:
      return Judgement(
        evaluation: .notLive, liveness: assessment, assessedAt: now, scores: nil, searchedThrough: nil,
        seen: seen)
    case .unusable:
      return Judgement(
        evaluation: .unusable, liveness: assessment, assessedAt: now, scores: nil, searchedThrough: nil,
        seen: seen)
    case .live:
      let stopwatch = Stopwatch()
      let shown = BoundFace.shown(in: attempt, space: probe.space)
      let (scores, through) = try await scores(of: probe, beside: shown, for: machine)
      times.search = stopwatch.elapsed
      return Judgement(
        evaluation: .compared(scores), liveness: assessment, assessedAt: now, scores: scores,
        searchedThrough: through, seen: seen)
    }
  }

  private nonisolated func scores(
    of probe: Embedding, beside shown: Embedding?, for machine: ReVerification
  ) async throws(ReVerificationError) -> (MatchScores, through: Int64) {
    try await settleErasures(of: machine.organisation)
    let (snapshot, through) = feed.snapshot(of: machine.organisation)
    do throws(GalleryError) {
      let probes = [probe] + (shown.map { [$0] } ?? [])
      let scores = try await snapshot.questions(probes, claimed: machine.user, on: machine.workflow)
        .map { MatchScores($0) }
      return (scores[0].beside(scores.count > 1 ? scores[1] : nil), through)
    } catch {
      throw ReVerificationError(.evaluationFailed, "matching of re-verification \(machine.id): \(error)")
    }
  }

  /// The record of a decision about `machine`, in the state the decision left it in.
  nonisolated func record(
    of machine: ReVerification, _ conclusion: DecisionRecord.Conclusion,
    evidence: DecisionRecord.Evidence? = nil, lockedOutUntil: Instant? = nil, at moment: Moment
  ) -> DecisionRecord {
    DecisionRecord(
      reVerification: machine.id, organisation: machine.organisation, workflow: machine.workflow,
      user: machine.user, apiKey: machine.apiKey, conclusion: conclusion,
      decidedAt: moment.reading, begunAt: machine.begun, expiry: machine.expiry, policy: machine.policy,
      space: feed.space,
      evidence: evidence, charged: machine.charged, lockedOutUntil: lockedOutUntil,
      engineVersion: EngineVersion.current)
  }
}

/// Measures how long something takes, for metrics alone: nothing is decided by it.
struct Stopwatch {
  private let start = ContinuousClock.now

  var elapsed: Duration { ContinuousClock.now - start }
}

extension MatchScores {
  init(_ scores: ClaimScores) {
    self.init(
      claimed: scores.claimed.map(ScoredReference.init),
      otherWorkflow: scores.otherWorkflow.map(ScoredReference.init),
      otherPerson: scores.otherPerson.map(ScoredReference.init))
  }

  /// These with those of the face in the frames.
  func beside(_ shown: MatchScores?) -> MatchScores {
    MatchScores(
      claimed: claimed, otherWorkflow: otherWorkflow, otherPerson: otherPerson,
      frames: shown.map {
        FrameScores(claimed: $0.claimed, otherWorkflow: $0.otherWorkflow, otherPerson: $0.otherPerson)
      })
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
