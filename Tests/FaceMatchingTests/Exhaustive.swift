import Biometrics
import FaceMatching
import Foundation

/// The plain way to search, to hold the quick one against: every row scored, then sorted.
struct Exhaustive {
  let references: [Reference]

  /// Row numbers and scores by the defined reduction, best first, ties by number.
  func search(
    _ probe: Embedding, limit: Int, threshold: SimilarityThreshold? = nil,
    where isIncluded: (Reference) -> Bool = { _ in true }
  ) throws -> [Hit] {
    var hits: [Hit] = []
    for (row, reference) in references.enumerated() where isIncluded(reference) {
      let score = try probe.score(with: reference.embedding)
      if let threshold, !score.matches(threshold) { continue }
      hits.append(Hit(row: row, score: score.value))
    }
    hits.sort { $0.score != $1.score ? $0.score > $1.score : $0.row < $1.row }
    return Array(hits.prefix(limit))
  }
}

struct Hit: Equatable {
  let row: Int
  let score: Float

  init(row: Int, score: Float) {
    self.row = row
    self.score = score
  }

  init(_ candidate: Candidate) {
    self.init(row: Int(candidate.reference.number), score: candidate.score.value)
  }
}

/// A gallery configuration for each way that a result can be computed here.
func allConfigurations() -> [Gallery.Configuration] {
  var configurations = KernelLevel.available.flatMap { level in
    [1, 2].map { Gallery.Configuration.smallSegments(level: level, threadCount: $0, batchFirstPass: .int8) }
  }
  if case .success = OpenBLAS.shared {
    configurations += [1, 2].map {
      Gallery.Configuration.smallSegments(threadCount: $0, batchFirstPass: .blas)
    }
  }
  // Rows in files are bounded before they are read.
  return configurations
    + [1, 2].map { Gallery.Configuration.smallSegments(threadCount: $0, rowFolder: NSTemporaryDirectory()) }
}

extension Gallery.Configuration {
  /// With segments of 1,024 rows, so that a few thousand rows fill several.
  static func smallSegments(
    level: KernelLevel? = nil, threadCount: Int? = nil, batchFirstPass: BatchFirstPass = .automatic,
    rowFolder: String? = nil
  ) -> Self {
    var configuration = Self(
      level: level, threadCount: threadCount, batchFirstPass: batchFirstPass, rowFolder: rowFolder)
    configuration.segmentRows = 1024
    return configuration
  }
}
