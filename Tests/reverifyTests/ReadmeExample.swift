import ReVerify

func example() async throws {
  let space = EmbeddingSpace(
    model: "edgeface-xs", weightsDigest: "git-blob:6177cb0d", dimension: 512,
    preprocessing: "arcface-112-similarity-5pt/1")
  let store = InMemoryStore()
  let policy = try ReVerificationPolicy(
    verifyThreshold: SimilarityThreshold(0.3965)!, recogniseThreshold: SimilarityThreshold(0.6828)!,
    faceBinding: .whereGiven)
  try store.commit([
    .organisation(Organisation(id: "bank")),
    .workflow(Workflow(id: "onboarding", organisation: "bank", policy: policy)),
    .apiKey(APIKey(id: "key-1", secret: "a random secret", organisation: "bank")),
    .user(User(id: "user-1", organisation: "bank", email: EmailAddress("ada@example.org")!)),
  ])
  let engine = try await ReVerificationEngine.open(
    store: store, gallery: try Gallery(space: space), liveness: UpstreamPassiveScorer())

  // The session was approved: this enrols the face.
  let face = UncheckedEmbedding((0..<512).map { Float($0 % 7) - 3 }, space: space)
  try await engine.enrol(
    SessionApproval(
      id: "session-1", organisation: "bank", workflow: "onboarding", user: "user-1",
      approvedAt: SystemClock().now(), embeddings: [face]))

  // Later, at a step-up.
  guard
    case .begun(let begun) = try await engine.begin(
      workflowID: "onboarding", email: "ada@example.org", apiKey: "a random secret")
  else { return }
  let attempt = Attempt(
    key: "attempt-1", capture: Capture(passiveScores: [0.9, 0.9, 0.9]), embeddings: [face])
  switch try await engine.submit(attempt, to: begun.id) {
  case .ended(.verified(_, let session, let user)): print("verified: \(user), by \(session)")
  case .ended(.failed(let reason)): print("not verified: \(reason)")
  case .retry(let reason, let remaining): print("again: \(reason), \(remaining) attempts left")
  }
}
