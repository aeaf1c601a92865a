/// Comparisons sorted by score with the subjects they belong to, and the statistics of a weighted draw of
/// subjects.
struct SubjectSample: Sendable {
  let subjectCount: Int
  let failures: Int
  /// Ascending by score; subjects numbered from zero.
  private let mated: [(score: Double, subject: Int)]
  private let nonMated: [(score: Double, subject: Int, other: Int)]
  /// Rows of each subject when the non-mated comparisons are all pairs of them, listed from the highest score
  /// down.
  private let rows: [Int]?

  init(_ comparisons: [SubjectComparison], _ rowsPerSubject: [Int: Int]?) throws(EvaluationError) {
    let finite = comparisons.filter(\.score.isFinite)
    var names = Set(finite.flatMap { [$0.subject, $0.otherSubject] })
    if let rowsPerSubject { names.formUnion(rowsPerSubject.keys) }
    let ordered = names.sorted()
    let numbers = Dictionary(uniqueKeysWithValues: zip(ordered, ordered.indices))
    subjectCount = ordered.count
    failures = comparisons.count - finite.count
    mated = finite.filter { $0.subject == $0.otherSubject }
      .map { ($0.score, numbers[$0.subject]!) }.sorted { $0.0 < $1.0 }
    nonMated = finite.filter { $0.subject != $0.otherSubject }
      .map { ($0.score, numbers[$0.subject]!, numbers[$0.otherSubject]!) }.sorted { $0.0 < $1.0 }
    rows = rowsPerSubject.map { rows in ordered.map { rows[$0] ?? 0 } }
    if rows != nil {
      let possible = nonMatedWeight(Array(repeating: 1, count: subjectCount))
      guard nonMated.count <= possible else {
        throw .tooManyComparisons(listed: nonMated.count, possible: possible)
      }
    }
  }

  /// The statistic of the data as they are: of every subject drawn once.
  func observed(_ statistic: SubjectBootstrap.Statistic) throws(EvaluationError) -> Double {
    let weights = [Int](repeating: 1, count: subjectCount)
    if let value = value(of: statistic, weights) { return value }
    if case .falseMatchRate = statistic { throw .noNonMatedComparisons }
    if mated.isEmpty { throw .noMatedComparisons }
    if nonMatedWeight(weights) == 0 { throw .noNonMatedComparisons }
    throw .noDefinedReplicate
  }

  /// The statistic when subject s is drawn `weights[s]` times; `nil` when it is undefined.
  func value(of statistic: SubjectBootstrap.Statistic, _ weights: [Int]) -> Double? {
    switch statistic {
    case .falseMatchRate(let threshold):
      return rate(falseMatchWeight(threshold, weights), of: nonMatedWeight(weights))
    case .falseNonMatchRate(let threshold):
      return rate(
        matedWeight(weights) { !($0 >= threshold) }, of: matedWeight(weights) { _ in true })
    case .falseNonMatchRateAtFalseMatchRate(let target):
      return falseNonMatchRate(target, weights)
    case .equalErrorRate:
      return equalErrorRate(weights)
    }
  }

  /// The subjects that have comparisons of a statistic; for the EER, which needs both kinds, mated ones.
  func subjects(_ statistic: SubjectBootstrap.Statistic) -> Int {
    switch statistic {
    case .falseMatchRate:
      // With unlisted comparisons every subject has some.
      return rows == nil ? Set(nonMated.flatMap { [$0.subject, $0.other] }).count : subjectCount
    case .falseNonMatchRate, .falseNonMatchRateAtFalseMatchRate, .equalErrorRate:
      return Set(mated.map(\.subject)).count
    }
  }

  /// The comparisons of a statistic; for the EER those of both kinds.
  func trials(_ statistic: SubjectBootstrap.Statistic) -> Double {
    let nonMated = nonMatedWeight(Array(repeating: 1, count: subjectCount))
    switch statistic {
    case .falseMatchRate: return Double(nonMated)
    case .falseNonMatchRate, .falseNonMatchRateAtFalseMatchRate: return Double(mated.count)
    case .equalErrorRate: return Double(mated.count + nonMated)
    }
  }

