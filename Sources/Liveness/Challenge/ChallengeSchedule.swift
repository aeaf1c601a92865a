import Biometrics

/// What a client must show its user at one attempt, derived from a challenge's nonce by a key of the server's.
///
/// Three ovals at random places, sizes and times: an old recording follows another schedule. The colours are there for
/// binding in time, not for their entropy.
public struct ChallengeSchedule: Hashable, Sendable {
  public static let idBytes = 16
  public static let nonceBytes = 32
  /// How long after its issue a challenge can be answered.
  public static let life: Duration = .seconds(120)
  /// From the first stage's beginning to the end of the last, in milliseconds.
  public static let duration = 4000.0

  /// An oval that the face is to fill.
  public struct Stage: Hashable, Sendable {
    /// Milliseconds since the challenge was shown.
    public let start: Double
    /// The oval's width in image widths.
    public let width: Double
    /// The oval's centre, from the image's centre, in image widths, x right and y down.
    public let centreX: Double
    public let centreY: Double

    public init(start: Double, width: Double, centreX: Double, centreY: Double) {
      self.start = start
      self.width = width
      self.centreX = centreX
      self.centreY = centreY
    }
  }

  /// A colour that the screen is to show.
  public struct Flash: Hashable, Sendable {
    public let colour: Colour
    /// Milliseconds.
    public let start: Double
    public let duration: Double

    public init(colour: Colour, start: Double, duration: Double) {
      self.colour = colour
      self.start = start
      self.duration = duration
    }
  }

  public enum Colour: Int, Hashable, Sendable, CaseIterable {
    case red, green, blue, yellow, cyan, magenta

    /// Red, green and blue, 0 or 1.
    public var components: SIMD3<Double> {
      switch self {
      case .red: [1, 0, 0]
      case .green: [0, 1, 0]
      case .blue: [0, 0, 1]
      case .yellow: [1, 1, 0]
      case .cyan: [0, 1, 1]
      case .magenta: [1, 0, 1]
      }
    }
  }

  public let id: [UInt8]
  public let nonce: [UInt8]
  /// Which attempt at the nonce it is for, from 0.
  public let attempt: Int
  public let issuedAt: Instant
  public let stages: [Stage]
  /// Empty for a challenge without colours.
  public let flashes: [Flash]

  public init(
    id: [UInt8], nonce: [UInt8], attempt: Int = 0, issuedAt: Instant, stages: [Stage], flashes: [Flash]
  ) {
    self.id = id
    self.nonce = nonce
    self.attempt = attempt
    self.issuedAt = issuedAt
    self.stages = stages
    self.flashes = flashes
  }

  /// The first instant at which it can't be answered any more.
  public var expiry: Instant { issuedAt + Self.life }

  /// What a client may know when `count` stages are revealed, as JSON: the nonce, those stages, and with the first one
  /// the colours. A client that is told a stage only when it has reached the one before can't render ahead.
  public func presentation(stages count: Int) -> String {
    let ovals = stages.prefix(count).enumerated().map { index, stage in
      """
      {"stage":\(index),"t_ms":\(stage.start),"oval":{"cx":\(stage.centreX),"cy":\(stage.centreY),\
      "w":\(stage.width),"h":\(stage.width * Self.ovalAspect)}}
      """
    }
    let colours = flashes.map {
      "{\"rgb\":[\(Int($0.colour.components.x)),\(Int($0.colour.components.y)),\(Int($0.colour.components.z))]"
        + ",\"t_ms\":\($0.start),\"dur_ms\":\($0.duration)}"
    }
    return """
      {"format":"reverify-challenge","version":1,"id":"\(encodeHexadecimal(id))","nonce":"\(encodeHexadecimal(nonce))",\
      "issued_ms":\(issuedAt.millisecondsSince1970),"expires_ms":\(expiry.millisecondsSince1970),\
      "duration_ms":\(Self.duration),"stages_in_all":\(stages.count),"stages":[\(ovals.joined(separator: ","))],\
      "colors":[\(colours.joined(separator: ","))],"min_fps":12,"min_frames":24,"max_frames":\(CaptureLimits.frames)}
      """
  }

  /// Height of an oval over its width.
  public static let ovalAspect = 1.35
}
