import EmbeddingFiles
import Evaluation

extension EmbeddingInput {
  /// The data with their subjects, pairs and, by a column of the index, groups. There must be subjects.
  func labelled(group: String?) throws -> LabelledData {
    guard let subjects else { throw UsageError("whose are they? Give --index FILE") }
    let pairs = try pairsPath.map { try PairsFile.read($0, rowCount: matrix.rowCount).pairs } ?? []
    let development = try developmentPairsPath.map { try PairsFile.read($0, rowCount: matrix.rowCount) }
    let splits = try development?.developmentSplits() ?? []
    return LabelledData(
      name: name, values: matrix.values, dimension: matrix.dimension, subjects: subjects,
      isDetected: isDetected,
      pairs: pairs.compactMap { pair in
        pair.isMated.map {
          .init(rowA: pair.rowA, rowB: pair.rowB, kind: $0 ? .mated : .nonMated, fold: pair.fold)
        }
      },
      developmentPairs: zip(development?.pairs ?? [], splits).map { pair, split in
        .init(
          rowA: pair.rowA, rowB: pair.rowB, kind: pair.isMated == true ? .mated : .nonMated,
          fold: split == .train ? LabelledData.trainingFold : LabelledData.testFold)
      }, groups: try group.map(groups))
  }

  private func groups(_ column: String) throws -> [String] {
    guard let indexPath else { throw UsageError("--group names a column of the index: give --index FILE") }
    let table = try CSVTable.read(indexPath)
    guard let place = table.columns.firstIndex(of: column) else {
      throw UsageError("--group: \(indexPath) has no column '\(column)'")
    }
    // The index has a row for each embedding, which was checked when it was read.
    return (0..<table.rowCount).map { table[$0, place] }
  }

  /// The files that were read, for their digests.
  var files: [String] { [embeddingsPath] + [indexPath, pairsPath, developmentPairsPath].compactMap { $0 } }
}
