import Biometrics
import Evaluation
import FaceMatching

extension EmbeddingSpace {
  /// A space for tests.
  public static func test(dimension: Int, model: String = "test") -> EmbeddingSpace {
    EmbeddingSpace(model: model, weightsDigest: "none", dimension: dimension, preprocessing: "none")
  }
}

extension Reference {
  /// A reference whose session is `number`, of user `user`, approved `number` milliseconds after 1970.
  public static func test(
    _ number: Int, _ embedding: Embedding, user: String = "user", workflow: WorkflowID = "workflow",
    organisation: OrganisationID = "organisation"
  ) -> Reference {
    Reference(
      organisation: organisation, workflow: workflow, user: UserID(user),
      session: SessionID("session-\(number)"),
      approvedAt: Instant(millisecondsSince1970: Int64(number)), embedding: embedding)
  }
}

/// Synthetic embeddings in order: `imagesPerSubject` of each subject.
public func syntheticEmbeddings(
  _ count: Int, dimension: Int, seed: UInt64 = 1, imagesPerSubject: Int = 2
) throws -> [Embedding] {
  let cohort = SyntheticCohort(seed: seed, dimension: dimension)
  return try (0..<count).map {
    try Embedding(
      cohort.embedding(subject: $0 / imagesPerSubject, image: $0 % imagesPerSubject),
      space: .test(dimension: dimension))
  }
}
