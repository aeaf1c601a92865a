import Testing

@testable import Evaluation

@Suite struct ReportTests {
  @Test func `quantiles of a stream are those of the whole set`() throws {
    var generator = SystemRandomNumberGenerator()
    let scores = ScoreSet(
      mated: (0..<4001).map { _ in Double.random(in: 0.2...0.9, using: &generator) },
      nonMated: (0..<9000).map { _ in Double.random(in: -0.5...0.6, using: &generator) })
    var stream = StreamedScores(bins: 1 << 10, tailCapacity: 60)
    func feed(_ sink: inout some ScoreSink) {
      scores.mated.withUnsafeBufferPointer { sink.add($0, .mated) }
      scores.nonMated.withUnsafeBufferPointer { sink.add($0, .nonMated) }
    }
    feed(&stream)
    let proportions = [0, 0.001, 0.25, 0.5, 0.987, 1]
    for kind in ComparisonKind.allCases {
      #expect(throws: EvaluationError.self) { try stream.quantiles(proportions, of: kind) }
      var band = try stream.band(for: [.quantiles(proportions, kind)])
      feed(&band)
      #expect(
        try stream.quantiles(proportions, of: kind, band)
          == proportions.map { scores.quantile($0, of: kind)! })
    }
  }

  @Test func `figures of a stream are those of the whole set`() throws {
    var generator = SystemRandomNumberGenerator()
    let scores = ScoreSet(
      mated: (0..<500).map { _ in Double.random(in: 0...1, using: &generator) },
      nonMated: (0..<5000).map { _ in Double.random(in: -0.8...0.4, using: &generator) })
    let targets = [TargetRate(1, in: 10)!, TargetRate(1, in: 1000)!, TargetRate(1, in: 100_000)!]
    let whole = ComparisonFigures(scores, targets: targets)
    var stream = StreamedScores(bins: 1 << 12, tailCapacity: 50)
    scores.mated.withUnsafeBufferPointer { stream.add($0, .mated) }
    scores.nonMated.withUnsafeBufferPointer { stream.add($0, .nonMated) }
    var band = try stream.band(for: ComparisonFigures.questions(targets: targets))
    scores.mated.withUnsafeBufferPointer { band.add($0, .mated) }
    scores.nonMated.withUnsafeBufferPointer { band.add($0, .nonMated) }
    let streamed = try ComparisonFigures(stream, band, targets: targets)
    #expect(streamed.equalErrorRate == whole.equalErrorRate)
    #expect(streamed.targets.map(\.outcome) == whole.targets.map(\.outcome))
    #expect(abs(streamed.areaUnderCurve! - whole.areaUnderCurve!) < 1e-12)
    #expect(streamed.mated?.percentiles == whole.mated?.percentiles)
    #expect(streamed.hullEqualErrorRate == whole.hullEqualErrorRate && whole.hullEqualErrorRate != nil)
    #expect(streamed.minimumCost == whole.minimumCost && whole.minimumCost != nil)
    #expect(streamed.curve.count <= ComparisonFigures.chartPoints)
    for (left, right) in zip(streamed.curve, streamed.curve.dropFirst()) {
      #expect(left.threshold < right.threshold)
      #expect(left.falseMatchRate.count >= right.falseMatchRate.count)
    }
    #expect(streamed.histogram.reduce(0) { $0 + $1.nonMated } == 5000)
    #expect(whole.histogram.reduce(0) { $0 + $1.mated } == 500)
  }

  @Test func `rows that are all alike, and rows that are none, end with figures and a warning`() throws {
    func report(_ values: [Float]) throws -> EvaluationReport {
      let data = LabelledData(
        name: "d", values: values, dimension: 2, subjects: ["a", "a", "b", "b", "c", "c"])
      var options = DataSetEvaluation.Options()
      options.bootstrap = BootstrapPlan(replicates: 20)
      return EvaluationReport(
        try DataSetEvaluation(data, options: options),
        provenance: .init(files: [], command: "", engineVersion: ""))
    }
    let alike = try report(Array(repeating: 1, count: 12))
    #expect(alike.figures?.equalErrorRate?.interval.midpoint == 0.5)
    #expect(alike.figures?.equalErrorRateBySubject?.effectiveTrials == 3)
    let none = try report(Array(repeating: 0, count: 12))
    #expect(none.figures == nil && none.warnings.first?.hasPrefix("6 of 6 rows are no embedding") == true)
    #expect(none.html.contains("6 of 6 rows"))
  }

  @Test func `a chart's labels keep apart and inside the picture, also in the larger letters of paper`()
    throws
  {
    let rates = [1e-6, 0.3, 0.985]
    let axis = ReportCharts.probitAxis("rate", rates)
    #expect(axis.range == 1e-6...0.99)
    let chart = SVGChart(
      id: "c", title: "t", x: axis, y: axis,
      series: [.init(name: "", style: "mated", shape: .line, points: rates.map { ($0, $0) })])
    var boxes: [(x: ClosedRange<Double>, y: ClosedRange<Double>)] = []
    let labels = chart.svg.matches(
      of: /<text class="tick" x="([0-9.]+)" y="([0-9.]+)" text-anchor="(middle|end)">([^<]*)</)
    for match in labels {
      let (x, y) = (try #require(Double(match.1)), try #require(Double(match.2)))
      // Letters of 15 units, a digit 8.4 wide, as Liberation Sans has them.
      let width = 8.4 * Double(match.4.count)
      let left = match.3 == "end" ? x - width : x - width / 2
      boxes.append((left...left + width, y - 11...y))
    }
    #expect(boxes.count > 12)
    for (place, box) in boxes.enumerated() {
      #expect(
        box.x.lowerBound >= 0 && box.x.upperBound <= SVGChart.width && box.y.upperBound < SVGChart.height)
      for other in boxes[(place + 1)...] {
        #expect(!(box.x.overlaps(other.x) && box.y.overlaps(other.y)), "\(box) and \(other)")
      }
    }
  }

  @Test func `JSON keeps its order, writes absent figures as null and holds no markup`() {
    let tree = JSONTree.of(
      ("b", .number(0.1)), ("a", .number(.infinity)), ("n", .count(3)), ("w", .number(2)),
      ("t", .text("</script>\"\n")), ("l", .list([.null, .flag(true)])))
    #expect(
      tree.text(isPretty: false)
        == #"{"b":0.1,"a":null,"n":3,"w":2,"t":"\u003c/script\u003e\"\u000a","l":[null,true]}"#)
  }

  @Test func `a tail of known shape is found again, and too few scores give none`() throws {
    // The quantiles of an exponential distribution above 0.5, scale 0.1, of a million comparisons.
    let scores = (1...1001).map { rank in 0.5 + 0.1 * -logarithm(Double(rank) / 1002) }
    let tail = try #require(TailExtrapolation(highest: scores, comparisons: 1_000_000))
    #expect(abs(tail.shape) < 0.06 && abs(tail.scale - 0.1) < 0.01)
    let threshold = try #require(tail.threshold(atFalseMatchRate: 1e-5))
    #expect(abs(threshold - (0.5 + 0.1 * logarithm(100))) < 0.03)
    // A rate that the data themselves reach is no extrapolation.
    #expect(tail.threshold(atFalseMatchRate: 0.01) == nil)
    #expect(TailExtrapolation(highest: Array(scores.prefix(40)), comparisons: 1_000_000) == nil)
    #expect(TailExtrapolation(highest: Array(repeating: 1, count: 500), comparisons: 1_000_000) == nil)
  }

  private func logarithm(_ value: Double) -> Double {
    // ln by halving: the tests of this target need no C library.
    var (sum, term, x) = (0.0, 1.0, value)
    var power = 0.0
    while x > 1.5 { (x, power) = (x / 2, power + 1) }
    while x < 0.75 { (x, power) = (x * 2, power - 1) }
    let y = (x - 1) / (x + 1)
    term = y
    for n in 0..<60 {
      sum += term / Double(2 * n + 1)
      term *= y * y
    }
    return 2 * sum + power * 0.693_147_180_559_945_3
  }
}
