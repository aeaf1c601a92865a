import Foundation
import TestSupport
import Testing

/// Score files of every form, with a hand-worked set in them: mated .2 .6 .7 .8 .9, non-mated .1 .3 .4 .65.
@Suite struct EvalScoresTests {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  static let mated = ["0.2", "0.6", "0.7", "0.8", "0.9"]
  static let nonMated = ["0.1", "0.3", "0.4", "0.65"]

  private func evaluate(_ arguments: [String]) throws -> [String: Any] {
    let run = try CommandRun(["eval", "--replicates", "20", "--target-fmr", "0.25,1e-3"] + arguments)
    #expect(run.status == 0, "\(run.errors)")
    let tree = try JSONSerialization.jsonObject(with: Data(run.output.utf8))
    return try #require(tree as? [String: Any])
  }

  private func expectHandWorked(_ tree: [String: Any]) throws {
    let scores = try #require(tree["scores"] as? [String: Any])
    let rate = try #require(scores["eer"] as? [String: Any])
    #expect(rate["low"] as? Double == 0.2 && rate["high"] as? Double == 0.25)
    #expect(rate["eer_interval"] as? Double == 0.225)
    #expect(rate["eer_min_max"] as? Double == 0.25)
    #expect(abs(try #require(rate["eer_hull"] as? Double) - 2.0 / 9) < 1e-12)
    #expect((scores["genuine"] as? [String: Any])?["n"] as? Int == 5)
    #expect((scores["impostor"] as? [String: Any])?["n"] as? Int == 4)
    // One of four may match: above .4, where one mated of five does not.
    let point = try #require((scores["fnmr_at_fmr"] as? [String: Any])?["1/4"] as? [String: Any])
    #expect(point["threshold_gt"] as? Double == 0.4 && point["false_non_matches"] as? Int == 1)
    // 1e-3 of four comparisons allows none: null, and told what it takes.
    #expect((scores["fnmr_at_fmr"] as? [String: Any])?["1e-3"] is NSNull)
    let unsupported = try #require((scores["unsupported_fmr"] as? [[String: Any]])?.first)
    #expect(unsupported["comparisons_for_one_error"] as? Int == 1000)
    #expect(unsupported["comparisons_for_a_claim_without_errors"] as? Int == 2995)
  }

  @Test func `a table with a header`() throws {
    let rows =
      Self.mated.enumerated().map { "s\($0.offset),s\($0.offset),\($0.element)" }
      + Self.nonMated.enumerated().map { "s\($0.offset),t\($0.offset),\($0.element)" }
    let path = try folder.write("a.csv", ("subject_a,subject_b,score\n" + rows.joined(separator: "\n")).utf8)
    try expectHandWorked(try evaluate(["--scores", path]))
  }

  @Test(arguments: ["four", "five"])
  func `bob's columns`(form: String) throws {
    func line(_ claimed: String, _ real: String, _ score: String) -> String {
      form == "four" ? "\(claimed) \(real) a/b \(score)" : "\(claimed) model \(real) a/b \(score)"
    }
    let rows = Self.mated.map { line("x", "x", $0) } + Self.nonMated.map { line("x", "y", $0) }
    let path = try folder.write("scores-dev", (rows.joined(separator: "\n") + "\n").utf8)
    try expectHandWorked(try evaluate(["--scores", path, "--form", form]))
    let other = form == "four" ? "five" : "four"
    let refused = try CommandRun(["eval", "--scores", path, "--form", other])
    #expect(refused.status == 65 && refused.errors.contains("line 1"))
  }

  @Test func `two files, the score last`() throws {
    let a = try folder.write("a.txt", Self.mated.map { "p q \($0)\n" }.joined().utf8)
    let b = try folder.write("b.txt", Self.nonMated.joined(separator: "\r\n").utf8)
    try expectHandWorked(try evaluate(["--mated", a, "--non-mated", b]))
    #expect(try CommandRun(["eval", "--mated", a]).status == 64)
    #expect(try CommandRun(["eval", "--mated", a, "--non-mated", b, "--group", "g"]).status == 64)
    let empty = try folder.write("empty.txt", "\n".utf8)
    let refused = try CommandRun(["eval", "--mated", a, "--non-mated", empty])
    #expect(refused.status == 65 && refused.errors.contains("empty.txt"))
  }

