import Biometrics
import EnrolmentStore
import FaceMatching
import TestSupport
import Testing

@testable import ReVerification

/// Random events on an engine and on the reference model, side by side: every answer must be the model's.
struct ModelRun {
  private static let organisation: OrganisationID = "bank"
  private static let space = EmbeddingSpace.test(dimension: 8)
  private static let workflows: [WorkflowID] = ["onboarding", "payout"]
  /// Of which the last has none.
  private static let secrets = ["live", "other", "unknown"]
  /// How many re-verifications back an event still reaches.
  private static let reach = 6

  let seed: UInt64
  private var random: SeededGenerator
  private var model = ReferenceModel()
  private var box: StoreBox
  private let clock = ManualClock()
  private let scorer = ScriptedScorer()
  private var engine: ReVerificationEngine
  private var step = 0
  private var userCount = 0
  private(set) var differences = 0
  private var checkedDecisions = 0
  private(set) var kinds: [String: Int] = [:]

  init(seed: UInt64, on kind: TestStore) async throws {
    self.seed = seed
    random = SeededGenerator(seed: seed)
    box = try await kind.make()
    engine = try await Self.open(box.store, clock, scorer, seed: seed)
    try await box.store.commit([.organisation(Organisation(id: Self.organisation))])
    for workflow in Self.workflows {
      model.terms[workflow] = ReferenceModel.Terms()
      try await put(workflow)
    }
    for secret in Self.secrets.dropLast() { try await put(key: secret, isValid: true) }
    for _ in 0..<4 { try await addUser() }
  }

  private static func open(
    _ store: any EnrolmentStore, _ clock: ManualClock, _ scorer: ScriptedScorer, seed: UInt64
  ) async throws -> ReVerificationEngine {
    try await .open(
      store: store, gallery: Gallery(space: space, configuration: .init(threadCount: 1)), liveness: scorer,
      clock: clock, randomness: SeededRandomness(seed: seed))
  }

  /// Takes `steps` steps, and compares everything that was decided now and then and at the end.
  mutating func run(steps: Int) async throws {
    for number in 1...steps {
      step += 1
      try await takeStep()
      if number % 1000 == 0 || number == steps { try await compareDecisions() }
      // The first difference is the one to look at.
      if differences > 0 { return }
    }
  }

  private mutating func takeStep() async throws {
    switch Int.random(in: 0..<100, using: &random) {
    case 0..<5: try await approve()
    case 5..<20: try await begin()
    case 20..<70: try await submit()
    case 70..<75: try await cancel()
    case 75..<84: try await inquire()
    case 84..<92: advance()
    case 92..<94: clock.jump(by: .milliseconds(Int.random(in: -7_200_000...7_200_000, using: &random)))
    case 94..<95: try await restart()
    case 95..<96:
      scorer.failNext()
      model.scorerFails = true
    case 96..<99: try await configure()
    default: try await erase()
    }
  }

  private mutating func compare(
    _ name: String, _ expected: ReferenceModel.Seen, _ seen: ReferenceModel.Seen
  ) {
    kinds[name, default: 0] += 1
    guard seen != expected else { return }
    differences += 1
    Issue.record("seed \(seed), step \(step), \(name): expected \(expected), found \(seen)")
  }

  /// What a call gives.
  private func seen(
    _ call: () async throws(ReVerificationError) -> ReferenceModel.Seen
  ) async -> ReferenceModel.Seen {
    do throws(ReVerificationError) {
      return try await call()
    } catch {
      return .error(error.code)
    }
  }

  // MARK: faces

  /// Along an axis, or between two of them.
  private mutating func face() -> Embedding {
    let first = Int.random(in: 0..<7, using: &random)
    let second = (first + Int.random(in: 1..<7, using: &random)) % 7
    var face = [Float](repeating: 0, count: 8)
    let (one, other) = ([(1, 0), (1, 0), (0.8, 0.6), (0.75, 0.66)] as [(Float, Float)]).randomElement(
      using: &random)!
    face[first] = one
    face[second] += other
    return try! Embedding(face, space: Self.space)
  }

  private func embedding(_ face: Embedding) -> UncheckedEmbedding {
    UncheckedEmbedding(Array(face.values), space: Self.space)
  }

  private mutating func someone() -> UserID {
    UserID("user-\(Int.random(in: max(0, userCount - 5)...userCount, using: &random))")
  }

  // MARK: events

