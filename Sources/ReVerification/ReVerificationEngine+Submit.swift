import Biometrics
import EnrolmentStore
import FaceMatching

extension ReVerificationEngine {
  /// Submits an attempt; answers once the decision is durable.
  ///
  /// Attempts of one user are judged one at a time, in the order of arrival, over all their re-verifications. The same key with the same
  /// content gets the same answer, at any time. Throws kind `validation` or `capture` for what can't be judged, and no
  /// attempt is used; `cancelled` when the re-verification was cancelled meanwhile; `storage` or `internal` when the
  /// attempt may be used, and submitting it again under its key goes on with it.
  public nonisolated func submit(
    _ attempt: Attempt, to id: ReVerificationID
  ) async throws(ReVerificationError) -> Answer {
    let stopwatch = Stopwatch()
    let prepared = PreparedAttempt(attempt, space: feed.space, liveness: liveness)
    let decoding = stopwatch.elapsed
    return try await observing("submit") { () async throws(ReVerificationError) in
      let user = try await claimedUser(of: id)
      return try await answer(to: prepared, of: user, decodedIn: decoding, for: id).get()
    }
  }

  private nonisolated func claimedUser(
    of id: ReVerificationID
  ) async throws(ReVerificationError) -> ClaimedUser {
    let read = try await storage(await store.reVerification(id))
    guard let read else { throw ReVerificationError(.unknownReVerification, "re-verification \(id)") }
    return ClaimedUser(organisation: read.organisation, user: read.user)
  }

  /// Claims, evaluates and decides an attempt whose turn has come.
  nonisolated func judge(
    _ prepared: PreparedAttempt, decodedIn decoding: Duration, for id: ReVerificationID
  ) async -> Result<Answer, ReVerificationError> {
    let claim: ClaimID = randomness.identifier()
    await setRunning(claim, for: id)
    let result = await Result { () async throws(ReVerificationError) in
      var times = AttemptTimes()
      times.decode = decoding
      let stopwatch = Stopwatch()
      switch try await self.claim(prepared, as: claim, for: id) {
      case .answered(let answer):
        return answer
      case .evaluate(let machine, let probe):
        times.durability = stopwatch.elapsed
        let judgement = try await evaluate(prepared.attempt, probe, for: machine, &times)
        let stopwatch = Stopwatch()
        let answer = try await decide(prepared, judgement, under: claim, for: id)
        times.durability += stopwatch.elapsed
        observer.observe(.judged(id, of: machine.organisation, answer, times))
        return answer
      }
    }
    await setRunning(nil, for: id)
    return result
  }

  private enum Claiming {
    case answered(Answer)
    /// The attempt is claimed durably, in this state.
    case evaluate(ReVerification, Embedding)
  }

  private nonisolated func claim(
    _ prepared: PreparedAttempt, as claim: ClaimID, for id: ReVerificationID
  ) async throws(ReVerificationError) -> Claiming {
    try await change(id) { (machine, moment) async throws(ReVerificationError) -> Step<Claiming> in
      let counter = try await failures(of: machine.user, in: machine.organisation)
      let submission = ReVerification.Submission(
        key: prepared.attempt.key, content: prepared.content, validity: prepared.validity,
        standing: counter.standing(of: machine.id, at: moment.reading), claim: claim, engine: self.id)
      switch machine.handle(.submit(submission), at: moment.now) {
      case .answer(let answer):
        return Step(value: .answered(answer))
      case .evaluate(_, let charge):
        let changes = charge.map { [StoreChange.charge($0, to: machine.organisation)] } ?? []
        return Step(changes: changes, value: .evaluate(machine, try prepared.probe.get()))
      case .decide(.ended(let outcome)):
        let until = submission.standing == .lockedOut ? counter.lockOut?.until : nil
        let record = record(of: machine, .ended(outcome), lockedOutUntil: until, at: moment)
        return Step(changes: [.decision(record)], value: .answered(.ended(outcome)))
      case .refuse(let refusal):
        throw error(refusal, prepared, id)
      case .join(let claim), .wait(let claim):
        throw ReVerificationError(.busyElsewhere, "attempt \(claim.attempt) of re-verification \(id)")
      case .decide, .release, .pending, .concluded, .ignore:
        preconditionFailure("a submission is answered, claimed, refused or put off")
      }
    }
  }

