import Biometrics
import EnrolmentStore
import EvaluationCommands
import FaceMatching
import ReVerification
import ReVerifyClient

/// A scene of `flow-demo`: a user, and what happens in each state.
struct DemoScene: Sendable {
  enum Step: Sendable {
    case state(FlowState)
    /// What the user, or the connection, does.
    case action(String)
  }

  let title: String
  let email: String
  /// The faces shown, one for each face check; none left: the user closes.
  let faces: [[Float]]
  /// The numbers of the transport's calls whose answer is lost, from 1.
  let lost: Set<Int>

  private static let space = EmbeddingSpace(
    model: "made-up", weightsDigest: "none", dimension: 4, preprocessing: "none")
  private static let (ada, bob, nobody): ([Float], [Float], [Float]) = (
    [1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 1]
  )

  static let all = [
    DemoScene(
      title: "Ada: a lost answer, a failed attempt, then verified", email: "ada@example.org",
      faces: [nobody, ada],
      lost: [1, 3]),
    DemoScene(title: "Bob in front of Ada's camera", email: "ada@example.org", faces: [bob], lost: []),
    DemoScene(title: "Somebody the bank doesn't know", email: "zoe@example.org", faces: [], lost: []),
    DemoScene(title: "Ada closes", email: "ada@example.org", faces: [], lost: []),
  ]

  /// Plays the scene on an engine of its own and returns what `onResult` got.
  func play(
    _ show: (Step) -> Void
  ) async throws -> Result<Outcome, ReVerificationError> {
    let (events, told) = AsyncStream<Told>.makeStream()
    let transport = LossyTransport(
      InProcessTransport(engine: try await Self.engine(), apiKey: "demo"), losing: lost)
    let flow = ReVerifyClient(transport: transport).makeReVerifyFlow(
      workflowID: "onboarding", email: email, onState: { told.yield(.state($0)) },
      onResult: {
        told.yield(.result($0))
        told.finish()
      })
    flow.start()
    var faces = faces[...]
    for await event in events {
      switch event {
      case .result(let result): return result
      case .state(let state):
        show(.state(state))
        react(to: state, of: flow, &faces, show)
      }
    }
    preconditionFailure("a flow ends with a result")
  }

  private enum Told: Sendable {
    case state(FlowState)
    case result(Result<Outcome, ReVerificationError>)
  }

  /// What the user does in a state.
  private func react(
    to state: FlowState, of flow: ReVerifyFlow, _ faces: inout ArraySlice<[Float]>, _ show: (Step) -> Void
  ) {
    switch state {
    case .starting, .sending, .deciding: break
    case .error:
      show(.action("try again"))
      flow.tryAgain()
    case .cannotContinue:
      show(.action("close"))
      flow.close()
    case .faceCheck:
      guard let face = faces.popFirst() else {
        show(.action("close"))
        return flow.close()
      }
      show(.action("the face check records a face"))
      flow.submit(
        Capture(passiveScores: [0.9, 0.9, 0.9]), embeddings: [UncheckedEmbedding(face, space: Self.space)])
    }
  }

  private static func engine() async throws -> ReVerificationEngine {
    let store = InMemoryStore()
    let policy = try ReVerificationPolicy(
      verifyThreshold: SimilarityThreshold(0.5)!, recogniseThreshold: SimilarityThreshold(0.6)!,
      faceBinding: .whereGiven)
    try store.commit([
      .organisation(Organisation(id: "bank")),
      .workflow(Workflow(id: "onboarding", organisation: "bank", policy: policy)),
      .apiKey(APIKey(id: "demo", secret: "demo", organisation: "bank")),
    ])
    let engine = try await ReVerificationEngine.open(
      store: store, gallery: Gallery(space: space), liveness: UpstreamPassiveScorer())
    for (name, face) in [("ada", ada), ("bob", bob)] {
      try store.commit([
        .user(User(id: UserID(name), organisation: "bank", email: EmailAddress("\(name)@example.org")!))
      ])
      try await engine.enrol(
        SessionApproval(
          id: SessionID("\(name)'s"), organisation: "bank", workflow: "onboarding", user: UserID(name),
          approvedAt: SystemClock().now(), embeddings: [UncheckedEmbedding(face, space: space)]))
    }
    return engine
  }
}

/// A connection on which the answers to some calls are lost.
private actor LossyTransport: ReVerifyTransport {
  private let inner: InProcessTransport
  private let losing: Set<Int>
  private var calls = 0

  init(_ inner: InProcessTransport, losing: Set<Int>) {
    self.inner = inner
    self.losing = losing
  }

  private func pass<Value>(_ value: Value, _ number: Int) throws(ReVerificationError) -> Value {
    if losing.contains(number) { throw ReVerificationError(.unreachable, "the answer was lost") }
    return value
  }

  private func next() -> Int {
    calls += 1
    return calls
  }

  func begin(workflowID: WorkflowID, email: String) async throws(ReVerificationError) -> Beginning {
    let number = next()
    return try pass(try await inner.begin(workflowID: workflowID, email: email), number)
  }

  func submit(
    _ attempt: Attempt, to id: ReVerificationID, sent: @escaping @Sendable () -> Void
  ) async throws(ReVerificationError) -> FlowAnswer {
    let number = next()
    return try pass(try await inner.submit(attempt, to: id, sent: sent), number)
  }

  func cancel(_ id: ReVerificationID) async throws(ReVerificationError) {
    try await inner.cancel(id)
  }
}
