import Biometrics
import Glibc

/// Tells the time.
public protocol WallClock: Sendable {
  /// All clocks at once.
  func reading() -> ClockReading
}

extension WallClock {
  /// The time of day.
  public func now() -> Instant { reading().wall }
}

/// The system's clocks: `CLOCK_REALTIME`, `CLOCK_BOOTTIME` and the kernel's name of this boot.
public struct SystemClock: WallClock {
  public init() {}

  public func reading() -> ClockReading {
    ClockReading(
      wall: Instant(millisecondsSince1970: Self.milliseconds(CLOCK_REALTIME)),
      millisecondsSinceBoot: Self.milliseconds(CLOCK_BOOTTIME), boot: Self.boot)
  }

  private static func milliseconds(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    let status = clock_gettime(clock, &time)
    precondition(status == 0, "the system has no clock")
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
  }

  /// Where the kernel doesn't say, each process is a boot of its own, and only the time of day bridges them.
  private static let boot: String = {
    var text = [UInt8](repeating: 0, count: 36)
    let file = open("/proc/sys/kernel/random/boot_id", O_RDONLY)
    defer { if file >= 0 { close(file) } }
    guard file >= 0, read(file, &text, text.count) == text.count else {
      return hexadecimalIdentifier()
    }
    return String(decoding: text, as: UTF8.self)
  }()

  private static func hexadecimalIdentifier() -> String {
    let identifier: Identifier<IdentifierKind.Engine> = SystemRandomness().identifier()
    return identifier.rawValue
  }
}
