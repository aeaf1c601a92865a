import Biometrics
import EnrolmentStore
import Liveness

/// What a cancel came to.
public enum Cancellation: Hashable, Sendable {
  /// It is cancelled, by this call or an earlier one, and has no outcome.
  case cancelled
  /// It had ended so; nothing has changed.
  case tooLate(Outcome)
}

extension ReVerificationEngine {
  /// Cancels a re-verification that has not ended; an attempt that is being evaluated gets no answer any more.
  public nonisolated func cancel(
    _ id: ReVerificationID
  ) async throws(ReVerificationError) -> Cancellation {
    try await concluding("cancel", id) { (machine, moment) in
      switch machine.handle(.cancel, at: moment.now) {
      case .decide(.cancelled):
        return Step(changes: [.decision(record(of: machine, .cancelled, at: moment))], value: .cancelled)
      case .decide(.ended(let outcome)):
        let record = record(of: machine, .ended(outcome), at: moment)
        return Step(changes: [.decision(record)], value: .tooLate(outcome))
      case .concluded(.cancelled):
        return Step(value: .cancelled)
      case .concluded(.outcome(let outcome)):
        return Step(value: .tooLate(outcome))
      case .answer, .evaluate, .decide, .release, .join, .wait, .refuse, .pending, .ignore:
        preconditionFailure("a cancel ends it, or finds it ended")
      }
    }
  }

  /// The one outcome, the same for whoever asks, or `nil` while there is none. Throws `cancelled` for one that was.
  public nonisolated func outcome(
    of id: ReVerificationID
  ) async throws(ReVerificationError) -> Outcome? {
    try await concluding("outcome", id) { (machine, moment) throws(ReVerificationError) in
      switch machine.handle(.inquire, at: moment.now) {
      case .pending:
        return Step(value: nil)
      case .concluded(.outcome(let outcome)):
        return Step(value: outcome)
      case .concluded(.cancelled):
        throw ReVerificationError(.cancelled, "re-verification \(id)")
      case .decide(.ended(let outcome)):
        return Step(changes: [.decision(record(of: machine, .ended(outcome), at: moment))], value: outcome)
      case .answer, .evaluate, .decide, .release, .join, .wait, .refuse, .ignore:
        preconditionFailure("an inquiry finds it open or ended")
      }
    }
  }

  /// The challenge of its next attempt, or of the one under evaluation, from which what its client shows is derived.
  public nonisolated func challenge(
    of id: ReVerificationID
  ) async throws(ReVerificationError) -> Challenge {
    let stored = try await storage(await store.reVerification(id))
    guard let stored else { throw ReVerificationError(.unknownReVerification, "re-verification \(id)") }
    return try ReVerification(stored).currentChallenge
  }

  /// What the client is to show its user at the next attempt; `nil` when there is none any more, or where the liveness scorer
  /// asks for nothing. Asked for again, it shows the same; it can be answered for 120 s from then on, once.
  public nonisolated func schedule(
    of id: ReVerificationID
  ) async throws(ReVerificationError) -> ChallengeSchedule? {
    let stored = try await storage(await store.reVerification(id))
    guard let stored else { throw ReVerificationError(.unknownReVerification, "re-verification \(id)") }
    let machine = try ReVerification(stored)
    if case .ended = machine.state { return nil }
    guard machine.time(at: clock.reading()) < machine.expiry else { return nil }
    return liveness.schedule(for: machine.currentChallenge)
  }

  /// The first `limit` decision records of an organisation after the one numbered `sequence`, in order. They hold scores:
  /// none of this is for the client.
  public nonisolated func decisionRecords(
    of organisation: OrganisationID, after sequence: Int64 = 0, limit: Int = 1000
  ) async throws(ReVerificationError) -> [NumberedDecision] {
    try await storage(await store.decisions(of: organisation, after: sequence, limit: limit))
  }

  /// Takes a step that may end a re-verification, and lets the observer know if it did.
  private nonisolated func concluding<Value>(
    _ name: String, _ id: ReVerificationID,
    _ body: (inout ReVerification, Moment) throws(ReVerificationError) -> Step<Value>
  ) async throws(ReVerificationError) -> Value {
    var ended: DecisionRecord?
    let value = try await observing(name) { () async throws(ReVerificationError) in
      try await change(id) { (machine, moment) async throws(ReVerificationError) -> Step<Value> in
        let step = try body(&machine, moment)
        ended =
          step.changes.lazy.compactMap { if case .decision(let record) = $0 { record } else { nil } }.first
        return step
      }
    }
    if let ended { observer.observe(.ended(id, of: ended.organisation, ended.conclusion.outcome)) }
    return value
  }
}

extension DecisionRecord.Conclusion {
  /// The outcome that was reached, if one was.
  var outcome: Outcome? {
    if case .ended(let outcome) = self { outcome } else { nil }
  }
}
