import Foundation

/// The charts of a report, and where their markers stand at each place of the slider.
struct ReportCharts {
  let figures: ComparisonFigures
  let identification: IdentificationFigures?

  /// Labelled as the tables write rates: with a power of ten below 1e-3.
  private static let rateTicks: [(Double, String)] = [
    (1e-6, "1e-6"), (1e-5, "1e-5"), (1e-4, "1e-4"), (1e-3, "0.001"), (1e-2, "0.01"), (0.05, "0.05"),
    (0.2, "0.2"), (0.5, "0.5"), (0.8, "0.8"), (0.95, "0.95"), (0.99, "0.99"),
  ]

  /// From a tick below the least rate above zero to one that the highest needs, at most 0.99.
  static func probitAxis(_ title: String, _ rates: [Double]) -> SVGChart.Axis {
    let least = rates.filter { $0 > 0 }.min() ?? 1e-3
    let low = rateTicks.map(\.0).last { $0 <= max(least, 1e-6) } ?? 1e-6
    let spread = rates.filter { $0 > 0 && $0 < 1 }.max() ?? 0.5
    let high = rateTicks.map(\.0).first { $0 >= spread && $0 > low } ?? 0.99
    return .init(title: title, scale: .probit, range: low...max(high, 0.2), ticks: rateTicks)
  }

  private var inside: [ErrorRates] {
    figures.curve.filter {
      $0.falseMatchRate.count > 0 && $0.falseMatchRate.value < 1 && $0.falseNonMatchRate.value < 1
    }
  }

  var detection: SVGChart {
    let all = inside.filter { $0.falseNonMatchRate.count > 0 }
    let x = Self.probitAxis("FMR", all.map(\.falseMatchRate.value))
    let y = Self.probitAxis("FNMR", all.map(\.falseNonMatchRate.value))
    // What lies beyond the axes would be drawn along their ends.
    let shown = all.filter {
      x.range.contains($0.falseMatchRate.value) && y.range.contains($0.falseNonMatchRate.value)
    }
    let low = max(x.range.lowerBound, y.range.lowerBound)
    let high = min(x.range.upperBound, y.range.upperBound)
    return SVGChart(
      id: "det", title: "DET: FNMR against FMR on probit axes", x: x, y: y,
      series: [
        .init(
          name: "", style: "mated", shape: .line,
          points: shown.map { ($0.falseMatchRate.value, $0.falseNonMatchRate.value) }),
        .init(
          name: "", style: "diagonal", shape: .line, points: low < high ? [(low, low), (high, high)] : []),
        .init(
          name: "", style: "target", shape: .dots,
          points: figures.targets.compactMap { target in
            target.outcome.point.map { ($0.rates.falseMatchRate.value, $0.rates.falseNonMatchRate.value) }
          }),
      ])
  }

  var receiver: SVGChart {
    let shown = figures.curve.filter { $0.falseMatchRate.count > 0 }
    let least = shown.map(\.falseMatchRate.value).min() ?? 1e-3
    let low = pow(10, floor(log10(max(least, 1e-9))))
    let lowest = shown.map { 1 - $0.falseNonMatchRate.value }.min() ?? 0
    let floorValue = lowest > 0.9 ? 0.9 : 0
    let ticks = stride(from: floorValue, through: 1.0001, by: floorValue == 0 ? 0.2 : 0.02).map {
      ($0, Text.fixed($0, 2))
    }
    return SVGChart(
      id: "roc", title: "ROC: true match rate against FMR",
      x: .init(title: "FMR (logarithmic)", scale: .logarithmic, range: low...1, ticks: Self.powers(low, 1)),
      y: .init(title: "1 − FNMR", scale: .linear, range: floorValue...1, ticks: ticks),
      series: [
        .init(
          name: "", style: "mated", shape: .line,
          points: shown.map { ($0.falseMatchRate.value, 1 - $0.falseNonMatchRate.value) })
      ])
  }

