extension PresentationFigures {
  /// Species that a chart and the slider have room for: those with the most presentations.
  private static let mostShown = 6
  /// Places of the slider at most.
  private static let mostPlaces = 400

  private var shown: [String] {
    let responding = set.species.filter { !(set.attacks[$0] ?? []).isEmpty }
    let largest = responding.sorted { set.attacks[$0]!.count > set.attacks[$1]!.count }
    return Set(largest.prefix(Self.mostShown)).sorted()
  }

  /// The scores that tell something, thinned evenly; none where the responses are decisions.
  private var places: [Double] {
    let all = Set(set.bonaFide + set.attacks.values.joined()).sorted()
    guard all.count > 2 else { return [] }
    let step = (all.count - 1) / Self.mostPlaces + 1
    return stride(from: 0, to: all.count, by: step).map { all[$0] }
  }

  /// The slider of the liveness threshold; nil where there are no scores to move through.
  func slider(isSticky: Bool) -> ReportSlider? {
    let places = places
    guard !places.isEmpty else { return nil }
    var cells = [
      ReportSlider.Cell(id: "bpcer", name: "BPCER", rates: places.map { try? set.bonaFideErrorRate(at: $0) })
    ]
    for (number, species) in shown.enumerated() {
      cells.append(
        .init(
          id: "apcer\(number)", name: "APCER, \(species)",
          rates: places.map { try? set.attackErrorRate(species: species, at: $0) }))
    }
    if let matchThreshold, hasComparisons {
      for (number, species) in shown.enumerated() {
        guard
          let (scores, made) = try? impostors.livenessScores(species: species, matchThreshold: matchThreshold)
        else { continue }
        cells.append(
          .init(
            id: "iapar\(number)", name: "IAPAR, \(species)",
            rates: places.map { Proportion(scores.count - scores.countBelow($0), of: made) }))
      }
    }
    let wanted = points.lazy.compactMap(\.outcome.point?.threshold).first
    return ReportSlider(
      id: "liveness", label: "Liveness threshold", isSticky: isSticky,
      start: wanted.flatMap { wanted in places.firstIndex { $0 >= wanted } } ?? places.count / 2,
      thresholds: places, cells: cells,
      markers: chart.map { chart in
        [
          .init(
            chart: chart,
            points: places.map { place in
              guard let live = try? set.bonaFideErrorRate(at: place),
                let worst = try? set.worstAttackErrorRate(at: place)
              else { return nil }
              return (live.shown, worst.rate.shown)
            })
        ]
      } ?? [])
  }

  /// APCER of each species against BPCER, on probit axes; a rate without errors stands at half an error.
  private var chart: SVGChart? {
    let places = places
    guard !places.isEmpty, !set.bonaFide.isEmpty, !shown.isEmpty else { return nil }
    let series = shown.enumerated().map { number, species in
      SVGChart.Series(
        name: species, style: "s\(number)", shape: .line,
        points: places.map { threshold in
          // Both have responses, so neither rate can fail.
          (
            try! set.bonaFideErrorRate(at: threshold).shown,
            try! set.attackErrorRate(species: species, at: threshold).shown
          )
        })
    }
    return SVGChart(
      id: "pad", title: "APCER of each species against BPCER on probit axes (none at half an error)",
      x: ReportCharts.probitAxis("BPCER", series.flatMap { $0.points.map(\.x) }),
      y: ReportCharts.probitAxis("APCER", series.flatMap { $0.points.map(\.y) }), series: series)
  }

  /// Slider, chart and tables as a part of a report.
  func section(_ slider: ReportSlider?) -> String {
    var counts = [Self.counts("bona fide", set.bonaFide.count, set.bonaFideNonResponses)]
    counts += set.species.map {
      Self.counts($0.escaped, set.attacks[$0]?.count ?? 0, set.attackNonResponses[$0] ?? 0)
    }
    return EvaluationReport.table(
      "Presentations to the liveness check", ["presented", "presentations", "no response", "rate of those"],
      counts)
      + (slider?.html ?? "")
      + (chart.map { "<section class=\"charts\">\(EvaluationReport.figure($0))</section>" } ?? "")
      + EvaluationReport.table(
        "Presentation attack detection" + (matchThreshold.map { ", match at \(Text.fixed($0, 6))" } ?? ""),
        ["at", "liveness threshold", "rate", "presented", "errors", "Clopper–Pearson", "Wilson"],
        points.flatMap(rows),
        note:
          "APCER: attacks classified as bona fide; the species with the highest is the one to report (★). BPCER: bona fide "
          + "presentations refused. IAPAR: attacks that pass liveness and match. Thresholds of a BPCER or APCER were found on "
          + "these very presentations: they compare checks, and are none to be set.")
  }

  private static func counts(_ name: String, _ responses: Int, _ silent: Int) -> [String] {
    let all = responses + silent
    return [
      name, Text.count(all), Text.count(silent),
      all == 0 ? "–" : Text.rate(Proportion(silent, of: all).value),
    ]
  }

  private func rows(_ point: (choice: Choice, outcome: TargetOutcome<Rates>)) -> [[String]] {
    switch point.outcome {
    case .notReachable(let trials, let needed):
      return [
        [
          "\(point.choice)", "–",
          "<b class=\"unsupported\">✗ not reachable</b> with \(Text.count(trials)) presentations; \(Text.count(needed)) allow one error",
          "", "", "", "",
        ]
      ]
    case .reached(let rates):
      func row(_ name: String, _ species: String, _ rate: Proportion?, isWorst: Bool = false) -> [String] {
        let heads = [
          "\(point.choice)", Text.fixed(rates.threshold, 6), name + (isWorst ? " ★" : ""), species.escaped,
        ]
        guard let rate else { return heads + ["no response", "–", "–"] }
        return heads + [
          Text.proportion(rate), Text.interval(rate.clopperPearson()), Text.interval(rate.wilson()),
        ]
      }
      return [row("BPCER", "bona fide", rates.bonaFide)]
        + rates.attacks.map { row("APCER", $0.species, $0.rate, isWorst: $0.species == rates.worst?.species) }
        + rates.impostors.map {
          row("IAPAR", $0.species, $0.rate, isWorst: $0.species == rates.worstImpostor?.species)
        }
    }
  }
}
