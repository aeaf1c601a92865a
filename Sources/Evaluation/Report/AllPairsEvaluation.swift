import FaceMatching

/// All pairs of a data set's rows in double precision: counted in a first pass, made exact by a second.
struct AllPairsEvaluation {
  /// Positions are rows in an order that has those of a group, and in it those of a subject, together.
  private let rows: [Int]
  private let subjects: [Int]
  /// Behind the last position of the subject of each position.
  private let subjectEnds: [Int]
  private let pairs: DoublePairs
  private let data: LabelledData
  private let range: ClosedRange<Double>
  private let unusable: ComparisonFailures
  private let unusableNonMated: ComparisonFailures

  /// The most comparisons that are kept with their subjects for a bootstrap.
  private static let mostListed = 4_000_000
  /// So many of the highest non-mated ones are always listed, where there are so many.
  private static let fewestListed = 1000

  /// The pairs among those of `rows` that an embedding can be made of; the others' are counted as failures.
  init(
    _ data: LabelledData, rows all: [Int], metric: DoublePairs.Metric, threadCount: Int?
  ) throws(GalleryError) {
    let allowed = Set(all)
    let usable = data.usableRows().filter(allowed.contains)
    let groups = data.groups
    rows = usable.sorted {
      let left = (groups?[$0] ?? "", data.subjectNumbers[$0], $0)
      let right = (groups?[$1] ?? "", data.subjectNumbers[$1], $1)
      return left < right
    }
    let rows = rows
    subjects = rows.map { data.subjectNumbers[$0] }
    var ends = Array(subjects.indices)
    for position in subjects.indices.reversed() {
      let isLast = position == subjects.count - 1 || subjects[position + 1] != subjects[position]
      ends[position] = isLast ? position + 1 : ends[position + 1]
    }
    subjectEnds = ends
    self.data = data
    (unusable, unusableNonMated) = Self.failures(data, all: all, usable: usable)
    pairs = try DoublePairs(
      count: rows.count, dimension: data.dimension, metric: metric, threadCount: threadCount
    ) { data.write(rows[$0], to: $1) }
    switch metric {
    case .cosine: range = -1...1
    case .normalisedEuclidean: range = -2...0
    case .euclidean:
      let longest = Self.longestNorm(data, rows)
      range = -2 * longest...0
    }
  }

  private static func longestNorm(_ data: LabelledData, _ rows: [Int]) -> Double {
    let squares = rows.map { row in
      data.values[row * data.dimension..<(row + 1) * data.dimension].reduce(0.0) {
        $0 + Double($1) * Double($1)
      }
    }
    return max((squares.max() ?? 1).squareRoot(), .leastNormalMagnitude)
  }

  /// The comparisons that all of the rows would have formed beyond those of the usable ones.
  private static func failures(
    _ data: LabelledData, all: [Int], usable: [Int]
  ) -> (mated: ComparisonFailures, nonMated: ComparisonFailures) {
    func pairs(_ count: Int) -> Int { count * (count - 1) / 2 }
    func mated(_ rows: [Int]) -> Int {
      Dictionary(grouping: rows) { data.subjectNumbers[$0] }.values.reduce(0) { $0 + pairs($1.count) }
    }
    let lostMated = mated(all) - mated(usable)
    let lost = pairs(all.count) - pairs(usable.count)
    return (ComparisonFailures(toEnrol: lostMated), ComparisonFailures(toEnrol: lost - lostMated))
  }

  /// Feeds every comparison to copies of a sink: for a position, those with consecutive others of one kind.
  private func feed<Sink: Sendable>(
    _ empty: Sink,
    _ add: @escaping @Sendable (inout Sink, UnsafeBufferPointer<Double>, ComparisonKind, Int, Int) -> Void
  ) -> [Sink] {
    let ends = subjectEnds
    return pairs.accumulate {
      empty
    } visit: { sink, row, first, scores in
      let mates = min(max(ends[row] - first, 0), scores.count)
      if mates > 0 { add(&sink, UnsafeBufferPointer(rebasing: scores[..<mates]), .mated, row, first) }
      if mates < scores.count {
        add(&sink, UnsafeBufferPointer(rebasing: scores[mates...]), .nonMated, row, first + mates)
      }
    }
  }

  /// All figures, exactly, with intervals by subject where a bootstrap is asked for. The seconds are those from `start`
  /// until all but these intervals was known.
  func figures(
    targets: [TargetRate], bootstrap: BootstrapPlan?, withArea: Bool = true,
    since start: ContinuousClock.Instant = .now
  ) throws(EvaluationError) -> (figures: ComparisonFigures, seconds: Double) {
    var parts = feed(StreamedScores(range: range)) { sink, scores, kind, _, _ in sink.add(scores, kind) }
    var scores = parts.removeFirst()
    for part in parts { scores.merge(part) }
    parts = []
    var second = SecondPass(
      band: try scores.band(for: ComparisonFigures.questions(targets: targets, withArea: withArea)),
      listedFrom: bootstrap == nil ? .infinity : Self.listedFrom(scores, targets: targets))
    let isListing = bootstrap != nil && scores.mated.total <= Self.mostListed
    if second.band.scoreCount > 0 || isListing {
      var passes = feed(second) { pass, scores, kind, row, first in
        pass.band.add(scores, kind)
        if isListing { pass.list(scores, kind, row, first) }
      }
      second = passes.removeFirst()
      for pass in passes { second.merge(pass) }
    }
    var figures = try ComparisonFigures(
      scores, second.band, targets: targets, matedFailures: unusable, nonMatedFailures: unusableNonMated,
      withArea: withArea)
    let seconds = (ContinuousClock.now - start) / .seconds(1)
    if let bootstrap, isListing {
      let comparisons = second.listed.map {
        SubjectComparison(
          subject: subjects[$0.position], otherSubject: subjects[$0.other], score: $0.score)
      }
      let rowsPerSubject = Dictionary(grouping: subjects, by: { $0 }).mapValues(\.count)
      figures.addIntervals(try SubjectBootstrap(comparisons, rowsPerSubject: rowsPerSubject), bootstrap)
    }
    return (figures, seconds)
  }

