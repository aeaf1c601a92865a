import Foundation

/// A chart as inline SVG: axes, lines, areas, and a marker that a script moves. Colours and strokes are classes, so that a
/// page's style decides them, and paper can have others.
struct SVGChart {
  enum Scale {
    case linear
    case logarithmic
    /// The normal deviate, as on a DET.
    case probit

    func place(_ value: Double) -> Double {
      switch self {
      case .linear: value
      case .logarithmic: log10(value)
      case .probit: normalQuantile(value)
      }
    }
  }

  struct Axis {
    let title: String
    let scale: Scale
    let range: ClosedRange<Double>
    let ticks: [(value: Double, label: String)]
  }

  struct Series {
    enum Shape { case line, area, dots }
    let name: String
    /// A class of the page's style.
    let style: String
    let shape: Shape
    let points: [(x: Double, y: Double)]
  }

  let id: String
  let title: String
  let x: Axis
  let y: Axis
  let series: [Series]
  /// Vertical lines with a class.
  var verticals: [(x: Double, style: String)] = []

  static let (width, height) = (560.0, 380.0)
  private static let (left, right, top, bottom) = (72.0, 24.0, 16.0, 52.0)

  /// The place of a value in the picture; nil beyond the axes' scales (a rate of zero on a probit axis).
  func position(_ x: Double, _ y: Double) -> (x: Double, y: Double)? {
    guard let across = Self.fraction(x, self.x), let up = Self.fraction(y, self.y) else { return nil }
    return (
      Self.left + across * (Self.width - Self.left - Self.right),
      Self.height - Self.bottom - up * (Self.height - Self.top - Self.bottom)
    )
  }

  private static func fraction(_ value: Double, _ axis: Axis) -> Double? {
    let place = axis.scale.place(min(max(value, axis.range.lowerBound), axis.range.upperBound))
    let (low, high) = (axis.scale.place(axis.range.lowerBound), axis.scale.place(axis.range.upperBound))
    guard place.isFinite, high > low else { return nil }
    return (place - low) / (high - low)
  }

  var svg: String {
    """
    <svg id="\(id)" viewBox="0 0 \(Int(Self.width)) \(Int(Self.height))" role="img" aria-label="\(title.escaped)">
    <clipPath id="\(id)-clip"><rect x="\(n(Self.left))" y="\(n(Self.top))" width="\(n(Self.width - Self.left - Self.right))" \
    height="\(n(Self.height - Self.top - Self.bottom))"/></clipPath>
    \(grid)
    <g clip-path="url(#\(id)-clip)">\(series.map(drawn).joined())\(lines)</g>
    <circle id="\(id)-marker" class="marker" r="5" cx="-9" cy="-9"/><line id="\(id)-line" class="cursor" \
    x1="-9" x2="-9" y1="\(n(Self.top))" y2="\(n(Self.height - Self.bottom))"/>
    \(legend)
    </svg>
    """
  }

  private var grid: String {
    let (x0, x1) = (Self.left, Self.width - Self.right)
    let (y0, y1) = (Self.height - Self.bottom, Self.top)
    var text = ""
    let across = ticks(of: x) {
      position($0, y.range.lowerBound)?.x
    } room: {
      Self.width(of: $0) + 8
    }
    for (tick, place, isLabelled) in across {
      text +=
        "<line class=\"grid\" x1=\"\(n(place))\" x2=\"\(n(place))\" y1=\"\(n(y0))\" y2=\"\(n(y1))\"/>"
      guard isLabelled else { continue }
      text +=
        "<text class=\"tick\" x=\"\(n(place))\" y=\"\(n(y0 + 19))\" text-anchor=\"middle\">\(tick)</text>"
    }
    let up = ticks(of: y) {
      position(x.range.lowerBound, $0)?.y
    } room: { _ in
      Self.lineHeight
    }
    for (tick, place, isLabelled) in up {
      text +=
        "<line class=\"grid\" x1=\"\(n(x0))\" x2=\"\(n(x1))\" y1=\"\(n(place))\" y2=\"\(n(place))\"/>"
      guard isLabelled else { continue }
      text +=
        "<text class=\"tick\" x=\"\(n(x0 - 6))\" y=\"\(n(place + 4))\" text-anchor=\"end\">\(tick)</text>"
    }
    text +=
      "<rect class=\"frame\" x=\"\(n(x0))\" y=\"\(n(y1))\" width=\"\(n(x1 - x0))\" height=\"\(n(y0 - y1))\"/>"
    text +=
      "<text class=\"title\" x=\"\(n((x0 + x1) / 2))\" y=\"\(n(Self.height - 12))\" text-anchor=\"middle\">"
    text += "\(x.title.escaped)</text><text class=\"title\" text-anchor=\"middle\" transform=\"translate(14 "
    text += "\(n((y0 + y1) / 2))) rotate(-90)\">\(y.title.escaped)</text>"
    return text
  }

