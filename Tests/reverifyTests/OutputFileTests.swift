import Foundation
import TestSupport
import Testing

/// What evaluation commands write: never over what they read or over each other, whole or not at all.
@Suite struct OutputFileTests {
  let folder: TemporaryFolder
  let scores: String
  let data: [String]

  init() throws {
    folder = try TemporaryFolder()
    scores = try folder.write("s.csv", "same,score\n1,0.9\n1,0.6\n0,0.7\n0,0.1\n".utf8)
    // Ten people of two rows, the last of whom has one that is no embedding.
    let rows = (0..<20).map { $0 == 19 ? "0,0" : "1,0.\($0 / 2)\($0 % 2)" }
    let embeddings = try folder.write("e.csv", ("a,b\n" + rows.joined(separator: "\n") + "\n").utf8)
    let index = try folder.write(
      "i.csv", ("subject,image\n" + (0..<20).map { "p\($0 / 2),\($0)\n" }.joined()).utf8)
    data = ["--embeddings", embeddings, "--index", index]
  }

  private func content(_ path: String) throws -> String { try String(contentsOfFile: path, encoding: .utf8) }

  private func expectRefused(_ arguments: [String], keeping path: String) throws {
    let before = try content(path)
    let run = try CommandRun(arguments)
    #expect(run.status == 64 && run.errors.contains("would overwrite"), "\(arguments): \(run.errors)")
    #expect(try content(path) == before && run.output.isEmpty)
  }

  @Test func `an output never takes the place of an input, by path, by link or by inode`() throws {
    let files = FileManager.default
    let (link, hard) = ("\(folder.path)/link.json", "\(folder.path)/hard.json")
    try files.createSymbolicLink(atPath: link, withDestinationPath: "s.csv")
    try files.linkItem(atPath: scores, toPath: hard)
    let round = "\(folder.path)/../\((folder.path as NSString).lastPathComponent)/s.csv"
    for output in [scores, link, hard, round] {
      try expectRefused(["eval", "--scores", scores, "--json", output], keeping: scores)
      try expectRefused(["eval", "--scores", scores, "--html", output], keeping: scores)
    }
    try expectRefused(["eval"] + data + ["--json", data[3]], keeping: data[3])
    try expectRefused(["tune"] + data + ["--out", data[1]], keeping: data[1])
    try expectRefused(["tune"] + data + ["--out=\(data[3])"], keeping: data[3])
    try expectRefused(["tune-liveness", "--captures", scores, "--out", scores], keeping: scores)
    let attacks = try folder.write("a.csv", "species,liveness_score\nbona_fide,0.9\nprint,0.1\n".utf8)
    try expectRefused(["eval", "--presentations", attacks, "--json", attacks], keeping: attacks)
    // A curve of a folder that has the scores.
    let curves = try folder.write("histogram.csv", "same,score\n1,0.9\n0,0.1\n".utf8)
    try expectRefused(["eval", "--scores", curves, "--csv", folder.path], keeping: curves)
    // A known space, which eval reads.
    try files.createDirectory(atPath: "\(folder.path)/embedding-spaces", withIntermediateDirectories: true)
    let space = "\(folder.path)/embedding-spaces/x.json"
    try Data("{}".utf8).write(to: URL(filePath: space))
    try expectRefused(["eval"] + data + ["--models", folder.path, "--json", space], keeping: space)
  }

