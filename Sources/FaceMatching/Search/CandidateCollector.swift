/// Gathers, for one probe, the rows that may still be among its results.
///
/// Invariant: a row that was offered and is in neither `pending` nor `settled` has a score below `cutoff`, and
/// `cutoff` is never above the score of the last result. It rises to the k-th best *lower* bound of the rows seen,
/// so a row is dropped only when its upper bound is below what k others are certain to reach.
struct CandidateCollector {
  struct Pending {
    let upperBound: Float
    let location: RowLocation
  }

  struct Settled {
    let score: Float
    let location: RowLocation
  }

  private let floor: Float
  private var lowerBounds: BoundedHeap
  private let isLimited: Bool
  private(set) var cutoff: Float
  private(set) var pending: [Pending] = []
  /// Rows that were rescored before the end of a scan because too many were pending.
  private(set) var settled: [Settled] = []

  /// How many rows may be pending before they are thinned out: bounds the memory of a scan that prunes nothing.
  static let pendingLimit = 1 << 15

  /// `rowCount` is the number of rows that will be offered at most: asking for more results is asking for all.
  init(request: SearchRequest, rowCount: Int) {
    floor = request.floor
    cutoff = request.floor
    isLimited = request.limit < rowCount
    lowerBounds = BoundedHeap(capacity: isLimited ? request.limit : 0)
  }

  /// Takes a row whose score is within `slack` of `estimate`.
  mutating func offer(_ location: RowLocation, estimate: Float, slack: Float) {
    let upperBound = (estimate + slack).nextUp
    guard upperBound >= cutoff else { return }
    pending.append(Pending(upperBound: upperBound, location: location))
    guard isLimited else { return }
    lowerBounds.offer((estimate - slack).nextDown)
    raiseCutoff()
  }

  /// Thins out what is pending when it is much; `score` gives the defined score of a row.
  mutating func thinOut(_ score: (RowLocation) -> Float) {
    guard pending.count > Self.pendingLimit else { return }
    pending.removeAll { $0.upperBound < cutoff }
    guard pending.count > Self.pendingLimit / 2 else { return }
    settle(score)
    settled.removeAll { $0.score < cutoff }
  }

  /// Takes over what another part of the scan gathered.
  mutating func merge(_ other: CandidateCollector) {
    for bound in other.lowerBounds.values { lowerBounds.offer(bound) }
    pending += other.pending
    settled += other.settled
    raiseCutoff()
    cutoff = max(cutoff, other.cutoff)
  }

  /// Rescores what is pending, the most promising first, and returns every row that may be a result with its score.
  mutating func finish(_ score: (RowLocation) -> Float) -> [Settled] {
    settle(score)
    return settled.filter { $0.score >= cutoff }
  }

  private mutating func settle(_ score: (RowLocation) -> Float) {
    pending.removeAll { $0.upperBound < cutoff }
    pending.sort { $0.upperBound > $1.upperBound }
    var best = BoundedHeap(capacity: isLimited ? lowerBounds.capacity : 0)
    for row in settled { best.offer(row.score) }
    for row in pending {
      if row.upperBound < cutoff { break }
      let score = score(row.location)
      guard score >= cutoff else { continue }
      settled.append(Settled(score: score, location: row.location))
      best.offer(score)
      if let last = best.least { cutoff = max(cutoff, last) }
    }
    pending.removeAll(keepingCapacity: true)
  }

  private mutating func raiseCutoff() {
    if let least = lowerBounds.least { cutoff = max(cutoff, least) }
  }
}
