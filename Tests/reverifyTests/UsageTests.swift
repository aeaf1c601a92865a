import FaceMatching
import TestSupport
import Testing

@Suite struct UsageTests {
  @Test func `help teaches every command and its options`() throws {
    let overview = try CommandRun(["--help"])
    #expect(overview.status == 0)
    for command in ["compare", "search", "simulate", "tune", "info"] {
      #expect(overview.output.contains("  \(command) "))
      let help = try CommandRun([command, "--help"])
      #expect(help.status == 0 && help.output.contains("reverify \(command)"))
      #expect(help.output == (try CommandRun(["help", command]).output))
    }
  }

  @Test(arguments: [
    [], ["nonsense"], ["compare"], ["compare", "--nonsense"], ["compare", "--data"],
    ["search", "--data", "a", "b"],
    ["simulate", "--json", "--json"], ["simulate", "--json=yes"], ["simulate", "--attempts", "11"],
    ["simulate", "--target-fmr", "2"], ["simulate", "--threshold", "1.5"],
    ["simulate", "--recognise-threshold", "0.5"],
    ["simulate", "--liveness-model", "passive", "--attacks", "3"],
    ["simulate", "--space", "edgeface-xs"], ["compare", "--data", "a", "--embeddings", "b"],
    ["tune", "--index", "x"],
  ])
  func `wrong usage ends with status 64 and says what is wrong`(arguments: [String]) throws {
    let run = try CommandRun(arguments)
    #expect(run.status == 64)
    #expect(arguments.isEmpty ? run.output.contains("usage:") : run.errors.hasPrefix("reverify: "))
  }

  @Test func `the evaluation alone is a program of its own, with the same commands`() throws {
    let program = CommandRun.product("reverify-eval")
    let overview = try CommandRun(executable: program, ["--help"])
    #expect(
      overview.status == 0 && overview.output.contains("  tune ") && !overview.output.contains("  begin "))
    let folder = try TemporaryFolder()
    let scores = try folder.write("s.csv", "same,score\n1,0.9\n1,0.6\n0,0.7\n0,0.1\n".utf8)
    let arguments = ["eval", "--scores", scores]
    let (alone, whole) = (try CommandRun(executable: program, arguments), try CommandRun(arguments))
    #expect(alone.status == 0 && alone.output == whole.output)
    #expect(try CommandRun(executable: program, ["begin"]).status == 64)
  }

  @Test func `what can't be written, or was asked for wrongly, is told before the work`() throws {
    let folder = try TemporaryFolder()
    let scores = try folder.write("s.csv", "same,score\n1,0.9\n0,0.1\n".utf8)
    for output in [["--json", "\(folder.path)/no/x.json"], ["--html", folder.path], ["--csv", scores]] {
      let run = try CommandRun(["eval", "--scores", scores] + output)
      #expect(run.status == 74 && run.errors.contains(output[1]), "\(run.errors)")
    }
    // Two rows of two people: enough to begin, and too few for any rate.
    let rows = try folder.write("e.csv", "1,0\n0,1\n".utf8)
    let index = try folder.write("i.csv", "subject,image\na,1\nb,2\n".utf8)
    let data = ["--embeddings", rows, "--index", index]
    for (wrong, status) in [
      (["--also", "\(folder.path)/no"], 65), (["--out", "\(folder.path)/no/x.json"], 74),
      (["--enrolled", "0"], 64), (["--target-fpir", "2"], 64), (["--target-fmr", "1e-2,0.01"], 64),
      (["--fixed", "x"], 64), (["--replicates", "-1"], 64),
    ] as [([String], Int32)] {
      let run = try CommandRun(["tune"] + data + wrong)
      #expect(run.status == status && !run.errors.contains("supported"), "\(wrong): \(run.errors)")
    }
  }

  @Test func `a column score of the pairs is not doubled`() throws {
    let folder = try TemporaryFolder()
    let rows = try folder.write("e.csv", "1,0\n0,1\n".utf8)
    let pairs = try folder.write("p.csv", "row_a,row_b,score\n0,1,0.5\n".utf8)
    let run = try CommandRun(["compare", "--embeddings", rows, "--pairs", pairs])
    #expect(run.status == 65 && run.errors.contains("p.csv") && run.output.isEmpty)
  }

  @Test func `a SIMD level that is not there is refused by name`() throws {
    let unknown = try CommandRun(["info"], environment: ["REVERIFY_SIMD": "sse9"])
    #expect(unknown.status == 64)
    #expect(unknown.errors.contains("REVERIFY_SIMD") && unknown.errors.contains("'sse9'"))
    for level in KernelLevel.allCases {
      let run = try CommandRun(["info"], environment: ["REVERIFY_SIMD": level.rawValue])
      #expect(run.status == (level.isAvailable ? 0 : 64))
      if level.isAvailable { #expect(run.output.contains("in use: \(level.rawValue)")) }
    }
  }

  @Test func `a missing or damaged file is named, with the place and what was expected`() throws {
    let missing = try CommandRun(["compare", "--data", "no-such-folder"])
    #expect(
      missing.status == 65 && missing.errors.contains("no-such-folder") && missing.errors.contains("expected")
    )
    let folder = try TemporaryFolder()
    let file = try folder.write("cut.fbin", [2, 0, 0, 0, 2, 0, 0, 0, 1, 2, 3] as [UInt8])
    let damaged = try CommandRun(["search", "--embeddings", file, "--probe-rows", "0"])
    #expect(damaged.status == 65)
    #expect(damaged.errors.contains("cut.fbin") && damaged.errors.contains("byte"))
  }

  @Test func `a models folder that was asked for must be there`() throws {
    let run = try CommandRun(["info", "--models", "no-such-folder"])
    #expect(run.status == 65 && run.errors.contains("no-such-folder"))
  }

  @Test func `a recognise threshold below the verify threshold is refused, not raised in silence`() throws {
    let run = try CommandRun(["simulate", "--threshold", "0.9", "--recognise-threshold", "0.1"])
    #expect(run.status == 64 && run.output.isEmpty)
  }

  @Test func `a liveness model that was asked for is read before anything is played`() throws {
    let run = try CommandRun(["simulate", "--subjects", "90", "--liveness-model", "no-such-model.json"])
    #expect(run.status == 65 && run.output.isEmpty && run.errors.contains("no-such-model.json"))
  }

  @Test func `output that can't be written is an error`() throws {
    let lost = try CommandRun(shell: "exec \"$0\" info > /dev/full")
    #expect(lost.status == 74 && lost.errors.contains("could not be written"))
  }
}
