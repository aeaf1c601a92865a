import Biometrics
import Testing

@testable import Evaluation

@Suite struct StreamedScoresTests {
  static let questions: [ExactQuestion] =
    [.equalErrorRate, .areaUnderCurve] + ["0.5", "0.1", "1e-2", "1e-3"].map { .falseMatchRate(.of($0)) }
    + [-2, -0.3, 0, 0.25, 0.999, 1, 7].map { .threshold($0) } + [
      .threshold(.infinity), .threshold(-.infinity),
    ]

  /// Scores in about −1...1, multiples of `step`, some beyond.
  static func sample(seed: UInt64, step: Double, mated: Int = 300, nonMated: Int = 4000) -> ScoreSet {
    var generator = SeededGenerator(seed: seed)
    func third(_ scores: [Double]) -> [Double] { scores.map { ($0 * 0.3 / step).rounded() * step } }
    return ScoreSet(
      mated: third(generator.scores(mated, mean: 2, step: 1e-9)),
      nonMated: third(generator.scores(nonMated, mean: 0, step: 1e-9)))
  }

  static func feed(_ scores: ScoreSet, to sink: inout some ScoreSink) {
    scores.mated.withUnsafeBufferPointer { sink.add($0, .mated) }
    scores.nonMated.withUnsafeBufferPointer { sink.add($0, .nonMated) }
  }

