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
      is closer. Rates stand with their counts; intervals are 95 %, \
      bounds rounded outwards.</p></header>
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

  private var equalErrorTable: String {
    guard let figures, let rate = figures.equalErrorRate else { return "" }
    var rows = [
      [
        "EER, interval (FVC2000)",
        "\(Text.rate(rate.interval.low, digits: 5)) – \(Text.rate(rate.interval.high, digits: 5)), midpoint \(Text.rate(rate.interval.midpoint, digits: 5))",
      ],
      ["EER, linear", Text.rate(rate.linear, digits: 5)],
      ["EER, least difference", Text.rate(rate.argmin.value, digits: 5)],
      ["EER, least maximum", Text.rate(rate.minimumOfMaxima.value, digits: 5)],
      ["EER, ROC convex hull", figures.hullEqualErrorRate.map { Text.rate($0, digits: 5) } ?? "–"],
      ["area under the ROC", figures.areaUnderCurve.map { Text.fixed($0, 7) } ?? "–"],
      ["d-prime", figures.decidability.map { Text.fixed($0, 4) } ?? "–"],
      ["minCllr, bits", figures.minimumCost.map { Text.rate($0, digits: 5) } ?? "–"],
      ["Cllr, bits", figures.cost.map { Text.rate($0) } ?? "– (the scores are no likelihood ratios)"],
    ]
    if let subject = figures.equalErrorRateBySubject {
      rows.insert(["EER, interval by subject", Text.interval(subject.effectiveInterval)], at: 1)
    }
    return Self.table("Over all thresholds", ["figure", "value"], rows)
  }
}