  private nonisolated func decide(
    _ prepared: PreparedAttempt, _ judgement: Judgement, under claim: ClaimID, for id: ReVerificationID
  ) async throws(ReVerificationError) -> Answer {
    try await change(id) { (machine, moment) async throws(ReVerificationError) -> Step<Answer> in
      guard
        case .decide(.answered(let answer, let number)) =
          machine.handle(.evaluated(claim, judgement.evaluation), at: moment.now)
      else {
        return Step(value: try lateAnswer(to: prepared.attempt.key, of: machine))
      }
      let known = try await failures(of: machine.user, in: machine.organisation)
      var counter = known
      let counting = counter.begin(at: moment.reading)
      if case .ended(.verified) = answer {
        counter.clearFailures()
      } else {
        counter.addFailure(
          of: machine.id, at: counting, policy: machine.policy.lockOut,
          organisation: machine.policy.organisationLockOut)
      }
      let evidence = DecisionRecord.Evidence(
        attempt: number, key: prepared.attempt.key, claimedAt: machine.attempts[number - 1].claimedAt,
        contentDigest: prepared.content, captureDigest: prepared.captureDigest,
        livenessModel: liveness.model, assessedAt: judgement.assessedAt, liveness: judgement.liveness,
        scores: judgement.scores,
        searchedThrough: judgement.searchedThrough)
      let record = record(
        of: machine, answer.conclusion, evidence: evidence,
        lockedOutUntil: counter.lockOut(at: counting)?.until, at: moment)
      let counted: [StoreChange] = counter == known ? [] : [.failures(counter)]
      let kept = kept(prepared.attempt, number, of: machine, at: moment)
      let seen = seen(judgement.seen, at: moment)
      return Step(changes: counted + [.decision(record)] + kept + seen, value: answer)
    }
  }

  /// What the attempt was judged on, if it is to be kept, so that the decision can be made again.
  private nonisolated func kept(
    _ attempt: Attempt, _ number: Int, of machine: ReVerification, at moment: Moment
  ) -> [StoreChange] {
    guard configuration.keepsEvidence, let capture = attempt.capture.encoded() else { return [] }
    return [
      .evidence(
        AttemptEvidence(
          reVerification: machine.id, organisation: machine.organisation, workflow: machine.workflow,
          user: machine.user, attempt: number, judgedAt: moment.reading.wall, probe: attempt.embeddings,
          capture: capture))
    ]
  }

  /// What the scorer has to know again of the capture takes the place of what is of no use any more.
  private nonisolated func seen(_ capture: SeenCapture?, at moment: Moment) -> [StoreChange] {
    guard let capture else { return [] }
    return [.forgetCaptures(expiredAt: moment.reading.wall), .captureSeen(capture)]
  }

  /// What is answered when this evaluation's claim no longer runs: somebody cancelled, or another engine took over.
  private nonisolated func lateAnswer(
    to key: IdempotencyKey, of machine: ReVerification
  ) throws(ReVerificationError) -> Answer {
    if let answer = machine.attempts.first(where: { $0.key == key })?.answer { return answer }
    switch machine.state {
    case .ended(let ending, _):
      guard ending.end == .cancelled else { return .ended(.failed(.expired)) }
      throw ReVerificationError(.cancelled, "re-verification \(machine.id)")
    case .open, .evaluating: throw ReVerificationError(.superseded, "re-verification \(machine.id)")
    }
  }

  private nonisolated func error(
    _ refusal: ReVerification.Refusal, _ prepared: PreparedAttempt, _ id: ReVerificationID
  ) -> ReVerificationError {
    switch (refusal, prepared.probe) {
    case (.invalidInput, .failure(let error)): error
    case (.invalidInput, .success): preconditionFailure("a valid attempt is not refused as invalid")
    case (.keyReused, _):
      ReVerificationError(.keyReused, "an earlier attempt of re-verification \(id) had this key")
    case (.cancelled, _): ReVerificationError(.cancelled, "re-verification \(id)")
    }
  }
}

extension FailureCounter {
  /// How a re-verification stands by the user's lock-out. Its own failures leave it the attempts it has: without that, a
  /// policy of more attempts than failures could not be; but those begun beforehand are no way round the lock-out.
  fileprivate func standing(
    of id: ReVerificationID, at reading: ClockReading
  ) -> ReVerification.Submission.Standing {
    guard let lockOut = lockOut(at: time(at: reading)), lockOut.cause != id else { return .clear }
    return .lockedOut
  }
}
