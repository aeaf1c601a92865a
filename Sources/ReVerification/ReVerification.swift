import Biometrics
import EnrolmentStore

/// One re-verification, from its challenge to its single end: a value, changed by `handle(_:at:)` alone.
///
/// Invariants:
/// - An attempt, once claimed, stays used; there are never more than the policy allows.
/// - At most one attempt is being evaluated, under one claim; results of other claims are late and ignored.
/// - What was decided about a submission is answered again to its key at any time, also after the end.
/// - It ends once; `ended` is never left.
public struct ReVerification: Hashable, Sendable {
  /// Where it stands. `attempts` are those used so far, in the order they were claimed.
  public enum State: Hashable, Sendable, Codable {
    /// Nothing is being evaluated. An attempt without an answer was lost on the way to one.
    case open(attempts: [UsedAttempt])
    /// The attempt that `claim` names is being evaluated.
    case evaluating(claim: Claim, attempts: [UsedAttempt])
    case ended(Ending, attempts: [UsedAttempt])
  }

  /// Its end, when it came, and what brought it about.
  public struct Ending: Hashable, Sendable, Codable {
    public let end: End
    public let at: Instant
    /// The submission that ended it without being an attempt itself, there being none left or its time being over;
    /// `nil` when an attempt ended it, a cancel, or the clock. It too gets the same answer again.
    public let submission: ClosingSubmission?
  }

  public struct ClosingSubmission: Hashable, Sendable, Codable {
    public let key: IdempotencyKey
    public let content: Digest
  }

  /// How it ended. Being cancelled is an error's kind, not an outcome.
  public enum End: Hashable, Sendable, Codable {
    case outcome(Outcome)
    case cancelled
  }

  /// An attempt that was claimed.
  public struct UsedAttempt: Hashable, Sendable, Codable {
    public let key: IdempotencyKey
    /// Digest of all that was submitted under the key.
    public let content: Digest
    public let claimedAt: Instant
    /// `nil` until it is decided, and for ever when the re-verification ends first.
    public internal(set) var answer: Answer?
  }

  /// The right to evaluate one attempt.
  public struct Claim: Hashable, Sendable, Codable {
    public let id: ClaimID
    public let engine: EngineID
    /// The attempt's number, from 1.
    public let attempt: Int
    public let at: Instant
  }

  public let id: ReVerificationID
  public let organisation: OrganisationID
  public let workflow: WorkflowID
  /// The claimed user, whom the caller named.
  public let user: UserID
  /// The key it was begun with.
  public let apiKey: APIKeyID
  /// That of the first attempt; see `currentChallenge`.
  public let challenge: Challenge
  /// The terms at its beginning; later changes of the workflow don't reach it.
  public let policy: ReVerificationPolicy
  public let price: Credits
  /// What the clocks said at its beginning.
  public let begun: ClockReading
  public internal(set) var state: State

  /// A re-verification begun `now`, with no attempt used.
  public init(
    id: ReVerificationID, organisation: OrganisationID, workflow: WorkflowID, user: UserID, apiKey: APIKeyID,
    challenge: Challenge, policy: ReVerificationPolicy, price: Credits, at now: ClockReading
  ) {
    self.id = id
    self.organisation = organisation
    self.workflow = workflow
    self.user = user
    self.apiKey = apiKey
    self.challenge = challenge
    self.policy = policy
    self.price = price
    begun = now
    state = .open(attempts: [])
  }

  /// When it was begun, by the time of day.
  public var begunAt: Instant { begun.wall }

  /// The first instant at which it is no longer valid, on its own line of time.
  public var expiry: Instant { begunAt + policy.life }

  /// The time on its own line, which begins at `begunAt` and goes on as time passes, however the time of day is set.
  ///
  /// All instants in its state are of this line. Where nobody knows how much time has passed, its life counts as over.
  public func time(at reading: ClockReading) -> Instant {
    guard let elapsed = begun.elapsed(until: reading) else { return expiry }
    return begunAt + elapsed
  }

  /// The attempts used so far, in the order they were claimed.
  public var attempts: [UsedAttempt] {
    switch state {
    case .open(let attempts), .evaluating(_, let attempts), .ended(_, let attempts): attempts
    }
  }

  /// The challenge of the attempt under evaluation, or else of the next one.
  public var currentChallenge: Challenge {
    if case .evaluating(let claim, _) = state { return challenge.forAttempt(claim.attempt - 1) }
    return challenge.forAttempt(attempts.count)
  }

  /// What it has cost: its price once an attempt is claimed, until then nothing.
  public var charged: Credits? {
    attempts.isEmpty ? nil : price
  }
}