  /// A power of ten as the tables write rates; counts from ten thousand on as powers too.
  private static func power(_ exponent: Int) -> String {
    switch exponent {
    case -3..<0: "0." + String(repeating: "0", count: -exponent - 1) + "1"
    case 0...3: "1" + String(repeating: "0", count: exponent)
    default: "1e\(exponent)"
    }
  }

  private static func powers(_ low: Double, _ high: Double) -> [(Double, String)] {
    let exponents = Int(log10(low).rounded())...Int(log10(high).rounded())
    let step = exponents.count > 8 ? 2 : 1
    return exponents.filter { ($0 - exponents.upperBound) % step == 0 }.map {
      (pow(10, Double($0)), Self.power($0))
    }
  }

  /// Shares of each class by score, or counts on a logarithmic axis, on which the tails can be seen.
  func histogram(isLogarithmic: Bool) -> SVGChart {
    let bins = figures.histogram
    let range = (bins.first?.low ?? 0)...(bins.last?.high ?? 1)
    let totals = (
      Double(max(figures.mated?.summary.count ?? 0, 1)), Double(max(figures.nonMated?.summary.count ?? 0, 1))
    )
    func points(_ of: (ComparisonFigures.ChartBin) -> Double) -> [(x: Double, y: Double)] {
      bins.flatMap { [($0.low, of($0)), ($0.high, of($0))] }
    }
    let mated = points { isLogarithmic ? Double($0.mated) : Double($0.mated) / totals.0 }
    let nonMated = points { isLogarithmic ? Double($0.nonMated) : Double($0.nonMated) / totals.1 }
    let highest = max(mated.map(\.y).max() ?? 1, nonMated.map(\.y).max() ?? 1, 1e-9)
    let y: SVGChart.Axis
    if isLogarithmic {
      let top = pow(10, ceil(log10(max(highest, 10))))
      y = .init(
        title: "comparisons (logarithmic)", scale: .logarithmic, range: 0.5...top, ticks: Self.powers(1, top))
    } else {
      y = .init(
        title: "share of the class per bin", scale: .linear, range: 0...highest * 1.08,
        ticks: Self.ticks(0...highest))
    }
    var chart = SVGChart(
      id: isLogarithmic ? "histlog" : "hist",
      title: isLogarithmic ? "Scores, counts" : "Scores, shares",
      x: .init(title: "score", scale: .linear, range: range, ticks: Self.ticks(range)), y: y,
      series: [
        .init(name: "non-mated", style: "nonmated", shape: .area, points: nonMated),
        .init(name: "mated", style: "mated", shape: .area, points: mated),
      ])
    if let rate = figures.equalErrorRate { chart.verticals = [(rate.interval.threshold, "eer")] }
    return chart
  }

  static func ticks(_ range: ClosedRange<Double>) -> [(Double, String)] {
    let span = range.upperBound - range.lowerBound
    guard span > 0, span.isFinite else { return [] }
    let power = pow(10, floor(log10(span / 5)))
    let step = [1, 2, 5, 10].map { $0 * power }.first { span / $0 <= 7 } ?? 10 * power
    let digits = max(0, -Int(floor(log10(step) + 1e-9)))
    let first = (range.lowerBound / step).rounded(.up)
    return stride(from: first, through: (range.upperBound / step).rounded(.down), by: 1).map {
      ($0 * step, Text.fixed($0 * step, digits))
    }
  }

  var cumulativeMatch: SVGChart? {
    guard let identification else { return nil }
    let rates = identification.cumulativeMatch.map(\.value)
    let low = max(0, (((rates.first ?? 0) - 0.02) * 50).rounded(.down) / 50)
    let range = low...1
    return SVGChart(
      id: "cmc", title: "CMC: hit rate within the first candidates",
      x: .init(
        title: "rank", scale: .linear, range: 1...Double(rates.count),
        ticks: [1, 5, 10, 15, 20].map { (Double($0), "\($0)") }),
      y: .init(title: "hit rate", scale: .linear, range: range, ticks: Self.ticks(range)),
      series: [
        .init(
          name: "", style: "mated", shape: .line,
          points: rates.enumerated().map { (Double($0.offset + 1), $0.element) }),
        .init(
          name: "", style: "mated", shape: .dots,
          points: rates.enumerated().map { (Double($0.offset + 1), $0.element) }),
      ])
  }