  @Test func `failures by return code, by column and by NaN are counted, told and in no rate`() throws {
    let rows =
      Self.mated.map { "a a \($0) 0" } + Self.nonMated.map { "a b \($0) 0" } + [
        "a a 0.0 2", "a b 0.99 1", "a b nan 0",
      ]
    let path = try folder.write("codes.txt", rows.joined(separator: "\n").utf8)
    let tree = try evaluate(["--scores", path, "--form", "code"])
    try expectHandWorked(tree)
    let scores = try #require(tree["scores"] as? [String: Any])
    let failures = try #require(scores["failures"] as? [String: [String: Int]])
    #expect(failures["genuine"]?["to_acquire"] == 1 && failures["impostor"]?["to_acquire"] == 1)
    #expect(failures["impostor"]?["not_finite"] == 1 && failures["genuine"]?["not_finite"] == 0)
    #expect(try #require(scores["warnings"] as? [String]).contains { $0.contains("NaN") })
    let table =
      "label,score,failure\n" + Self.mated.map { "genuine,\($0),\n" }.joined()
      + Self.nonMated.map { "impostor,\($0),\n" }.joined() + "genuine,,enrol\nimpostor,,\n"
    let counted = try evaluate(["--scores", try folder.write("f.csv", table.utf8)])
    try expectHandWorked(counted)
    let kinds = try #require((counted["scores"] as? [String: Any])?["failures"] as? [String: [String: Int]])
    #expect(kinds["genuine"]?["to_enrol"] == 1 && kinds["impostor"]?["to_acquire"] == 1)
  }

  @Test func `distances are warned of`() throws {
    let path = try folder.write("d.csv", "same,score\n1,0.1\n1,0.2\n0,0.8\n0,0.9\n".utf8)
    let run = try CommandRun(["eval", "--scores", path])
    #expect(run.status == 0 && run.errors.contains("distances"))
  }

  @Test func `groups and transactions of a table`() throws {
    var table = "same,score,group,transaction\n"
    for index in 0..<8 {
      let isMated = index % 2 == 0
      let score = isMated ? (index == 0 ? 0.1 : 0.9) : (index == 1 ? 0.8 : 0.2)
      // Each transaction has a poor attempt and the score.
      table += "\(isMated ? 1 : 0),0.05,\(index < 4 ? "x" : "y"),t\(index)\n"
      table += "\(isMated ? 1 : 0),\(score),\(index < 4 ? "x" : "y"),t\(index)\n"
    }
    let tree = try evaluate(["--scores", try folder.write("t.csv", table.utf8)])
    let transactions = try #require(tree["transactions"] as? [String: Any])
    #expect(transactions["mated"] as? Int == 4 && transactions["non_mated"] as? Int == 4)
    let groups = try #require(tree["subgroups"] as? [String: Any])
    let rates = try #require((groups["fnmr"] as? [String: Any])?["groups"] as? [[String: Any]])
    #expect(rates.map { $0["name"] as? String } == ["x", "y"])
    #expect((groups["fmr"] as? [String: Any])?["too_small"] as? [String] == ["x", "y"])
  }

  /// Eight non-mated and four mated comparisons of two groups; FMR 1/8 is reached above 0.7.
  private static let grouped =
    "same,score,group\n" + (1...8).map { "0,0.\($0),\($0 % 2 == 0 ? "x" : "y")\n" }.joined()
    + "1,0.75,x\n1,0.9,x\n1,0.65,y\n1,0.9,y\n"

