import Biometrics

/// A capture that a detector has no model for: an error, never a decision.
public struct LivenessError: Error, Hashable, Sendable, CustomStringConvertible {
  public enum Code: String, Hashable, Sendable, CaseIterable {
    /// No model for this landmarker, version and number of points.
    case unsupportedLandmarker
    case unknownPolicy
    /// Two models are for one landmarker.
    case repeatedLandmarker
  }

  public let code: Code

  public init(_ code: Code) {
    self.code = code
  }

  public var description: String {
    switch code {
    case .unsupportedLandmarker: "no liveness model for this landmarker, version and number of points"
    case .unknownPolicy: "the liveness model has no policy of this name"
    case .repeatedLandmarker: "one liveness model for each landmarker was expected, found two for one"
    }
  }
}

/// Decides whether captures show a live person, by the models it was given, one for each landmarker.
///
/// The same capture, challenge and time give the same decision, bit for bit, on every run and machine.
public struct LivenessDetector: Sendable {
  private struct Entry: Sendable {
    let model: LivenessModel
    let policy: LivenessModel.Policy
    let rule: DecisionRule
    let extractor: FeatureExtractor
  }

  private let entries: [Capture.Landmarker: Entry]

  /// A detector with `models`, deciding by the policy `policy` of each.
  ///
  /// Throws `LivenessModelError` for a model that can't be used, and `LivenessError.unknownPolicy`.
  public init(models: [LivenessModel], policy name: String = "standard") throws {
    var entries: [Capture.Landmarker: Entry] = [:]
    for model in models {
      try model.check()
      guard let policy = model.tuningInForce?.policies[name] else { throw LivenessError(.unknownPolicy) }
      guard entries[model.landmarker] == nil else { throw LivenessError(.repeatedLandmarker) }
      let template = FaceTemplate(
        layout: model.landmarker.layout!, x: model.template.x, y: model.template.y,
        relief: model.template.relief)!
      let spectrum: Set<Feature> = [.spectrum1, .spectrum2, .spectrum3]
      let usesSpectrum = model.cues.values.contains {
        $0.isEnabled && $0.terms.contains { spectrum.contains($0.feature) }
      }
      entries[model.landmarker] = Entry(
        model: model, policy: policy, rule: DecisionRule(model),
        extractor: FeatureExtractor(template: template, withSpectrum: usesSpectrum))
    }
    self.entries = entries
  }

  /// The landmarkers there are models for.
  public var landmarkers: [Capture.Landmarker] { Array(entries.keys) }

  /// Throws `unsupportedLandmarker` for a capture there is no model for.
  public func check(_ capture: Capture) throws(LivenessError) {
    guard entries[capture.landmarker] != nil else { throw LivenessError(.unsupportedLandmarker) }
  }

  /// Decides about `capture` as an answer to `schedule` that arrived at `received`.
  ///
  /// `otherFindings` are reasons found elsewhere, such as a challenge used before or a replay. Throws
  /// `unsupportedLandmarker`.
  public func assess(
    _ capture: Capture, answering schedule: ChallengeSchedule, received: Instant,
    otherFindings: [LivenessReason] = []
  ) throws(LivenessError) -> LivenessDecision {
    guard let entry = entries[capture.landmarker] else { throw LivenessError(.unsupportedLandmarker) }
    var findings = otherFindings
    findings += Self.findings(
      in: capture, answering: schedule, received: received, limits: entry.model.limits)
    var features = Self.features(
      of: capture, answering: schedule, limits: entry.model.limits, extractor: entry.extractor)
    findings += entry.model.withhold(
      &features, passiveModel: capture.passiveModel, embeddingModel: capture.embeddingModel)
    findings += entry.model.findings(features)
    return entry.rule.decide(
      features, findings: findings, policy: entry.policy, coloursShown: !schedule.flashes.isEmpty)
  }

  /// What the hard checks find, also for training.
  public static func findings(
    in capture: Capture, answering schedule: ChallengeSchedule, received: Instant, limits: CheckLimits
  ) -> [LivenessReason] {
    HardChecks(capture: capture, schedule: schedule, limits: limits).findings(received: received)
  }

  /// All features of a capture that can be formed, also for training.
  public static func features(
    of capture: Capture, answering schedule: ChallengeSchedule, limits: CheckLimits,
    extractor: FeatureExtractor
  ) -> FeatureVector {
    guard let layout = capture.landmarker.layout, layout == extractor.template.layout,
      capture.landmarks.count == 2 * layout.points * capture.frames.count
    else { return FeatureVector() }
    let sequence = capture.landmarkSequence(layout)
    let measurement = extractor.measure(sequence, focalLength: capture.device.focalLength)
    var features = measurement.features
    let times = capture.frames.indices.map { capture.frames[$0].time }
    let aspect = Double(capture.device.imageHeight) / Double(capture.device.imageWidth)
    let path = FacePath(sequence, fits: measurement.fits, times: times, imageAspect: aspect)
    if let starts = stageStarts(capture, schedule, limits) {
      ChallengeFollowing(path: path, schedule: schedule, starts: starts).write(to: &features)
    }
    ColourResponse.write(capture, schedule: schedule, to: &features)
    PassiveScores.write(capture, to: &features)
    IdentitySteadiness.write(capture, to: &features)
    return features
  }

  /// When the stages were shown, as the client says within what the schedule allows; `nil` when that can't be.
  private static func stageStarts(
    _ capture: Capture, _ schedule: ChallengeSchedule, _ limits: CheckLimits
  ) -> [Double]? {
    let scheduled = schedule.stages.map(\.start)
    var starts = scheduled
    for shown in capture.shown where starts.indices.contains(shown.stage) {
      let delay = shown.time - scheduled[shown.stage]
      guard delay >= -1, delay <= limits.maximumStageDelay else { return nil }
      starts[shown.stage] = shown.time
    }
    return zip(starts, starts.dropFirst()).allSatisfy { $0 < $1 } ? starts : nil
  }
}