  private mutating func approve() async throws {
    let user = someone()
    let known = model.sessions.randomElement(using: &random)
    let again = known != nil && Bool.random(using: &random)
    let session = ReferenceModel.Session(
      id: again ? known!.id : SessionID("session-\(step)"),
      user: again && Int.random(in: 0..<4, using: &random) > 0 ? known!.user : user,
      workflow: again ? known!.workflow : (Self.workflows + ["none"]).randomElement(using: &random)!,
      approvedAt: again ? known!.approvedAt : Int64.random(in: 0..<3, using: &random),
      face: again && Int.random(in: 0..<4, using: &random) > 0 ? known!.face : face())
    let approval = SessionApproval(
      id: session.id, organisation: Self.organisation, workflow: session.workflow, user: session.user,
      approvedAt: Instant(millisecondsSince1970: session.approvedAt), embeddings: [embedding(session.face)])
    let expected = model.approve(session)
    compare(
      "approve", expected,
      await seen { () async throws(ReVerificationError) in
        .enrolled(try await engine.enrol(approval).status)
      })
  }

  private mutating func begin() async throws {
    let user = someone()
    let email = Int.random(in: 0..<40, using: &random) == 0 ? "nobody" : model.email(of: user)
    let workflow =
      Int.random(in: 0..<20, using: &random) == 0 ? "none" : Self.workflows.randomElement(using: &random)!
    let key =
      Int.random(in: 0..<10, using: &random) < 8
      ? Self.secrets[0] : Self.secrets.randomElement(using: &random)!
    let expected = model.begin(user: user, email: email, workflow: workflow, key: key)
    var begun: Begun?
    let seen = await seen { () async throws(ReVerificationError) in
      switch try await engine.begin(workflowID: workflow, email: email, apiKey: key) {
      case .begun(let value):
        begun = value
        return .begun(attempts: value.attemptsAllowed)
      case .ended(let outcome): return .ended(outcome)
      }
    }
    compare("begin", expected, seen)
    if let begun { model.note(begun.id, user: user, workflow: workflow) }
  }

  private mutating func someCase() -> Int? {
    let count = model.cases.count
    return count == 0 ? nil : count - 1 - Int.random(in: 0..<min(Self.reach, count), using: &random)
  }

  private mutating func submit() async throws {
    guard let index = someCase() else { return }
    let subject = model.cases[index]
    let known = subject.uses.keys.sorted().randomElement(using: &random) ?? subject.closing?.key
    let isAgain = known != nil && Int.random(in: 0..<3, using: &random) == 0
    let key = isAgain ? known! : IdempotencyKey("key-\(step)")
    var content = someContent(for: subject)
    if isAgain, Int.random(in: 0..<5, using: &random) > 0 {
      content = subject.uses[key]?.content ?? subject.closing!.content
    }
    let expected = model.submit(content, under: key, to: index)
    let attempt = attempt(key, content)
    compare(
      "submit", expected,
      await seen { () async throws(ReVerificationError) in
        .answer(try await engine.submit(attempt, to: subject.id))
      })
  }

  private mutating func someContent(for subject: ReferenceModel.Case) -> ReferenceModel.Content {
    switch Int.random(in: 0..<10, using: &random) {
    case 0: return .invalid
    case 1: return .spoof
    case 2: return .poor
    case 3..<6:
      let own = model.sessions.filter { $0.user == subject.user }
      return .face(own.randomElement(using: &random)?.face ?? face())
    default: return .face(face())
    }
  }

  private func attempt(_ key: IdempotencyKey, _ content: ReferenceModel.Content) -> Attempt {
    let axis = [1] + [Float](repeating: 0, count: 7)
    func unchecked(_ values: [Float]) -> [UncheckedEmbedding] {
      [UncheckedEmbedding(values, space: Self.space)]
    }
    return switch content {
    case .face(let face): Attempt(key: key, capture: .live, embeddings: [embedding(face)])
    case .spoof: Attempt(key: key, capture: .spoof, embeddings: unchecked(axis))
    case .poor: Attempt(key: key, capture: .poor, embeddings: unchecked(axis))
    case .invalid: Attempt(key: key, capture: .live, embeddings: unchecked([.nan] + axis.dropFirst()))
    }
  }

  private mutating func cancel() async throws {
    guard let index = someCase() else { return }
    let id = model.cases[index].id
    let expected = model.cancel(index)
    let seen = await seen { () async throws(ReVerificationError) in
      switch try await engine.cancel(id) {
      case .cancelled: .cancelled
      case .tooLate(let outcome): .outcome(outcome)
      }
    }
    compare("cancel", expected, seen)
  }

  private mutating func inquire() async throws {
    guard let index = someCase() else { return }
    let id = model.cases[index].id
    let expected = model.inquire(index)
    compare(
      "inquire", expected,
      await seen { () async throws(ReVerificationError) in .outcome(try await engine.outcome(of: id)) })
  }

  /// Mostly a little; at times to the very edge of a life.
  private mutating func advance() {
    var milliseconds = Int64.random(in: 0...40_000, using: &random)
    if let index = someCase(), Int.random(in: 0..<5, using: &random) == 0 {
      let edge = model.cases[index].begunAt + ReferenceModel.life - model.now
      milliseconds = max(0, edge + Int64.random(in: -1...1, using: &random))
    }
    model.now += milliseconds
    clock.advance(by: .milliseconds(milliseconds))
  }

