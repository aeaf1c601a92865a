import Biometrics
import Synchronization

/// Remembers which challenges were used, until they expire anyhow.
///
/// One per server process; a service of several needs the same in its database. Safe from any thread.
public final class UsedChallenges: Sendable {
  private struct State {
    var expiries: [[UInt8]: Instant] = [:]
    var sweptAt = Instant(millisecondsSince1970: 0)
  }

  private let state = Mutex(State())

  public init() {}

  /// Uses `challenge` up. False when it was used before; of many callers at once exactly one is told true.
  public func use(_ challenge: ChallengeSchedule, at now: Instant) -> Bool {
    state.withLock { state in
      if now - state.sweptAt > ChallengeSchedule.life {
        state.expiries = state.expiries.filter { $0.value > now }
        state.sweptAt = now
      }
      guard state.expiries[challenge.id] == nil else { return false }
      state.expiries[challenge.id] = challenge.expiry
      return true
    }
  }

  /// How many are remembered.
  public var count: Int { state.withLock { $0.expiries.count } }
}
