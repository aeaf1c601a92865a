import Biometrics
import EnrolmentStore
import Liveness

/// Judges whether a capture shows a live person.
public protocol LivenessScorer: Sendable {
  /// Name and version, as decision records give it: with the same one, the same capture gets the same assessment.
  var model: String { get }

  /// Throws `unsupported` for a well-formed capture this scorer can't judge; asked before an attempt is used.
  func check(_ capture: Capture) throws(CaptureError)

  /// The assessment, at `now` by the time of day, of a well-formed capture made for `challenge`. A thrown error uses the
  /// attempt up, but decides nothing: the same submission again is assessed anew.
  func assess(
    _ capture: Capture, for challenge: Challenge, at now: Instant
  ) async throws -> LivenessAssessment

  /// As `assess`, with what is to be known of the capture after a restart. The engine calls this one, and keeps the latter with
  /// the decision.
  func judge(
    _ capture: Capture, for challenge: Challenge, at now: Instant
  ) async throws -> LivenessJudgement

  /// Takes up what earlier processes saw, in the order it came, a page at a time.
  func restore(_ captures: [SeenCapture])

  /// What the client is to show its user at the challenge's attempt; `nil` where it need show nothing.
  func schedule(for challenge: Challenge) -> ChallengeSchedule?

  /// The same assessment once more, bit for bit, given the reasons found then: what rested on captures seen before is taken
  /// from them. Changes nothing.
  func reassess(
    _ capture: Capture, for challenge: Challenge, at now: Instant, findings: [LivenessReason]
  ) async throws -> LivenessAssessment
}

/// What a scorer found, and what it has to know again.
public struct LivenessJudgement: Sendable {
  public let assessment: LivenessAssessment
  /// `nil` when there is nothing new to remember.
  public let seen: SeenCapture?

  public init(_ assessment: LivenessAssessment, seen: SeenCapture? = nil) {
    self.assessment = assessment
    self.seen = seen
  }
}

// For a scorer that remembers nothing and asks for nothing.
extension LivenessScorer {
  public func judge(
    _ capture: Capture, for challenge: Challenge, at now: Instant
  ) async throws -> LivenessJudgement {
    LivenessJudgement(try await assess(capture, for: challenge, at: now))
  }

  public func restore(_ captures: [SeenCapture]) {}

  public func schedule(for challenge: Challenge) -> ChallengeSchedule? { nil }

  public func reassess(
    _ capture: Capture, for challenge: Challenge, at now: Instant, findings: [LivenessReason]
  ) async throws -> LivenessAssessment {
    try await assess(capture, for: challenge, at: now)
  }
}

/// Provisional: takes an upstream passive check's word for it, the mean of its scores over the frames.
///
/// It sees neither motion nor depth and ignores the challenge, so a replayed or injected capture with good passive
/// scores passes. It stands in until liveness is judged from the capture itself.
public struct UpstreamPassiveScorer: LivenessScorer {
  /// The lowest mean passive score that is live, 0...1.
  public let threshold: Double
  /// The fewest frames with a passive score that can be judged, at least 1.
  public let minimumFrames: Int

  /// A threshold outside 0...1 or a minimum below 1 is a programming error and traps.
  public init(threshold: Double = 0.5, minimumFrames: Int = 3) {
    precondition((0...1).contains(threshold), "a passive threshold lies in 0...1")
    precondition(minimumFrames >= 1, "at least one frame is needed")
    self.threshold = threshold
    self.minimumFrames = minimumFrames
  }

  public var model: String { "upstream-passive-mean-1" }

  public func check(_ capture: Capture) throws(CaptureError) {}

  public func assess(
    _ capture: Capture, for challenge: Challenge, at now: Instant
  ) -> LivenessAssessment {
    let scores = capture.frames.compactMap(\.passiveScore)
    guard scores.count >= minimumFrames else {
      let reason: LivenessReason =
        capture.frames.count < minimumFrames ? .tooFewFrames : .missingPassiveScores
      return LivenessAssessment(.unusable, score: nil, threshold: threshold, reasons: [reason])
    }
    let mean = scores.reduce(0, +) / Double(scores.count)
    let verdict: LivenessAssessment.Verdict = mean >= threshold ? .live : .notLive
    return LivenessAssessment(
      verdict, score: mean, threshold: threshold, reasons: verdict == .live ? [] : [.lowPassiveScore],
      cues: ["passiveMean": mean])
  }
}
