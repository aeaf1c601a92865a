/// Everything that is said of one set of comparisons: rates, discrimination, curves and counts.
///
/// A figure that the data do not define (no mated comparison, say) is nil, and `JSONTree` writes it as null.
public struct ComparisonFigures: Sendable {
  /// Number, mean, spread and percentiles of one class.
  public struct ClassFigures: Sendable {
    public let summary: ScoreSummary
    /// At `ComparisonFigures.percentages`.
    public let percentiles: [Double]
  }

  /// Rates at one target with how sure they are.
  public struct TargetFigures: Sendable {
    public let target: TargetRate
    public let outcome: TargetOutcome<FalseMatchOperatingPoint>
    /// Intervals by subject, where subjects are known and a bootstrap was asked for.
    public internal(set) var falseMatchBySubject: SubjectBootstrap.Estimate?
    public internal(set) var falseNonMatchBySubject: SubjectBootstrap.Estimate?
    /// What the data say of the claim that FMR is at most the target, at 95 %: by subject where that was estimated, else
    /// as if comparisons were independent.
    public var claim: RateClaim.Verdict? {
      outcome.point.map { point in
        let claim = RateClaim(atMost: target)
        return falseMatchBySubject.map(claim.verdict) ?? claim.verdict(on: point.rates.falseMatchRate)
      }
    }
  }

  /// The loosest of the targets whose threshold upholds `target` by subject: FMR is at most that with 95 % confidence.
  public func upholding(_ target: TargetRate) -> TargetFigures? {
    targets.first { each in
      each.falseMatchBySubject.map { RateClaim(atMost: target).verdict(on: $0).isUpheld } ?? false
    }
  }

  public static let percentages = [0, 1, 5, 25, 50, 75, 95, 99, 100]
  public static let standardTargets = (2...6).map { power in
    TargetRate(1, in: (0..<power).reduce(1) { n, _ in n * 10 })!
  }

  public let mated: ClassFigures?
  public let nonMated: ClassFigures?
  public let matedFailures: ComparisonFailures
  public let nonMatedFailures: ComparisonFailures
  public let equalErrorRate: EqualErrorRate?
  /// The EER of the ROC's convex hull, and minCllr: the cost of the best monotone calibration.
  public let hullEqualErrorRate: Double?
  public let minimumCost: Double?
  /// Only where the scores are said to be natural-log likelihood ratios.
  public let cost: Double?
  public let areaUnderCurve: Double?
  public let decidability: Double?
  public internal(set) var targets: [TargetFigures]
  public internal(set) var equalErrorRateBySubject: SubjectBootstrap.Estimate?
  /// Both rates at thresholds over the whole range, ascending; thinned to what a chart shows.
  public let curve: [ErrorRates]
  public let histogram: [ChartBin]
  /// The highest scores of non-mated comparisons, descending, some hundreds of them.
  public let highestNonMated: [Double]
  public let warnings: [ScoreWarning]

  /// A stretch of the score axis with the comparisons of both classes in it.
  public struct ChartBin: Sendable {
    public let low: Double
    public let high: Double
    public let mated: Int
    public let nonMated: Int
  }
}

extension ComparisonFigures {
  static let chartBins = 120
  static let chartPoints = 600

  /// The figures of scores that are all held. O(n). `areLikelihoodRatios` says that they are natural-log ones, for
  /// which alone Cllr has a meaning.
  public init(
    _ scores: ScoreSet, targets: [TargetRate] = standardTargets, areLikelihoodRatios: Bool = false
  ) {
    func classFigures(_ kind: ComparisonKind) -> ClassFigures? {
      scores.summary(of: kind).map { summary in
        ClassFigures(
          summary: summary,
          percentiles: Self.percentages.map { scores.quantile(Double($0) / 100, of: kind)! })
      }
    }
    mated = classFigures(.mated)
    nonMated = classFigures(.nonMated)
    matedFailures = scores.matedFailures
    nonMatedFailures = scores.nonMatedFailures
    equalErrorRate = try? scores.equalErrorRate()
    let hull = try? scores.convexHull()
    hullEqualErrorRate = hull?.equalErrorRate
    minimumCost = hull?.minimumLogLikelihoodRatioCost
    cost = areLikelihoodRatios ? try? scores.logLikelihoodRatioCost() : nil
    areaUnderCurve = try? scores.areaUnderCurve()
    decidability = try? scores.decidability()
    self.targets = targets.compactMap { target in
      (try? scores.errorRates(atFalseMatchRate: target)).map { TargetFigures(target: target, outcome: $0) }
    }
    curve = Self.thinned((try? scores.errorRateCurve()) ?? [])
    histogram = Self.histogram(scores)
    highestNonMated = scores.nonMated.suffix(TailExtrapolation.mostScores + 1).reversed()
    warnings = scores.warnings
  }

