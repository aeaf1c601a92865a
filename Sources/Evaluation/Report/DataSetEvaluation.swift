import FaceMatching

/// Everything that is measured on a data set of embeddings, in double precision.
public struct DataSetEvaluation: Sendable {
  /// What is to be measured.
  public struct Options: Sendable {
    public var metrics = DoublePairs.Metric.allCases
    public var targets = ComparisonFigures.standardTargets
    public var falsePositiveTargets = [
      TargetRate(1, in: 10)!, TargetRate(1, in: 100)!, TargetRate(1, in: 1000)!,
    ]
    /// Nil makes no bootstrap.
    public var bootstrap: BootstrapPlan? = BootstrapPlan()
    public var threadCount: Int?
    /// Thresholds to give the accuracy of all pairs at, by name, on the distance of the rows as they are.
    public var fixedThresholds: [(name: String, threshold: Double)] = []
    /// The FMR whose threshold the groups are judged at, where there are groups; nil takes 1e-3, or the strictest target
    /// that the data reach if they don't reach that.
    public var groupTarget: TargetRate?

    public init() {}

    /// The targets, and that of the groups, in descending order.
    var measuredTargets: [TargetRate] {
      guard let groupTarget, !targets.contains(groupTarget) else { return targets }
      return (targets + [groupTarget]).sorted(by: >)
    }
  }

  /// A protocol of folds by one metric.
  public struct Folds: Sendable {
    public let metric: DoublePairs.Metric
    public let accuracy: FoldedAccuracy
    public let fixed: [(name: String, threshold: Double, right: Proportion)]
  }

  /// Groups at the threshold of a target.
  public struct Groups: Sendable {
    public let target: TargetRate
    public let threshold: Double
    public let falseMatches: SubgroupRates
    public let falseNonMatches: SubgroupRates

    static let standardTarget = TargetRate(1, in: 1000)!

    /// The point to judge groups at: that of the target asked for, else of the standard one, else of the strictest reached.
    static func point(
      _ asked: TargetRate?, among targets: [ComparisonFigures.TargetFigures]
    ) -> FalseMatchOperatingPoint? {
      let reached = targets.compactMap(\.outcome.point)
      if let asked { return reached.first { $0.target == asked } }
      return reached.first { $0.target == standardTarget } ?? reached.last
    }
  }

  public let data: LabelledData
  public let options: Options
  public let norms: ComparisonFigures.ClassFigures?
  public let folds: [Folds]
  /// The threshold chosen on the training part of the development pairs, tried on the other; empty where there are none.
  public let development: [(metric: DoublePairs.Metric, training: Int, test: FoldedAccuracy.Fold)]
  /// Of the listed pairs, by cosine; nil where none are listed.
  public let listedPairs: ComparisonFigures?
  /// By metric, cosine first.
  /// The seconds are those until all rates were known, a bootstrap not included.
  public let allPairs: [(metric: DoublePairs.Metric, figures: ComparisonFigures, seconds: Double)]
  /// Of the rows with a detected face, by cosine, where there are others.
  public let detectedOnly: ComparisonFigures?
  public let identification: IdentificationFigures?
  public let transactions: TransactionFigures?
  public let groups: Groups?

