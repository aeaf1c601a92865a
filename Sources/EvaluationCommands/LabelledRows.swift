import Evaluation
import FaceMatching

/// Embeddings with their subjects, numbered in the order of their names (as numbers where all are); rows that are no embedding are left out.
package struct LabelledRows {
  package private(set) var embeddings: [Embedding] = []
  package private(set) var subjects: [Int] = []

  package init(_ rows: [Embedding?], subjects names: [String]) {
    let numbers = SubjectOrder.numbers(of: names)
    for (row, name) in zip(rows, names) {
      guard let row else { continue }
      embeddings.append(row)
      subjects.append(numbers[name]!)
    }
  }
}