  /// Every question's answer by the stream, after a second pass where one is needed, is that of the set.
  static func expectEqual(_ scores: ScoreSet, _ stream: StreamedScores) throws -> Int {
    var band = try stream.band(for: questions)
    if band.scoreCount > 0 { feed(scores, to: &band) }
    #expect(band.mated.count + band.nonMated.count == band.scoreCount)
    for question in questions {
      switch question {
      case .equalErrorRate: #expect(try stream.equalErrorRate(band) == scores.equalErrorRate())
      case .falseMatchRate(let target):
        #expect(
          try stream.errorRates(atFalseMatchRate: target, band) == scores.errorRates(atFalseMatchRate: target)
        )
      case .areaUnderCurve:
        #expect(isClose(try stream.areaUnderCurve(band), try scores.areaUnderCurve(), within: 1e-14))
        // It turns on the same bins.
        let (hull, whole) = (try stream.convexHull(band), try scores.convexHull())
        #expect(hull.equalErrorRate == whole.equalErrorRate)
        #expect(hull.minimumLogLikelihoodRatioCost == whole.minimumLogLikelihoodRatioCost)
      case .threshold(let threshold):
        #expect(try stream.errorRates(at: threshold, band) == scores.errorRates(at: threshold))
      case .quantiles(let proportions, let kind):
        #expect(
          try stream.quantiles(proportions, of: kind, band)
            == proportions.map { scores.quantile($0, of: kind)! })
      }
    }
    return band.scoreCount
  }

  @Test(
    "with a second pass every answer is that of the whole set, whatever bins and tails",
    arguments: [(64, 0), (1000, 0), (1000, 100), (1, 10), (1000, 1 << 20)], [1e-9, 0.01, 0.25])
  func exact(configuration: (bins: Int, tail: Int), step: Double) throws {
    for seed in 0..<2 {
      let scores = Self.sample(seed: UInt64(seed), step: step)
      var stream = StreamedScores(bins: configuration.bins, tailCapacity: configuration.tail)
      Self.feed(scores, to: &stream)
      let collected = try Self.expectEqual(scores, stream)
      #expect((collected == 0) == (configuration.tail == 1 << 20))
    }
  }

  @Test("classes that do not overlap, lie the wrong way round, or are one score, are exact too")
  func degenerate() throws {
    for (mated, nonMated) in [
      ([0.8, 0.9], [0.1, 0.2]), ([0.1, 0.2], [0.8, 0.9]), ([0.5], [0.5]), ([0.2, 0.2], [0.2, 0.9]),
      ([-5, 5], [-7, 7]), ([1.0], [-1.0]),
    ] {
      let scores = ScoreSet(mated: mated, nonMated: nonMated)
      for (bins, tail) in [(7, 0), (1000, 0), (1000, 1)] {
        var stream = StreamedScores(bins: bins, tailCapacity: tail)
        Self.feed(scores, to: &stream)
        _ = try Self.expectEqual(scores, stream)
      }
    }
  }

  @Test("rates without a second pass are bounds that hold the exact rate, and exact in the tails")
  func bounds() throws {
    let scores = Self.sample(seed: 9, step: 1e-9)
    var stream = StreamedScores(bins: 256, tailCapacity: 200)
    Self.feed(scores, to: &stream)
    for threshold in stride(from: -1.2, to: 1.2, by: 0.013) {
      let falseMatches = try stream.falseMatchRate(at: threshold)
      let falseNonMatches = try stream.falseNonMatchRate(at: threshold)
      let exact = try scores.errorRates(at: threshold)
      #expect((falseMatches.low.count...falseMatches.high.count).contains(exact.falseMatchRate.count))
      #expect(
        (falseNonMatches.low.count...falseNonMatches.high.count).contains(exact.falseNonMatchRate.count))
      if exact.falseMatchRate.count < 100 { #expect(falseMatches.isExact) }
      if exact.falseNonMatchRate.count < 150 { #expect(falseNonMatches.isExact) }
    }
    #expect(
      try stream.falseMatchRate(at: .nan).high.count == 0
        && stream.falseMatchRate(at: -.infinity).low.value == 1)
    let area = try stream.approximateAreaUnderCurve()
    #expect(abs(area.value - (try scores.areaUnderCurve())) <= area.error && area.error < 0.01)
    #expect(isClose(try stream.decidability(), try scores.decidability(), within: 1e-12))
  }

  @Test(
    "the curve at the bins' edges is that of the whole set there, and the hulls hold its hull between them")
  func curves() throws {
    for step in [1e-9, 0.05] {
      let scores = Self.sample(seed: 8, step: step)
      var stream = StreamedScores(range: -0.9...0.9, bins: 300, tailCapacity: 0)
      Self.feed(scores, to: &stream)
      let curve = try stream.errorRateCurve()
      #expect(curve.count > 20 && curve.last?.falseMatchRate.count == 0)
      for point in curve { #expect(try scores.errorRates(at: point.threshold) == point) }
      let (hulls, hull) = (try stream.convexHulls(), try scores.convexHull())
      #expect(
        hulls.low.equalErrorRate <= hull.equalErrorRate && hull.equalErrorRate <= hulls.high.equalErrorRate)
      #expect(hulls.low.minimumLogLikelihoodRatioCost <= hull.minimumLogLikelihoodRatioCost)
      #expect(hull.minimumLogLikelihoodRatioCost <= hulls.high.minimumLogLikelihoodRatioCost)
    }
  }

  @Test("a bin's least score is in it, and the double before is not", arguments: [1, 3, 1000, 1 << 18])
  func edges(count: Int) {
    for range in [-1...1, 0.1...0.7, -3e5...1e-3] {
      let bins = ScoreBins(range: range, count: count)
      for bin in stride(from: 1, to: count, by: max(1, count / 97)) {
        let edge = bins.lowestScore(of: bin)
        #expect(bins.bin(of: edge) == bin && bins.bin(of: edge.nextDown) == bin - 1)
      }
      #expect(bins.lowestScore(of: 0) == -.infinity)
    }
  }

  @Test("order, division into blocks, and merging change nothing")
  func divided() throws {
    var generator = SeededGenerator(seed: 21)
    var scores = Self.sample(seed: 3, step: 1e-9).nonMated
    for index in scores.indices { scores.swapAt(index, index + generator.next(below: scores.count - index)) }
    func stream(_ parts: [ArraySlice<Double>]) -> StreamedScores {
      parts.map { part in
        var stream = StreamedScores(bins: 512, tailCapacity: 150)
        part.withUnsafeBufferPointer {
          stream.add($0, .nonMated)
          stream.add($0, .mated)
        }
        return stream
      }.reduce(StreamedScores(bins: 512, tailCapacity: 150)) { sum, part in
        var sum = sum
        sum.merge(part)
        return sum
      }
    }
    let whole = stream([scores[...]])
    let parts = stream([scores[1000...], scores[..<1], scores[1..<1], scores[1..<1000]])
    #expect(whole.nonMated.counts == parts.nonMated.counts && whole.nonMated.total == 4000)
    for (one, other) in [(whole.mated, parts.mated), (whole.nonMated, parts.nonMated)] {
      #expect(one.tailBins == other.tailBins)
      let tails = (one.tailScores { _ in true }.sorted(), other.tailScores { _ in true }.sorted())
      #expect(tails.0 == tails.1 && (100...150).contains(tails.0.count))
    }
    #expect(
      isClose(
        try #require(whole.mated.summary).standardDeviation,
        try #require(parts.mated.summary).standardDeviation, within: 1e-14))
  }

  @Test("a tail holds whole bins up to its capacity and not one score more")
  func capacity() {
    var stream = StreamedScores(range: 0...10, bins: 10, tailCapacity: 5)
    let scores = [0.5, 1.5, 2.5, 2.6, 3.5, 4.5, 4.6, 5.5, 6.5, 6.6, 7.5]
    scores.withUnsafeBufferPointer {
      stream.add($0, .mated)
      stream.add($0, .nonMated)
    }
    #expect(
      stream.mated.tailBins == 0..<4 && stream.mated.tailScores { _ in true } == [0.5, 1.5, 2.5, 2.6, 3.5])
    #expect(
      stream.nonMated.tailBins == 5..<10 && stream.nonMated.tailScores { _ in true } == [5.5, 6.5, 6.6, 7.5])
  }

  @Test("the tail keeps its scores through a stream many times its size, rising or falling")
  func longStream() throws {
    let rising = (0..<60_000).map { Double($0) / 60_000 }
    for scores in [rising, rising.reversed()] {
      var high = StreamedScores(bins: 1 << 10, tailCapacity: 500)
      var low = high
      scores.withUnsafeBufferPointer {
        high.add($0, .nonMated)
        low.add($0, .mated)
      }
      [0.5].withUnsafeBufferPointer {
        high.add($0, .mated)
        low.add($0, .nonMated)
      }
      let point = try #require(try high.errorRates(atFalseMatchRate: .of("1e-3")).point)
      #expect(point.thresholdAbove == rising[60_000 - 61] && point.rates.falseMatchRate.count == 60)
      #expect(try low.errorRates(at: rising[300]).falseNonMatchRate.count == 300)
    }
  }

  @Test("single-precision blocks are their widened scores, and those that are not finite are counted")
  func singlePrecision() throws {
    let block: [Float] = [0.1, .nan, -0.3, .infinity, 3e38, -.infinity, 0.7]
    var stream = StreamedScores(bins: 100, tailCapacity: 10)
    block.withUnsafeBufferPointer {
      stream.add($0, .mated)
      stream.add($0, .nonMated)
    }
    #expect(stream.mated.notFinite == 3 && stream.mated.total == 4)
    let scores = ScoreSet(mated: block, nonMated: block)
    #expect(try Self.expectEqual(scores, stream) == 0)
  }

  @Test("a row of references is divided by the subject of its probe")
  func labelled() throws {
    let subjects: [UInt32] = [1, 1, 2, 3, 1, 2]
    var (wide, single) = (
      StreamedScores(bins: 10, tailCapacity: 10), StreamedScores(bins: 10, tailCapacity: 10)
    )
    for probe in [UInt32(1), 2, 9] {
      subjects.withUnsafeBufferPointer { subjects in
        [0.1, 0.2, 0.3, 0.4, 0.5, 0.6].withUnsafeBufferPointer {
          wide.add($0, subjects: subjects, probe: probe)
        }
        [Float(1), 2, 3, 4, 5, 6].withUnsafeBufferPointer { single.add($0, subjects: subjects, probe: probe) }
      }
    }
    for stream in [wide, single] { #expect(stream.mated.total == 5 && stream.nonMated.total == 13) }
    #expect(isClose(try #require(wide.mated.summary).mean, (0.1 + 0.2 + 0.5 + 0.3 + 0.6) / 5, within: 1e-15))
  }

  @Test("an answer between the tails asks for a second pass, and one over other comparisons is refused")
  func secondPass() throws {
    let scores = Self.sample(seed: 1, step: 1e-9)
    var stream = StreamedScores(bins: 64, tailCapacity: 0)
    #expect(throws: EvaluationError.noMatedComparisons) { try stream.equalErrorRate() }
    #expect(throws: EvaluationError.noMatedComparisons) { try stream.band(for: [.equalErrorRate]) }
    Self.feed(scores, to: &stream)
    #expect {
      try stream.equalErrorRate()
    } throws: { error in
      if case .secondPassNeeded(let scores)? = error as? EvaluationError { scores > 0 } else { false }
    }
    var band = try stream.band(for: [.equalErrorRate])
    let empty = band
    Self.feed(scores, to: &band)
    Self.feed(scores, to: &band)
    for wrong in [band, empty] {
      #expect {
        try stream.equalErrorRate(wrong)
      } throws: { error in
        if case .secondPassDiffers? = error as? EvaluationError { true } else { false }
      }
    }
  }

  @Test("bands filled apart merge into one")
  func bands() throws {
    let scores = Self.sample(seed: 2, step: 1e-9)
    var stream = StreamedScores(bins: 512, tailCapacity: 0)
    Self.feed(scores, to: &stream)
    var (first, second) = (try stream.band(for: [.equalErrorRate]), try stream.band(for: [.equalErrorRate]))
    scores.mated.withUnsafeBufferPointer { first.add($0, .mated) }
    scores.nonMated.withUnsafeBufferPointer { second.add($0, .nonMated) }
    first.merge(second)
    #expect(try stream.equalErrorRate(first) == scores.equalErrorRate())
  }

  @Test("impossible bins and unlike merges trap")
  func impossible() async {
    await #expect(processExitsWith: .failure) { _ = StreamedScores(range: 1...1) }
    await #expect(processExitsWith: .failure) { _ = StreamedScores(bins: 0) }
    await #expect(processExitsWith: .failure) {
      var stream = StreamedScores(bins: 10)
      stream.merge(StreamedScores(bins: 11))
    }
  }
}
