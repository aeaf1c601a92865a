import Biometrics

extension LivenessModel {
  /// What the hard checks on features find.
  public func findings(_ features: FeatureVector) -> [LivenessReason] {
    var findings: [LivenessReason] = []
    if let ratio = features[.sizeRatio], ratio < limits.minimumSizeRatio { findings.append(.noApproach) }
    if let jitter = features[.jitter], jitter < limits.minimumJitter { findings.append(.syntheticJitter) }
    return findings
  }

  /// Takes from `features` what was made of passive scores or embeddings of other models than this one's, and says so where it
  /// is asked for.
  public func withhold(
    _ features: inout FeatureVector, passiveModel: Capture.PassiveModel?,
    embeddingModel: Capture.EmbeddingModel?
  ) -> [LivenessReason] {
    var findings: [LivenessReason] = []
    func withhold(_ others: [Feature], of cue: Cue) {
      guard others.contains(where: { features[$0] != nil }) else { return }
      for feature in others { features[feature] = nil }
      if let own = self[cue], own.isEnabled, own.isRequired, let reason = cue.reasonWhenOther {
        findings.append(reason)
      }
    }
    if passiveModel != self.passiveModel { withhold([.passiveMean, .passiveWorst], of: .passive) }
    if embeddingModel != self.embeddingModel {
      withhold([.identityLowest, .identityStep, .identityChange], of: .identity)
    }
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

  /// Said of numbers that are another model's; `nil` for a cue that needs nobody's.
  var reasonWhenOther: LivenessReason? {
    switch self {
    case .passive: .otherPassiveModel
    case .identity: .otherEmbeddingModel
    case .colour, .geometry, .texture, .challenge: nil
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
