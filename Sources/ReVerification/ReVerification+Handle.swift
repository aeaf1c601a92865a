import Biometrics
import EnrolmentStore

extension ReVerification {
  /// Lets `event` happen at `now`, and says what is to be done about it.
  ///
  /// Events may come late, twice, or in any order: each has an answer in every state, and none traps.
  public mutating func handle(_ event: Event, at now: Instant) -> Action {
    switch event {
    case .submit(let submission): submit(submission, at: now)
    case .evaluated(let claim, let evaluation): decide(evaluation, of: claim, at: now)
    case .evaluationLost(let claim): release(claim)
    case .cancel: cancel(at: now)
    case .inquire: inquire(at: now)
    }
  }

  /// A known key first, since the same key gets the same answer whatever has happened since.
  private mutating func submit(_ submission: Submission, at now: Instant) -> Action {
    if let known = attempts.firstIndex(where: { $0.key == submission.key }) {
      return resubmit(submission, of: known, at: now)
    }
    switch state {
    case .ended(let ending, _):
      return answerAfter(ending, to: submission)
    case .evaluating(let claim, _):
      // The running attempt was accepted in time and stands; this one comes too late whatever becomes of it.
      if now >= expiry { return .answer(.ended(.failed(.expired))) }
      return submission.validity == .valid ? .wait(claim) : .refuse(.invalidInput)
    case .open(let attempts):
      if now >= expiry { return end(.failed(.expired), at: now, by: submission) }
      if submission.validity == .invalid { return .refuse(.invalidInput) }
      // None is left when the last was lost; then whoever comes with another key has none to use.
      if submission.standing == .lockedOut || attempts.count >= policy.attempts {
        return end(.failed(.attemptsExhausted), at: now, by: submission)
      }
      let used = UsedAttempt(key: submission.key, content: submission.content, claimedAt: now, answer: nil)
      return evaluate(submission, attempts: attempts + [used], index: attempts.count, at: now)
    }
  }

  /// Too late, unless it is the submission that brought the end about.
  private func answerAfter(_ ending: Ending, to submission: Submission) -> Action {
    guard let closing = ending.submission, closing.key == submission.key,
      case .outcome(let outcome) = ending.end
    else { return .answer(.ended(.failed(.expired))) }
    return closing.content == submission.content ? .answer(.ended(outcome)) : .refuse(.keyReused)
  }

  private mutating func resubmit(_ submission: Submission, of index: Int, at now: Instant) -> Action {
    guard attempts[index].content == submission.content else { return .refuse(.keyReused) }
    if let answer = attempts[index].answer { return .answer(answer) }
    switch state {
    case .ended(let ending, _):
      return ending.end == .cancelled ? .refuse(.cancelled) : .answer(.ended(.failed(.expired)))
    case .evaluating(let claim, _):
      return claim.attempt == index + 1 ? .join(claim) : .wait(claim)
    case .open(let attempts):
      if now >= expiry { return end(.failed(.expired), at: now) }
      if submission.validity == .invalid { return .refuse(.invalidInput) }
      return evaluate(submission, attempts: attempts, index: index, at: now)
    }
  }

  /// Charged with the first attempt's first claim: only then is it the only attempt and not in the state before.
  private mutating func evaluate(
    _ submission: Submission, attempts: [UsedAttempt], index: Int, at now: Instant
  ) -> Action {
    let charge = charged == nil ? price : nil
    let claim = Claim(id: submission.claim, engine: submission.engine, attempt: index + 1, at: now)
    state = .evaluating(claim: claim, attempts: attempts)
    return .evaluate(claim, charge: charge)
  }

  private mutating func decide(_ evaluation: Evaluation, of claimID: ClaimID, at now: Instant) -> Action {
    guard case .evaluating(let claim, var attempts) = state, claim.id == claimID else { return .ignore }
    let answer = answer(to: evaluation, attemptsRemaining: policy.attempts - attempts.count)
    attempts[claim.attempt - 1].answer = answer
    switch answer {
    case .retry: state = .open(attempts: attempts)
    case .ended(let outcome):
      state = .ended(Ending(end: .outcome(outcome), at: now, submission: nil), attempts: attempts)
    }
    return .decide(.answered(answer, attempt: claim.attempt))
  }

  private func answer(to evaluation: Evaluation, attemptsRemaining: Int) -> Answer {
    func failure(_ reason: RetryReason) -> Answer {
      attemptsRemaining > 0
        ? .retry(reason, attemptsRemaining: attemptsRemaining) : .ended(.failed(.attemptsExhausted))
    }
    switch evaluation {
    case .notLive: return failure(.livenessFailed)
    case .unusable: return failure(.captureUnusable)
    case .compared(let scores):
      switch scores.verdict(by: policy) {
      case .verified(let session):
        return .ended(.verified(reVerificationID: id, originalSessionID: session, userID: user))
      case .notReVerified: return .ended(.failed(.notReVerified))
      case .notMatched: return failure(.faceNotMatched)
      }
    }
  }

  private mutating func release(_ claimID: ClaimID) -> Action {
    guard case .evaluating(let claim, let attempts) = state, claim.id == claimID else { return .ignore }
    state = .open(attempts: attempts)
    return .release
  }

  private mutating func cancel(at now: Instant) -> Action {
    switch state {
    case .open where now >= expiry:
      return end(.failed(.expired), at: now)
    case .open(let attempts), .evaluating(_, let attempts):
      state = .ended(Ending(end: .cancelled, at: now, submission: nil), attempts: attempts)
      return .decide(.cancelled)
    case .ended(let ending, _):
      return .concluded(ending.end)
    }
  }

  private mutating func inquire(at now: Instant) -> Action {
    switch state {
    case .open where now >= expiry: end(.failed(.expired), at: now)
    case .open, .evaluating: .pending
    case .ended(let ending, _): .concluded(ending.end)
    }
  }

  private mutating func end(_ outcome: Outcome, at now: Instant, by submission: Submission? = nil) -> Action {
    let closing = submission.map { ClosingSubmission(key: $0.key, content: $0.content) }
    state = .ended(Ending(end: .outcome(outcome), at: now, submission: closing), attempts: attempts)
    return .decide(.ended(outcome))
  }
}