  @Test func `two outputs are two files`() throws {
    let (one, other) = ("\(folder.path)/one", "\(folder.path)/other")
    try FileManager.default.createSymbolicLink(atPath: other, withDestinationPath: "one")
    for pair in [
      ["--json", one, "--html", one], ["--json", one, "--html", other], ["--json", other, "--html", one],
      ["--json", "\(folder.path)/new/cmc.csv", "--csv", "\(folder.path)/new"],
    ] {
      let run = try CommandRun(["eval", "--scores", scores] + pair)
      #expect(run.status == 64 || run.status == 74, "\(run.errors)")
      #expect(!FileManager.default.fileExists(atPath: one))
    }
    // Devices hold nothing to overwrite.
    #expect(
      try CommandRun(["eval", "--scores", scores, "--json", "/dev/null", "--html", "/dev/null"]).status == 0)
  }

  @Test func `a link stays one, and what it leads to is replaced`() throws {
    let (link, place) = ("\(folder.path)/link.json", "\(folder.path)/place.json")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "place.json")
    for _ in 0..<2 {
      #expect(try CommandRun(["eval", "--scores", scores, "--json", link]).status == 0)
      #expect(try content(place).hasPrefix("{"))
      #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == "place.json")
    }
  }

  @Test
  func `standard output by its name is a pipe or a file, and a link to nowhere is told before the work`()
    throws
  {
    let piped = try CommandRun(["eval", "--scores", scores, "--json", "/dev/stdout"])
    #expect(piped.status == 0 && piped.output.hasPrefix("{"))
    let place = "\(folder.path)/out.json"
    let run = try CommandRun(shell: "\"$0\" eval --scores '\(scores)' --json /dev/stdout > '\(place)'")
    #expect(try run.status == 0 && content(place).hasPrefix("{"))
    let link = "\(folder.path)/nowhere"
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "no/such/place")
    #expect(try CommandRun(["eval", "--scores", scores, "--json", link]).status == 74)
  }

  @Test func `when one output is lost none is written, and nothing is left beside`() throws {
    let old = try folder.write("old.json", "old".utf8)
    let run = try CommandRun(["eval", "--scores", scores, "--json", old, "--html", "/dev/full"])
    #expect(run.status == 74 && run.errors.contains("/dev/full: can't be written"), "\(run.errors)")
    #expect(try content(old) == "old")
    #expect(try CommandRun(["tune"] + data + ["--out", "/dev/full"]).status == 74)
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(names.sorted() == ["e.csv", "i.csv", "old.json", "s.csv"])
  }

  @Test func `exit statuses are those of the table`() throws {
    // A row that is no embedding: done in part.
    let target = ["--target-fmr", "0.1"]
    #expect(try CommandRun(["eval"] + data + target + ["--json", "/dev/null"]).status == 1)
    let tuned = "\(folder.path)/t.json"
    let run = try CommandRun(["tune"] + data + target + ["--target-fpir", "0.5", "--out", tuned])
    #expect(run.status == 1, "\(run.errors)")
    #expect(try content(tuned).contains("\"unusableRowCount\" : 1"))
    // An unreachable target is a finding of a report, and a threshold that tune owes.
    #expect(try CommandRun(["eval", "--scores", scores, "--target-fmr", "1e-6"]).status == 0)
    let clean = try folder.write(
      "c.csv", ("a,b\n" + (0..<20).map { "1,0.\($0 / 2)\($0 % 2)\n" }.joined()).utf8)
    let sound = ["--embeddings", clean] + data.suffix(2)
    #expect(try CommandRun(["eval"] + sound + ["--target-fmr", "1e-6", "--json", "/dev/null"]).status == 0)
    let owed = try CommandRun(["tune"] + sound + ["--target-fmr", "0.1,1e-6", "--target-fpir", "0.5"])
    #expect(
      owed.status == 1 && owed.errors.contains("FMR 1e-6 is not supported by 180 non-mated comparisons"))
    #expect(try CommandRun(["tune"] + sound + target + ["--target-fpir", "0.5"]).status == 0)
    #expect(try CommandRun(["eval", "--scores", "\(folder.path)/none.csv"]).status == 65)
    #expect(try CommandRun(["tune"] + sound + ["--enrolled", "999999"] + target).status == 1)
  }

  @Test func `scores of exactly 1 that are tied are refused by tune, and what is written is true`() throws {
    let rows = try folder.write("ties.csv", "a,b\n1,0\n1,0\n2,0\n3,0\n0,1\n0,1\n".utf8)
    let index = try folder.write("ti.csv", "subject,image\na,0\na,1\nb,2\nc,3\nd,4\ne,5\n".utf8)
    let run = try CommandRun([
      "tune", "--embeddings", rows, "--index", index, "--target-fmr", "0.5,0.2", "--target-fpir", "0.5",
      "--replicates", "0",
    ])
    #expect(run.status == 1 && run.errors.contains("FMR 1/5 is not supported: scores of exactly 1 are tied"))
    let tree = try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any]
    let points = try #require(tree?["points"] as? [[String: Any]])
    #expect(points.count == 1 && points[0]["falseMatches"] as? Int == 6)
    #expect((points[0]["threshold"] as? Double ?? 2) < 1)
  }
}
