import Foundation
import TestSupport
import Testing

@Suite struct HealthTests {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  /// Twelve users in as many dimensions, two sessions each that lie close together; some are then spoilt.
  private func data(_ spoil: (inout [[Double]], inout [String]) -> Void) throws -> String {
    var rows: [[Double]] = []
    var users: [String] = []
    for user in 0..<12 {
      for session in 0..<2 {
        var row = [Double](repeating: 0, count: 14)
        row[user] = 1
        row[12] = 0.02 * Double(session) + 0.001 * Double(user * (session + 1))
        rows.append(row)
        users.append("user-\(user)")
      }
    }
    spoil(&rows, &users)
    let columns = (0..<14).map { "c\($0)" }.joined(separator: ",")
    _ = try folder.write(
      "embeddings.csv",
      ("\(columns)\n" + rows.map { $0.map { "\($0)" }.joined(separator: ",") + "\n" }.joined()).utf8)
    _ = try folder.write(
      "index.csv",
      ("subject,image\n" + users.enumerated().map { "\($0.element),session-\($0.offset)\n" }.joined()).utf8)
    return folder.path
  }

  private func run(_ arguments: [String]) throws -> (status: Int32, report: [String: Any]) {
    let run = try CommandRun(["health", "--json"] + arguments)
    let report = try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any]
    return (run.status, try #require(report, "\(run.errors)"))
  }

  @Test func `sound references have nothing to tell`() throws {
    let path = try data { _, _ in }
    let (status, report) = try run(["--data", path, "--threshold", "0.5", "--deviations", "50"])
    #expect(status == 0 && report["users"] as? Int == 12 && report["references"] as? Int == 24)
    for name in ["one_person_under_two_users", "disagreeing_references", "hard_to_match", "easily_matched"] {
      #expect((report[name] as? [Any])?.isEmpty == true)
    }
    #expect(report["drifted_images"] is NSNull)
  }

  @Test func `a row that is no embedding is counted, and the status says so`() throws {
    let path = try data { rows, _ in rows[5] = [Double](repeating: 0, count: 14) }
    let (status, report) = try run(["--data", path, "--threshold", "0.5", "--deviations", "50"])
    #expect(status == 1 && report["references"] as? Int == 23 && report["rows_left_out"] as? Int == 1)
  }

  @Test func `one person under two users, and a user whose references disagree, are found by id`() throws {
    let path = try data { rows, _ in
      rows[6] = rows[0]  // A session of user 3 shows user 0.
    }
    let (status, report) = try run(["--data", path, "--threshold", "0.5", "--recognise-threshold", "0.9"])
    #expect(status == 1)
    let twins = try #require(report["one_person_under_two_users"] as? [[[String: String]]])
    #expect(twins.map { $0.map { $0["user"] } } == [["user-0", "user-3"]])
    #expect(twins[0][1]["session"] == "session-6")
    let disagreeing = try #require(report["disagreeing_references"] as? [[[String: String]]])
    #expect(disagreeing.map { $0.map { $0["session"] } } == [["session-6", "session-7"]])
    #expect(report["hard_to_match"] as? [String] == ["user-3"])
  }

  @Test func `a user close to everybody is easily matched`() throws {
    let path = try data { rows, _ in
      for row in 4...5 { rows[row] = (0..<14).map { $0 < 12 ? 1 + ($0 == 2 ? 1 : 0) : 0 } }
    }
    let (_, report) = try run(["--data", path, "--threshold", "0.5", "--recognise-threshold", "0.9"])
    #expect(report["easily_matched"] as? [String] == ["user-2"])
  }

  @Test func `canary images whose embedding changed are told by number`() throws {
    let before = try folder.write("before.csv", "a,b\n1,0\n0,1\n1,1\n".utf8)
    let now = try folder.write("now.csv", "a,b\n1,0.001\n0.4,1\n0,0\n".utf8)
    let (status, report) = try run(["--canary", before, "--canary-now", now])
    #expect(
      status == 1 && report["drifted_images"] as? [Int] == [1] && report["missing_images"] as? [Int] == [2])
    #expect(report["users"] is NSNull)
    #expect(try CommandRun(["health", "--canary", before]).status == 64)
  }

  @Test func `no score is printed`() throws {
    let path = try data { rows, _ in rows[6] = rows[0] }
    let text = try CommandRun(["health", "--data", path, "--threshold", "0.5"])
    #expect(text.output.contains("user user-0, session session-0") && !text.output.contains("."))
  }

  @Test(arguments: [
    ["--threshold", "0.5", "--target-fmr", "1e-3"], ["--threshold", "0.5", "--space", "edgeface-xs"],
    ["--space", "edgeface-xs", "--target-fmr", "1e-3,1e-4"], ["--recognise-threshold", "0.5"],
  ])
  func `an option that would be ignored, or a list where one is meant, is refused`(arguments: [String]) throws
  {
    let path = try data { _, _ in }
    #expect(try CommandRun(["health", "--data", path] + arguments).status == 64)
  }
}
