import Biometrics
import EnrolmentStore
import Liveness

/// Judges liveness from what was recorded: the models of `models/liveness`, the challenge, and what was seen before.
///
/// A re-verification's challenge is a nonce and the number of the attempt. What its client shows is derived from both by
/// `schedule`, so each attempt has a challenge of its own, and asking again shows nothing new. It is used up with the
/// attempt, which the engine counts durably.
public struct CaptureLivenessScorer: LivenessScorer {
  public let model: String
  private let detector: LivenessDetector
  private let issuer: ChallengeIssuer
  private let replays: ReplayGuard
  private let showsColours: Bool
  private let clock: any WallClock

  /// By `detector`, whose models `model` names; challenges and fingerprints are made under keys of 32 bytes.
  ///
  /// `showsColours: false` makes challenges without colours, and is weaker: see `ChallengeIssuer.issue`. With colours, an
  /// answer to a challenge without them is refused.
  public init(
    detector: LivenessDetector, model: String, challengeKey: [UInt8], replayKey: [UInt8],
    showsColours: Bool = true, clock: any WallClock = SystemClock()
  ) {
    self.showsColours = showsColours
    self.detector = detector
    self.model = model
    issuer = ChallengeIssuer(key: challengeKey)
    replays = ReplayGuard(key: replayKey)
    self.clock = clock
  }

  /// What the client is to show its user at the challenge's attempt: the same whenever it is asked for, but for the expiry.
  /// `nil` for a challenge whose nonce isn't one.
  public func schedule(for challenge: Challenge) -> ChallengeSchedule? {
    guard let nonce = decodeHexadecimal(challenge.nonce), nonce.count == ChallengeSchedule.nonceBytes,
      ChallengeIssuer.attempts.contains(challenge.attempt)
    else { return nil }
    return issuer.issue(
      nonce: nonce, attempt: challenge.attempt, withColours: showsColours, at: clock.now())
  }

  public func check(_ capture: Capture) throws(CaptureError) {
    guard let recording = capture.recording else { throw CaptureError(.unsupported, frame: nil) }
    do throws(LivenessError) {
      try detector.check(recording)
    } catch {
      throw CaptureError(.unsupported, frame: nil)
    }
  }

  public func assess(
    _ capture: Capture, for challenge: Challenge, at now: Instant
  ) throws -> LivenessAssessment {
    try judge(capture, for: challenge, at: now).assessment
  }

  public func judge(
    _ capture: Capture, for challenge: Challenge, at now: Instant
  ) throws -> LivenessJudgement {
    var seen: SeenCapture?
    // The engine hands in one capture for each attempt, however often it is judged.
    func submission(_ recording: Liveness.Capture) -> [UInt8] {
      recording.nonce + [UInt8(truncatingIfNeeded: challenge.attempt)]
    }
    var assessment = try assess(capture, for: challenge, at: now) { recording in
      let (isNew, remembered) = replays.examine(recording, as: submission(recording), at: now)
      seen = remembered.map { SeenCapture($0) }
      return isNew ? [] : [.replayedCapture]
    }
    if assessment.verdict == .live, let recording = capture.recording,
      replays.isStretchedCopy(recording, as: submission(recording))
    {
      assessment = try reassess(capture, for: challenge, at: now, findings: [.replayedCapture])
    }
    return LivenessJudgement(assessment, seen: seen)
  }

  public func restore(_ captures: [SeenCapture]) {
    replays.restore(captures.compactMap { RememberedCapture($0) })
  }

  public func reassess(
    _ capture: Capture, for challenge: Challenge, at now: Instant, findings: [LivenessReason]
  ) throws -> LivenessAssessment {
    try assess(capture, for: challenge, at: now) { _ in findings.filter { $0 == .replayedCapture } }
  }

  private func assess(
    _ capture: Capture, for challenge: Challenge, at now: Instant,
    remembered: (Liveness.Capture) -> [LivenessReason]
  ) throws -> LivenessAssessment {
    guard let recording = capture.recording else { throw CaptureError(.unsupported, frame: nil) }
    guard recording.nonce == decodeHexadecimal(challenge.nonce),
      let schedule = issuer.challenge(id: recording.challengeID, nonce: recording.nonce),
      !showsColours || !schedule.flashes.isEmpty
    else { return LivenessAssessment(.notLive, score: 0, threshold: 1, reasons: [.otherChallenge]) }
    // What an earlier attempt was shown was used up with it; of a later one nobody was told.
    let used: [LivenessReason] = schedule.attempt == challenge.attempt ? [] : [.usedChallenge]
    let decision = try detector.assess(
      recording, answering: schedule, received: now, otherFindings: used + remembered(recording))
    return LivenessAssessment(decision)
  }
}

extension LivenessAssessment {
  /// A detector's decision, with the cues' log-likelihood ratios and all features.
  package init(_ decision: LivenessDecision) {
    let verdict: Verdict =
      switch decision.verdict {
      case .pass: .live
      case .fail: .notLive
      case .retry: .unusable
      }
    var cues = decision.features.named
    for (cue, result) in decision.cues { cues["\(cue.rawValue)Ratio"] = result.ratio }
    self.init(
      verdict, score: decision.score, threshold: decision.threshold, reasons: decision.reasons, cues: cues)
  }
}

// A fingerprint as the store keeps it: the codes' values, then their times' bits, 8 bytes each, little-endian.
extension SeenCapture {
  init(_ remembered: RememberedCapture) {
    var content: [UInt8] = []
    for word in remembered.values + remembered.times.map(\.bitPattern) {
      withUnsafeBytes(of: word.littleEndian) { content.append(contentsOf: $0) }
    }
    self.init(name: remembered.submission, expiry: remembered.expiry, content: content)
  }
}

extension RememberedCapture {
  /// `nil` for bytes that are no fingerprint.
  init?(_ seen: SeenCapture) {
    let width = MemoryLayout<UInt64>.size
    guard seen.content.count.isMultiple(of: 2 * width) else { return nil }
    let words = stride(from: 0, to: seen.content.count, by: width).map { start in
      seen.content[start..<start + width].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    }
    let count = words.count / 2
    self.init(
      submission: seen.name, expiry: seen.expiry, values: Array(words[..<count]),
      times: words[count...].map { Double(bitPattern: $0) })
  }
}
