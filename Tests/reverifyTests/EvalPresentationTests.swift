import Foundation
import TestSupport
import Testing

/// APCER, BPCER and IAPAR of `reverify eval --presentations`.
@Suite struct EvalPresentationTests {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private typealias Object = [String: Any]

  private static let table = """
    species,liveness_score,match_score
    bona_fide,0.9,0.8
    bona_fide,0.7,0.9
    bona_fide,0.3,
    bona_fide,,
    print,0.1,0.9
    print,0.8,0.9
    print,0.8,0.1
    "<b>mask</b>",0.95,0.7
    "<b>mask</b>",nan,0.7

    """

  private func evaluate(_ text: String, _ arguments: [String]) throws -> Object {
    let path = try folder.write("presentations.csv", text.utf8)
    let run = try CommandRun(["eval", "--presentations", path] + arguments)
    #expect(run.status == 0, "\(run.errors)")
    let tree = try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? Object
    return try #require(tree?["presentation_attacks"] as? Object)
  }

  private func expect(_ tree: Any?, _ count: Int, of total: Int) {
    let rate = tree as? Object
    #expect(rate?["count"] as? Int == count && rate?["of"] as? Int == total)
  }

  @Test func `a hand-worked table of scores`() throws {
    let figures = try evaluate(
      Self.table, ["--liveness-threshold", "0.8", "--match-threshold", "0.7", "--target-bpcer", "0.34,1e-2"])
    let given = try #require(figures["at_given_threshold"] as? Object)
    expect(given["bpcer"], 2, of: 3)
    let attacks = try #require(given["apcer"] as? Object)
    expect(attacks["print"], 2, of: 3)
    expect(attacks["<b>mask</b>"], 1, of: 1)
    #expect((given["apcer_worst"] as? Object)?["species"] as? String == "<b>mask</b>")
    // Those without a response are among the attacks that were made.
    let impostors = try #require(given["iapar"] as? Object)
    expect(impostors["print"], 1, of: 3)
    expect(impostors["<b>mask</b>"], 1, of: 2)
    #expect((given["iapar_worst"] as? Object)?["rate"] as? Double == 0.5)
    // Wilson's interval of 1 of 3, and the exact one.
    let rate = try #require(impostors["print"] as? Object)
    let (wilson, exact) = (rate["wilson"] as? Object, rate["clopper_pearson"] as? Object)
    #expect(abs((wilson?["low"] as? Double ?? 0) - 0.0614919447) < 1e-9)
    #expect(abs((exact?["high"] as? Double ?? 0) - 0.9057006760) < 1e-9)
    let live = try #require(figures["bona_fide"] as? Object)
    #expect(live["presentations"] as? Int == 4 && live["non_responses"] as? Int == 1)
    // A third may be refused: below .7, where print passes twice.
    let point = try #require((figures["at_bpcer"] as? Object)?["17/50"] as? Object)
    #expect(point["liveness_threshold_ge"] as? Double == 0.7)
    #expect((figures["at_bpcer"] as? Object)?["1e-2"] is NSNull)
    #expect((figures["unsupported"] as? [Object])?.first?["presentations_for_one_error"] as? Int == 100)
  }

