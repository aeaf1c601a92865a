/// A point of wall-clock time, in whole milliseconds since 1970-01-01T00:00:00Z.
///
/// Whole milliseconds, so that a stored instant and the one in memory are the same number.
public struct Instant: Hashable, Comparable, Sendable, Codable {
  public let millisecondsSince1970: Int64

  public init(millisecondsSince1970: Int64) {
    self.millisecondsSince1970 = millisecondsSince1970
  }

  public static func < (left: Instant, right: Instant) -> Bool {
    left.millisecondsSince1970 < right.millisecondsSince1970
  }

  /// The instant `duration` later, cut to the millisecond below; saturates instead of overflowing.
  public static func + (instant: Instant, duration: Duration) -> Instant {
    let (sum, overflow) = instant.millisecondsSince1970.addingReportingOverflow(duration.wholeMilliseconds)
    return Instant(millisecondsSince1970: overflow ? (duration < .zero ? .min : .max) : sum)
  }

  public static func - (instant: Instant, duration: Duration) -> Instant {
    instant + (.zero - duration)
  }

  /// The time from `earlier` to `later`; negative when they are the other way round.
  public static func - (later: Instant, earlier: Instant) -> Duration {
    .milliseconds(later.millisecondsSince1970) - .milliseconds(earlier.millisecondsSince1970)
  }
}

extension Duration {
  /// This duration in milliseconds, rounded down; saturates at the bounds of `Int64`.
  public var wholeMilliseconds: Int64 {
    let (seconds, attoseconds) = components
    let below = attoseconds < 0 && attoseconds % 1_000_000_000_000_000 != 0 ? 1 : Int64(0)
    let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1000)
    guard !overflow else { return seconds < 0 ? .min : .max }
    return scaled.addingReportingOverflow(attoseconds / 1_000_000_000_000_000 - below).partialValue
  }
}
