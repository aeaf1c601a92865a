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

  /// A timespec is two longs (POSIX, `<time.h>`). They are read by their place: which module declares the members changes
  /// with what else a build imports.
  private static func milliseconds(_ clock: clockid_t) -> Int64 {
    withUnsafeTemporaryAllocation(of: timespec.self, capacity: 1) { time in
      let status = clock_gettime(clock, time.baseAddress!)
      precondition(status == 0, "the system has no clock")
      let words = UnsafeRawBufferPointer(time)
      let seconds = words.load(as: Int.self)
      let nanoseconds = words.load(fromByteOffset: MemoryLayout<Int>.size, as: Int.self)
      return Int64(seconds) * 1000 + Int64(nanoseconds) / 1_000_000
    }
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
