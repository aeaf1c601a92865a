import Biometrics

/// The failed attempts of one user over all re-verifications, and the lock-out they led to.
public struct FailureCounter: Hashable, Sendable, Codable {
  /// A lock-out: until when, and by whose failure.
  public struct LockOut: Hashable, Sendable, Codable {
    /// The first instant at which the user may begin again.
    public let until: Instant
    /// The re-verification whose failed attempt completed the number.
    public let cause: ReVerificationID
  }

  public let organisation: OrganisationID
  public let user: UserID
  /// When the latest attempts failed, oldest first; no more than any policy asks for.
  public private(set) var failures: [Instant] = []
  /// The same for the organisation's policy, which counts by itself; `nil` while it has not counted any.
  public private(set) var organisationFailures: [Instant]?
  /// The lock-out that lasts longest, over or not.
  public private(set) var lockOut: LockOut?
  /// What the clocks said when its own line of time began; all its instants are of that line.
  public private(set) var origin: ClockReading?
  /// How often it has been stored, 0 for one that never was.
  public var revision: Int64 = 0

  /// The counter of a user who has not failed.
  public init(organisation: OrganisationID, user: UserID) {
    self.organisation = organisation
    self.user = user
  }

  /// The time on the counter's own line, which goes on as time passes, however the time of day is set. Where nobody knows
  /// how much has passed, none has: a lock-out then stays.
  public func time(at reading: ClockReading) -> Instant {
    guard let origin else { return reading.wall }
    return origin.wall + (origin.elapsed(until: reading) ?? .zero)
  }

  /// The time on its line, which begins anew at `reading` when nothing on it counts any more.
  public mutating func begin(at reading: ClockReading) -> Instant {
    if failures.isEmpty, organisationFailures == nil, lockOut(at: time(at: reading)) == nil {
      origin = reading
      lockOut = nil
    }
    return time(at: reading)
  }

  /// Counts a failed attempt of `cause` for the workflow's policy and for the organisation's; the one that completes a policy's
  /// number locks out and lets that policy start anew. Of two lock-outs the longer one is in force.
  public mutating func addFailure(
    of cause: ReVerificationID, at now: Instant, policy: LockOutPolicy?,
    organisation wide: LockOutPolicy? = nil
  ) {
    if Self.add(now, to: &failures, policy) { lock(policy, now, cause) }
    guard let wide else { return }
    var counted = organisationFailures ?? []
    if Self.add(now, to: &counted, wide) { lock(wide, now, cause) }
    organisationFailures = counted.isEmpty ? nil : counted
  }

  /// True, and none left, when the policy's number is complete.
  private static func add(_ now: Instant, to failures: inout [Instant], _ policy: LockOutPolicy?) -> Bool {
    failures.append(now)
    failures.removeFirst(max(0, failures.count - LockOutPolicy.failuresRange.upperBound))
    guard let policy else { return false }
    // A failure dated after `now` was seen by a clock that has since been set back; it counts.
    guard failures.count(where: { $0 > now - policy.window }) >= policy.failures else { return false }
    failures = []
    return true
  }

  private mutating func lock(_ policy: LockOutPolicy?, _ now: Instant, _ cause: ReVerificationID) {
    guard let policy, lockOut.map({ $0.until < now + policy.duration }) ?? true else { return }
    lockOut = LockOut(until: now + policy.duration, cause: cause)
  }

  /// Forgets the failures after a success (as NIST SP 800-63B, section 3.2.2, advises); a lock-out stays.
  public mutating func clearFailures() {
    failures = []
    organisationFailures = nil
  }

  /// The lock-out in force at `now`, if any: while `now < until`.
  public func lockOut(at now: Instant) -> LockOut? {
    lockOut.flatMap { now < $0.until ? $0 : nil }
  }
}
