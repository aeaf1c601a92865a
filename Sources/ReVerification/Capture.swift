import Biometrics
import Liveness

/// What the client recorded in front of the camera, frame by frame.
public struct Capture: Hashable, Sendable {
  public struct Frame: Hashable, Sendable {
    /// Since the challenge was shown; later than the frame before.
    public let time: Duration
    /// What an upstream passive check of this frame said, 0...1; higher means a live person. `nil` for a frame
    /// it was not run on.
    public let passiveScore: Double?

    public init(time: Duration, passiveScore: Double?) {
      self.time = time
      self.passiveScore = passiveScore
    }
  }

  public static let maximumFrames = 1000

  /// 1...1,000 frames in the order of time.
  public let frames: [Frame]
  /// All that was recorded, for a scorer that judges it; `nil` where only passive scores are known.
  public let recording: Liveness.Capture?

  public init(frames: [Frame]) {
    self.frames = frames
    recording = nil
  }

  /// Of a decoded recording.
  public init(_ recording: Liveness.Capture) {
    frames = recording.frames.map {
      Frame(time: .microseconds(Int64(($0.time * 1000).rounded())), passiveScore: $0.passiveScore)
    }
    self.recording = recording
  }

  /// Frames at equal distances from zero on, each with a passive score.
  public init(passiveScores: [Double], every interval: Duration = .milliseconds(100)) {
    self.init(
      frames: passiveScores.enumerated().map { Frame(time: interval * $0, passiveScore: $1) })
  }

  /// Throws when it is no capture at all; one that is too poor to judge passes.
  func check() throws(CaptureError) {
    guard (1...Self.maximumFrames).contains(frames.count) else {
      throw CaptureError(.frameCount, frame: nil)
    }
    var earliest = Duration.zero
    for (index, frame) in frames.enumerated() {
      // Of a recording whose times can't be, the scorer says so: that is an attack's sign, not a client's mistake.
      guard recording != nil || frame.time >= earliest else { throw CaptureError(.time, frame: index) }
      // The resolution of a time, below which two frames can't be told apart.
      earliest = frame.time + .milliseconds(1)
      if let score = frame.passiveScore, !(0...1).contains(score) {
        throw CaptureError(.passiveScore, frame: index)
      }
    }
  }
}

/// A capture that can't be what a client recorded.
public struct CaptureError: Error, Hashable, Sendable, CustomStringConvertible {
  public enum Code: String, Hashable, Sendable, CaseIterable {
    case frameCount, time, passiveScore
    /// Well formed, but of a kind that the scorer has no model for.
    case unsupported
  }

  public let code: Code
  /// The first offending frame, from 0; `nil` when it is the whole.
  public let frame: Int?

  public init(_ code: Code, frame: Int?) {
    self.code = code
    self.frame = frame
  }

  public var description: String {
    let place = frame.map { "frame \($0)" } ?? "capture"
    return switch code {
    case .frameCount: "\(place): expected 1...\(Capture.maximumFrames) frames"
    case .time: "\(place): expected a time at least 1 ms after the frame before, and none below zero"
    case .passiveScore: "\(place): expected a passive score in 0...1, or none"
    case .unsupported: "\(place): of a kind this liveness scorer can't judge"
    }
  }
}