  /// The figures of streamed scores, exact by the band of a second pass for `questions(targets:)`. Area and hull, which turn on
  /// many scores, are nil unless `withArea`. Throws when the band is missing or of other comparisons.
  public init(
    _ scores: StreamedScores, _ band: ScoreBand?, targets: [TargetRate] = standardTargets,
    matedFailures: ComparisonFailures = .none, nonMatedFailures: ComparisonFailures = .none,
    withArea: Bool = true
  ) throws(EvaluationError) {
    let proportions = Self.percentages.map { Double($0) / 100 }
    mated = ClassFigures(
      summary: scores.mated.summary!, percentiles: try scores.quantiles(proportions, of: .mated, band))
    nonMated = ClassFigures(
      summary: scores.nonMated.summary!, percentiles: try scores.quantiles(proportions, of: .nonMated, band))
    self.matedFailures = matedFailures.addingNotFinite(scores.mated.notFinite)
    self.nonMatedFailures = nonMatedFailures.addingNotFinite(scores.nonMated.notFinite)
    equalErrorRate = try scores.equalErrorRate(band)
    let whole = withArea ? try scores.areaAndHull(band) : nil
    hullEqualErrorRate = whole?.hull.equalErrorRate
    minimumCost = whole?.hull.minimumLogLikelihoodRatioCost
    cost = nil
    areaUnderCurve = whole?.area
    decidability = try? scores.decidability()
    var found: [TargetFigures] = []
    for target in targets {
      found.append(
        TargetFigures(target: target, outcome: try scores.errorRates(atFalseMatchRate: target, band)))
    }
    self.targets = found
    curve = Self.thinned(try scores.errorRateCurve())
    histogram = Self.histogram(scores)
    let tail = scores.nonMated.tailScores { _ in true }.sorted()
    highestNonMated = tail.suffix(TailExtrapolation.mostScores + 1).reversed()
    var warnings: [ScoreWarning] = []
    if self.matedFailures.notFinite + self.nonMatedFailures.notFinite > 0 {
      warnings.append(
        .notFinite(mated: self.matedFailures.notFinite, nonMated: self.nonMatedFailures.notFinite))
    }
    if let area = whole?.area, area < 0.5 { warnings.append(.matedScoresLieLower) }
    self.warnings = warnings
  }

  /// What the second pass must answer for the figures to be exact.
  public static func questions(
    targets: [TargetRate] = standardTargets, withArea: Bool = true
  ) -> [ExactQuestion] {
    let proportions = percentages.map { Double($0) / 100 }
    return targets.map { .falseMatchRate($0) } + [
      .equalErrorRate, .quantiles(proportions, .mated), .quantiles(proportions, .nonMated),
    ] + (withArea ? [.areaUnderCurve] : [])
  }

  /// At most `chartPoints` of a curve: where either rate has moved by a step on the probit axes of a DET.
  static func thinned(_ curve: [ErrorRates]) -> [ErrorRates] {
    guard curve.count > chartPoints else { return curve }
    func place(_ rates: ErrorRates) -> Double {
      probit(rates.falseNonMatchRate) - probit(rates.falseMatchRate)
    }
    let (first, last) = (place(curve[0]), place(curve[curve.count - 1]))
    let step = (last - first) / Double(chartPoints - 2)
    var kept: [ErrorRates] = []
    var next = first
    for rates in curve.dropLast() where place(rates) >= next {
      kept.append(rates)
      next = max(next + step, place(rates))
    }
    return kept + [curve[curve.count - 1]]
  }

  /// The normal deviate of a rate, kept finite by half a trial at the ends.
  static func probit(_ rate: Proportion) -> Double {
    let half = 0.5 / Double(rate.total)
    return normalQuantile(min(max(rate.value, half), 1 - half))
  }

  private static func histogram(_ scores: ScoreSet) -> [ChartBin] {
    let ends = [scores.mated.first, scores.nonMated.first, scores.mated.last, scores.nonMated.last].compactMap
    { $0 }
    guard let low = ends.min(), let high = ends.max(), low < high, (high - low).isFinite else { return [] }
    func counts(_ sorted: [Double]) -> [Int] {
      var below = 0
      return (1...chartBins).map { bin in
        let edge = low + (high - low) * Double(bin) / Double(chartBins)
        let up = bin == chartBins ? sorted.count : sorted.countBelow(edge)
        defer { below = up }
        return up - below
      }
    }
    return zip(counts(scores.mated), counts(scores.nonMated)).enumerated().map { bin, pair in
      let width = (high - low) / Double(chartBins)
      return ChartBin(
        low: low + width * Double(bin), high: low + width * Double(bin + 1), mated: pair.0, nonMated: pair.1)
    }
  }

  private static func histogram(_ scores: StreamedScores) -> [ChartBin] {
    let (m, n) = (scores.mated.counts, scores.nonMated.counts)
    guard let first = m.indices.first(where: { m[$0] + n[$0] > 0 }),
      let last = m.indices.last(where: { m[$0] + n[$0] > 0 })
    else { return [] }
    let size = (last - first) / chartBins + 1
    let low = scores.mated.bins.low
    return stride(from: first, through: last, by: size).map { start in
      let bins = start..<min(start + size, m.count)
      return ChartBin(
        low: low + Double(bins.lowerBound) * scores.binWidth,
        high: low + Double(bins.upperBound) * scores.binWidth,
        mated: m[bins].reduce(0, +), nonMated: n[bins].reduce(0, +))
    }
  }
}
