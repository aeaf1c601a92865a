import Biometrics
import EnrolmentStore
import FaceMatching
import ReVerification
import TestSupport
import Testing

@Suite("Enrolment")
struct EnrolmentTests {
  private func outcome(_ bank: Bank, _ face: [Float], as user: UserID = "anna") async throws -> Answer {
    try await bank.submit(.test("1", face), to: bank.begin(user))
  }

  private func session(of answer: Answer) -> SessionID? {
    guard case .ended(.verified(_, let session, _)) = answer else { return nil }
    return session
  }

  @Test("an approved session is enrolled; the same again changes nothing")
  func idempotent() async throws {
    let bank = try await Bank()
    #expect(try await bank.enrol("s1", of: "anna", Face.anna) == .enrolled)
    let stored = bank.inner.session("s1", in: Bank.organisation)
    for _ in 0..<3 { #expect(try await bank.enrol("s1", of: "anna", Face.anna) == .alreadyEnrolled) }
    #expect(bank.inner.session("s1", in: Bank.organisation) == stored)
    #expect(stored?.session.preparation == .ready)
    #expect(bank.inner.sessions(of: "anna", in: Bank.organisation).count == 1)
  }

  @Test("the same session with other content is refused, and the first one stands")
  func conflict() async throws {
    let bank = try await Bank()
    try await bank.enrol("s1", of: "anna", Face.anna)
    await expect(.sessionConflict) { try await bank.enrol("s1", of: "anna", Face.bert) }
    await expect(.sessionConflict) { try await bank.enrol("s1", of: "bert", Face.anna) }
    await expect(.sessionConflict) { try await bank.enrol("s1", of: "anna", Face.anna, on: Bank.payout) }
    await expect(.sessionConflict) { try await bank.enrol("s1", of: "anna", Face.anna, approvedAt: 5) }
    #expect(session(of: try await outcome(bank, Face.anna)) == "s1")
  }

  @Test(
    "a workflow with re-verification off enrols nobody and keeps nothing",
    arguments: [
      Workflow.Availability.off, .unavailable,
    ])
  func off(availability: Workflow.Availability) async throws {
    let bank = try await Bank()
    let workflow = Workflow(
      id: Bank.onboarding, organisation: Bank.organisation, reVerification: availability,
      policy: try Bank.policy())
    try bank.inner.commit([.workflow(workflow)])
    #expect(try await bank.enrol("s1", of: "anna", Face.anna) == .notEnrolled)
    #expect(bank.inner.session("s1", in: Bank.organisation) == nil)
  }

  @Test("an unknown workflow or user is a validation error")
  func unknown() async throws {
    let bank = try await Bank()
    await expect(.unknownWorkflow) { try await bank.enrol("s1", of: "anna", Face.anna, on: "none") }
    let approval = SessionApproval(
      id: "s1", organisation: Bank.organisation, workflow: Bank.onboarding, user: "zoe",
      approvedAt: bank.clock.now(), embeddings: [UncheckedEmbedding(Face.anna, space: Bank.space)])
    await expect(.unknownUser) { _ = try await bank.engine.sessionApproved(approval) }
  }

  @Test(
    "bad embeddings enrol nothing",
    arguments: [
      ([], .invalidEmbedding), ([[1, 0, 0]], .invalidEmbedding),
      ([[1, 0, 0, 0], [0, 0, 0, 0]], .invalidEmbedding),
      ([[.nan, 0, 0, 0]], .invalidEmbedding),
    ] as [([[Float]], ReVerificationError.Code)])
  func badEmbeddings(faces: [[Float]], code: ReVerificationError.Code) async throws {
    let bank = try await Bank()
    try await bank.addUser("anna")
    let approval = SessionApproval(
      id: "s1", organisation: Bank.organisation, workflow: Bank.onboarding, user: "anna",
      approvedAt: bank.clock.now(), embeddings: faces.map { UncheckedEmbedding($0, space: Bank.space) })
    await expect(code) { _ = try await bank.engine.sessionApproved(approval) }
    #expect(bank.inner.session("s1", in: Bank.organisation) == nil)
  }

  @Test("several embeddings of a session, and of an attempt, are compared as their renormalised mean")
  func fusion() async throws {
    let bank = try await Bank()
    try await bank.addUser("anna")
    func inputs(_ faces: [[Float]]) -> [UncheckedEmbedding] {
      faces.map { UncheckedEmbedding($0, space: Bank.space) }
    }
    _ = try await bank.engine.sessionApproved(
      SessionApproval(
        id: "s1", organisation: Bank.organisation, workflow: Bank.onboarding, user: "anna",
        approvedAt: bank.clock.now(), embeddings: inputs([[3, 0, 0, 0], [0, 1e-20, 0, 0]])))
    let begun = try await bank.begin()
    let attempt = Attempt(key: "1", capture: .live, embeddings: inputs([[0, 7, 0, 0], [1e20, 0, 0, 0]]))
    _ = try await bank.submit(attempt, to: begun)
    // Each mean is halfway between two axes, the same direction for both: cosine 1, where any single pair has 0 or 0.71.
    let score = try #require(try await bank.records().first?.evidence?.scores?.claimed.first?.score)
    #expect(abs(score.value - 1) < 1e-6)
  }

  @Test("the best of a user's sessions is the original, not the first enrolled")
  func bestSession() async throws {
    let bank = try await Bank()
    try await bank.enrol("first", of: "anna", Face.like(anna: 0.8))
    try await bank.enrol("best", of: "anna", Face.anna)
    try await bank.enrol("last", of: "anna", Face.like(anna: 0.7), approvedAt: 9)
    #expect(session(of: try await outcome(bank, Face.anna)) == "best")
  }

  @Test("of two equal sessions the later approved is the original, then the one of the smaller id")
  func equalSessions() async throws {
    let bank = try await Bank()
    try await bank.enrol("b", of: "anna", Face.anna, approvedAt: 1)
    try await bank.enrol("c", of: "anna", Face.anna, approvedAt: 2)
    try await bank.enrol("a", of: "anna", Face.anna, approvedAt: 1)
    #expect(session(of: try await outcome(bank, Face.anna)) == "c")
    try await bank.enrol("bb", of: "anna", Face.anna, approvedAt: 2)
    #expect(session(of: try await outcome(bank, Face.anna)) == "bb")
  }

  @Test("a score equal to the threshold matches, the next smaller one does not")
  func equalToThreshold() async throws {
    let probe = Face.like(anna: 0.57)
    let score = try Embedding(Face.anna, space: Bank.space).score(with: Embedding(probe, space: Bank.space))
      .value
    for (threshold, isMatch) in [(score, true), (score.nextUp, false)] {
      let bank = try await Bank(policy: Bank.policy(verify: threshold, recognise: 1))
      try await bank.enrol("s1", of: "anna", Face.anna)
      #expect((session(of: try await outcome(bank, probe)) == "s1") == isMatch)
    }
  }

  @Test("a threshold of 0.0 is honoured by the engine")
  func zeroThreshold() async throws {
    let bank = try await Bank(policy: Bank.policy(verify: 0, recognise: 0.9))
    try await bank.enrol("s1", of: "anna", Face.anna)
    #expect(session(of: try await outcome(bank, Face.stranger)) == "s1")
    #expect(try await outcome(bank, [-0.1, 0, 0, 1]) == .retry(.faceNotMatched, attemptsRemaining: 2))
  }

  @Test("an engine opened anew knows all enrolments, and finishes one that was cut off")
  func reopening() async throws {
    var bank = try await Bank()
    for number in 0..<5 { try await bank.enrol(.init("s\(number)"), of: "anna", Face.anna) }
    for moment in FailingStore.Moment.allCases {
      // The second write of an enrolment says that it is ready.
      bank.store.failWrite(2, moment)
      let session = SessionID("cut-\(moment)")
      await expect(.storeUnavailable) { try await bank.enrol(session, of: "bert", Face.bert) }
      try await bank.reopen(seed: 2)
      #expect(bank.inner.session(session, in: Bank.organisation)?.session.preparation == .ready)
    }
    #expect(session(of: try await outcome(bank, Face.bert, as: "bert")) != nil)
    #expect(session(of: try await outcome(bank, Face.anna)) == "s0")
  }

  @Test("an enrolment whose first write fails is not acknowledged, and may be repeated")
  func failedEnrolment() async throws {
    let bank = try await Bank()
    for moment in FailingStore.Moment.allCases {
      bank.store.failWrite(1, moment)
      let session = SessionID("\(moment)")
      await expect(.storeUnavailable) { try await bank.enrol(session, of: "anna", Face.anna) }
      _ = try await bank.enrol(session, of: "anna", Face.anna)
      #expect(bank.inner.session(session, in: Bank.organisation)?.session.preparation == .ready)
    }
  }

  @Test("one session approved many times at once is enrolled once")
  func concurrent() async throws {
    let bank = try await Bank()
    try await bank.addUser("anna")
    let results = try await withThrowingTaskGroup(of: EnrolmentResult.self) { group in
      for _ in 0..<32 { group.addTask { try await bank.enrol("s1", of: "anna", Face.anna) } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(results.count { $0 == .enrolled } == 1)
    #expect(results.count { $0 == .alreadyEnrolled } == 31)
    #expect(bank.inner.sessions(of: "anna", in: Bank.organisation).count == 1)
  }
}
