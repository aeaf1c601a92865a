import Foundation
import TestSupport
import Testing

@testable import EmbeddingFiles

private let sets = ["lfw-edgeface", "lfw-dlib", "orl-edgeface", "orl-dlib"].filter(SharedData.has)

@Suite("Embeddings of real faces", .enabled(if: !sets.isEmpty, "no face data in \(SharedData.root)"))
struct SharedDataTests {
  private struct Baselines: Decodable {
    struct Norms: Decodable {
      let n: Int
      let mean: Double
      let std: Double
      let percentiles: [Double]

      enum CodingKeys: String, CodingKey {
        case n, mean, std
        case percentiles = "percentiles_0_1_5_25_50_75_95_99_100"
      }
    }

    let rows: Int
    let dim: Int
    let subjects: Int
    let undetected: Int
    let norms: Norms

    enum CodingKeys: String, CodingKey {
      case rows, dim, subjects, norms
      case undetected = "undetected_rows"
    }
  }

  @Test("the norms of all rows are those that numpy found", arguments: sets)
  func norms(set: String) throws {
    let data = try Data(contentsOf: URL(filePath: "\(SharedData.folder(set))/baselines.json"))
    let baselines = try JSONDecoder().decode(Baselines.self, from: data)
    let folder = try DataFolder.read(SharedData.folder(set))
    #expect(folder.embeddings.rowCount == baselines.rows)
    #expect(folder.embeddings.dimension == baselines.dim)
    #expect(Set(folder.index.entries.map(\.subject)).count == baselines.subjects)
    #expect(folder.index.entries.count { !$0.isDetected } == baselines.undetected)

    let norms = (0..<folder.embeddings.rowCount).map { row in
      folder.embeddings.withRow(row) { $0.reduce(into: 0.0) { $0 += Double($1) * Double($1) } }.squareRoot()
    }.sorted()
    let mean = norms.reduce(0, +) / Double(norms.count)
    let variance = norms.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(norms.count)
    #expect(norms.count == baselines.norms.n)
    #expect(abs(mean - baselines.norms.mean) < 1e-9)
    #expect(abs(variance.squareRoot() - baselines.norms.std) < 1e-9)
    for (percentile, expected) in zip([0, 1, 5, 25, 50, 75, 95, 99, 100], baselines.norms.percentiles) {
      #expect(abs(self.percentile(percentile, of: norms) - expected) < 1e-9)
    }
  }

  @Test("the pairs are within the rows, half of them mated", arguments: sets)
  func pairs(set: String) throws {
    let folder = try DataFolder.read(SharedData.folder(set))
    let file = try PairsFile.read(try #require(folder.pairsPath), rowCount: folder.embeddings.rowCount)
    #expect(file.table.columns == ["fold", "row_a", "row_b", "same"])
    #expect(file.pairs.count { $0.isMated == true } * 2 == file.pairs.count)
    for pair in file.pairs {
      let isSame = folder.index.entries[pair.rowA].subject == folder.index.entries[pair.rowB].subject
      #expect(isSame == pair.isMated)
      #expect(pair.fold.map { (0..<10).contains($0) } == true)
    }
  }

  /// Between two values by their distance, as numpy does by default.
  private func percentile(_ percent: Int, of sorted: [Double]) -> Double {
    let place = Double(percent) / 100 * Double(sorted.count - 1)
    let below = Int(place)
    let above = min(below + 1, sorted.count - 1)
    return sorted[below] + (sorted[above] - sorted[below]) * (place - Double(below))
  }
}