  @Test func `groups are judged at the FMR asked for, also where it is no target, or not at all`() throws {
    let path = try folder.write("g.csv", Self.grouped.utf8)
    let arguments = ["--scores", path, "--group", "group"]
    let tree = try evaluate(arguments + ["--group-fmr", "0.125"])
    let groups = try #require(tree["subgroups"] as? [String: Any])
    let threshold = try #require(groups["threshold_ge"] as? Double)
    #expect(groups["fmr_target"] as? String == "1/8" && threshold >= 0.7 && threshold < 0.7 + 1e-12)
    let rates = try #require((groups["fnmr"] as? [String: Any])?["groups"] as? [[String: Any]])
    #expect(rates.map { $0["errors"] as? Int } == [0, 1])
    // The targets of the report are those asked for, and no more.
    let targets = try #require((tree["scores"] as? [String: Any])?["fnmr_at_fmr"] as? [String: Any])
    #expect(Set(targets.keys) == ["1/4", "1e-3"])
    // 1e-3 is not reached: without a word of it the strictest target is taken and named, asked for it is refused.
    let usual = try #require(try evaluate(arguments)["subgroups"] as? [String: Any])
    #expect(usual["fmr_target"] as? String == "1/4")
    let run = try CommandRun(
      ["eval"] + arguments + ["--group-fmr", "1e-3", "--json", "\(folder.path)/g.json"])
    #expect(run.status == 1 && run.errors.contains("groups are not judged: FMR 1e-3 is not reachable"))
    #expect(
      try String(contentsOfFile: "\(folder.path)/g.json", encoding: .utf8).contains("\"subgroups\": null"))
  }

  @Test(arguments: [
    ["--group", "group", "--group-fmr", "0.25,0.125"], ["--group-fmr", "0.25"],
    ["--group", "group", "--group-fmr", "2"],
  ])
  func `a list of group targets, or one without groups, is refused`(arguments: [String]) throws {
    let path = try folder.write("g.csv", Self.grouped.utf8)
    let run = try CommandRun(["eval", "--scores", path] + arguments)
    #expect(run.status == 64 && run.errors.contains("--group-fmr"), "\(run.errors)")
  }

  @Test(arguments: [
    ["--metrics", "cosine"], ["--fixed", "x=-1"], ["--target-fpir", "0.1"], ["--index", "i.csv"],
  ])
  func `an option that would be ignored is refused`(arguments: [String]) throws {
    let path = try folder.write("g.csv", Self.grouped.utf8)
    let run = try CommandRun(["eval", "--scores", path] + arguments)
    #expect(run.status == 64 && run.errors.contains("\(arguments[0]) is about embeddings"), "\(run.errors)")
  }

  @Test func `transactions of a file say that they are its own, and count attempts without a score`() throws {
    let table = """
      same,score,transaction,failure
      1,,a,acquire
      1,0.9,a,
      1,0.9,b,
      0,0.8,c,
      0,,c,enrol
      0,0.1,d,
      0,0.1,e,
      0,0.1,f,

      """
    let tree = try evaluate(["--scores", try folder.write("t.csv", table.utf8)])
    let transactions = try #require(tree["transactions"] as? [String: Any])
    #expect((transactions["protocol"] as? String)?.hasPrefix("the file's transactions") == true)
    #expect(transactions["subjects_left_out"] is NSNull && transactions["attempts"] as? Int == 8)
    let failures = try #require(transactions["attempt_failures"] as? [String: Int])
    #expect(failures == ["to_enrol": 1, "to_acquire": 1, "not_finite": 0])
    // At FMR 1/4 the threshold is above 0.1: FMR 1/4 among scores, and a quarter of all attempts give none.
    let point = try #require(
      (transactions["at_fmr"] as? [String: [String: Any]])?["1/4"]?["2"] as? [String: Any])
    let expected = 1 - (1 - 0.25 * 0.75) * (1 - 0.25 * 0.75)
    #expect(abs(try #require(point["far_if_independent"] as? Double) - expected) < 1e-12)
    let (far, frr) = (point["far"] as? [String: Any], point["frr"] as? [String: Any])
    #expect(far?["count"] as? Int == 1 && far?["of"] as? Int == 4 && far?["short"] as? Int == 3)
    #expect(frr?["count"] as? Int == 0 && frr?["of"] as? Int == 2 && frr?["short"] as? Int == 0)
  }

  @Test(arguments: [
    "score\n0.1\n", "same,score\n", "same,score\n2,0.1\n", "same,score\n1,x\n", "label,score\nperhaps,0.1\n",
    "same,score,transaction\n1,0.5,t\n0,0.5,t\n", "same,score,transaction\n1,0.5,\n",
    "same,score,failure\n1,,lost\n", "same,score\n1,0x1p3\n", "",
  ])
  func `a broken file is refused with the place`(text: String) throws {
    let path = try folder.write("broken.csv", text.utf8)
    let run = try CommandRun(["eval", "--scores", path])
    #expect(
      run.status == 65 && run.errors.contains("broken.csv") && run.errors.contains("expected"),
      "\(run.errors)")
  }

  @Test(arguments: [
    ["--form", "six"], ["--target-fmr", "2"], ["--extrapolate", "x"], ["--metrics", "manhattan"],
    ["--data", "x"], ["--target-fmr", "1e-2,0.01"], ["--target-fmr", "0"], ["--target-fmr", "1e-2,"],
  ])
  func `wrong usage is told`(arguments: [String]) throws {
    let path = try folder.write("a.csv", "same,score\n1,0.9\n0,0.1\n".utf8)
    #expect(
      try CommandRun(
        ["eval", "--scores", path] + (arguments[0] == "--metrics" ? ["--form", "seven"] : arguments)
      ).status == 64)
  }

  @Test func `without comparisons of a kind figures are null, and nothing fails`() throws {
    let path = try folder.write("m.csv", "same,score\n1,0.9\n1,0.8\n".utf8)
    let page = "\(folder.path)/m.html"
    let run = try CommandRun(["eval", "--scores", path, "--html", page, "--json", "\(folder.path)/m.json"])
    #expect(run.status == 0)
    let tree = try JSONSerialization.jsonObject(
      with: Data(contentsOf: URL(filePath: "\(folder.path)/m.json")))
    let scores = try #require((tree as? [String: Any])?["scores"] as? [String: Any])
    #expect(scores["eer"] is NSNull && scores["impostor"] is NSNull)
    #expect(try String(contentsOfFile: page, encoding: .utf8).contains("</html>"))
  }
}
