import Biometrics
import Foundation
import TestSupport
import Testing

/// What a data set or a score file may look like without its figures becoming others.
@Suite struct EvalInputTests {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private func evaluate(_ arguments: [String]) throws -> [String: Any] {
    let run = try CommandRun(["eval"] + arguments)
    #expect(run.status == 0, "\(run.errors)")
    let tree = try JSONSerialization.jsonObject(with: Data(run.output.utf8))
    return try #require(tree as? [String: Any])
  }

  /// Eight subjects of four rows, their names from `name`, with a column of groups.
  private func data(name: (Int) -> String = { "s\($0)" }, group: (Int) -> String = { _ in "a" }) throws {
    var random = SeededGenerator(seed: 11)
    var rows: [String] = []
    var index = ["image,subject,group"]
    for subject in 0..<8 {
      let centre = (0..<16).map { _ in Double.random(in: -1...1, using: &random) }
      for image in 0..<4 {
        rows.append(
          centre.map { "\($0 + Double.random(in: -0.9...0.9, using: &random))" }.joined(separator: ","))
        index.append("i\(4 * subject + image),\(name(subject)),\(group(image))")
      }
    }
    let header = (0..<16).map { "c\($0)" }.joined(separator: ",")
    _ = try folder.write("embeddings.csv", ([header] + rows).joined(separator: "\n").utf8)
    _ = try folder.write("index.csv", index.joined(separator: "\n").utf8)
  }

  private func allPairs(_ tree: [String: Any]) throws -> [String: Any] {
    try #require((tree["all_pairs"] as? [String: Any])?["cosine"] as? [String: Any])
  }

  @Test func `rows of one subject in several groups are still of one subject`() throws {
    try data(group: { $0 % 2 == 0 ? "a" : "b" })
    let plain = try allPairs(evaluate(["--data", folder.path, "--metrics", "cosine"]))
    let grouped = try allPairs(evaluate(["--data", folder.path, "--metrics", "cosine", "--group", "group"]))
    for figures in [plain, grouped] {
      #expect((figures["genuine"] as? [String: Any])?["n"] as? Int == 8 * 6)
      #expect((figures["impostor"] as? [String: Any])?["n"] as? Int == 28 * 16)
    }
    let rates = [plain, grouped].map { ($0["eer"] as? [String: Any])?["eer_interval"] as? Double }
    #expect(rates[0] != nil && rates[0] == rates[1])
  }

  @Test func `a report's curves are of cosine, whatever the order of the metrics`() throws {
    try data()
    func curves(_ metrics: String) throws -> [String] {
      let place = folder.path + "/" + metrics
      let run = try CommandRun(["eval", "--data", folder.path, "--metrics", metrics, "--csv", place])
      #expect(run.status == 0, "\(run.errors)")
      return try FileManager.default.contentsOfDirectory(atPath: place).sorted().map {
        try $0 + String(contentsOfFile: "\(place)/\($0)", encoding: .utf8)
      }
    }
    #expect(try curves("euclidean_raw,cosine") == curves("cosine,euclidean_raw"))
    // Thresholds of distances say nothing of searches by cosine.
    #expect(try !curves("euclidean_raw").contains { $0.hasPrefix("identification.csv") })
  }

  @Test func `subjects of one number are told apart, each time alike`() throws {
    try data(name: { ["7", "07", "007", "1", "01", "2", "3", "4"][$0] })
    let outputs = try (0..<3).map { _ in
      try CommandRun(["eval", "--data", folder.path, "--metrics", "cosine", "--replicates", "0"]).output
        .split(separator: "\n").filter { !$0.contains("seconds") }
    }
    #expect(outputs[0] == outputs[1] && outputs[1] == outputs[2] && !outputs[0].isEmpty)
    let tree = try evaluate(["--data", folder.path, "--metrics", "cosine"])
    #expect((try allPairs(tree)["genuine"] as? [String: Any])?["n"] as? Int == 8 * 6)
  }

  @Test(arguments: ["", "\u{FEFF}"])
  func `a byte-order mark before bob's columns is no part of a name`(mark: String) throws {
    let path = try folder.write("four.txt", "\(mark)a a p1 0.9\na b p2 0.1\nb b p3 0.8\nb a p4 0.2\n".utf8)
    let scores = try #require(evaluate(["--scores", path, "--form", "four"])["scores"] as? [String: Any])
    #expect((scores["genuine"] as? [String: Any])?["n"] as? Int == 2)
    #expect((scores["impostor"] as? [String: Any])?["n"] as? Int == 2)
  }

  @Test func `a comparison that failed has no score between the commas`() throws {
    let path = try folder.write(
      "code.csv", "A,A,0.9,0\nB,B,0.8,0\nA,B,0.1,0\nB,A,0.2,0\nA,A,,1\n".utf8)
    let tree = try evaluate(["--scores", path, "--form", "code"])
    let scores = try #require(tree["scores"] as? [String: Any])
    #expect((scores["genuine"] as? [String: Any])?["n"] as? Int == 2)
    let cut = try folder.write("cut.csv", "A,A,0.9\n".utf8)
    #expect(try CommandRun(["eval", "--scores", cut, "--form", "code"]).status == 65)
  }

  @Test(arguments: [["--scores", "/nonexistent"], ["--data", "/nonexistent"]])
  func `what is refused leaves no folder behind`(arguments: [String]) throws {
    let place = folder.path + "/curves"
    let run = try CommandRun(["eval", "--csv", place] + arguments)
    #expect(run.status == 65 && !FileManager.default.fileExists(atPath: place), "\(run.errors)")
  }

  @Test func `other data of a space have its dimension`() throws {
    try data()
    try FileManager.default.createDirectory(
      atPath: folder.path + "/other", withIntermediateDirectories: false)
    let other = try folder.write("other/embeddings.csv", "c0,c1\n1,0\n0,1\n".utf8)
    _ = try folder.write("other/index.csv", "image,subject\na,0\nb,1\n".utf8)
    let run = try CommandRun([
      "tune", "--data", folder.path, "--also", (other as NSString).deletingLastPathComponent, "--space", "t",
      "--target-fmr", "0.1", "--out", folder.path + "/t.json",
    ])
    #expect(run.status == 65 && run.errors.contains("expected 16 components"), "\(run.errors)")
  }
}
