import Foundation
import ReVerify

/// A store of one organisation with a synthetic cohort, one session a person.
struct Bank {
  static let organisation: OrganisationID = "bank"
  static let space = EmbeddingSpace(
    model: "synthetic", weightsDigest: "none", dimension: 512, preprocessing: "none")

  let path: String
  let cohort: SyntheticCohort

  /// Opens the store, which is made where there is none.
  func open() async throws -> SQLiteStore {
    try await SQLiteStore.open(.init(path: path), masterKey: MasterKey(.benchmark()))
  }

  /// Enrols as many as are asked for; a store that has a workflow is left as it is.
  func fill(_ store: SQLiteStore, _ enrolled: Int) async throws {
    let (organisation, space) = (Self.organisation, Self.space)
    guard try await store.workflow("onboarding", in: organisation) == nil else { return }
    try await store.commit([
      .organisation(Organisation(id: organisation)),
      .workflow(
        Workflow(
          id: "onboarding", organisation: organisation,
          policy: ReVerificationPolicy(
            verifyThreshold: SimilarityThreshold(0.45)!, recogniseThreshold: SimilarityThreshold(0.55)!,
            lockOut: nil, faceBinding: .whereGiven))),
      .apiKey(APIKey(id: "key", secret: "benchmark", organisation: organisation)),
    ])
    for start in stride(from: 0, to: enrolled, by: 1000) {
      var changes: [StoreChange] = []
      for subject in start..<min(start + 1000, enrolled) {
        let user = UserID("user-\(subject)")
        changes.append(
          .user(User(id: user, organisation: organisation, email: EmailAddress("\(user)@example.org")!)))
        changes.append(
          .enrol(
            EnrolledSession(
              ApprovedSession(
                id: SessionID("session-\(subject)"), organisation: organisation, workflow: "onboarding",
                user: user,
                approvedAt: Instant(millisecondsSince1970: 0), space: space, preparation: .ready),
              embeddings: [UncheckedEmbedding(cohort.embedding(subject: subject, image: 0), space: space)])))
      }
      try await store.commit(changes)
    }
  }
}

extension SecretKey {
  /// The same in each run, so that a store can be used again; it guards made-up faces only.
  fileprivate static func benchmark() -> SecretKey {
    SecretKey { (memory: UnsafeMutableRawBufferPointer) in
      for place in memory.indices { memory[place] = UInt8(place) }
    }
  }
}
