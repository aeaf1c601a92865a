import FaceMatching
import TestSupport
import Testing

/// Commands on a handful of rows whose scores are known by hand.
@Suite struct SmallDataTests {
  let folder: TemporaryFolder
  let data: [String]

  init() throws {
    folder = try TemporaryFolder()
    // Row 4 is no embedding; row 3 is row 0, three times as long.
    let rows = try folder.write("rows.csv", "a,b\n1,0\n0,1\n-1,0\n3,0\n0,0\n".utf8)
    data = ["--embeddings", rows]
  }

  @Test func `compare prints the pairs' own columns and the score`() throws {
    let pairs = try folder.write("pairs.csv", "note,row_a,row_b\n\"x, y\",0,3\nz,0,1\nz,0,2\n".utf8)
    let run = try CommandRun(["compare"] + data + ["--pairs", pairs])
    #expect(run.status == 0)
    #expect(run.lines == ["note,row_a,row_b,score", "\"x, y\",0,3,1.0", "z,0,1,0.0", "z,0,2,-1.0"])
  }

  @Test func `a pair with a row that is no embedding keeps an empty score, and the others theirs`() throws {
    let pairs = try folder.write("pairs.csv", "row_a,row_b\n0,4\n0,3\n".utf8)
    let run = try CommandRun(["compare"] + data + ["--pairs", pairs])
    #expect(run.status == 1)
    #expect(run.lines == ["row_a,row_b,score", "0,4,", "0,3,1.0"])
    #expect(run.errors.contains("pair 0") && run.errors.contains("zero"))
  }

  @Test func `search prints probe, rank, row and score, ties by row`() throws {
    let run = try CommandRun(["search"] + data + ["--probe-rows", "3,1", "--limit", "3"])
    #expect(run.status == 1)  // Row 4 was left out.
    #expect(
      run.lines == [
        "probe,rank,row,score", "3,1,0,1.0", "3,2,3,1.0", "3,3,1,0.0", "1,1,1,1.0", "1,2,0,0.0", "1,3,2,0.0",
      ])
    let matches = try CommandRun(["search"] + data + ["--probe-rows", "0-1", "--threshold", "0.5"])
    #expect(matches.lines.dropFirst() == ["0,1,0,1.0", "0,2,3,1.0", "1,1,1,1.0"])
  }

  @Test func `search takes probes from a file of the same dimension`() throws {
    let probes = try folder.write("probes.csv", "a,b\n0,5\n".utf8)
    let run = try CommandRun(["search"] + data + ["--probes", probes, "--limit", "1"])
    #expect(run.lines == ["probe,rank,row,score", "0,1,1,1.0"])
    let other = try folder.write("other.csv", "a,b,c\n0,5,1\n".utf8)
    let refused = try CommandRun(["search"] + data + ["--probes", other])
    #expect(refused.status == 65 && refused.errors.contains("2 components"))
  }

  @Test func `rows that aren't there are refused`() throws {
    for rows in ["5", "0-5", "3-2", "x", "", "0,,1", "-1"] {
      #expect(try CommandRun(["search"] + data + ["--probe-rows=\(rows)"]).status == 64, "\(rows)")
    }
  }
}