  /// The comparisons of a statistic if every subject took part in one only.
  func independentTrials(_ statistic: SubjectBootstrap.Statistic) -> Double {
    let subjects = Double(subjects(statistic))
    if case .falseMatchRate = statistic { return subjects / 2 }
    return subjects
  }

  private func rate(_ errors: Int, of total: Int) -> Double? {
    total > 0 ? Double(errors) / Double(total) : nil
  }

  /// The weight of the leading mated comparisons for which `isBefore` holds.
  private func matedWeight(_ weights: [Int], while isBefore: (Double) -> Bool) -> Int {
    var sum = 0
    for comparison in mated {
      guard isBefore(comparison.score) else { break }
      sum += weights[comparison.subject]
    }
    return sum
  }

  private func falseMatchWeight(_ threshold: Double, _ weights: [Int]) -> Int {
    var sum = 0
    for comparison in nonMated.reversed() {
      guard comparison.score >= threshold else { break }
      sum += weights[comparison.subject] * weights[comparison.other]
    }
    return sum
  }

  private func nonMatedWeight(_ weights: [Int]) -> Int {
    guard let rows else {
      return nonMated.reduce(0) { $0 + weights[$1.subject] * weights[$1.other] }
    }
    // Σ over pairs of different subjects = ((Σ wr)² − Σ (wr)²) / 2.
    var (sum, squares) = (0, 0)
    for (weight, rows) in zip(weights, rows) {
      sum += weight * rows
      squares += weight * rows * weight * rows
    }
    return (sum * sum - squares) / 2
  }

  /// FNMR at the k-rule's threshold, each comparison counted as often as it was drawn.
  private func falseNonMatchRate(_ target: TargetRate, _ weights: [Int]) -> Double? {
    let allowed = target.allowedErrors(of: nonMatedWeight(weights))
    guard allowed > 0 else { return nil }
    var above = 0
    for comparison in nonMated.reversed() {
      above += weights[comparison.subject] * weights[comparison.other]
      if above > allowed {
        return rate(matedWeight(weights) { $0 <= comparison.score }, of: matedWeight(weights) { _ in true })
      }
    }
    return nil
  }

  /// The midpoint of the interval, found from the top: the first threshold, going down, with FMR > FNMR, and
  /// the last one before it.
  private func equalErrorRate(_ weights: [Int]) -> Double? {
    let matedTotal = matedWeight(weights) { _ in true }
    let nonMatedTotal = nonMatedWeight(weights)
    guard matedTotal > 0, nonMatedTotal > 0 else { return nil }
    var (m, n) = (mated.count - 1, nonMated.count - 1)
    var (matched, falselyMatched) = (0, 0)
    var after = (falseMatch: 0.0, falseNonMatch: 1.0)
    // Unlisted non-mated comparisons lie below the listed; once these are used up the answer is not known.
    while n >= 0 || (m >= 0 && rows == nil) {
      let score = max(m >= 0 ? mated[m].score : -.infinity, n >= 0 ? nonMated[n].score : -.infinity)
      while m >= 0, mated[m].score == score {
        matched += weights[mated[m].subject]
        m -= 1
      }
      while n >= 0, nonMated[n].score == score {
        falselyMatched += weights[nonMated[n].subject] * weights[nonMated[n].other]
        n -= 1
      }
      let here = (
        falseMatch: Double(falselyMatched) / Double(nonMatedTotal),
        falseNonMatch: Double(matedTotal - matched) / Double(matedTotal)
      )
      if here.falseMatch > here.falseNonMatch {
        if after.falseMatch == after.falseNonMatch { return after.falseMatch }
        let (before, later) = (here.falseMatch + here.falseNonMatch, after.falseMatch + after.falseNonMatch)
        return min(before, later) / 2
      }
      after = here
    }
    return nil
  }
}
