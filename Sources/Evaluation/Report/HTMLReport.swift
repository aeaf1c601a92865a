import Foundation

extension EvaluationReport {
  /// The report as one page that needs nothing else: charts, tables, and a slider of the threshold that moves through all
  /// of them. On paper the slider's place is printed as it stands.
  public var html: String {
    let places = places
    let charts = figures.map { ReportCharts(figures: $0, identification: identification) }
    let drawn =
      charts.map { charts in
        [
          charts.detection, charts.receiver, charts.histogram(isLogarithmic: false),
          charts.histogram(isLogarithmic: true), charts.cumulativeMatch, charts.openSet(places),
        ].compactMap { $0 }
      } ?? []
    let comparisons = ReportSlider.comparisons(self, places, drawn)
    let attacks = presentations.flatMap { $0.slider(isSticky: comparisons == nil) }
    let sliders = JSONTree.list([comparisons, attacks].compactMap { $0?.json }).text(isPretty: false)
    return """
      <!doctype html>
      <html lang="en"><head><meta charset="utf-8"><title>Evaluation of \(title.escaped)</title>
      <meta name="viewport" content="width=device-width, initial-scale=1"><link rel="icon" href="data:,">
      <style>\(Self.style)</style></head><body>
      <header><h1>Evaluation of \(title.escaped)</h1><p>A comparison matches when its score is at or above the threshold; higher \
      is closer. Rates stand with their counts; intervals are 95 %.</p></header>
      \(warningsHTML)
      \(summary)
      \(comparisons?.html ?? "")
      \(drawn.isEmpty ? "" : "<section class=\"charts\">\(drawn.map(Self.figure).joined())</section>")
      \(targetTable)
      \(equalErrorTable)
      \(identificationTable)
      \(transactionTable)
      \(groupTable)
      \(presentations.map { $0.section(attacks) } ?? "")
      \(foldTable)
      \(developmentTable)
      \(extrapolationTable)
      \(provenanceHTML)
      <script>const report = \(sliders);\n\(Self.program)</script>
      </body></html>

      """
  }

  static func figure(_ chart: SVGChart) -> String {
    "<figure><figcaption>\(chart.title.escaped)</figcaption>\(chart.svg)</figure>"
  }

  private var warningsHTML: String {
    warnings.map { "<p class=\"warning\">\($0.escaped)</p>" }.joined()
  }

  private var summary: String {
    guard let figures else {
      if presentations != nil { return "" }
      return "<p class=\"warning\">There are no comparisons of both kinds, so no rate is defined.</p>"
    }
    func row(_ name: String, _ figures: ComparisonFigures.ClassFigures?, _ failures: ComparisonFailures)
      -> [String]
    {
      guard let figures else { return [name, "0", "", "", "", Text.count(failures.total)] }
      let summary = figures.summary
      return [
        name, Text.count(summary.count), Text.fixed(summary.mean, 4),
        Text.fixed(summary.standardDeviation, 4),
        "\(Text.fixed(figures.percentiles[1], 4)) / \(Text.fixed(figures.percentiles[4], 4)) / \(Text.fixed(figures.percentiles[7], 4))",
        Text.count(failures.total),
      ]
    }
    return Self.table(
      "Comparisons", ["", "scores", "mean", "deviation", "1 % / median / 99 %", "failures"],
      [
        row("mated", figures.mated, figures.matedFailures),
        row("non-mated", figures.nonMated, figures.nonMatedFailures),
      ])
  }

  private var targetTable: String {
    guard let figures else { return "" }
    let rows = figures.targets.map { target -> [String] in
      switch target.outcome {
      case .reached(let point):
        let (matches, nonMatches) = (point.rates.falseMatchRate, point.rates.falseNonMatchRate)
        return [
          target.target.description, Text.fixed(point.rates.threshold, 6), Text.proportion(matches),
          Self.intervals(matches.clopperPearson(), target.falseMatchBySubject), Text.proportion(nonMatches),
          Self.intervals(nonMatches.clopperPearson(), target.falseNonMatchBySubject),
          "FMR ≤ \(Text.rate(matches.clopperPearson(sides: .upper).high))",
        ]
      case .notReachable(let trials, let needed):
        let claim =
          RateClaim(atMost: target.target).trialsNeeded(errors: 0).map(Text.count) ?? "more than 1e12"
        return [
          target.target.description, "–", "not reachable with these \(Text.count(trials)) comparisons", "",
          "–", "",
          "<b class=\"unsupported\">✗ unsupported</b>: \(Text.count(needed)) comparisons allow one error, \(claim) without "
            + "an error uphold it",
        ]
      }
    }
    return Self.table(
      "FNMR where FMR stays within a target",
      ["target FMR", "threshold", "FMR", "interval", "FNMR", "interval", "upheld at 95 %"], rows,
      note:
        "Intervals: Clopper–Pearson, comparisons counting as independent; below it, where subjects are known, by "
        + "subject (bootstrap, exact at the effective number of trials), which is the one to go by.")
  }

  private static func intervals(_ simple: ConfidenceInterval, _ subject: SubjectBootstrap.Estimate?) -> String
  {
    Text.interval(simple) + (subject.map { "<br>by subject: \(Text.interval($0.effectiveInterval))" } ?? "")
  }

  private var equalErrorTable: String {
    guard let figures, let rate = figures.equalErrorRate else { return "" }
    func range(_ range: ClosedRange<Double>?) -> String {
      guard let range else { return "–" }
      let (low, high) = (Text.rate(range.lowerBound, digits: 5), Text.rate(range.upperBound, digits: 5))
      return low == high ? low : "\(low) – \(high)"
    }
    var rows = [
      [
        "EER, interval (FVC2000)",
        "\(Text.rate(rate.interval.low, digits: 5)) – \(Text.rate(rate.interval.high, digits: 5)), midpoint \(Text.rate(rate.interval.midpoint, digits: 5))",
      ],
      ["EER, linear", Text.rate(rate.linear, digits: 5)],
      ["EER, least difference", Text.rate(rate.argmin.value, digits: 5)],
      ["EER, least maximum", Text.rate(rate.minimumOfMaxima.value, digits: 5)],
      ["EER, ROC convex hull", range(figures.hullEqualErrorRate)],
      ["area under the ROC", figures.areaUnderCurve.map { Text.fixed($0, 7) } ?? "–"],
      ["d-prime", figures.decidability.map { Text.fixed($0, 4) } ?? "–"],
      ["minCllr, bits", range(figures.minimumCost)],
      ["Cllr, bits", figures.cost.map { Text.rate($0) } ?? "– (the scores are no likelihood ratios)"],
    ]
    if let subject = figures.equalErrorRateBySubject {
      rows.insert(["EER, interval by subject", Text.interval(subject.effectiveInterval)], at: 1)
    }
    return Self.table("Over all thresholds", ["figure", "value"], rows)
  }
}
