import Biometrics
import EnrolmentStore
import Testing

/// One thing that every store does, to be checked on an empty one: a test takes `StoreBehaviour.all` as arguments.
public struct StoreBehaviour: Sendable, CustomTestStringConvertible {
  /// What it does, as a sentence.
  public let sentence: String
  public let check: @Sendable (any EnrolmentStore) async throws -> Void

  public var testDescription: String { sentence }

  init(_ sentence: String, _ check: @escaping @Sendable (any EnrolmentStore) async throws -> Void) {
    self.sentence = sentence
    self.check = check
  }

  public static let all = records + lists + commits + erasures + chains
}

/// Records for the suite.
public enum Sample {
  public static let bank: OrganisationID = "bank"
  public static let airline: OrganisationID = "airline"
  public static let space = EmbeddingSpace.test(dimension: 4)
  public static let noon = Instant(millisecondsSince1970: 1_750_000_000_000)
  public static let reading = ClockReading(wall: noon, millisecondsSinceBoot: 5, boot: "boot")

  public static func policy(attempts: Int = 3) throws -> ReVerificationPolicy {
    try ReVerificationPolicy(
      verifyThreshold: #require(SimilarityThreshold(0.5)),
      recogniseThreshold: #require(SimilarityThreshold(0.6)),
      attempts: attempts)
  }

  public static func workflow(_ id: WorkflowID, of organisation: OrganisationID = bank) throws -> Workflow {
    Workflow(id: id, organisation: organisation, policy: try policy())
  }

  public static func user(
    _ id: UserID, _ email: String, of organisation: OrganisationID = bank
  ) throws -> User {
    User(id: id, organisation: organisation, email: try #require(EmailAddress(email)))
  }

  public static func session(
    _ id: SessionID, of user: UserID = "anna", on workflow: WorkflowID = "onboarding",
    in organisation: OrganisationID = bank
  ) -> EnrolledSession {
    EnrolledSession(
      ApprovedSession(
        id: id, organisation: organisation, workflow: workflow, user: user, approvedAt: noon, space: space,
        preparation: .preparing),
      embeddings: [UncheckedEmbedding([1, -0.0, .leastNonzeroMagnitude, 4], space: space, quality: 0.5)])
  }

  public static func reVerification(
    _ id: ReVerificationID, state: [UInt8], revision: Int64
  ) -> StoredReVerification {
    StoredReVerification(
      id: id, organisation: bank, workflow: "onboarding", user: "anna", expiry: noon, state: state,
      revision: revision)
  }

  public static func evidence(_ id: ReVerificationID, attempt: Int = 1, at judgedAt: Instant = noon)
    -> AttemptEvidence
  {
    AttemptEvidence(
      reVerification: id, organisation: bank, workflow: "onboarding", user: "anna", attempt: attempt,
      judgedAt: judgedAt,
      probe: [UncheckedEmbedding([0.5, -0.0, .greatestFiniteMagnitude, 1], space: space)],
      capture: [0, 1, 255])
  }

  public static func erasure(
    _ subject: Erasure.Subject, of organisation: OrganisationID = bank, at erasedAt: Instant = noon
  ) -> StoreChange {
    .erase(Erasure(subject, of: organisation, reason: .request, at: erasedAt))
  }

  public static func decision(_ id: ReVerificationID, of organisation: OrganisationID = bank) throws
    -> DecisionRecord
  {
    let reference = ScoredReference(
      session: "s", user: "anna", workflow: "onboarding", approvedAt: noon,
      score: SimilarityScore(Float(0.1).nextUp))
    return DecisionRecord(
      reVerification: id, organisation: organisation, workflow: "onboarding", user: "anna", apiKey: "key",
      conclusion: .ended(.verified(reVerificationID: id, originalSessionID: "s", userID: "anna")),
      decidedAt: reading, begunAt: reading, expiry: noon + .seconds(600), policy: try policy(), space: space,
      evidence: DecisionRecord.Evidence(
        attempt: 1, key: "k", claimedAt: noon, contentDigest: Digest(of: [1]), captureDigest: Digest(of: [2]),
        livenessModel: "model", assessedAt: noon,
        liveness: LivenessAssessment(.live, score: 0.1.nextUp, threshold: 0.1, cues: ["cue": 1e-300]),
        scores: MatchScores(claimed: [reference], otherPerson: reference), searchedThrough: 3),
      charged: Credits(1), engineVersion: "0")
  }

  /// Bank and airline, each with the workflow `onboarding` and a user `anna`.
  public static func people(of store: any EnrolmentStore) async throws {
    for organisation in [bank, airline] {
      try await store.commit([
        .organisation(Organisation(id: organisation)), .workflow(workflow("onboarding", of: organisation)),
        .user(user("anna", "anna@example.com", of: organisation)),
      ])
    }
  }
}

/// That `work` throws a store's error with this code.
func expect(
  _ code: StoreError.Code, sourceLocation: SourceLocation = #_sourceLocation,
  _ work: () async throws -> Void
) async {
  await #expect(sourceLocation: sourceLocation) {
    try await work()
  } throws: { error in
    (error as? StoreError)?.code == code
  }
}
