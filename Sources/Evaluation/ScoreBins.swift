/// Equal bins over a stretch of the score axis; the first and last also take what lies beyond.
///
/// The bin of a score never falls as the score rises, so that whatever lies in a higher bin is a higher
/// score. That, and not where in decimals a bin begins, is what exactness rests on.
struct ScoreBins: Hashable, Sendable {
  let low: Double
  let high: Double
  let count: Int
  /// Bins to a unit of score.
  let scale: Double
  /// `count`, as a number that scaled scores are compared with.
  let limit: Double

  init(range: ClosedRange<Double>, count: Int) {
    precondition(count >= 1 && count <= 1 << 28, "1...\(1 << 28) bins, not \(count)")
    precondition(
      range.lowerBound < range.upperBound && (range.upperBound - range.lowerBound).isFinite,
      "bins span a stretch of finite length above zero")
    low = range.lowerBound
    high = range.upperBound
    self.count = count
    scale = Double(count) / (range.upperBound - range.lowerBound)
    limit = Double(count)
  }

  /// The width of a bin in units of score.
  var width: Double { (high - low) / limit }

  /// The bin of a score, or −1 when it is not finite.
  @inline(__always)
  func bin(of score: Double) -> Int {
    let position = (score - low) * scale
    if position >= 0 && position < limit { return Int(position) }
    guard score.isFinite else { return -1 }
    return position < 0 ? 0 : count - 1
  }
}

extension ScoreBins {
  /// The least score of a bin: the threshold at which the scores of this bin and those above match, and no
  /// others. −∞ for the first, which has no least; +∞ beyond the last, where none is.
  func lowestScore(of bin: Int) -> Double {
    guard bin > 0 else { return -.infinity }
    guard bin < count else { return .infinity }
    // The rounded arithmetic of `bin(of:)` changes over within a few ulps of the decimal edge, at one double.
    let edge = low + Double(bin) / scale
    var reach = max(abs(low), abs(high)).ulp
    while self.bin(of: edge - reach) >= bin || self.bin(of: edge + reach) < bin { reach *= 2 }
    var (below, least) = (edge - reach, edge + reach)
    while below.nextUp < least {
      let middle = below + (least - below) / 2
      if self.bin(of: middle) < bin { below = middle } else { least = middle }
    }
    return least
  }
}

/// What a kernel feeds: blocks of comparison scores, of either precision, in any order.
///
/// A value of it belongs to one thread; each thread fills its own, and they are merged at the end. The result
/// does not depend on how the scores were divided.
public protocol ScoreSink: Sendable {
  /// Adds a block of scores of one kind. A score that is not finite is counted as a failure.
  mutating func add(_ scores: UnsafeBufferPointer<Float>, _ kind: ComparisonKind)

  /// The same of double-precision scores.
  mutating func add(_ scores: UnsafeBufferPointer<Double>, _ kind: ComparisonKind)

  /// Adds what another one of the same configuration has taken in.
  mutating func merge(_ other: Self)
}

extension ScoreSink {
  /// Adds the scores of one probe with a row of references: mated where the reference is of the probe's
  /// `subject`.
  ///
  /// Runs of one kind go in together, so references sorted by subject, or rare mates, cost nothing extra.
  /// Buffers of different lengths are a programming error and trap.
  public mutating func add(
    _ scores: UnsafeBufferPointer<Float>, subjects: UnsafeBufferPointer<UInt32>, probe subject: UInt32
  ) {
    forEachRun(subjects, subject, scores.count) { run, kind in
      add(UnsafeBufferPointer(rebasing: scores[run]), kind)
    }
  }

  /// The same of double-precision scores.
  public mutating func add(
    _ scores: UnsafeBufferPointer<Double>, subjects: UnsafeBufferPointer<UInt32>, probe subject: UInt32
  ) {
    forEachRun(subjects, subject, scores.count) { run, kind in
      add(UnsafeBufferPointer(rebasing: scores[run]), kind)
    }
  }
}

private func forEachRun(
  _ subjects: UnsafeBufferPointer<UInt32>, _ subject: UInt32, _ count: Int,
  _ body: (Range<Int>, ComparisonKind) -> Void
) {
  precondition(subjects.count == count, "a subject for each score: \(count), not \(subjects.count)")
  var start = 0
  while start < count {
    let isMated = subjects[start] == subject
    var end = start + 1
    while end < count, (subjects[end] == subject) == isMated { end += 1 }
    body(start..<end, isMated ? .mated : .nonMated)
    start = end
  }
}
