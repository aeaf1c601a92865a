import Biometrics

/// Remembers which challenges were used, until they expire anyhow, for servers that judge captures without an engine.
///
/// One per server process; a service of several needs the same in its database. The engine needs none: a re-verification
/// counts its attempts durably, and each has its own challenge. Safe from any thread.
public final class UsedChallenges: Sendable {
  private struct State {
    /// By nonce and attempt: a challenge that is issued again has another identifier, and shows the same.
    var uses: [[UInt8]: (expiry: Instant, answer: [UInt8])] = [:]
    var sweptAt = Instant(millisecondsSince1970: 0)
  }

  private let state = Guarded(State())

  public init() {}

  /// Uses `challenge` up with `answer`, which names the submission, such as a digest of it. False when another answer used it before; of many
  /// callers with answers of their own exactly one is told true. The same answer again is no second use, so that a
  /// decision that was lost can be made again.
  public func use(_ challenge: ChallengeSchedule, answer: [UInt8], at now: Instant) -> Bool {
    state.withLock { state in
      if now - state.sweptAt > ChallengeSchedule.life {
        state.uses = state.uses.filter { $0.value.expiry > now }
        state.sweptAt = now
      }
      let name = challenge.nonce + [UInt8(truncatingIfNeeded: challenge.attempt)]
      if let earlier = state.uses[name] { return earlier.answer == answer }
      state.uses[name] = (challenge.expiry, answer)
      return true
    }
  }

  /// How many are remembered.
  public var count: Int { state.withLock { $0.uses.count } }
}
