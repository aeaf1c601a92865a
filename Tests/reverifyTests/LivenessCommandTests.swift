import Foundation
import TestSupport
import Testing

/// The commands about liveness, on small simulated files.
@Suite struct LivenessCommandTests {
  private static let key = String(repeating: "0a", count: 32)
  private static let model = "models/liveness/simulated-ideal-68.json"

  /// Captures of two people, issued under the key: one live and one flat photograph each.
  private static let captures: [String] = {
    let run = try? CommandRun([
      "simulate-captures", "--subjects", "2", "--bona-fide", "1", "--species", "bona_fide,flat_photo",
      "--seed",
      "77", "--challenge-key", key,
    ])
    return run?.lines.map(String.init) ?? []
  }()

  private struct Decision: Decodable {
    let line: Int
    let verdict: String
    let challenge: String
    let reasons: [String]
  }

  private func score(
    _ lines: [String], _ options: [String] = []
  ) throws -> (run: CommandRun, decisions: [Decision]) {
    let folder = try TemporaryFolder()
    let path = try folder.write("captures.jsonl", lines.joined(separator: "\n").utf8)
    let run = try CommandRun(["score-liveness", "--captures", path, "--model", Self.model] + options)
    return (run, try run.lines.map { try JSONDecoder().decode(Decision.self, from: Data($0.utf8)) })
  }

  @Test func `a challenge that nobody checked is said to be so, and the key checks it`() throws {
    #expect(Self.captures.count == 4)
    let unchecked = try score(Self.captures)
    #expect(unchecked.run.status == 0)
    #expect(unchecked.decisions.map(\.challenge) == [String](repeating: "unchecked", count: 4))
    let checked = try score(Self.captures, ["--challenge-key", Self.key])
    #expect(checked.decisions.map(\.challenge) == [String](repeating: "checked", count: 4))
    #expect(checked.decisions.map(\.reasons) == unchecked.decisions.map(\.reasons))
    #expect(checked.decisions.map(\.verdict) == unchecked.decisions.map(\.verdict))
  }

  @Test func `a challenge of another server is refused, whatever the record says of it`() throws {
    let other = try score(Self.captures, ["--challenge-key", String(repeating: "0b", count: 32)])
    #expect(other.decisions.allSatisfy { $0.verdict == "fail" && $0.reasons.contains("otherChallenge") })
  }

  @Test func `ovals that a record makes up are not those that the server asked for`() throws {
    let live = try #require(Self.captures.first)
    let stages = try #require(live.firstMatch(of: /"stages":\[\[.*?\]\]/))
    let forged = live.replacingOccurrences(
      of: String(live[stages.range]), with: "\"stages\":[[0,0.3,0,0],[1300,0.5,0.05,0],[2700,0.7,0,0.05]]")
    let checked = try score([live, forged].map { $0 }, ["--challenge-key", Self.key])
    // What the record says of the ovals counts for nothing; the second answer to one challenge is refused.
    #expect(checked.decisions[0].reasons == (try score([live]).decisions[0].reasons))
    #expect(checked.decisions[1].reasons.contains("usedChallenge"))
    #expect(try score([forged]).decisions[0].verdict != "pass")
  }

  @Test func `the same capture twice in a file is a replay`() throws {
    let live = try #require(Self.captures.first)
    let replayed = try score([live, live], ["--replay-key", Self.key])
    #expect(!replayed.decisions[0].reasons.contains("replayedCapture"))
    #expect(replayed.decisions[1].reasons.contains("replayedCapture"))
    #expect(replayed.decisions[1].verdict == "fail")
  }

  @Test func `blank lines are counted, so that an error names its line`() throws {
    let live = try #require(Self.captures.first)
    let scored = try score(["", live, " \t", "{}", "", live])
    #expect(scored.decisions.map(\.line) == [2, 6])
    #expect(scored.run.status == 1 && scored.run.errors.contains("line 4: "))
  }

