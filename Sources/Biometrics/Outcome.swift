/// How a re-verification ended. A closed set; an error is a separate thing (`ReVerificationError`).
public enum Outcome: Hashable, Sendable, Codable {
  /// The person in front of the camera is the claimed user; `originalSessionID` is the best-matching approved session.
  case verified(reVerificationID: ReVerificationID, originalSessionID: SessionID, userID: UserID)
  case failed(FailureReason)
}

/// Why a re-verification ended without `verified`.
public enum FailureReason: Hashable, Sendable, Codable {
  /// The face is known, but not as this user on this workflow.
  case notReVerified
  /// No attempt is left, or the user is locked out.
  case attemptsExhausted
  /// It was never begun.
  case notEligible(IneligibilityReason)
  /// Its life ended, or it had ended before.
  case expired
}

/// Why a re-verification could not begin, in the order in which the reasons are checked.
public enum IneligibilityReason: String, Hashable, Sendable, Codable, CaseIterable {
  case notAuthorized
  case notFound
  case disabled
  case insufficientBalance
  case userNotFound
  case notPreviouslyVerified
}

/// The answer to a submission: all that the client may learn of it.
public enum Answer: Hashable, Sendable, Codable {
  /// The attempt is used, and `attemptsRemaining` (at least 1) are left.
  case retry(RetryReason, attemptsRemaining: Int)
  case ended(Outcome)
}

/// Why an attempt was used without ending the re-verification.
public enum RetryReason: String, Hashable, Sendable, Codable, CaseIterable {
  case livenessFailed
  case captureUnusable
  case faceNotMatched
}
