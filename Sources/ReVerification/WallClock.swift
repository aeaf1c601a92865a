import Biometrics
import Glibc

/// Tells the time of day.
public protocol WallClock: Sendable {
  func now() -> Instant
}

/// The system's clock.
public struct SystemClock: WallClock {
  public init() {}

  public func now() -> Instant {
    var time = timespec()
    let status = clock_gettime(CLOCK_REALTIME, &time)
    precondition(status == 0, "the system has no clock")
    return Instant(millisecondsSince1970: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
  }
}
