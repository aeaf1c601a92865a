import Biometrics
import Liveness

/// Makes a model from labelled captures: cues fitted on one part, calibration and thresholds on another.
public struct ModelTrainer: Sendable {
  public let plan: TrainingPlan
  public let landmarker: Capture.Landmarker
  public let template: FaceTemplate
  /// What the captures' passive scores and embeddings came from; `nil` where they have none.
  public var passiveModel: Capture.PassiveModel?
  public var embeddingModel: Capture.EmbeddingModel?

  public init(plan: TrainingPlan, landmarker: Capture.Landmarker, template: FaceTemplate) {
    self.plan = plan
    self.landmarker = landmarker
    self.template = template
  }

  /// A model without its validation, which needs the test part: provisional until it has one. It is tuned for all of its cues,
  /// and for each one of them switched off.
  public func train(_ split: SubjectSplit, provenance: Provenance) -> LivenessModel {
    var cues: [Cue: LivenessModel.CueModel] = [:]
    for cue in Cue.allCases {
      guard let plan = plan.cues[cue] else { continue }
      cues[cue] = fit(cue, plan, split)
    }
    let untested = ValidationReport.Rate(errors: 0, of: 0)
    let untuned = LivenessModel.Tuning(
      fusion: .init(bias: 0, weights: [:]), policies: [:],
      validation: .init(subjects: 0, captures: 0, policy: "", bpcer: untested, apcer: [:], note: ""))
    var model = LivenessModel(
      provisional: true, landmarker: landmarker, passiveModel: passiveModel, embeddingModel: embeddingModel,
      template: .init(x: template.x, y: template.y, relief: template.relief), cues: cues, tuning: untuned,
      limits: plan.limits, provenance: provenance)
    tune(&model, split)
    model.reductions = Cue.allCases.compactMap { cue in
      guard var reduced = model.switchingOff(cue) else { return nil }
      tune(&reduced, split)
      return reduced.tuning
    }
    return model
  }

  /// Weights and thresholds for the cues that are on.
  private func tune(_ model: inout LivenessModel, _ split: SubjectSplit) {
    fuse(&model, split)
    setPolicies(&model, split.calibrate)
  }

  /// Whether a species is one that `cue` ought to tell from a person; unknown species are every cue's.
  static func isSeen(_ species: String, by cue: Cue) -> Bool {
    guard let known = AttackSpecies(rawValue: species) else { return true }
    // A passive check sees pictures, whatever is shown in them.
    if cue == .passive { return known.isPresented || known == .digitalZoom }
    return known.cues.contains(cue)
  }

  private struct Rows {
    var values: [[Double]] = []
    var isLive: [Bool] = []
    var weights: [Double] = []
  }

  func fit(_ cue: Cue, _ plan: TrainingPlan.CuePlan, _ split: SubjectSplit) -> LivenessModel.CueModel {
    func rows(_ part: [LabelledCapture]) -> Rows {
      let seen = part.filter { $0.isBonaFide || Self.isSeen($0.species, by: cue) }
      var rows = Rows()
      for capture in seen {
        let values = plan.features.compactMap { capture.features[$0] }
        guard values.count == plan.features.count else { continue }
        rows.values.append(values)
        rows.isLive.append(capture.isBonaFide)
        rows.weights.append(capture.weight)
      }
      return rows
    }
    let train = rows(split.train)
    let (values, isLive) = (train.values, train.isLive)
    guard isLive.contains(true), isLive.contains(false) else {
      return .init(isEnabled: false, isRequired: false, terms: [], bias: 0, slope: 0, offset: 0, floor: 0)
    }
    let scaling = plan.features.indices.map { column -> (mean: Double, scale: Double) in
      let live = zip(values, isLive).filter(\.1).map { $0.0[column] }
      let mean = live.mean
      let variance = live.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(live.count)
      return (mean, max(variance.squareRoot(), 1e-6))
    }
    func standardised(_ row: [Double]) -> [Double] {
      zip(row, scaling).map { min(max(($0 - $1.mean) / $1.scale, -8), 8) }
    }
    let regression = LogisticRegression(
      rows: values.map(standardised), targets: isLive.map { $0 ? 1 : 0 },
      weights: LogisticRegression.balanced(isLive, train.weights), ridge: self.plan.ridge)
    var model = LivenessModel.CueModel(
      isEnabled: plan.isEnabled, isRequired: plan.isRequired,
      terms: plan.features.indices.map {
        .init(
          feature: plan.features[$0], mean: scaling[$0].mean, scale: scaling[$0].scale,
          weight: regression.coefficients[$0])
      }, bias: regression.intercept, slope: 1, offset: 0, floor: -1e6)
    calibrate(&model, rows(split.calibrate), standardised)
    setFloors(&model, plan, split)
    return model
  }

  /// Platt's calibration, with his smoothed targets: Platt, "Probabilistic outputs for support vector machines" (1999).
  /// With classes of equal weight the log-odds are a log-likelihood ratio.
  private func calibrate(
    _ model: inout LivenessModel.CueModel, _ rows: Rows, _ standardised: ([Double]) -> [Double]
  ) {
    guard rows.isLive.contains(true), rows.isLive.contains(false) else { return }
    let sums = rows.values.map { row in
      zip(standardised(row), model.terms).reduce(model.bias) { $0 + $1.0 * $1.1.weight }
    }
    let live = Double(rows.isLive.count { $0 })
    let others = Double(rows.isLive.count) - live
    let fit = LogisticRegression(
      rows: sums.map { [$0] }, targets: rows.isLive.map { $0 ? (live + 1) / (live + 2) : 1 / (others + 2) },
      weights: LogisticRegression.balanced(rows.isLive, rows.weights), ridge: 1e-6, nonNegative: true)
    (model.slope, model.offset) = (fit.coefficients[0], fit.intercept)
  }