  @Test func `decisions of a check give the rates that evaluate-pad gives`() throws {
    let model = "models/liveness/simulated-ideal-68.json"
    let captures = "\(folder.path)/captures.jsonl"
    let made = try CommandRun([
      "simulate-captures", "--subjects", "3", "--seed", "11", "--out", captures,
    ])
    try #require(made.status == 0, "\(made.errors)")
    let scored = try CommandRun(["score-liveness", "--captures", captures, "--model", model])
    let lines = try String(contentsOfFile: captures, encoding: .utf8).split(separator: "\n")
    #expect(scored.lines.count == lines.count)
    var table = "species,liveness_decision\n"
    for (capture, decision) in zip(lines, scored.lines) {
      let label = try #require(capture.firstMatch(of: /"label":"([^"]+)"/)).1
      let verdict = try #require(decision.firstMatch(of: /"verdict":"([^"]+)"/)).1
      table += "\(label),\(verdict)\n"
    }
    let given = try #require(try evaluate(table, [])["at_given_threshold"] as? Object)
    let text = try CommandRun(["evaluate-pad", "--captures", captures, "--model", model]).output
    func check(_ name: String, _ rate: Any?) throws {
      let rate = try #require(rate as? Object)
      let counts = "\(try #require(rate["count"] as? Int)) of \(try #require(rate["of"] as? Int))"
      #expect(text.contains("\(name): \(counts) ("), "\(name) \(counts) in \(text)")
    }
    try check("BPCER  bona fide", given["bpcer"])
    for (species, rate) in try #require(given["apcer"] as? Object) { try check("APCER  \(species)", rate) }
  }

  @Test func `they stand in the report and in the curves, and nothing of a label is taken for markup`() throws
  {
    let path = try folder.write("presentations.csv", Self.table.utf8)
    let scores = try folder.write("scores.csv", "same,score\n1,0.9\n1,0.8\n0,0.3\n0,0.1\n".utf8)
    let run = try CommandRun([
      "eval", "--presentations", path, "--liveness-threshold", "0.5", "--match-threshold", "0.5",
      "--scores", scores, "--html", "\(folder.path)/r.html", "--csv", "\(folder.path)/curves",
      "--json", "\(folder.path)/r.json",
    ])
    #expect(run.status == 0 && run.errors.contains("2 presentations got no response"))
    let page = try String(contentsOfFile: "\(folder.path)/r.html", encoding: .utf8)
    #expect(page.contains("IAPAR ★") && page.contains("&lt;b&gt;mask") && !page.contains("<b>mask"))
    let rows = try String(contentsOfFile: "\(folder.path)/curves/presentation_attacks.csv", encoding: .utf8)
      .split(separator: "\n")
    #expect(rows[1].hasPrefix("given,0.5,BPCER,,1,3,") && rows[5].hasPrefix("given,0.5,IAPAR,print,1,3,"))
    let json =
      try JSONSerialization.jsonObject(
        with: Data(contentsOf: URL(filePath: "\(folder.path)/r.json"))) as? Object
    let files = (json?["provenance"] as? Object)?["files"] as? [Object]
    #expect(files?.map { $0["name"] as? String } == ["scores.csv", "presentations.csv"])
    #expect(json?["scores"] is Object && json?["presentation_attacks"] is Object)
  }

  @Test(arguments: [
    "", "species,liveness_score\n", "liveness_score\n0.5\n", "species,score\nprint,0.5\n",
    "species,liveness_score,liveness_decision\nprint,0.5,pass\n", "species,liveness_score\n,0.5\n",
    "species,liveness_score\nprint,high\n", "species,liveness_decision\nprint,perhaps\n",
    "species,liveness_score,match_score\nprint,0.5,near\n", "species,liveness_score\nprint\n",
  ])
  func `a broken table is refused with the place`(text: String) throws {
    let path = try folder.write("broken.csv", text.utf8)
    let run = try CommandRun(["eval", "--presentations", path])
    #expect(run.status == 65 && run.errors.contains("broken.csv") && run.errors.contains("expected"))
  }

  @Test func `a threshold without presentations, or for decisions, is wrong usage`() throws {
    let path = try folder.write("d.csv", "species,liveness_decision\nprint,pass\nbona_fide,pass\n".utf8)
    for arguments in [
      ["--presentations", path, "--liveness-threshold", "0.5"],
      ["--match-threshold", "0.5", "--scores", path],
      ["--presentations", path, "--match-threshold", "nan"],
      ["--presentations", path, "--target-fmr", "1e-3"],
    ] {
      #expect(try CommandRun(["eval"] + arguments).status == 64)
    }
  }
}
