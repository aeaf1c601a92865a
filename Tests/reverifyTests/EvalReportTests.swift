import Foundation
import TestSupport
import Testing

/// The report as a browser shows it: it loads without an error, the slider changes the numbers, and the picture is looked at.
@Suite(.enabled("no Chromium here", { Chromium.path != nil }))
struct EvalReportTests {
  let folder: TemporaryFolder
  let page: String

  init() throws {
    folder = try TemporaryFolder()
    page = "\(folder.path)/report.html"
    // Two groups of people, from a small generator: enough for every part of the report.
    var rows = "subject_a,subject_b,score,group,transaction\n"
    var state: UInt64 = 1
    func uniform() -> Double {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Double(state >> 11) / Double(1 << 53)
    }
    for index in 0..<3000 {
      let isMated = index % 3 == 0
      let noise = uniform() + uniform() + uniform() - 1.5
      let score = (isMated ? 0.6 : 0.1) + noise * 0.25
      rows +=
        "s\(index % 60),\(isMated ? "s" : "t")\(index % 60),\(score),\(index % 2 == 0 ? "x" : "y"),t\(index)\n"
    }
    let scores = try folder.write("scores.csv", rows.utf8)
    let run = try CommandRun([
      "eval", "--scores", scores, "--html", page, "--json", "\(folder.path)/report.json", "--csv",
      "\(folder.path)/curves",
      "--replicates", "50", "--extrapolate", "1e-5",
    ])
    try #require(run.status == 0, "\(run.errors)")
  }

  /// The page with a script before all others that keeps errors, and one behind all that moves the slider and writes down
  /// what it saw.
  private func probed() throws -> String {
    let text = try String(contentsOfFile: page, encoding: .utf8)
    let listening = """
      <script>window.seen = []; window.onerror = m => seen.push(String(m));
      for (const kind of ["error", "warn"]) console[kind] = (...m) => seen.push(m.join(" "));</script>
      """
    let probing = """
      <pre id="probe"></pre><script>{
      const cells = () => [...document.querySelectorAll(".slider output, .slider dd")].map(e => e.textContent);
      const at = () => ["det-marker", "roc-marker"].map(id => document.getElementById(id).getAttribute("cx"))
        .concat(["hist-line", "histlog-line"].map(id => document.getElementById(id).getAttribute("x1")));
      const before = cells(), markers = at(), slider = document.getElementById("threshold");
      const move = part => { slider.value = Math.round(slider.max * part); slider.dispatchEvent(new Event("input")); };
      move(1);
      const end = document.getElementById("det-marker").style.visibility;
      move(0.5);
      document.getElementById("probe").textContent = JSON.stringify({ errors: seen, before, end, after: cells(), markers,
        moved: at(), width: document.documentElement.scrollWidth, height: document.documentElement.scrollHeight,
        charts: Object.fromEntries([...document.querySelectorAll("figure svg")].map(e => { const r = e.getBoundingClientRect();
          return [e.id, [r.x, r.y, r.width, r.height]]; })) });
      }</script>
      """
    let path = "\(folder.path)/probed.html"
    let changed = text.replacing("<head>", with: "<head>\(listening)").replacing(
      "</body>", with: "\(probing)</body>")
    try Data(changed.utf8).write(to: URL(filePath: path))
    return path
  }

  private struct Probe: Decodable {
    let errors: [String]
    let before, after, markers, moved: [String]
    let end: String
    let width, height: Int
    let charts: [String: [Double]]
  }

  private func probe() throws -> Probe {
    let document = try Chromium.document(of: probed())
    let match = try #require(
      document.firstMatch(of: /<pre id="probe">(.*?)<\/pre>/.dotMatchesNewlines()), "no probe")
    return try JSONDecoder().decode(Probe.self, from: Data(String(match.1).utf8))
  }

  @Test func `it loads without an error, and the slider moves all numbers and markers`() throws {
    let probe = try probe()
    #expect(probe.errors == [])
    #expect(probe.before.count == 9 && !probe.before.contains("–"))
    // The threshold, FMR and FNMR, FAR and FRR of each number of attempts.
    for (place, pair) in zip(probe.before, probe.after).enumerated() {
      #expect(pair.0 != pair.1, "number \(place) stood still at \(pair.0)")
    }
    for pair in zip(probe.markers, probe.moved) { #expect(pair.0 != pair.1) }
    // An FMR of zero has no place on a probit axis: the marker is hidden, not drawn at the axis' end.
    #expect(probe.end == "hidden")
    // Nothing reaches beyond the width of the window.
    #expect(probe.width <= 1280)
  }

  @Test func `its picture has every chart, in its colours, on white`() throws {
    let probe = try probe()
    let picture = "\(folder.path)/report.png"
    try Chromium.screenshot(of: page, width: 1280, height: probe.height, to: picture)
    let image = try #require(PNGImage(picture))
    #expect(image.width == 1280 && image.height == probe.height)
    func isWhite(_ r: UInt8, _ g: UInt8, _ b: UInt8) -> Bool { r > 250 && g > 250 && b > 250 }
    let white = image.share(x: 0..<image.width, y: 0..<image.height, isWhite)
    #expect(white > 0.5 && white < 0.97)
    #expect(Set(probe.charts.keys) == ["det", "roc", "hist", "histlog"])
    for (name, box) in probe.charts {
      let (x, y) = (Int(box[0])..<Int(box[0] + box[2]), Int(box[1])..<Int(box[1] + box[3]))
      // Wide enough to be read.
      #expect(x.count > 500 && y.count > 300, "\(name)")
      let blue = image.share(x: x, y: y) { r, g, b in b > 120 && Int(b) > Int(r) + 40 }
      #expect(blue > 0.001, "\(name) has no line")
      let dark = image.share(x: x, y: y) { r, g, b in r < 130 && g < 130 && b < 140 }
      #expect(dark > 0.001, "\(name) has no text")
      if name.hasPrefix("hist") {
        #expect(
          image.share(x: x, y: y) { r, _, b in Int(r) > Int(b) + 15 } > 0.02, "\(name) has one class only")
      }
    }
  }

  @Test func `it prints on pages of paper`() throws {
    let paper = "\(folder.path)/report.pdf"
    try Chromium.print(page, to: paper)
    let data = try Data(contentsOf: URL(filePath: paper))
    #expect(data.starts(with: "%PDF".utf8) && data.count > 20_000)
  }

  @Test func `it needs nothing from elsewhere, and says what it rests on`() throws {
    let text = try String(contentsOfFile: page, encoding: .utf8)
    for outside in ["http:", "https:", "src=", "@import", "url(http"] { #expect(!text.contains(outside)) }
    #expect(text.contains("reverify eval --csv curves") && text.contains("--scores scores.csv"))
    #expect(!text.contains(folder.path))
    #expect(text.contains(/<code>[0-9a-f]{64}<\/code>/))
    #expect(
      text.contains("Extrapolated, no evidence") && text.contains("too small") && text.contains("unsupported")
    )
    let curves = try FileManager.default.contentsOfDirectory(atPath: "\(folder.path)/curves")
    #expect(curves.sorted() == ["error_rates.csv", "histogram.csv"])
  }
}
