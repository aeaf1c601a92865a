import Biometrics

extension LivenessModel {
  /// What the hard checks on features find.
  public func findings(_ features: FeatureVector) -> [LivenessReason] {
    var findings: [LivenessReason] = []
    if let ratio = features[.sizeRatio], ratio < limits.minimumSizeRatio { findings.append(.noApproach) }
    if let jitter = features[.jitter], jitter < limits.minimumJitter { findings.append(.syntheticJitter) }
    return findings
  }

  /// Weighs the cues and decides. Any of `findings` keeps the capture from passing.
  public func decide(
    _ features: FeatureVector, findings: [LivenessReason], policy: Policy, coloursShown: Bool
  ) -> LivenessDecision {
    var reasons = findings
    var results: [Cue: LivenessDecision.CueResult] = [:]
    var sum = fusion.bias
    var isComplete = true
    let hasNoApproach = findings.contains(.noApproach)
    // Of a few frames, or bad ones, a cue says nothing against anybody.
    let isJudgeable = !findings.contains(.tooFewFrames) && !findings.contains(.poorQuality)
    for cue in Cue.allCases {
      guard let model = self[cue], model.isEnabled, cue != .colour || coloursShown else { continue }
      guard let ratio = model.ratio(features) else {
        results[cue] = .init(ratio: nil, isAccepted: false)
        if model.isRequired {
          isComplete = false
          reasons.append(cue.reasonWhenMissing)
        }
        continue
      }
      let isAccepted = model.accepts(features, ratio: ratio)
      results[cue] = .init(ratio: ratio, isAccepted: isAccepted)
      if !isAccepted, isJudgeable, !(hasNoApproach && cue.needsApproach) {
        reasons.append(cue.reasonWhenRefused(features, by: model))
      }
      sum += (fusion.weights[cue.rawValue] ?? 0) * min(max(ratio, -fusion.clip), fusion.clip)
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

extension Cue {
  /// Says nothing of a face that did not come closer.
  var needsApproach: Bool { self == .geometry || self == .challenge }

  var reasonWhenMissing: LivenessReason {
    switch self {
    case .passive: .missingPassiveScores
    case .identity: .missingEmbeddings
    case .colour: .missingColours
    case .geometry, .texture, .challenge: .inconclusive
    }
  }

  func reasonWhenRefused(_ features: FeatureVector, by model: LivenessModel.CueModel) -> LivenessReason {
    switch self {
    case .geometry:
      // A sheet that is bent shows some parallax, one that is flat shows none that goes with the approach.
      (features[.parallaxCorrelation] ?? 0) < 0.5 ? .planarSurface : .bentSurface
    case .texture:
      // A path that no body takes comes of frames out of their order.
      (features[.pathDisorder] ?? 0) > model.ranges[Feature.pathDisorder.name]?.high ?? .infinity
        ? .reorderedFrames : .syntheticJitter
    case .challenge: .challengeMismatch
    case .colour: .colourMismatch
    case .passive: .lowPassiveScore
    case .identity: .identityChange
    }
  }
}
