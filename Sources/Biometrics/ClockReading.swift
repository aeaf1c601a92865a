/// What the clocks say at one moment: the time of day, which can be set, and the time since the machine was started,
/// which can't.
///
/// How much time passed between two readings is told by the second where both are of one run of the machine.
public struct ClockReading: Hashable, Sendable, Codable {
  /// The time of day.
  public let wall: Instant
  /// Milliseconds since the machine was started, sleep included; never goes back, never jumps.
  public let millisecondsSinceBoot: Int64
  /// Names the run of the machine; another after each start.
  public let boot: String

  public init(wall: Instant, millisecondsSinceBoot: Int64, boot: String) {
    self.wall = wall
    self.millisecondsSinceBoot = millisecondsSinceBoot
    self.boot = boot
  }

  /// The time from this reading to a later one, never negative; `nil` when the machine was started between them and the
  /// time of day went back, so that nobody knows.
  public func elapsed(until later: ClockReading) -> Duration? {
    if boot == later.boot {
      return max(.zero, .milliseconds(later.millisecondsSinceBoot) - .milliseconds(millisecondsSinceBoot))
    }
    let elapsed = later.wall - wall
    return elapsed < .zero ? nil : elapsed
  }
}
