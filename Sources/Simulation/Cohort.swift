import Biometrics
import Evaluation
import FaceMatching

/// Embeddings of known subjects, from which a simulation takes its people.
public struct Cohort: Sendable {
  public let name: String
  public let space: EmbeddingSpace
  /// Rows of each subject, by position in `embeddings`; subjects in order of appearance, none without a row.
  public let rowsOfSubject: [[Int]]
  public let embeddings: [Embedding]

  /// `subjects` numbers the subject of each embedding. Arrays of different lengths, and embeddings of another space,
  /// are a programming error and trap.
  public init(name: String, space: EmbeddingSpace, embeddings: [Embedding], subjects: [Int]) {
    precondition(embeddings.count == subjects.count, "a subject for each embedding")
    precondition(embeddings.allSatisfy { $0.space == space }, "all embeddings are of the space \(space)")
    self.name = name
    self.space = space
    self.embeddings = embeddings
    var order: [Int: Int] = [:]
    var rows: [[Int]] = []
    for (row, subject) in subjects.enumerated() {
      if let place = order[subject] {
        rows[place].append(row)
      } else {
        order[subject] = rows.count
        rows.append([row])
      }
    }
    rowsOfSubject = rows
  }

  /// A cohort of nobody, the same for the same seed.
  public static func synthetic(
    subjectCount: Int, imagesPerSubject: Int, dimension: Int, seed: UInt64
  ) throws(EmbeddingError) -> Cohort {
    let space = EmbeddingSpace(
      model: "synthetic", weightsDigest: "seed-\(seed)", dimension: dimension, preprocessing: "none")
    let source = SyntheticCohort(seed: seed, dimension: dimension)
    var embeddings: [Embedding] = []
    var subjects: [Int] = []
    for subject in 0..<subjectCount {
      for image in 0..<imagesPerSubject {
        embeddings.append(try Embedding(source.embedding(subject: subject, image: image), space: space))
        subjects.append(subject)
      }
    }
    return Cohort(name: "synthetic", space: space, embeddings: embeddings, subjects: subjects)
  }
}
