import Biometrics

/// How long a workflow's sessions, and the evidence of attempts on it, are kept.
public struct RetentionPeriod: Hashable, Sendable {
  public static let range: ClosedRange<Duration> = .seconds(60) ... .seconds(100 * 366 * 24 * 60 * 60)

  /// 1 minute...100 years, whole milliseconds.
  public let duration: Duration

  /// Throws `PolicyError` when out of range.
  public init(_ duration: Duration) throws(PolicyError) {
    guard Self.range.contains(duration) else { throw PolicyError(.retention) }
    self.duration = .milliseconds(duration.wholeMilliseconds)
  }

  /// Whether what began at `start` is to be erased at `now`: from `start + duration` on.
  public func isOver(at now: Instant, since start: Instant) -> Bool {
    now >= start + duration
  }
}

extension RetentionPeriod: Codable {
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    do {
      try self.init(.milliseconds(try container.decode(Int64.self)))
    } catch let error as PolicyError {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: error.description)
    }
  }

  /// As milliseconds.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(duration.wholeMilliseconds)
  }
}