  /// The ticks within an axis' range with their places, and whether there is room for the label beside those before it.
  private func ticks(
    of axis: Axis, at place: (Double) -> Double?, room: (String) -> Double
  ) -> [(label: String, place: Double, isLabelled: Bool)] {
    var last: (place: Double, room: Double)?
    return axis.ticks.compactMap { tick in
      guard axis.range.contains(tick.value), let place = place(tick.value) else { return nil }
      let room = room(tick.label)
      let isLabelled = last.map { abs($0.place - place) >= ($0.room + room) / 2 } ?? true
      if isLabelled { last = (place, room) }
      return (tick.label, place, isLabelled)
    }
  }

  /// Of the largest text that the page's style gives a chart, on paper: 15 units high, a digit 8.5 wide.
  private static let lineHeight = 17.0
  private static func width(of label: String) -> Double { 8.5 * Double(label.count) }

  private func drawn(_ series: Series) -> String {
    let places = series.points.compactMap { position($0.x, $0.y) }
    guard let first = places.first, let last = places.last else { return "" }
    let path = places.map { "\(n($0.x)) \(n($0.y))" }.joined(separator: "L")
    switch series.shape {
    case .line: return "<path class=\"line \(series.style)\" d=\"M\(path)\"/>"
    case .area:
      let floor = n(Self.height - Self.bottom)
      return
        "<path class=\"area \(series.style)\" d=\"M\(n(first.x)) \(floor)L\(path)L\(n(last.x)) \(floor)Z\"/>"
    case .dots:
      return places.map {
        "<circle class=\"dot \(series.style)\" r=\"3\" cx=\"\(n($0.x))\" cy=\"\(n($0.y))\"/>"
      }
      .joined()
    }
  }

  private var lines: String {
    verticals.compactMap { vertical in
      position(vertical.x, y.range.lowerBound).map { place in
        "<line class=\"\(vertical.style)\" x1=\"\(n(place.x))\" x2=\"\(n(place.x))\" y1=\"\(n(Self.top))\" "
          + "y2=\"\(n(Self.height - Self.bottom))\"/>"
      }
    }.joined()
  }

  private var legend: String {
    let named = series.filter { !$0.name.isEmpty }
    guard named.count > 1 else { return "" }
    return named.enumerated().map { place, series in
      let y = Self.top + 18 + 18 * Double(place)
      let x = Self.width - Self.right - 150
      return
        "<line class=\"line \(series.style)\" x1=\"\(n(x))\" x2=\"\(n(x + 22))\" y1=\"\(n(y - 4))\" y2=\"\(n(y - 4))\"/>"
        + "<text class=\"tick\" x=\"\(n(x + 28))\" y=\"\(n(y))\">\(series.name.escaped)</text>"
    }.joined()
  }
}

/// A coordinate with one decimal: enough for a picture of some hundred units.
private func n(_ value: Double) -> String {
  let tenths = Int((value * 10).rounded())
  return tenths % 10 == 0
    ? "\(tenths / 10)" : "\(tenths < 0 && tenths > -10 ? "-" : "")\(tenths / 10).\(abs(tenths % 10))"
}

extension String {
  /// The text as it may stand in a page.
  var escaped: String {
    var result = ""
    for character in self {
      switch character {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      default: result.append(character)
      }
    }
    return result
  }
}
