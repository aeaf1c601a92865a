import FaceMatching

/// Embeddings with their subjects, numbered in order of appearance; rows that are no embedding are left out.
struct LabelledRows {
  private(set) var embeddings: [Embedding] = []
  private(set) var subjects: [Int] = []

  init(_ rows: [Embedding?], subjects names: [String]) {
    var numbers: [String: Int] = [:]
    for (row, name) in zip(rows, names) {
      let number = numbers[name, default: numbers.count]
      numbers[name] = number
      guard let row else { continue }
      embeddings.append(row)
      subjects.append(number)
    }
  }
}
