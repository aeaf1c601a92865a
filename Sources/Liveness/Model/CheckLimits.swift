/// The bounds of the hard checks, which need no score.
public struct CheckLimits: Hashable, Sendable, Codable {
  public var minimumFrames = 24
  /// Frames per second on average.
  public var minimumFrameRate = 12.0
  /// Milliseconds between successive frames.
  public var maximumGap = 500.0
  /// Milliseconds from the first to the last frame.
  public var minimumDuration = 1500.0
  public var maximumDuration = 10_000.0
  /// The share of frames that may show no face or several.
  public var maximumFaceCountErrors = 0.05
  /// The share of frames that may repeat another one.
  public var maximumRepeats = 0.10
  /// So many equal frames in a row are a frozen picture.
  public var frozenRun = 3
  /// The 90 % quantile of the face's size over its 10 % quantile.
  public var minimumSizeRatio = 1.6
  /// The least jitter, the logarithm in inter-ocular distances, that a landmarker can have.
  public var minimumJitter = -9.0
  public var brightness: ClosedRange<Double> = 0.05...0.98
  /// The median over the frames.
  public var minimumSharpness = 1.0
  /// Milliseconds by which a client may show a stage later than the schedule says.
  public var maximumStageDelay = 250.0

  public init() {}

  enum CodingKeys: String, CodingKey {
    case minimumFrames, minimumFrameRate, maximumGap, minimumDuration, maximumDuration, maximumFaceCountErrors
    case maximumRepeats, frozenRun, minimumSizeRatio, minimumJitter, brightness, minimumSharpness
    case maximumStageDelay
  }
}