  /// Measures. Figures that the data don't define are nil; throws for a thread count below 1 only.
  public init(_ data: LabelledData, options: Options = Options(), progress: (String) -> Void = { _ in })
    throws
  {
    self.data = data
    self.options = options
    norms = Self.norms(data)
    progress("pairs")
    let foldMetrics = options.metrics
    folds = try foldMetrics.compactMap { try Self.folds(data, $0, options) }
    development = try options.metrics.compactMap { try Self.development(data, $0, options) }
    listedPairs = data.pairs.isEmpty ? nil : try Self.listedPairs(data, options)
    var allPairs: [(DoublePairs.Metric, ComparisonFigures, Double)] = []
    var measured: [ComparisonFigures.TargetFigures] = []
    // Cosine first: it is what a report's curves are of.
    let metrics = options.metrics.filter { $0 == .cosine } + options.metrics.filter { $0 != .cosine }
    for metric in metrics where metric != .normalisedEuclidean {
      progress("all pairs, \(metric.rawValue)")
      let start = ContinuousClock.now
      let evaluation = try AllPairsEvaluation(
        data, rows: Array(0..<data.rowCount), metric: metric, threadCount: options.threadCount)
      guard
        var found = Self.defined({
          try evaluation.figures(
            targets: options.measuredTargets, bootstrap: metric == .cosine ? options.bootstrap : nil,
            since: start)
        })
      else { continue }
      if metric == .cosine { measured = found.figures.targets }
      found.figures.targets.removeAll { !options.targets.contains($0.target) }
      allPairs.append((metric, found.figures, found.seconds))
    }
    self.allPairs = allPairs
    progress("detected only, identification, transactions")
    detectedOnly = try Self.detectedOnly(data, options)
    identification = Self.defined {
      try IdentificationFigures(
        OpenSetEvaluation(data, threadCount: options.threadCount).searches,
        targets: options.falsePositiveTargets, bootstrap: options.bootstrap)
    }
    let cosine = allPairs.first { $0.0 == .cosine }?.1
    transactions = try Self.transactions(data, cosine, options)
    groups = try Self.groups(data, measured, options)
  }

  /// Rows of which no embedding can be made.
  public var unusableRowCount: Int { data.rowCount - data.usableRows().count }

  /// Nil where the data define no such figure.
  private static func defined<Figures>(_ body: () throws -> Figures) -> Figures? { try? body() }

  private static func norms(_ data: LabelledData) -> ComparisonFigures.ClassFigures? {
    let norms = (0..<data.rowCount).map { row in
      data.values[row * data.dimension..<(row + 1) * data.dimension].reduce(0.0) {
        $0 + Double($1) * Double($1)
      }
      .squareRoot()
    }
    let set = ScoreSet(mated: norms, nonMated: [])
    return set.summary(of: .mated).map { summary in
      .init(
        summary: summary,
        percentiles: ComparisonFigures.percentages.map { set.quantile(Double($0) / 100, of: .mated)! })
    }
  }

  /// The scores of the listed pairs; nil for those of a row that is no embedding.
  private static func scores(
    _ listed: [LabelledData.Pair], _ data: LabelledData, _ metric: DoublePairs.Metric, _ threadCount: Int?
  ) throws -> [Double?] {
    let usable = Set(data.usableRows())
    let rows = Set(listed.flatMap { [$0.rowA, $0.rowB] }).sorted()
    let places = Dictionary(uniqueKeysWithValues: zip(rows, 0...))
    let pairs = try DoublePairs(
      count: rows.count, dimension: data.dimension, metric: metric, threadCount: threadCount
    ) { data.write(rows[$0], to: $1) }
    return listed.map { pair in
      guard usable.contains(pair.rowA), usable.contains(pair.rowB) else { return nil }
      return pairs.score(places[pair.rowA]!, places[pair.rowB]!)
    }
  }

  private static func folds(
    _ data: LabelledData, _ metric: DoublePairs.Metric, _ options: Options
  ) throws -> Folds? {
    guard !data.pairs.isEmpty, data.pairs.allSatisfy({ $0.fold != nil }) else { return nil }
    let comparisons = try comparisons(data.pairs, data, metric, options)
    guard let accuracy = try? FoldedAccuracy(comparisons) else { return nil }
    var fixed: [(name: String, threshold: Double, right: Proportion)] = []
    for (name, threshold) in options.fixedThresholds where metric == .euclidean {
      let right = comparisons.count { pair in
        pair.score.map { ($0 >= threshold) == (pair.kind == .mated) } ?? false
      }
      fixed.append((name, threshold, Proportion(right, of: comparisons.count)))
    }
    return Folds(metric: metric, accuracy: accuracy, fixed: fixed)
  }