  private func setFloors(
    _ model: inout LivenessModel.CueModel, _ plan: TrainingPlan.CuePlan, _ split: SubjectSplit
  ) {
    let live = split.calibrate.filter { $0.isBonaFide && $0.findings.isEmpty }
    let ratios = live.compactMap { model.ratio($0.features) }
    if !ratios.isEmpty { model.floor = ratios.quantile(plan.floorRate) }
    if plan.admitsRecorded {
      for capture in split.train where capture.isBonaFide && capture.isRecorded {
        if let ratio = model.ratio(capture.features) { model.floor = min(model.floor, ratio) }
      }
    }
    for (feature, range) in plan.fixedRanges { model.ranges[feature.name] = range }
    for feature in plan.lowRanges {
      let values = live.compactMap { $0.features[feature] }
      if !values.isEmpty {
        model.ranges[feature.name, default: .init()].low = values.quantile(plan.floorRate)
      }
    }
    for feature in plan.highRanges {
      let values = live.compactMap { $0.features[feature] }
      if !values.isEmpty {
        model.ranges[feature.name, default: .init()].high = values.quantile(1 - plan.floorRate)
      }
    }
  }

  /// Weights of the cues' ratios, none negative, from the captures that no floor refuses: those the sum decides about.
  private func fuse(_ model: inout LivenessModel, _ split: SubjectSplit) {
    let cues = Cue.allCases.filter { model[$0]?.isEnabled == true }
    model.fusion.weights = [:]
    let clip = model.fusion.clip
    var (rows, isLive) = ([[Double]](), [Bool]())
    for capture in split.calibrate {
      if let known = AttackSpecies(rawValue: capture.species), AttackSpecies.unstoppable.contains(known) {
        continue
      }
      rows.append(
        cues.map { cue in
          if cue == .colour, !capture.coloursShown { return 0 }
          return min(max(model[cue]!.ratio(capture.features) ?? 0, -clip), clip)
        })
      isLive.append(capture.isBonaFide)
    }
    let fit = LogisticRegression(
      rows: rows, targets: isLive.map { $0 ? 1 : 0 },
      weights: LogisticRegression.balanced(isLive, isLive.map { _ in 1 }),
      ridge: plan.ridge, nonNegative: true)
    model.fusion.bias = fit.intercept
    for (cue, weight) in zip(cues, fit.coefficients) { model.fusion.weights[cue.rawValue] = weight }
  }

  /// Thresholds at the plan's error rates on bona fide calibration captures, those that a floor refuses included. A rate holds
  /// where colours were shown and where they weren't, which speaks less for anybody: the lower threshold counts.
  private func setPolicies(_ model: inout LivenessModel, _ part: [LabelledCapture]) {
    let (probe, rule) = (LivenessModel.Policy(pass: 1e-9, retry: 1e-9), model)
    let kinds = Dictionary(grouping: part.filter(\.isBonaFide), by: \.coloursShown).values.map {
      $0.map { rule.decide($0, policy: probe).scoreForEvaluation }.sorted()
    }
    for (name, rate) in plan.policies {
      let each = kinds.map { Self.policy(rate: rate, scores: $0) }
      model.policies[name] = .init(pass: each.map(\.pass).min()!, retry: each.map(\.retry).min()!)
    }
  }

  /// The policy that refuses at most `rate` of bona fide `scores`, ascending, of which those refused by a check or a floor
  /// are 0.
  ///
  /// `pass` is the lowest score that has to pass; where checks and floors alone refuse more, the lowest above 0, so that a
  /// capture which scores worse than every person's is refused at least. Of the people refused by their score the upper
  /// half are asked to try again, and `retry` is the lowest of theirs, but always `retryBand` or more below `pass`: what lies so
  /// close to it may be a person whom no calibration capture stands for.
  static func policy(rate: Double, scores: [Double]) -> LivenessModel.Policy {
    let refused = min(Int(rate * Double(scores.count)), scores.count - 1)
    guard let least = scores.firstIndex(where: { $0 > 0 }) else { return .init(pass: 1, retry: 1) }
    let pass = max(refused, least)
    let threshold = scores[pass]
    guard threshold < 1 else { return .init(pass: threshold, retry: threshold) }
    let below = Elementary.logistic(Elementary.log(threshold / (1 - threshold)) - retryBand)
    return .init(pass: threshold, retry: min(scores[least + (pass - least + 1) / 2], below))
  }

  /// In units of log-odds.
  private static let retryBand = 0.5
}

extension LivenessModel {
  /// The decision about a labelled capture.
  public func decide(_ capture: LabelledCapture, policy: Policy) -> LivenessDecision {
    var features = capture.features
    var findings = capture.findings
    findings += withhold(
      &features, passiveModel: capture.passiveModel, embeddingModel: capture.embeddingModel)
    findings += self.findings(features)
    return decide(features, findings: findings, policy: policy, coloursShown: capture.coloursShown)
  }

  /// The same without a cue; `nil` where it is off already, or where nothing that is always asked for would be left.
  public func switchingOff(_ cue: Cue) -> LivenessModel? {
    guard self[cue]?.isEnabled == true else { return nil }
    var model = self
    model.cues[cue.rawValue]?.isEnabled = false
    return model.asksForAlways ? model : nil
  }
}
