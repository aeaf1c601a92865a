import Biometrics
import ReVerification

/// Clocks that stand still until they are moved.
public final class ManualClock: WallClock {
  private let state: Guarded<ClockReading>

  /// Clocks at some instant of 2025, on the machine's first run.
  public init(_ start: Instant = Instant(millisecondsSince1970: 1_750_000_000_000)) {
    state = Guarded(ClockReading(wall: start, millisecondsSinceBoot: 1000, boot: "boot 1"))
  }

  public func reading() -> ClockReading {
    state.withLock { $0 }
  }

  /// Lets time pass; a negative duration is a mistake and traps.
  public func advance(by duration: Duration) {
    precondition(duration >= .zero, "time does not go back; jump(by:) sets the clock")
    state.withLock { now in
      now = ClockReading(
        wall: now.wall + duration,
        millisecondsSinceBoot: now.millisecondsSinceBoot + duration.wholeMilliseconds,
        boot: now.boot)
    }
  }

  /// Lets time pass until the clock, which nobody has set, shows `instant`.
  public func set(to instant: Instant) {
    advance(by: instant - now())
  }

  /// Sets the time of day forward or back, while no time passes.
  public func jump(by duration: Duration) {
    state.withLock { now in
      now = ClockReading(
        wall: now.wall + duration, millisecondsSinceBoot: now.millisecondsSinceBoot, boot: now.boot)
    }
  }

  /// Starts the machine anew: the time since then begins at zero, the time of day goes on.
  public func reboot() {
    state.withLock { now in
      now = ClockReading(wall: now.wall, millisecondsSinceBoot: 0, boot: now.boot + "'")
    }
  }
}