  /// The lowest score of the non-mated comparisons that the statistics and their replicates look at.
  private static func listedFrom(_ scores: StreamedScores, targets: [TargetRate]) -> Double {
    let loosest = targets.max().map { $0.allowedErrors(of: scores.nonMated.total) } ?? 0
    let wanted = min(max(2 * loosest, scores.nonMated.total / 50, fewestListed), mostListed)
    var above = 0
    for bin in scores.nonMated.counts.indices.reversed() {
      above += scores.nonMated.counts[bin]
      if above > wanted { return scores.nonMated.bins.lowestScore(of: bin + 1) }
    }
    return -.infinity
  }

  /// Errors within each group at a threshold: non-mated comparisons of two subjects of one group that match, and mated
  /// ones that don't.
  func groupCounts(at threshold: Double) -> (falseMatches: GroupCounts, falseNonMatches: GroupCounts) {
    guard let groups = data.groups else { return ([:], [:]) }
    let names = rows.map { groups[$0] }
    var ends = Array(names.indices)
    for position in names.indices.reversed() where position < names.count - 1 {
      ends[position] = names[position + 1] == names[position] ? ends[position + 1] : position
    }
    let groupEnds = ends.map { $0 + 1 }
    struct Counts: Sendable {
      var matches: GroupCounts = [:]
      var nonMatches: GroupCounts = [:]
    }
    let parts = feed(Counts()) { counts, scores, kind, row, first in
      if kind == .mated {
        let errors = scores.count { !($0 >= threshold) }
        counts.nonMatches[names[row], default: (0, 0)].errors += errors
        counts.nonMatches[names[row], default: (0, 0)].comparisons += scores.count
      } else {
        let within = min(max(groupEnds[row] - first, 0), scores.count)
        guard within > 0 else { return }
        let errors = scores[..<within].count { $0 >= threshold }
        counts.matches[names[row], default: (0, 0)].errors += errors
        counts.matches[names[row], default: (0, 0)].comparisons += within
      }
    }
    func sum(_ of: (Counts) -> GroupCounts) -> GroupCounts {
      parts.reduce(
        into: Dictionary(uniqueKeysWithValues: Set(names).map { ($0, (errors: 0, comparisons: 0)) })
      ) {
        for (name, count) in of($1) {
          $0[name]!.errors += count.errors
          $0[name]!.comparisons += count.comparisons
        }
      }
    }
    return (sum(\.matches), sum(\.nonMatches))
  }
}

/// Errors and comparisons by group.
typealias GroupCounts = [String: (errors: Int, comparisons: Int)]

/// What a second pass collects: the scores of the band, and comparisons by position.
private struct SecondPass: Sendable {
  struct Listed: Sendable {
    let position: Int
    let other: Int
    let score: Double
  }

  var band: ScoreBand
  let listedFrom: Double
  var listed: [Listed] = []
  private var indices: [UInt32] = []

  init(band: ScoreBand, listedFrom: Double) {
    self.band = band
    self.listedFrom = listedFrom
  }

  mutating func list(_ scores: UnsafeBufferPointer<Double>, _ kind: ComparisonKind, _ row: Int, _ first: Int)
  {
    if indices.count < scores.count { indices = Array(repeating: 0, count: scores.count) }
    let count = scores.countAtLeast(kind == .mated ? -.infinity : listedFrom, indices: &indices)
    for index in indices[..<count].lazy.map({ Int($0) }) {
      listed.append(Listed(position: row, other: first + index, score: scores[index]))
    }
  }

  mutating func merge(_ other: SecondPass) {
    band.merge(other.band)
    listed += other.listed
  }
}

extension ComparisonFigures {
  /// Intervals by subject at each threshold, and of the equal error rate. What the data don't define stays nil.
  mutating func addIntervals(_ bootstrap: SubjectBootstrap, _ plan: BootstrapPlan) {
    func estimate(_ statistic: SubjectBootstrap.Statistic) -> SubjectBootstrap.Estimate? {
      try? bootstrap.estimate(statistic, plan)
    }
    equalErrorRateBySubject = estimate(.equalErrorRate)
    for index in targets.indices {
      guard let point = targets[index].outcome.point else { continue }
      targets[index].falseMatchBySubject = estimate(.falseMatchRate(threshold: point.rates.threshold))
      targets[index].falseNonMatchBySubject = estimate(.falseNonMatchRate(threshold: point.rates.threshold))
    }
  }
}
