import EvaluationCommands
import Foundation
import TestSupport
import Testing

/// Bug: `simulate-captures --out` replaced pipes and links by files, and left what it had written when it failed.
@Suite struct WriteFileTests {
  private struct Stop: Error {}
  private static let simulate = [
    "simulate-captures", "--subjects", "1", "--bona-fide", "1", "--species", "bona_fide", "--seed", "77",
    "--out",
  ]

  private static let expected: String = (try? CommandRun(simulate.dropLast()).output) ?? ""

  private func names(_ folder: TemporaryFolder) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
  }

  @Test func `a file is whole or as it was before, and nothing is left beside it`() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("old.txt", "old".utf8)
    for target in [path, "\(folder.path)/new.txt"] {
      #expect(throws: Stop.self) {
        try writeFile(to: target) { write in
          try write(Data("half".utf8))
          throw Stop()
        }
      }
    }
    #expect(try names(folder) == ["old.txt"] && String(contentsOfFile: path, encoding: .utf8) == "old")
    try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
    try writeFile(to: path) { write in for piece in ["a", "b"] { try write(Data(piece.utf8)) } }
    #expect(try names(folder) == ["old.txt"] && String(contentsOfFile: path, encoding: .utf8) == "ab")
    let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    #expect(mode == 0o640)
    #expect(throws: OutputError.self) { try writeFile(Data("a".utf8), to: "/dev/full") }
  }

  @Test func `captures go through a link and into a pipe, which stay what they are`() throws {
    #expect(Self.expected.hasSuffix("}\n"))
    let folder = try TemporaryFolder()
    let (target, link, pipe) = ("\(folder.path)/target", "\(folder.path)/link", "\(folder.path)/pipe")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: target)
    #expect(try CommandRun(Self.simulate + [link]).status == 0)
    #expect(try String(contentsOfFile: target, encoding: .utf8) == Self.expected)
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == target)
    #expect(mkfifo(pipe, 0o600) == 0)
    let words = Self.simulate.map { "'\($0)'" }.joined(separator: " ")
    let piped = try CommandRun(shell: "cat '\(pipe)' & \"$0\" \(words) '\(pipe)'; s=$?; wait; exit $s")
    #expect(piped.status == 0 && piped.output == Self.expected)
    #expect(try names(folder) == ["link", "pipe", "target"])
    #expect(try CommandRun(shell: "test -p '\(pipe)'").status == 0)
  }

  @Test func `where nothing can be written the liveness commands say so before they work`() throws {
    for path in ["/no-such-folder/out", "/"] {
      for arguments in [
        Self.simulate, ["tune-liveness", "--simulate", "simulated-ideal-468", "--subjects", "5000", "--out"],
      ] {
        let run = try CommandRun(arguments + [path])
        #expect(run.status == 74 && run.output.isEmpty && run.errors.hasPrefix("reverify: \(path): "))
      }
    }
    let full = try CommandRun(Self.simulate + ["/dev/full"])
    #expect(full.status == 74 && full.errors.hasPrefix("reverify: /dev/full: can't be written: "))
  }
}