  private mutating func restart() async throws {
    box = try await box.reopened()
    engine = try await Self.open(box.store, clock, scorer, seed: random.next())
  }

  // MARK: configuration

  private mutating func configure() async throws {
    switch Int.random(in: 0..<8, using: &random) {
    case 0..<3:
      let workflow = Self.workflows.randomElement(using: &random)!
      model.terms[workflow] = try ReferenceModel.Terms(
        attempts: Int.random(in: 1...4, using: &random), isActive: Int.random(in: 0..<8, using: &random) > 0,
        isOn: Int.random(in: 0..<8, using: &random) > 0,
        lockOut: Bool.random(using: &random)
          ? nil
          : LockOutPolicy(
            failures: Int.random(in: 2...6, using: &random), window: .seconds(120), duration: .seconds(300)))
      try await put(workflow)
    case 3: try await put(key: Self.secrets[1], isValid: Bool.random(using: &random))
    case 4..<6:
      model.balance = Bool.random(using: &random) ? nil : Int64.random(in: 0...20, using: &random)
      try await box.store.commit([.balance(model.balance.map(Credits.init), of: Self.organisation)])
    default: try await addUser()
    }
  }

  private func put(_ id: WorkflowID) async throws {
    let terms = model.terms[id]!
    try await box.store.commit([
      .workflow(
        Workflow(
          id: id, organisation: Self.organisation, status: terms.isActive ? .active : .inactive,
          reVerification: terms.isOn ? .on : .off, price: Credits(ReferenceModel.price),
          policy: ReVerificationPolicy(
            verifyThreshold: #require(SimilarityThreshold(0.5)),
            recogniseThreshold: #require(SimilarityThreshold(0.6)), attempts: terms.attempts,
            lockOut: terms.lockOut, faceBinding: .whereGiven)))
    ])
  }

  private mutating func put(key: String, isValid: Bool) async throws {
    model.keys[key] = isValid
    try await box.store.commit([
      .apiKey(
        APIKey(
          id: APIKeyID(key), secret: key, organisation: Self.organisation, status: isValid ? .valid : .revoked
        ))
    ])
  }

  private mutating func addUser() async throws {
    let id = UserID("user-\(userCount)")
    userCount += 1
    model.users.insert(id)
    let email = try #require(EmailAddress(model.email(of: id)))
    try await box.store.commit([.user(User(id: id, organisation: Self.organisation, email: email))])
  }

  private mutating func erase() async throws {
    guard let user = model.users.sorted().first, model.users.count > 3 else { return }
    let expected = model.erase(user)
    let seen = await seen { () async throws(ReVerificationError) in
      try await engine.erase(.user(user), of: Self.organisation, reason: .request)
      return .erased
    }
    compare("erase", expected, seen)
  }

  // MARK: at the end

  /// The records of all decisions, in order, and the balance.
  private mutating func compareDecisions() async throws {
    let records = try await box.store.decisions(
      of: Self.organisation, after: Int64(checkedDecisions), limit: .max)
    let expected = model.decisions.dropFirst(checkedDecisions)
    if !records.map(\.record.conclusion).elementsEqual(expected) {
      differences += 1
      Issue.record("seed \(seed), step \(step): the decisions differ")
    }
    checkedDecisions = model.decisions.count
    let balance = try await box.store.balance(of: Self.organisation)
    if balance?.units != model.balance {
      differences += 1
      Issue.record(
        "seed \(seed), step \(step): balance \(String(describing: balance)), not \(String(describing: model.balance))"
      )
    }
  }
}

@Suite("The engine beside a reference model")
struct ModelTests {
  /// A million events in long runs: 50 seeds of 20,000. Otherwise 20,000 in all.
  private static let runs: [(seed: UInt64, steps: Int)] =
    LongRuns.areEnabled ? (1...50).map { ($0, 20_000) } : (1...4).map { ($0, 5000) }

  @Test("random events give the model's answers, whatever restarts and jumps", arguments: runs)
  func inMemory(run: (seed: UInt64, steps: Int)) async throws {
    try await check(run, on: .inMemory)
  }

  @Test("the same on every store", arguments: TestStore.all)
  func everyStore(kind: TestStore) async throws {
    var model = try await ModelRun(seed: 99, on: kind)
    try await model.run(steps: LongRuns.areEnabled ? 20_000 : 500)
    #expect(model.differences == 0)
  }

  private func check(_ run: (seed: UInt64, steps: Int), on kind: TestStore) async throws {
    var model = try await ModelRun(seed: run.seed, on: kind)
    try await model.run(steps: run.steps)
    #expect(model.differences == 0, "seed \(run.seed)")
    // A run that never gets anywhere would find no difference either.
    for (name, least) in [("submit", 3), ("begin", 10), ("inquire", 20), ("cancel", 40), ("approve", 40)] {
      #expect(model.kinds[name, default: 0] > run.steps / least / 2, "seed \(run.seed): few of \(name)")
    }
  }
}
