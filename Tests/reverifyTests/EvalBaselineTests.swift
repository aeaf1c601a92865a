import Foundation
import TestSupport
import Testing

/// `reverify eval` beside the baselines of the shared data sets, by a program: every figure that both have.
@Suite struct EvalBaselineTests {
  /// All pairs of Labeled Faces in the Wild are 87 million comparisons, four times: for the long runs.
  static let names =
    ["orl-edgeface", "orl-dlib"] + (LongRuns.areEnabled ? ["lfw-edgeface", "lfw-dlib"] : [])

  @Test(.enabled("no shared data here", { SharedData.has("lfw-edgeface") }), arguments: names)
  func `every figure of the baselines is reproduced`(name: String) throws {
    let folder = try TemporaryFolder()
    let data = SharedData.folder(name)
    let run = try CommandRun([
      "eval", "--data", data, "--json", "\(folder.path)/out.json", "--replicates", "0",
    ])
    #expect(run.status == 0 && run.output.isEmpty, "\(run.errors)")
    // The baselines may hold a bare Infinity, which is no JSON; there we write null.
    let text = try String(contentsOfFile: "\(data)/baselines.json", encoding: .utf8)
      .replacing(/-?\bInfinity\b/, with: "null")
    let expected = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    let found = try #require(
      try JSONSerialization.jsonObject(with: Data(contentsOf: URL(filePath: "\(folder.path)/out.json")))
        as? [String: Any])
    var comparison = Comparison()
    comparison.compare(expected, found, "")
    #expect(comparison.differences == [])
    // What the baselines have and we don't: other programs' figures, and how they were made.
    #expect(comparison.missing == [])
    #expect(comparison.figures > 400)
    // The area under the ROC stands under scikit-learn there.
    let area = try Self.value(expected, "all_pairs", "cosine", "third_party", "sklearn", "auc")
    #expect(abs(area - (try Self.value(found, "all_pairs", "cosine", "auc"))) < 1e-9)
    let listed = try Self.value(expected, "official_pairs_cosine", "third_party", "sklearn", "auc")
    #expect(abs(listed - (try Self.value(found, "official_pairs_cosine", "auc"))) < 1e-9)
  }

  /// Thresholds and right decisions were found by numpy, by the rules of the baselines.
  @Test(
    .enabled("no shared data here", { SharedData.has("lfw-edgeface") }),
    arguments: [
      ("lfw-edgeface", -1.2203077913541118, -1.2203077913541118, 995, 995),
      ("lfw-dlib", -0.4452370180047751, -0.4344913730743989, 984, 988),
    ])
  func `View 1 gives its thresholds and what they are worth`(
    name: String, low: Double, high: Double, rightLow: Int, rightHigh: Int
  ) throws {
    // Without all pairs, which are of the other metrics.
    let run = try CommandRun([
      "eval", "--data", SharedData.folder(name), "--metrics", "euclidean_l2norm", "--replicates", "0",
    ])
    #expect(run.status == 0, "\(run.errors)")
    let tree = try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any]
    let figures = try #require((tree?["pairs_dev"] as? [String: Any])?["euclidean_l2norm"] as? [String: Any])
    #expect(figures["n_train"] as? Int == 2200 && figures["n_test"] as? Int == 1000)
    #expect(abs((figures["threshold_low"] as? Double ?? 0) - low) < 1e-9)
    #expect(abs((figures["threshold_high"] as? Double ?? 0) - high) < 1e-9)
    #expect(figures["right_low"] as? Int == rightLow && figures["right_high"] as? Int == rightHigh)
  }

  private static func value(_ tree: [String: Any], _ path: String...) throws -> Double {
    var node: Any = tree
    for name in path { node = try #require((node as? [String: Any])?[name], "\(path)") }
    return try #require(node as? Double)
  }

  /// Walks two trees: counts equal, thresholds to 1e-6, rates to 1e-9.
  private struct Comparison {
    var figures = 0
    var differences: [String] = []
    var missing: [String] = []

    private static let foreign: Set = ["third_party", "seconds", "numpy", "dtype"]

    mutating func compare(_ expected: Any, _ found: Any, _ path: String) {
      if let expected = expected as? [String: Any] {
        let found = found as? [String: Any] ?? [:]
        for (name, value) in expected where !Self.foreign.contains(name) {
          if let other = found[name] {
            compare(value, other, "\(path).\(name)")
          } else {
            missing.append("\(path).\(name)")
          }
        }
      } else if let expected = expected as? [Any] {
        let found = found as? [Any] ?? []
        if expected.count != found.count { differences.append("\(path): \(expected.count) elements") }
        for (place, pair) in zip(expected, found).enumerated() {
          compare(pair.0, pair.1, "\(path)[\(place)]")
        }
      } else {
        figures += 1
        if !Self.agree(expected, found, path) { differences.append("\(path): \(expected), found \(found)") }
      }
    }

    private static func agree(_ expected: Any, _ found: Any, _ path: String) -> Bool {
      if expected is NSNull || found is NSNull { return expected is NSNull && found is NSNull }
      if let expected = expected as? String { return expected == found as? String }
      guard let expected = expected as? Double, let found = found as? Double else { return false }
      let name = path.split(separator: ".").last ?? ""
      if name.hasPrefix("threshold") { return abs(expected - found) <= 1e-6 }
      if expected == expected.rounded(), abs(expected) > 1 { return expected == found }
      return abs(expected - found) <= 1e-9
    }
  }
}
