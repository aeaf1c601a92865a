import FaceMatching

/// Open-set identification by the protocol of the shared baselines: of the subjects in order, those at even places are
/// enrolled with their first row; their other rows are mated probes, and all rows of the others non-mated ones.
struct OpenSetEvaluation {
  let searches: IdentificationSet

  static let falsePositiveTargets = (1...3).map { power in
    TargetRate(1, in: (0..<power).reduce(1) { n, _ in n * 10 })!
  }

  /// Searches in double precision by cosine. Throws when nobody is enrolled.
  init(_ data: LabelledData, threadCount: Int?) throws {
    let usable = data.usableRows()
    var firsts: [Int: Int] = [:]
    for row in usable where firsts[data.subjectNumbers[row]] == nil { firsts[data.subjectNumbers[row]] = row }
    let enrolled = stride(from: 0, to: data.subjectCount, by: 2).filter { firsts[$0] != nil }
    let references = enrolled.map { firsts[$0]! }
    let places = Dictionary(uniqueKeysWithValues: zip(enrolled, 0...))
    let isReference = Set(references)
    let probes = usable.filter { !isReference.contains($0) }
    let order = references + probes
    let pairs = try DoublePairs(count: order.count, dimension: data.dimension, threadCount: threadCount) {
      data.write(order[$0], to: $1)
    }
    let numbers = data.subjectNumbers
    let results = pairs.search(probes: references.count..<order.count, references: 0..<references.count) {
      probe, scores in Search(scores, mate: places[numbers[order[probe]]])
    }
    let isUsable = Set(usable)
    // A row that is no embedding is a search without a result; one that should have been enrolled is missed by nobody.
    let lost = (0..<data.rowCount).filter { !isUsable.contains($0) }
    searches = try IdentificationSet(
      enrolled: references.count,
      mated: results.compactMap { if case .mated(let search) = $0 { search } else { nil } },
      nonMatedBestScores: results.compactMap { if case .nonMated(let best) = $0 { best } else { nil } },
      matedFailures: lost.count { places[numbers[$0]] != nil },
      nonMatedFailures: lost.count { places[numbers[$0]] == nil })
  }

  private enum Search: Sendable {
    case mated(MatedSearch)
    case nonMated(best: Double)

    init(_ scores: UnsafeBufferPointer<Double>, mate: Int?) {
      if let mate {
        let score = scores[mate]
        var rank = 1
        for other in scores where other > score { rank += 1 }
        self = .mated(MatedSearch(rank: rank, score: score))
      } else {
        var best = -Double.infinity
        for score in scores where score > best { best = score }
        self = .nonMated(best: best)
      }
    }
  }
}

/// What is said of identification: the CMC, and rates where FPIR stays within targets.
public struct IdentificationFigures: Sendable {
  public let searches: IdentificationSet
  public let targets: [(target: TargetRate, outcome: TargetOutcome<FalsePositiveOperatingPoint>)]
  /// Hit rates at ranks 1 to 20.
  public let cumulativeMatch: [Proportion]

  public static let ranks = 20

  /// Throws when there is no search of one kind.
  public init(_ searches: IdentificationSet, targets: [TargetRate]) throws(EvaluationError) {
    self.searches = searches
    var found: [(TargetRate, TargetOutcome<FalsePositiveOperatingPoint>)] = []
    for target in targets { found.append((target, try searches.rates(atFalsePositiveRate: target))) }
    self.targets = found
    cumulativeMatch = try searches.cumulativeMatchCharacteristic(upTo: Self.ranks)
  }

  /// Six thresholds from where nearly every non-mated search is positive to where half of the mates are found, as the
  /// shared baselines choose them: four decimals.
  public var sampleThresholds: [Double] {
    let best = searches.nonMatedBestScores
    let mates = searches.mated.map(\.score).sorted()
    guard let top = best.last, !mates.isEmpty else { return [] }
    let set = ScoreSet(mated: mates, nonMated: best)
    let low = set.quantile(0.01, of: .nonMated)!
    let high = max(top, set.quantile(0.5, of: .mated)!)
    return (0...5).map { place in
      let value = low + (high - low) / 5 * Double(place)
      return (value * 1e4).rounded(.toNearestOrEven) / 1e4
    }
  }

  /// The figures under the names of the shared baselines.
  public var json: JSONTree {
    func hits(_ rank: Int) -> JSONTree { .number(cumulativeMatch[rank - 1].value) }
    let reached = targets.compactMap { target, outcome in
      outcome.point.map { JSONTree.Member(target.description, Self.json($0)) }
    }
    let sampled = sampleThresholds.compactMap { threshold -> JSONTree.Member? in
      guard let positive = try? searches.falsePositiveRate(at: threshold),
        let negative = try? searches.falseNegativeRate(at: threshold)
      else { return nil }
      return .init(
        Self.fourDecimals(threshold),
        .of(("fpir", .number(positive.value)), ("fnir", .number(negative.value))))
    }
    return .of(
      ("metric", .text("cosine")), ("enrolled", .count(searches.enrolled)),
      ("mated_probes", .count(searches.mated.count)),
      ("nonmated_probes", .count(searches.nonMatedBestScores.count)),
      ("mated_failures", .count(searches.matedFailures)),
      ("nonmated_failures", .count(searches.nonMatedFailures)),
      ("rank1_hit_rate_closed_set", hits(1)), ("rank5_hit_rate_closed_set", hits(5)),
      ("rank20_hit_rate_closed_set", hits(20)), ("at_fpir", .object(reached)),
      ("at_threshold", .object(sampled)),
      ("cmc", .list(cumulativeMatch.map { .count($0.count) })))
  }

  private static func json(_ point: FalsePositiveOperatingPoint) -> JSONTree {
    .of(
      ("threshold_gt", .number(point.thresholdAbove)), ("threshold_ge", .number(point.threshold)),
      ("fpir", .number(point.falsePositiveRate.value)), ("fnir", .number(point.falseNegativeRate.value)),
      ("missed", .count(point.falseNegativeRate.count)),
      ("false_positives", .count(point.falsePositiveRate.count)),
      ("fpir_interval", .interval(point.falsePositiveRate.clopperPearson())),
      ("fnir_interval", .interval(point.falseNegativeRate.clopperPearson())))
  }

  /// A threshold as the baselines name it.
  static func fourDecimals(_ value: Double) -> String {
    let scaled = Int((abs(value) * 1e4).rounded())
    let digits = String(scaled % 10_000)
    return (value < 0 ? "-" : "") + "\(scaled / 10_000)." + String(repeating: "0", count: 4 - digits.count)
      + digits
  }
}
