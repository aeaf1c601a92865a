import Biometrics
import EnrolmentStore

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
    try await change(id) { (machine, now) async throws(ReVerificationError) -> Step<Cancellation> in
      switch machine.handle(.cancel, at: now) {
      case .decide(.cancelled):
        return Step(changes: [.decision(record(of: machine, .cancelled, at: now))], value: .cancelled)
      case .decide(.ended(let outcome)):
        let record = record(of: machine, .ended(outcome), at: now)
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
    try await change(id) { (machine, now) async throws(ReVerificationError) -> Step<Outcome?> in
      switch machine.handle(.inquire, at: now) {
      case .pending:
        return Step(value: nil)
      case .concluded(.outcome(let outcome)):
        return Step(value: outcome)
      case .concluded(.cancelled):
        throw ReVerificationError(.cancelled, "re-verification \(id)")
      case .decide(.ended(let outcome)):
        return Step(changes: [.decision(record(of: machine, .ended(outcome), at: now))], value: outcome)
      case .answer, .evaluate, .decide, .release, .join, .wait, .refuse, .ignore:
        preconditionFailure("an inquiry finds it open or ended")
      }
    }
  }

  /// The first `limit` decision records of an organisation after the one numbered `sequence`, in order. They hold scores:
  /// none of this is for the client.
  public nonisolated func decisionRecords(
    of organisation: OrganisationID, after sequence: Int64 = 0, limit: Int = 1000
  ) async throws(ReVerificationError) -> [NumberedDecision] {
    try await storage(await store.decisions(of: organisation, after: sequence, limit: limit))
  }
}
