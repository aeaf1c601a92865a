import Biometrics

/// How a model weighs cues and decides, with what it names looked up beforehand.
public struct DecisionRule: Sendable {
  private struct CueRule: Sendable {
    let cue: Cue
    let model: LivenessModel.CueModel
    let weight: Double
    /// By the number of their feature; `nil` when one has a name that no feature has, and then nothing is let through.
    let ranges: [(feature: Feature, range: LivenessModel.Range)]?

    /// Whether the ratio reaches the floor and every range holds.
    func accepts(_ features: FeatureVector, ratio: Double) -> Bool {
      guard ratio >= model.floor, let ranges else { return false }
      return ranges.allSatisfy { each in features[each.feature].map(each.range.contains) ?? false }
    }
  }

  /// Those that are on, in their order.
  private let cues: [CueRule]
  private let bias: Double
  private let clip: Double

  public init(_ model: LivenessModel) {
    // Cues that the model was not tuned for give a score that is no number, which lets nobody pass.
    let fusion = model.tuningInForce?.fusion ?? .init(bias: .nan, weights: [:])
    (bias, clip) = (fusion.bias, fusion.clip)
    cues = Cue.allCases.compactMap { cue in
      guard let own = model[cue], own.isEnabled else { return nil }
      let ranges = own.ranges.compactMap { name, range in Feature(name: name).map { ($0, range) } }
      return CueRule(
        cue: cue, model: own, weight: fusion.weights[cue.rawValue] ?? 0,
        ranges: ranges.count == own.ranges.count ? ranges : nil)
    }
  }

  /// Weighs the cues and decides. Any of `findings` keeps the capture from passing.
  public func decide(
    _ features: FeatureVector, findings: [LivenessReason], policy: LivenessModel.Policy, coloursShown: Bool
  ) -> LivenessDecision {
    var reasons = findings
    var results = [Cue: LivenessDecision.CueResult](minimumCapacity: cues.count)
    var sum = bias
    var isComplete = true
    let hasNoApproach = findings.contains(.noApproach)
    // Of a few frames, or bad ones, a cue says nothing against anybody.
    let isJudgeable = findings.allSatisfy { ![.tooFewFrames, .lowFrameRate, .poorQuality].contains($0) }
    for rule in cues where rule.cue != .colour || coloursShown {
      guard let ratio = rule.model.ratio(features) else {
        results[rule.cue] = .init(ratio: nil, isAccepted: false)
        if rule.model.isRequired {
          isComplete = false
          // Where its numbers are another model's, that has been said.
          if !findings.contains(where: { $0 == rule.cue.reasonWhenOther }) {
            reasons.append(rule.cue.reasonWhenMissing)
          }
        }
        continue
      }
      let isAccepted = rule.accepts(features, ratio: ratio)
      results[rule.cue] = .init(ratio: ratio, isAccepted: isAccepted)
      if !isAccepted, isJudgeable, !(hasNoApproach && rule.cue.needsApproach) {
        reasons.append(rule.cue.reasonWhenRefused(features, by: rule.model))
      }
      sum += rule.weight * min(max(ratio, -clip), clip)
    }
    let fused = Elementary.logistic(sum)
    let isRefused = !reasons.isEmpty
    let score = isComplete ? (isRefused || !fused.isFinite ? 0 : fused) : nil
    // Asked so that a score which is no number passes neither.
    if !isRefused, !(fused >= policy.retry) { reasons = [.lowLivenessScore] }
    if !isRefused, fused >= policy.retry, !(fused >= policy.pass) { reasons = [.poorQuality] }
    let verdict: LivenessDecision.Verdict =
      reasons.isEmpty && isComplete ? .pass : (reasons.allSatisfy(\.asksForRetry) ? .retry : .fail)
    return LivenessDecision(
      verdict: verdict, score: score, threshold: policy.pass, reasons: LivenessReason.ordered(reasons),
      cues: results, features: features)
  }
}
