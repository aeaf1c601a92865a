/// Gathers, for one probe, the rows that may still be among its results.
///
/// The rows of the highest estimates so far are scored at once, where that costs little; of others a lower bound is taken.
/// `cutoff` is the k-th best of all scores, or of a bound of each row, so it is never above the score of the last result, and
/// it nears it early. A row is dropped only when its upper bound is below the cutoff; one that is neither dropped nor scored
/// is pending.
struct CandidateCollector {
  struct Scored {
    let score: Float
    let location: RowLocation
  }

  struct Pending {
    let upperBound: Float
    let location: RowLocation
  }

  let isLimited: Bool
  private var bestScores: BoundedHeap
  /// Of one number a row: its lower bound or, where it was scored at once, its score.
  private var bestBounds: BoundedHeap
  private var bestEstimates: BoundedHeap
  private(set) var cutoff: Float
  private(set) var pending: [Pending] = []
  private(set) var scored: [Scored] = []

  /// How many rows may wait, or be scored, before they are thinned out: bounds the memory of a scan that prunes nothing.
  static let waitingLimit = 1 << 15
  /// Estimates beyond the k best that are scored at once, since an estimate's order is not the score's.
  private static let spareEstimates = 54

  /// `rowCount` is the number of rows that will be offered at most: asking for more results is asking for all.
  init(request: SearchRequest, rowCount: Int) {
    cutoff = request.floor
    isLimited = request.limit < rowCount
    bestScores = BoundedHeap(capacity: isLimited ? request.limit : 0)
    bestBounds = bestScores
    bestEstimates = BoundedHeap(capacity: isLimited ? request.limit + Self.spareEstimates : 0)
  }

  /// Whether rows can be ruled out: not while there are fewer scored than results asked for.
  var hasCutoff: Bool { !isLimited || bestScores.least != nil }

  /// Takes a row whose score is at most `upperBound` and nearly `estimate`; `score` gives its defined score.
  mutating func offer(
    _ location: RowLocation, estimate: Float, upperBound: Float, score: (RowLocation) -> Float
  ) {
    guard upperBound >= cutoff else { return }
    if bestEstimates.capacity > 0, estimate > bestEstimates.least ?? -.infinity {
      bestEstimates.offer(estimate)
      settle(location, score(location))
    } else {
      pending.append(Pending(upperBound: upperBound, location: location))
    }
  }

  /// Takes a row whose score lies between the bounds, and is not worth finding yet.
  mutating func offer(_ location: RowLocation, lowerBound: Float, upperBound: Float) {
    guard upperBound >= cutoff else { return }
    bestBounds.offer(lowerBound)
    if let least = bestBounds.least { cutoff = max(cutoff, least) }
    pending.append(Pending(upperBound: upperBound, location: location))
  }

  /// Takes a row whose score is known, and of which no bound was taken.
  mutating func settle(_ location: RowLocation, _ score: Float) {
    guard score >= cutoff else { return }
    bestBounds.offer(score)
    if let least = bestBounds.least { cutoff = max(cutoff, least) }
    keep(Scored(score: score, location: location))
  }

  private mutating func keep(_ row: Scored) {
    guard row.score >= cutoff else { return }
    scored.append(row)
    bestScores.offer(row.score)
    if let least = bestScores.least { cutoff = max(cutoff, least) }
  }

  /// Scores what waits when it is much, and forgets what can't be a result any more: also rows whose score is the last
  /// result's, when enough others have it and were enrolled before.
  mutating func thinOut(_ scores: ([RowLocation]) -> [Float]) {
    if pending.count > Self.waitingLimit {
      pending.removeAll { $0.upperBound < cutoff }
      if pending.count > Self.waitingLimit / 2 { settlePending(scores) }
    }
    guard isLimited, scored.count > Self.waitingLimit + 2 * bestScores.capacity else { return }
    scored.removeAll { $0.score < cutoff }
    scored.sort { $0.score != $1.score ? $0.score > $1.score : $0.location < $1.location }
    scored.removeLast(max(0, scored.count - bestScores.capacity))
  }

  /// Takes over what another part of the scan gathered.
  mutating func merge(_ other: CandidateCollector) {
    pending += other.pending
    for row in other.scored { keep(row) }
    for bound in other.bestBounds.values { bestBounds.offer(bound) }
    cutoff = max(cutoff, other.cutoff, bestBounds.least ?? cutoff)
  }

  /// Scores what is pending and returns every row that may be a result.
  mutating func finish(_ scores: ([RowLocation]) -> [Float]) -> [Scored] {
    settlePending(scores)
    return scored.filter { $0.score >= cutoff }
  }

  private mutating func settlePending(_ scores: ([RowLocation]) -> [Float]) {
    let locations = pending.lazy.filter { [cutoff] in $0.upperBound >= cutoff }.map(\.location)
    let rows = Array(locations)
    pending.removeAll(keepingCapacity: true)
    for (location, score) in zip(rows, scores(rows)) { keep(Scored(score: score, location: location)) }
  }
}
