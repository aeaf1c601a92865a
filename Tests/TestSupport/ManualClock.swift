import Biometrics
import ReVerification

/// A clock that stands still until it is moved.
public final class ManualClock: WallClock {
  private let instant: Guarded<Instant>

  /// A clock at some instant of 2025.
  public init(_ start: Instant = Instant(millisecondsSince1970: 1_750_000_000_000)) {
    instant = Guarded(start)
  }

  public func now() -> Instant {
    instant.withLock { $0 }
  }

  /// Moves the clock; a negative duration sets it back.
  public func advance(by duration: Duration) {
    instant.withLock { $0 = $0 + duration }
  }

  public func set(to now: Instant) {
    instant.withLock { $0 = now }
  }
}