  /// FNIR against FPIR, both on probit axes, at the thresholds of the slider; a rate without errors stands at half an error.
  func openSet(_ places: [SliderPlace]) -> SVGChart? {
    guard identification != nil else { return nil }
    let points = places.compactMap { place -> (x: Double, y: Double)? in
      guard let positive = place.falsePositives, let negative = place.falseNegatives,
        positive.count + negative.count > 0, positive.value < 1, negative.value < 1
      else { return nil }
      return (positive.shown, negative.shown)
    }
    return SVGChart(
      id: "openset", title: "FNIR against FPIR on probit axes (none at half an error)",
      x: Self.probitAxis("FPIR(N, T)", points.map(\.x)),
      y: Self.probitAxis("FNIR(N, 1, T)", points.map(\.y)),
      series: [.init(name: "", style: "mated", shape: .line, points: points)])
  }
}

/// What the report says at one place of the slider.
struct SliderPlace {
  let threshold: Double
  let falseMatches: Proportion
  let falseNonMatches: Proportion
  let falsePositives: Proportion?
  let falseNegatives: Proportion?
  /// With 1, 2 and 3 attempts.
  let falseAccepts: [Proportion?]
  let falseRejects: [Proportion?]

  static func all(
    _ figures: ComparisonFigures, _ identification: IdentificationFigures?,
    _ transactions: TransactionFigures?
  ) -> [SliderPlace] {
    // The targets' thresholds are places too, so that the slider can stand on them.
    let targets = figures.targets.compactMap(\.outcome.point?.rates)
    let finite = (figures.curve + targets).filter(\.threshold.isFinite).sorted { $0.threshold < $1.threshold }
    let counts = transactions.map { TransactionCounts($0.transactions) }
    return finite.map { rates in
      return SliderPlace(
        threshold: rates.threshold, falseMatches: rates.falseMatchRate,
        falseNonMatches: rates.falseNonMatchRate,
        falsePositives: identification.flatMap { try? $0.searches.falsePositiveRate(at: rates.threshold) },
        falseNegatives: identification.flatMap { try? $0.searches.falseNegativeRate(at: rates.threshold) },
        falseAccepts: counts?.accepted(.nonMated, at: rates.threshold) ?? [],
        falseRejects: counts?.accepted(.mated, at: rates.threshold).map { $0?.complement } ?? [])
    }
  }
}

/// The best score within the first 1, 2 and 3 attempts of each transaction, sorted: accepted are those that reach a
/// threshold.
private struct TransactionCounts {
  private var best: [ComparisonKind: [[Double]]] = [:]

  init(_ set: TransactionSet) {
    for kind in ComparisonKind.allCases {
      let made = set.transactions.filter { $0.kind == kind }
      best[kind] = (1...TransactionFigures.mostAttempts).map { limit in
        made.map { transaction in
          transaction.attempts.prefix(limit).reduce(-Double.infinity) { best, attempt in
            if case .score(let score) = attempt, score > best { score } else { best }
          }
        }.sorted()
      }
    }
  }

  func accepted(_ kind: ComparisonKind, at threshold: Double) -> [Proportion?] {
    best[kind]!.map { scores in
      scores.isEmpty ? nil : Proportion(scores.count - scores.countBelow(threshold), of: scores.count)
    }
  }
}

extension Proportion {
  /// The rate as a probit axis shows it: none at half an error, all at half an error less.
  var shown: Double {
    let half = 0.5 / Double(total)
    return min(max(value, half), 1 - half)
  }

  fileprivate var complement: Proportion { Proportion(total - count, of: total) }
}
