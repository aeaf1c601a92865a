import Biometrics
import ReVerification

/// The upstream passive scorer, counted, and held up or made to fail when a test says so.
final class ScriptedScorer: LivenessScorer {
  struct Failure: Error {}

  private struct State {
    /// By nonce: of all attempts together.
    var assessments: [String: Int] = [:]
    var failures = 0
    var isHeld = false
    var waiting: [CheckedContinuation<Void, Never>] = []
    var arrivals: [CheckedContinuation<Void, Never>] = []
  }

  private let scorer = UpstreamPassiveScorer()
  private let state = Guarded(State())

  var model: String { scorer.model }

  /// How many captures were assessed for a re-verification's challenge.
  func assessments(for challenge: Challenge) -> Int {
    state.withLock { $0.assessments[challenge.nonce, default: 0] }
  }

  var totalAssessments: Int { state.withLock { $0.assessments.values.reduce(0, +) } }

  /// Lets the next `count` assessments fail.
  func failNext(_ count: Int = 1) {
    state.withLock { $0.failures = count }
  }

  /// Lets all assessments wait until `letGo`.
  func hold() {
    state.withLock { $0.isHeld = true }
  }

  func letGo() {
    let waiting = state.withLock { state in
      state.isHeld = false
      defer { state.waiting = [] }
      return state.waiting
    }
    for continuation in waiting { continuation.resume() }
  }

  /// Returns once an assessment is being held up.
  func isHolding() async {
    await withCheckedContinuation { continuation in
      let isThere = state.withLock { state in
        if !state.waiting.isEmpty { return true }
        state.arrivals.append(continuation)
        return false
      }
      if isThere { continuation.resume() }
    }
  }

  func check(_ capture: Capture) throws(CaptureError) {
    try scorer.check(capture)
  }

  func assess(
    _ capture: Capture, for challenge: Challenge, at now: Instant
  ) async throws -> LivenessAssessment {
    let fails = state.withLock { state in
      state.assessments[challenge.nonce, default: 0] += 1
      guard state.failures > 0 else { return false }
      state.failures -= 1
      return true
    }
    await withCheckedContinuation { continuation in
      let arrivals = state.withLock { state -> [CheckedContinuation<Void, Never>]? in
        guard state.isHeld else { return nil }
        state.waiting.append(continuation)
        defer { state.arrivals = [] }
        return state.arrivals
      }
      guard let arrivals else { return continuation.resume() }
      for arrival in arrivals { arrival.resume() }
    }
    if fails { throw Failure() }
    return scorer.assess(capture, for: challenge, at: now)
  }
}
