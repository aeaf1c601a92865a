import Biometrics
import Liveness
import ReVerification

/// How a flow reaches the engine: over a network, or in the same process (`InProcessTransport`).
///
/// A call that could not be made throws kind `network` (`ReVerificationError(.unreachable, …)`).
public protocol ReVerifyTransport: Sendable {
  func begin(workflowID: WorkflowID, email: String) async throws(ReVerificationError) -> Beginning

  /// Submits an attempt; calls `sent` once it has arrived and is being judged, then gives the answer.
  func submit(
    _ attempt: Attempt, to id: ReVerificationID, sent: @escaping @Sendable () -> Void
  ) async throws(ReVerificationError) -> FlowAnswer

  /// Says that the user gave up. What comes of it changes nothing for the flow.
  func cancel(_ id: ReVerificationID) async throws(ReVerificationError)
}

/// What became of a begin, as its client needs it.
public enum Beginning: Hashable, Sendable {
  case begun(FaceCheck)
  case ended(Outcome)
}

/// The answer to an attempt, with what to show for the next one.
public enum FlowAnswer: Hashable, Sendable {
  case retry(RetryReason, attemptsRemaining: Int, schedule: ChallengeSchedule?)
  case ended(Outcome)
}

/// The engine in the same process as the flow.
public struct InProcessTransport: ReVerifyTransport {
  private let engine: ReVerificationEngine
  private let apiKey: String

  public init(engine: ReVerificationEngine, apiKey: String) {
    self.engine = engine
    self.apiKey = apiKey
  }

  public func begin(
    workflowID: WorkflowID, email: String
  ) async throws(ReVerificationError) -> Beginning {
    switch try await engine.begin(workflowID: workflowID, email: email, apiKey: apiKey) {
    case .begun(let begun):
      .begun(
        FaceCheck(
          reVerificationID: begun.id, challenge: begun.challenge, schedule: begun.schedule,
          attemptsAllowed: begun.attemptsAllowed, expiry: begun.expiry))
    case .ended(let outcome): .ended(outcome)
    }
  }

  public func submit(
    _ attempt: Attempt, to id: ReVerificationID, sent: @escaping @Sendable () -> Void
  ) async throws(ReVerificationError) -> FlowAnswer {
    sent()
    switch try await engine.submit(attempt, to: id) {
    case .retry(let reason, let remaining):
      return .retry(
        reason, attemptsRemaining: remaining, schedule: try await engine.schedule(of: id))
    case .ended(let outcome): return .ended(outcome)
    }
  }

  public func cancel(_ id: ReVerificationID) async throws(ReVerificationError) {
    _ = try await engine.cancel(id)
  }
}
