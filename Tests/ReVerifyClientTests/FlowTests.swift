import Biometrics
import EnrolmentStore
import FaceMatching
import ReVerification
import ReVerifyClient
import TestSupport
import Testing

/// A flow over the engine in the same process, with the states and results it was told.
private final class Show: Sendable {
  static let space = EmbeddingSpace.test(dimension: 4)
  static let anna: [Float] = [1, 0, 0, 0]
  static let stranger: [Float] = [0, 0, 0, 1]

  let states = Guarded<[FlowState]>([])
  let results = Guarded<[Result<Outcome, ReVerificationError>]>([])
  let engine: ReVerificationEngine
  let transport: FaultyTransport

  init(balance: Credits? = nil) async throws {
    let store = InMemoryStore()
    let policy = try ReVerificationPolicy(
      verifyThreshold: #require(SimilarityThreshold(0.5)),
      recogniseThreshold: #require(SimilarityThreshold(0.6)), faceBinding: .whereGiven)
    try store.commit([
      .organisation(Organisation(id: "bank")), .balance(balance, of: "bank"),
      .workflow(Workflow(id: "onboarding", organisation: "bank", policy: policy)),
      .apiKey(APIKey(id: "key", secret: "secret", organisation: "bank")),
      .user(User(id: "anna", organisation: "bank", email: #require(EmailAddress("anna@example.com")))),
    ])
    engine = try await ReVerificationEngine.open(
      store: store, gallery: Gallery(space: Self.space, configuration: .init(threadCount: 1)),
      liveness: UpstreamPassiveScorer(), clock: ManualClock(), randomness: SeededRandomness(seed: 1))
    _ = try await engine.enrol(
      SessionApproval(
        id: "s1", organisation: "bank", workflow: "onboarding", user: "anna",
        approvedAt: Instant(millisecondsSince1970: 0),
        embeddings: [UncheckedEmbedding(Self.anna, space: Self.space)]))
    transport = FaultyTransport(InProcessTransport(engine: engine, apiKey: "secret"))
  }

  func flow(email: String = "anna@example.com", workflow: WorkflowID = "onboarding") -> ReVerifyFlow {
    ReVerifyClient(transport: transport, randomness: SeededRandomness(seed: 2)).makeReVerifyFlow(
      workflowID: workflow, email: email,
      onState: { state in self.states.withLock { $0.append(state) } },
      onResult: { result in self.results.withLock { $0.append(result) } })
  }

  /// Returns once the flow was told `count` states, or its result.
  func reach(_ count: Int) async {
    while states.withLock({ $0.count }) < count, results.withLock({ $0.isEmpty }) { await Task.yield() }
  }

  func finish() async -> Result<Outcome, ReVerificationError> {
    while true {
      if let result = results.withLock({ $0.first }) { return result }
      await Task.yield()
    }
  }
}

/// A transport whose next calls fail on the way there, or on the way back.
private final class FaultyTransport: ReVerifyTransport {
  enum Fault { case there, back }

  private let inner: InProcessTransport
  private let state = Guarded<(faults: [Fault], keys: [IdempotencyKey], cancels: Int)>(([], [], 0))

  init(_ inner: InProcessTransport) {
    self.inner = inner
  }

  var keys: [IdempotencyKey] { state.withLock { $0.keys } }
  var cancels: Int { state.withLock { $0.cancels } }

  func fail(_ faults: Fault...) {
    state.withLock { $0.faults += faults }
  }

  private func call<Value>(
    _ work: () async throws(ReVerificationError) -> Value
  ) async throws(ReVerificationError) -> Value {
    let fault = state.withLock { $0.faults.isEmpty ? nil : $0.faults.removeFirst() }
    if fault == .there { throw ReVerificationError(.unreachable, "there") }
    let value = try await work()
    if fault == .back { throw ReVerificationError(.unreachable, "back") }
    return value
  }

  func begin(workflowID: WorkflowID, email: String) async throws(ReVerificationError) -> Beginning {
    try await call { () async throws(ReVerificationError) in
      try await inner.begin(workflowID: workflowID, email: email)
    }
  }

  func submit(
    _ attempt: Attempt, to id: ReVerificationID, sent: @escaping @Sendable () -> Void
  ) async throws(ReVerificationError) -> FlowAnswer {
    state.withLock { $0.keys.append(attempt.key) }
    return try await call { () async throws(ReVerificationError) in
      try await inner.submit(attempt, to: id, sent: sent)
    }
  }

  func cancel(_ id: ReVerificationID) async throws(ReVerificationError) {
    state.withLock { $0.cancels += 1 }
    try await inner.cancel(id)
  }
}

@Suite("The flow over the engine")
struct FlowTests {
  private let live = Capture(passiveScores: [0.9, 0.9, 0.9])

  private func face(_ values: [Float]) -> [UncheckedEmbedding] {
    [UncheckedEmbedding(values, space: Show.space)]
  }

  @Test("the integrator's call shape compiles, and a genuine user is verified in the states of the contract")
  func verified() async throws {
    let show = try await Show()
    let told = Guarded<[String]>([])
    let client = ReVerifyClient(transport: show.transport)
    let flow = client.makeReVerifyFlow(workflowID: "onboarding", email: "anna@example.com") { result in
      told.withLock { told in
        switch result {
        case .success(.verified(let reVerificationID, let originalSessionID, let userID)):
          told.append("verified \(reVerificationID.rawValue.count) \(originalSessionID) \(userID)")
        case .success(.failed(let reason)):
          told.append("failed \(reason)")
        case .failure(let error) where error.kind == .cancelled:
          told.append("cancelled")
        case .failure(let error):
          told.append("error \(error.kind)")
        }
      }
    }
    flow.start()
    while flow.state != .faceCheck(banner: nil) { await Task.yield() }
    flow.submit(live, embeddings: face(Show.anna))
    while told.withLock({ $0.isEmpty }) { await Task.yield() }
    #expect(told.withLock { $0 } == ["verified 32 s1 anna"])
  }

  @Test("a failed attempt shows why and how many are left, and the states follow the contract")
  func banner() async throws {
    let show = try await Show()
    let flow = show.flow()
    flow.start()
    await show.reach(2)
    #expect(flow.faceCheck?.attemptsAllowed == 3)
    flow.submit(live, embeddings: face(Show.stranger))
    await show.reach(5)
    flow.submit(live, embeddings: face(Show.anna))
    let result = await show.finish()
    guard case .success(.verified(_, "s1", "anna")) = result else {
      Issue.record("\(result)")
      return
    }
    let banner = FlowBanner(.faceNotMatched, attemptsRemaining: 2)
    #expect(
      show.states.withLock { $0 } == [
        .starting, .faceCheck(banner: nil), .sending, .deciding, .faceCheck(banner: banner), .sending,
        .deciding,
      ])
  }

  @Test("try again repeats only the call that failed, under the same key, and no attempt is lost or doubled")
  func tryAgain() async throws {
    let show = try await Show()
    show.transport.fail(.there)
    let flow = show.flow()
    flow.start()
    await show.reach(2)
    #expect(flow.state == .error(.network))
    flow.tryAgain()
    await show.reach(4)
    // The answer is lost on its way back: the attempt is used, and its key finds the answer.
    show.transport.fail(.back)
    flow.submit(live, embeddings: face(Show.stranger))
    await show.reach(7)
    #expect(flow.state == .error(.network))
    flow.tryAgain()
    await show.reach(10)
    #expect(flow.state == .faceCheck(banner: FlowBanner(.faceNotMatched, attemptsRemaining: 2)))
    let keys = show.transport.keys
    #expect(keys.count == 2 && keys[0] == keys[1])
    flow.close()
    #expect(show.results.withLock { $0.count } == 1)
  }

  @Test(
    "who is not eligible can't continue, and closing gives the reason",
    arguments: [
      ("none", "anna@example.com", IneligibilityReason.notFound),
      ("onboarding", "zoe@example.com", .userNotFound),
    ])
  func cannotContinue(workflow: String, email: String, reason: IneligibilityReason) async throws {
    let show = try await Show()
    let flow = show.flow(email: email, workflow: WorkflowID(workflow))
    flow.start()
    await show.reach(2)
    #expect(show.states.withLock { $0 } == [.starting, .cannotContinue])
    #expect(show.results.withLock { $0.isEmpty })
    flow.tryAgain()
    flow.close()
    #expect(await show.finish() == .success(.failed(.notEligible(reason))))
  }

  @Test("an e-mail that is none fails as validation, without any state", arguments: ["", "   ", "anna"])
  func noEmail(email: String) async throws {
    let show = try await Show()
    let flow = show.flow(email: email)
    flow.start()
    flow.close()
    guard case .failure(let error) = await show.finish() else { return #expect(Bool(false)) }
    #expect(error.kind == .validation)
    #expect(show.states.withLock { $0.isEmpty } && show.results.withLock { $0.count } == 1)
  }

  @Test("closing, and letting the flow go, give cancelled and cancel the re-verification on the server")
  func closing() async throws {
    for letsGo in [false, true] {
      let show = try await Show()
      var flow: ReVerifyFlow? = show.flow()
      flow?.start()
      await show.reach(2)
      let id = try #require(flow?.faceCheck?.reVerificationID)
      if letsGo { flow = nil } else { flow?.close() }
      guard case .failure(let error) = await show.finish() else { return #expect(Bool(false)) }
      #expect(error.kind == .cancelled)
      while show.transport.cancels == 0 { await Task.yield() }
      var isCancelled = false
      while !isCancelled {
        do throws(ReVerificationError) {
          #expect(try await show.engine.outcome(of: id) == nil)
        } catch {
          #expect(error.code == .cancelled)
          isCancelled = true
        }
      }
    }
  }

  @Test("invalid input is an error state, and no attempt is used")
  func invalidInput() async throws {
    let show = try await Show()
    let flow = show.flow()
    flow.start()
    await show.reach(2)
    flow.submit(live, embeddings: [])
    await show.reach(5)
    #expect(flow.state == .error(.validation))
    flow.close()
    guard case .failure(let error) = await show.finish() else { return #expect(Bool(false)) }
    #expect(error.kind == .cancelled && error.context.contains("invalidEmbedding"))
  }
}

@Suite("What the screens say")
struct MessageTests {
  private static let states: [FlowState] =
    [.starting, .faceCheck(banner: nil), .sending, .deciding, .cannotContinue]
    + ReVerificationError.Kind.allCases.map { .error($0) }
    + RetryReason.allCases.map { .faceCheck(banner: FlowBanner($0, attemptsRemaining: 2)) }

  @Test("every state has words in English and in a translation, and its buttons")
  func words() {
    for state in Self.states {
      let screen = state.screen()
      #expect(!screen.title.isEmpty && !screen.buttons.isEmpty)
      let translated = state.screen { "<\($0.rawValue)>" }
      #expect(translated.title.hasPrefix("<") && translated.buttons.allSatisfy { $0.label.hasPrefix("<") })
      #expect((screen.text == nil) == (translated.text == nil))
    }
    #expect(Set(MessageKey.allCases.map(\.rawValue)).count == MessageKey.allCases.count)
  }

  @Test("one attempt and several are counted in words of their own")
  func plural() {
    let one = FlowState.faceCheck(banner: FlowBanner(.faceNotMatched, attemptsRemaining: 1)).screen()
    let two = FlowState.faceCheck(banner: FlowBanner(.faceNotMatched, attemptsRemaining: 2)).screen()
    #expect(one.banner == "We couldn't recognise you. 1 attempt left")
    #expect(two.banner == "We couldn't recognise you. 2 attempts left")
  }
}
