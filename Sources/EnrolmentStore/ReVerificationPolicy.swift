import Biometrics

/// The terms of re-verification on a workflow. A re-verification keeps those it was begun on.
public struct ReVerificationPolicy: Hashable, Sendable {
  public static let attemptsRange = 1...10
  public static let lifeRange: ClosedRange<Duration> = .seconds(1) ... .seconds(24 * 60 * 60)

  /// The lowest score at which the claimed user's own reference matches.
  public let verifyThreshold: SimilarityThreshold
  /// The lowest score at which the face counts as somebody the organisation knows; not below `verifyThreshold`,
  /// since its false-positive rate grows with the number enrolled.
  public let recogniseThreshold: SimilarityThreshold
  /// How many attempts a re-verification has, 1...10.
  public let attempts: Int
  /// How long it is valid: while `now < begun + life`. Whole milliseconds, 1 s...24 h.
  public let life: Duration
  /// What ties the face that is matched to the one whose liveness is judged.
  public let faceBinding: FaceBinding
  /// When repeated failures lock a user out; `nil` never does.
  public let lockOut: LockOutPolicy?
  /// The same by the organisation's own policy, which goes beside; set when a re-verification begins.
  public internal(set) var organisationLockOut: LockOutPolicy?

  /// These terms with those of the organisation.
  public func joined(with organisation: Organisation) -> Self {
    var policy = self
    policy.organisationLockOut = organisation.lockOut
    return policy
  }

  /// Throws `PolicyError` when a value is out of range or the thresholds are in the wrong order.
  public init(
    verifyThreshold: SimilarityThreshold, recogniseThreshold: SimilarityThreshold, attempts: Int = 3,
    life: Duration = .seconds(600), lockOut: LockOutPolicy? = .standard, faceBinding: FaceBinding = .required
  ) throws(PolicyError) {
    guard recogniseThreshold >= verifyThreshold else { throw PolicyError(.recogniseBelowVerify) }
    guard Self.attemptsRange.contains(attempts) else { throw PolicyError(.attempts) }
    guard Self.lifeRange.contains(life) else { throw PolicyError(.life) }
    self.verifyThreshold = verifyThreshold
    self.recogniseThreshold = recogniseThreshold
    self.attempts = attempts
    self.life = .milliseconds(life.wholeMilliseconds)
    self.lockOut = lockOut
    self.faceBinding = faceBinding
  }
}

/// What ties the face that is matched to the face whose liveness is judged, where captures are recordings.
public enum FaceBinding: String, Hashable, Sendable, Codable, CaseIterable {
  /// Captures carry embeddings of the matching space, and those handed in must be of the same person at the verify
  /// threshold. A capture without them, passive scores alone among them, is inconclusive and never passes.
  case required
  /// Compared where a capture carries such embeddings. Where it doesn't, the caller answers for it that both are of the same
  /// frames.
  case whereGiven
}

/// When a user's failed attempts, over all their re-verifications, bar them from beginning another.
public struct LockOutPolicy: Hashable, Sendable {
  public static let failuresRange = 1...100
  public static let windowRange: ClosedRange<Duration> = .seconds(1) ... .seconds(24 * 60 * 60)
  public static let durationRange: ClosedRange<Duration> = .seconds(1) ... .seconds(30 * 24 * 60 * 60)

  /// Five failures in three minutes lock a user out for thirty.
  public static let standard = LockOutPolicy(checked: 5, .seconds(180), .seconds(1800))

  /// The number of failed attempts that locks out, 1...100.
  public let failures: Int
  /// The time they fall in, 1 s...24 h. A failure exactly `window` ago no longer counts.
  public let window: Duration
  /// How long the lock-out lasts, 1 s...30 days.
  public let duration: Duration

  /// Throws `PolicyError` when a value is out of range.
  public init(failures: Int, window: Duration, duration: Duration) throws(PolicyError) {
    guard Self.failuresRange.contains(failures) else { throw PolicyError(.lockOutFailures) }
    guard Self.windowRange.contains(window) else { throw PolicyError(.lockOutWindow) }
    guard Self.durationRange.contains(duration) else { throw PolicyError(.lockOutDuration) }
    self.init(checked: failures, window, duration)
  }

  private init(checked failures: Int, _ window: Duration, _ duration: Duration) {
    self.failures = failures
    self.window = .milliseconds(window.wholeMilliseconds)
    self.duration = .milliseconds(duration.wholeMilliseconds)
  }
}

/// A policy's value that is out of range.
public struct PolicyError: Error, Hashable, Sendable, CustomStringConvertible {
  public enum Code: String, Sendable, CaseIterable {
    case recogniseBelowVerify, attempts, life, lockOutFailures, lockOutWindow, lockOutDuration, retention
  }

  public let code: Code

  public init(_ code: Code) {
    self.code = code
  }

  public var description: String {
    switch code {
    case .recogniseBelowVerify: "the recognise threshold lies below the verify threshold"
    case .attempts: "attempts: expected \(ReVerificationPolicy.attemptsRange)"
    case .life: "life: expected 1 second to 24 hours"
    case .lockOutFailures: "lock-out failures: expected \(LockOutPolicy.failuresRange)"
    case .lockOutWindow: "lock-out window: expected 1 second to 24 hours"
    case .lockOutDuration: "lock-out duration: expected 1 second to 30 days"
    case .retention: "retention: expected 1 minute to 100 years"
    }
  }
}
