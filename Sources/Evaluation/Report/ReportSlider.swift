/// A slider of one threshold in a report: the rates it shows at each of its places, and where the charts' markers stand there.
struct ReportSlider {
  /// A figure beside the slider; nil at places where there is none.
  struct Cell {
    let id: String
    let name: String
    let rates: [Proportion?]
  }

  /// The marker of a chart: a point of a curve, or a line across a histogram.
  struct Marker {
    let chart: SVGChart
    /// In the units of the chart's axes; nil where there is none.
    let points: [(x: Double, y: Double)?]
  }

  /// The element's identifier; those of its figures begin with it.
  let id: String
  let label: String
  /// Whether it stays in sight as the page moves.
  let isSticky: Bool
  let start: Int
  let thresholds: [Double]
  let cells: [Cell]
  let markers: [Marker]

  var html: String {
    let figures = cells.map {
      "<div><dt>\($0.name.escaped)</dt><dd id=\"\(id)-\($0.id)\">–</dd></div>"
    }
    return """
      <section class="slider\(isSticky ? " sticky" : "")"><label for="\(id)">\(label.escaped) <output id="\(id)-value">–</output></label>
      <input id="\(id)" type="range" min="0" max="\(thresholds.count - 1)" step="1" value="\(start)">
      <dl>\(figures.joined())</dl></section>
      """
  }

  var json: JSONTree {
    .of(
      ("id", .text(id)), ("thresholds", .list(thresholds.map { .number($0) })),
      (
        "values",
        .object(
          cells.compactMap { cell in
            guard let total = cell.rates.lazy.compactMap({ $0 }).first?.total else { return nil }
            return .init(
              "\(id)-\(cell.id)",
              .of(
                ("of", .count(total)),
                ("n", .list(cell.rates.map { rate in rate.map { .count($0.count) } ?? .null }))))
          })
      ), ("markers", .object(markers.map { .init($0.chart.id, .list($0.positions)) })))
  }
}

extension ReportSlider.Marker {
  /// Places in the picture, with one decimal; null where the point lies beyond the axes.
  fileprivate var positions: [JSONTree] {
    points.map { point in
      guard let point, chart.x.range.contains(point.x), chart.y.range.contains(point.y),
        let position = chart.position(point.x, point.y)
      else { return .null }
      return .list([.number((position.x * 10).rounded() / 10), .number((position.y * 10).rounded() / 10)])
    }
  }
}

extension ReportSlider {
  /// The slider of the comparison threshold, through all that depends on it; nil without a place.
  static func comparisons(_ report: EvaluationReport, _ places: [SliderPlace], _ charts: [SVGChart])
    -> ReportSlider?
  {
    guard !places.isEmpty else { return nil }
    let start = report.figures?.targets.first { $0.target == TargetRate(1, in: 1000) }?.outcome.point?.rates
      .threshold
    var cells = [
      Cell(id: "fmr", name: "FMR", rates: places.map(\.falseMatches)),
      Cell(id: "fnmr", name: "FNMR", rates: places.map(\.falseNonMatches)),
    ]
    if report.identification != nil {
      cells.append(Cell(id: "fpir", name: "FPIR", rates: places.map(\.falsePositives)))
      cells.append(Cell(id: "fnir", name: "FNIR, rank 1", rates: places.map(\.falseNegatives)))
    }
    if report.transactions != nil {
      for attempt in 0..<TransactionFigures.mostAttempts {
        let word = attempt == 0 ? "1 attempt" : "\(attempt + 1) attempts"
        func element(_ list: [Proportion?]) -> Proportion? { attempt < list.count ? list[attempt] : nil }
        cells.append(
          Cell(id: "far\(attempt + 1)", name: "FAR, \(word)", rates: places.map { element($0.falseAccepts) }))
        cells.append(
          Cell(id: "frr\(attempt + 1)", name: "FRR, \(word)", rates: places.map { element($0.falseRejects) }))
      }
    }
    return ReportSlider(
      id: "threshold", label: "Threshold", isSticky: true,
      start: start.flatMap { start in places.firstIndex { $0.threshold >= start } } ?? places.count / 2,
      thresholds: places.map(\.threshold), cells: cells,
      markers: charts.compactMap { marker($0, places) })
  }

  private static func marker(_ chart: SVGChart, _ places: [SliderPlace]) -> Marker? {
    func points(_ of: (SliderPlace) -> (x: Double, y: Double)?) -> Marker {
      Marker(chart: chart, points: places.map(of))
    }
    switch chart.id {
    case "det": return points { ($0.falseMatches.value, $0.falseNonMatches.value) }
    case "roc": return points { ($0.falseMatches.value, 1 - $0.falseNonMatches.value) }
    case "openset":
      return points { place in
        place.falsePositives.flatMap { positive in place.falseNegatives.map { (positive.shown, $0.shown) } }
      }
    case "hist", "histlog": return points { ($0.threshold, chart.y.range.lowerBound) }
    default: return nil
    }
  }
}
