import Foundation
import ReVerify
import TestSupport
import Testing

/// The README's example, as it stands there.
@Suite struct ReadmeTests {
  @Test func `the example in the README is the one that is compiled and run here`() async throws {
    let readme = try String(contentsOf: CommandRun.package.appending(path: "README.md"), encoding: .utf8)
    let block = try #require(readme.components(separatedBy: "```swift\n").dropFirst().first)
    let text = try #require(block.components(separatedBy: "```").first)
    let source = try String(
      contentsOf: CommandRun.package.appending(path: "Tests/reverifyTests/ReadmeExample.swift"),
      encoding: .utf8)
    #expect(source.contains(text.trimmingCharacters(in: .newlines)))
    try await example()
  }

  @Test func `the README's evaluation commands show what it says of them`() throws {
    let readme = try String(contentsOf: CommandRun.package.appending(path: "README.md"), encoding: .utf8)
    let section = try #require(readme.range(of: "## Thresholds with evidence"))
    let block = try #require(
      readme[section.upperBound...].components(separatedBy: "```sh\n").dropFirst().first)
    let lines = try #require(block.components(separatedBy: "```").first)
    let folder = try TemporaryFolder()
    try Self.faces(in: folder)
    let run = try CommandRun(
      shell: """
        cd '\(folder.path)'; ln -s '\(CommandRun.package.path)/models' models
        # 1 says that there is something to look at.
        binary=$0; reverify() { "$binary" "$@" || [ $? = 1 ]; }
        set -e
        \(lines)
        """)
    #expect(run.status == 0, "\(run.errors)")
    for text in [
      "decisions that would flip: ", "160 references of 40 users", "BPCER  bona fide: ", "APCER  ",
    ] {
      #expect(run.output.contains(text), "\(text)")
    }
    #expect(run.errors.contains("is kept by these data and not upheld"))
    for (file, text) in [
      ("my-model.json", "falseMatchRateUpheld"), ("report.html", "target upheld at 95 %?"),
      ("figures.json", "effective_interval"), ("curves/cmc.csv", "rank,hits,searches"),
    ] {
      let content = try String(contentsOfFile: "\(folder.path)/\(file)", encoding: .utf8)
      #expect(content.contains(text), "\(file)")
    }
  }

  /// Forty people of four rows each, of a small generator, in a folder `faces`.
  private static func faces(in folder: TemporaryFolder) throws {
    var generator = SeededGenerator(seed: 1)
    func noise() -> Double { Double(generator.next(below: 2001)) / 1000 - 1 }
    var (rows, index) = ((0..<24).map { "c\($0)" }.joined(separator: ",") + "\n", "subject,image\n")
    for person in 0..<40 {
      let centre = (0..<24).map { _ in noise() }
      for image in 0..<4 {
        rows += centre.map { "\($0 + 0.4 * noise())" }.joined(separator: ",") + "\n"
        index += "p\(person),\(person)-\(image)\n"
      }
    }
    try FileManager.default.createDirectory(
      atPath: "\(folder.path)/faces", withIntermediateDirectories: true)
    _ = try folder.write("faces/embeddings.csv", rows.utf8)
    _ = try folder.write("faces/index.csv", index.utf8)
  }
}
