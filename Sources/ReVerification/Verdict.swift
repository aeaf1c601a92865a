import Biometrics
import EnrolmentStore

/// What the two questions of the contract come to: the claimed user's, and the organisation's.
enum Verdict: Hashable, Sendable {
  /// The claimed user; this session's reference is the closest.
  case verified(SessionID)
  /// Known to the organisation, but as somebody else, or as this user on another workflow only.
  case notReVerified
  case notMatched
}

extension MatchScores {
  /// The verdict by the policy's thresholds: of the probe, and of the face in the frames where that was scored. Verified is who
  /// is so by both; whom either recognises as another is not re-verified.
  func verdict(by policy: ReVerificationPolicy) -> Verdict {
    let ofProbe = probeVerdict(by: policy)
    guard let frames else { return ofProbe }
    switch (ofProbe, MatchScores(frames).probeVerdict(by: policy)) {
    case (.notReVerified, _), (_, .notReVerified): return .notReVerified
    case (.notMatched, _), (_, .notMatched): return .notMatched
    case (.verified, .verified): return ofProbe
    }
  }

  /// The frames' scores in the probe's place.
  init(_ frames: FrameScores) {
    self.init(claimed: frames.claimed, otherWorkflow: frames.otherWorkflow, otherPerson: frames.otherPerson)
  }

  /// A score equal to a threshold reaches it; another person is closer only
  /// with a higher score than the claimed user's best, so that the claimed user has the benefit of a tie.
  private func probeVerdict(by policy: ReVerificationPolicy) -> Verdict {
    let recognisedPerson = otherPerson.flatMap { $0.score.matches(policy.recogniseThreshold) ? $0 : nil }
    if let best = bestClaimed, best.score.matches(policy.verifyThreshold) {
      guard let other = recognisedPerson, other.score > best.score else { return .verified(best.session) }
      return .notReVerified
    }
    let elsewhere = otherWorkflow?.score.matches(policy.recogniseThreshold) ?? false
    return recognisedPerson != nil || elsewhere ? .notReVerified : .notMatched
  }

  /// The claimed user's closest reference: the best score's; of equal ones the latest approved, then the smaller id.
  var bestClaimed: ScoredReference? {
    claimed.max { left, right in
      if left.score != right.score { return left.score < right.score }
      if left.approvedAt != right.approvedAt { return left.approvedAt < right.approvedAt }
      return left.session > right.session
    }
  }
}
