import Biometrics

extension LivenessModel {
  /// What the hard checks on features find.
  public func findings(_ features: FeatureVector) -> [LivenessReason] {
    var findings: [LivenessReason] = []
    if let ratio = features[.sizeRatio], ratio < limits.minimumSizeRatio { findings.append(.noApproach) }
    if let jitter = features[.jitter], jitter < limits.minimumJitter { findings.append(.syntheticJitter) }
    return findings
  }

  /// Weighs the cues and decides, as `DecisionRule` does, which costs less when there is more than one capture.
  public func decide(
    _ features: FeatureVector, findings: [LivenessReason], policy: Policy, coloursShown: Bool
  ) -> LivenessDecision {
    DecisionRule(self).decide(features, findings: findings, policy: policy, coloursShown: coloursShown)
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