  private static func development(
    _ data: LabelledData, _ metric: DoublePairs.Metric, _ options: Options
  ) throws -> (DoublePairs.Metric, Int, FoldedAccuracy.Fold)? {
    let comparisons = try comparisons(data.developmentPairs, data, metric, options)
    guard let accuracy = try? FoldedAccuracy(comparisons),
      let test = accuracy.folds.first(where: { $0.fold == LabelledData.testFold })
    else { return nil }
    return (metric, comparisons.count - test.comparisons, test)
  }

  /// The listed pairs of a protocol, scored.
  private static func comparisons(
    _ pairs: [LabelledData.Pair], _ data: LabelledData, _ metric: DoublePairs.Metric, _ options: Options
  ) throws -> [FoldedComparison] {
    zip(pairs, try scores(pairs, data, metric, options.threadCount)).map {
      FoldedComparison(fold: $0.fold!, kind: $0.kind, score: $1)
    }
  }

  private static func listedPairs(_ data: LabelledData, _ options: Options) throws -> ComparisonFigures {
    let scored = zip(data.pairs, try scores(data.pairs, data, .cosine, options.threadCount))
    func failures(_ kind: ComparisonKind) -> ComparisonFailures {
      ComparisonFailures(toEnrol: scored.count { $0.0.kind == kind && $0.1 == nil })
    }
    let set = ScoreSet(
      mated: scored.compactMap { $0.0.kind == .mated ? $0.1 : nil },
      nonMated: scored.compactMap { $0.0.kind == .nonMated ? $0.1 : nil },
      matedFailures: failures(.mated), nonMatedFailures: failures(.nonMated))
    var figures = ComparisonFigures(set, targets: options.targets)
    if let bootstrap = options.bootstrap {
      let comparisons = scored.compactMap { pair, score in
        score.map {
          SubjectComparison(
            subject: data.subjectNumbers[pair.rowA], otherSubject: data.subjectNumbers[pair.rowB], score: $0)
        }
      }
      if let bootstrapped = try? SubjectBootstrap(comparisons) {
        figures.addIntervals(bootstrapped, bootstrap)
      }
    }
    return figures
  }

  private static func detectedOnly(_ data: LabelledData, _ options: Options) throws -> ComparisonFigures? {
    guard data.isDetected.contains(false), options.metrics.contains(.cosine) else { return nil }
    let evaluation = try AllPairsEvaluation(
      data, rows: (0..<data.rowCount).filter { data.isDetected[$0] }, metric: .cosine,
      threadCount: options.threadCount)
    return defined {
      try evaluation.figures(targets: options.targets, bootstrap: nil, withArea: false).figures
    }
  }

  private static func transactions(
    _ data: LabelledData, _ cosine: ComparisonFigures?, _ options: Options
  ) throws -> TransactionFigures? {
    guard let cosine else { return nil }
    let made = try TransactionEvaluation(data, threadCount: options.threadCount)
    return TransactionFigures(
      made.transactions, protocolDescription: TransactionEvaluation.description, leftOut: made.leftOut,
      at: cosine.targets, bootstrap: options.bootstrap)
  }

  private static func groups(
    _ data: LabelledData, _ measured: [ComparisonFigures.TargetFigures], _ options: Options
  ) throws -> Groups? {
    guard data.groups != nil, let point = Groups.point(options.groupTarget, among: measured) else {
      return nil
    }
    let counts = try AllPairsEvaluation(
      data, rows: Array(0..<data.rowCount), metric: .cosine, threadCount: options.threadCount
    ).groupCounts(at: point.rates.threshold)
    return Groups(
      target: point.target, threshold: point.rates.threshold,
      falseMatches: SubgroupRates(counts.falseMatches, limit: point.target),
      falseNonMatches: SubgroupRates(counts.falseNonMatches, limit: TargetRate(1, in: 100)!))
  }
}