  @Test(arguments: [
    ["score-liveness", "--captures", "no-such.jsonl", "--model", model],
    ["evaluate-pad", "--captures", "no-such.jsonl", "--model", model],
    ["tune-liveness", "--captures", "no-such.jsonl", "--out", "never.json"],
    [
      "tune-liveness", "--simulate", "simulated-ideal-68", "--subjects", "8", "--recorded", "no-such.jsonl",
      "--out", "never.json",
    ],
  ])
  func `a missing file is named`(arguments: [String]) throws {
    let run = try CommandRun(arguments)
    #expect(run.status == 65)
    #expect(run.errors == "reverify: no-such.jsonl: expected a file that can be read\n")
  }

  @Test func `a file without captures is an error, not a clean run`() throws {
    let folder = try TemporaryFolder()
    for content in ["", "\n \n"] {
      let path = try folder.write("empty.jsonl", content.utf8)
      let run = try CommandRun(["score-liveness", "--captures", path, "--model", Self.model])
      #expect(run.status == 65 && run.errors == "reverify: \(path): no captures\n")
    }
  }

  @Test func `a recorded sequence that is none is named with its line`() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("bad.jsonl", Array("\n{\"id\":\"a\",\"landmarker\":\"b\"}\n".utf8))
    let run = try CommandRun([
      "tune-liveness", "--simulate", "simulated-ideal-68", "--subjects", "8", "--recorded", path, "--out",
      "\(folder.path)/model.json",
    ])
    #expect(run.status == 65)
    #expect(run.errors.hasSuffix("line 2: expected a recorded sequence of landmarks, with points\n"))
  }

  @Test func `a mistyped label is an error with its line, and a further species must be named`() throws {
    let folder = try TemporaryFolder()
    let typo = Self.captures.map {
      $0.replacingOccurrences(of: "\"label\":\"flat_photo\"", with: "\"label\":\"flat_foto\"")
    }
    let path = try folder.write("captures.jsonl", typo.joined(separator: "\n").utf8)
    let arguments = ["evaluate-pad", "--captures", path, "--model", Self.model]
    let refused = try CommandRun(arguments)
    #expect(refused.status == 65 && refused.output.isEmpty)
    #expect(refused.errors.contains("line 2: ") && refused.errors.contains("found 'flat_foto'"))
    let named = try CommandRun(arguments + ["--species", "flat_foto"])
    #expect(named.status == 0 && named.output.contains("APCER  flat_foto: 0 of 2"))
  }

  @Test
  func `a model is written only when what was asked for is met, and simulated captures make it provisional`()
    throws
  {
    let folder = try TemporaryFolder()
    let cohort = try CommandRun([
      "simulate-captures", "--subjects", "20", "--bona-fide", "4", "--species",
      "bona_fide,flat_photo,replay_injected,interpolated_noisy,person_change", "--seed", "5",
    ])
    let path = try folder.write("captures.jsonl", cohort.output.utf8)
    let out = "\(folder.path)/model.json"
    let arguments = ["tune-liveness", "--captures", path, "--out", out]
    let unmet = try CommandRun(arguments + ["--max-apcer", "0.01"])
    #expect(unmet.status == 1 && unmet.errors.contains("not met: APCER of"))
    #expect(!FileManager.default.fileExists(atPath: out))
    let forced = try CommandRun(arguments + ["--max-apcer", "0.01", "--write-unmet"])
    #expect(forced.status == 1 && FileManager.default.fileExists(atPath: out))
    // Twenty people are so few that certainly too many are refused.
    let unasked = try CommandRun(arguments)
    #expect(unasked.status == 1 && unasked.errors.contains("not met: BPCER: "))
    let met = try CommandRun(arguments + ["--max-bpcer", "1", "--max-apcer", "1"])
    #expect(met.status == 0)
    #expect(met.errors.contains("provisional: 160 of 160 captures don't say that a camera took them"))
    let model = try #require(
      try JSONSerialization.jsonObject(with: Data(contentsOf: URL(filePath: out))) as? [String: Any])
    #expect(model["provisional"] as? Bool == true)
  }
}
