import EmbeddingFiles
import Evaluation
import Foundation
import TestSupport
import Testing

/// The official pairs of the shared data sets, against float64 cosines and the third parties' accuracies.
@Suite struct RealPairsTests {
  @Test(
    .enabled("no shared data here", { SharedData.has("lfw-edgeface") }),
    arguments: ["lfw-edgeface", "lfw-dlib", "orl-edgeface", "orl-dlib"])
  func `scores are the float64 cosines to 1e-6, and the accuracy that of the baselines`(name: String) throws {
    let folder = SharedData.folder(name)
    let run = try CommandRun(["compare", "--data", folder])
    #expect(run.status == 0)
    let data = try DataFolder.read(folder)
    let pairs = try PairsFile.read("\(folder)/pairs.csv", rowCount: data.embeddings.rowCount).pairs
    #expect(run.lines.count == pairs.count + 1)
    var comparisons: [FoldedComparison] = []
    for (pair, line) in zip(pairs, run.lines.dropFirst()) {
      let score = try #require(line.split(separator: ",").last.flatMap { Float($0) })
      let cosine = cosine(data.embeddings[pair.rowA], data.embeddings[pair.rowB])
      #expect(abs(Double(score) - cosine) <= 1e-6)
      comparisons.append(
        FoldedComparison(
          fold: try #require(pair.fold), kind: pair.isMated == true ? .mated : .nonMated, score: Double(score)
        ))
    }
    let accuracy = try FoldedAccuracy(comparisons).accuracy
    let baselines = try Baselines(folder)
    #expect(abs(accuracy.low - baselines.accuracy("low")) < 1e-9)
    #expect(abs(accuracy.mid - baselines.accuracy("mid")) < 1e-9)
    #expect(abs(accuracy.high - baselines.accuracy("high")) < 1e-9)
  }

  private func cosine(_ left: ArraySlice<Float>, _ right: ArraySlice<Float>) -> Double {
    var (product, leftSquare, rightSquare) = (0.0, 0.0, 0.0)
    for (l, r) in zip(left, right) {
      product += Double(l) * Double(r)
      leftSquare += Double(l) * Double(l)
      rightSquare += Double(r) * Double(r)
    }
    return product / (leftSquare * rightSquare).squareRoot()
  }

  private struct Baselines {
    private let cosine: [String: Any]

    init(_ folder: String) throws {
      let data = try Data(contentsOf: URL(filePath: "\(folder)/baselines.json"))
      let root = try JSONSerialization.jsonObject(with: data) as? [String: Any]
      cosine = try #require((root?["kfold"] as? [String: Any])?["cosine"] as? [String: Any])
    }

    func accuracy(_ tie: String) -> Double { cosine["accuracy_\(tie)"] as? Double ?? .nan }
  }
}
