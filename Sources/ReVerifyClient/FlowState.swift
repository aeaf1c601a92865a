import Biometrics
import Liveness
import ReVerification

/// What a screen shows at one moment of a flow.
public enum FlowState: Hashable, Sendable {
  /// The re-verification is being begun.
  case starting
  /// The user answers the face check; `banner` says what became of the attempt before, if there was one.
  case faceCheck(banner: FlowBanner?)
  /// An attempt is on its way.
  case sending
  /// The attempt has arrived and is being judged.
  case deciding
  /// A call failed. *Try again* repeats that call alone, with the same idempotency key; *close* ends the flow.
  case error(ReVerificationError.Kind)
  /// It ended before a face check; only *close* is left, and gives the outcome.
  case cannotContinue

  /// What the user can do in this state, besides answering the face check.
  public var actions: [FlowAction] {
    switch self {
    case .error: [.tryAgain, .close]
    case .starting, .faceCheck, .sending, .deciding, .cannotContinue: [.close]
    }
  }
}

/// Why the attempt before failed, and how many are left (at least 1).
public struct FlowBanner: Hashable, Sendable {
  public let reason: RetryReason
  public let attemptsRemaining: Int

  public init(_ reason: RetryReason, attemptsRemaining: Int) {
    self.reason = reason
    self.attemptsRemaining = attemptsRemaining
  }
}

public enum FlowAction: String, Hashable, Sendable, CaseIterable {
  case tryAgain, close
}

/// What a screen needs to run a face check.
public struct FaceCheck: Hashable, Sendable {
  public let reVerificationID: ReVerificationID
  public let challenge: Challenge
  /// The ovals and colours to show for the next attempt; `nil` where the server's scorer needs none.
  public var schedule: ChallengeSchedule?
  public let attemptsAllowed: Int
  /// By the server's wall clock, for display: the server measures the life itself.
  public let expiry: Instant

  public init(
    reVerificationID: ReVerificationID, challenge: Challenge, schedule: ChallengeSchedule? = nil,
    attemptsAllowed: Int, expiry: Instant
  ) {
    self.reVerificationID = reVerificationID
    self.challenge = challenge
    self.schedule = schedule
    self.attemptsAllowed = attemptsAllowed
    self.expiry = expiry
  }
}
