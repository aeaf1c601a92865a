import Biometrics
import EnrolmentStore
import FaceMatching
import TestSupport
import Testing

@testable import ReVerification

@Suite("Enrolment")
struct EnrolmentTests {
  private func outcome(_ bank: Bank, _ face: [Float], as user: UserID = "anna") async throws -> Answer {
    try await bank.submit(.test("1", face), to: bank.begin(user))
  }

  private func session(of answer: Answer) -> SessionID? {
    guard case .ended(.verified(_, let session, _)) = answer else { return nil }
    return session
  }

  @Test("an approved session is enrolled; the same again changes nothing", arguments: TestStore.all)
  func idempotent(on kind: TestStore) async throws {
    let bank = try await Bank(on: kind)
    #expect(try await bank.enrol("s1", of: "anna", Face.anna) == .enrolled)
    let stored = try await bank.inner.session("s1", in: Bank.organisation)
    for _ in 0..<3 { #expect(try await bank.enrol("s1", of: "anna", Face.anna) == .alreadyEnrolled) }
    #expect(try await bank.inner.session("s1", in: Bank.organisation) == stored)
    #expect(stored?.session.preparation == .ready)
    #expect(try await bank.inner.sessions(of: "anna", in: Bank.organisation).count == 1)
  }

  @Test("the same session with other content is refused, and the first one stands", arguments: TestStore.all)
  func conflict(on kind: TestStore) async throws {
    let bank = try await Bank(on: kind)
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
    ], TestStore.all)
  func off(availability: Workflow.Availability, on kind: TestStore) async throws {
    let bank = try await Bank(on: kind)
    let workflow = Workflow(
      id: Bank.onboarding, organisation: Bank.organisation, reVerification: availability,
      policy: try Bank.policy())
    try await bank.inner.commit([.workflow(workflow)])
    #expect(try await bank.enrol("s1", of: "anna", Face.anna) == .notEnrolled)
    #expect(try await bank.inner.session("s1", in: Bank.organisation) == nil)
  }

  @Test("an unknown workflow or user is a validation error", arguments: TestStore.all)
  func unknown(on kind: TestStore) async throws {
    let bank = try await Bank(on: kind)
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
      ([[0, 0, 0, 0], [1, 0, 0]], .invalidEmbedding),
      ([[1, 0, 0, 0], [-1, 0, 0, 0]], .invalidEmbedding),
      ([[.nan, 0, 0, 0]], .invalidEmbedding),
    ] as [([[Float]], ReVerificationError.Code)], TestStore.all)
  func badEmbeddings(bad: ([[Float]], ReVerificationError.Code), on kind: TestStore) async throws {
    let (faces, code) = bad
    let bank = try await Bank(on: kind)
    try await bank.addUser("anna")
    let approval = SessionApproval(
      id: "s1", organisation: Bank.organisation, workflow: Bank.onboarding, user: "anna",
      approvedAt: bank.clock.now(), embeddings: faces.map { UncheckedEmbedding($0, space: Bank.space) })
    await expect(code) { _ = try await bank.engine.sessionApproved(approval) }
    #expect(try await bank.inner.session("s1", in: Bank.organisation) == nil)
  }

  @Test(
    "several embeddings of a session, and of an attempt, are compared as their renormalised mean",
    arguments: TestStore.all)
  func fusion(on kind: TestStore) async throws {
    let bank = try await Bank(on: kind)
    try await bank.addUser("anna")
    func inputs(_ faces: [[Float]]) -> [UncheckedEmbedding] {
      faces.map { UncheckedEmbedding($0, space: Bank.space) }
    }
    try await bank.engine.enrol(
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

  @Test("the best of a user's sessions is the original, not the first enrolled", arguments: TestStore.all)
  func bestSession(on kind: TestStore) async throws {
    let bank = try await Bank(on: kind)
    try await bank.enrol("first", of: "anna", Face.like(anna: 0.8))
    try await bank.enrol("best", of: "anna", Face.anna)
    try await bank.enrol("last", of: "anna", Face.like(anna: 0.7), approvedAt: 9)
    #expect(session(of: try await outcome(bank, Face.anna)) == "best")
  }

  @Test(
    "of two equal sessions the later approved is the original, then the one of the smaller id",
    arguments: TestStore.all)
  func equalSessions(on kind: TestStore) async throws {
    let bank = try await Bank(on: kind)
    try await bank.enrol("b", of: "anna", Face.anna, approvedAt: 1)
    try await bank.enrol("c", of: "anna", Face.anna, approvedAt: 2)
    try await bank.enrol("a", of: "anna", Face.anna, approvedAt: 1)
    #expect(session(of: try await outcome(bank, Face.anna)) == "c")
    try await bank.enrol("bb", of: "anna", Face.anna, approvedAt: 2)
    #expect(session(of: try await outcome(bank, Face.anna)) == "bb")
  }

  @Test("a score equal to the threshold matches, the next smaller one does not", arguments: TestStore.all)
  func equalToThreshold(on kind: TestStore) async throws {
    let probe = Face.like(anna: 0.57)
    let score = try Embedding(Face.anna, space: Bank.space).score(with: Embedding(probe, space: Bank.space))
      .value
    for (threshold, isMatch) in [(score, true), (score.nextUp, false)] {
      let bank = try await Bank(on: kind, policy: Bank.policy(verify: threshold, recognise: 1))
      try await bank.enrol("s1", of: "anna", Face.anna)
      #expect((session(of: try await outcome(bank, probe)) == "s1") == isMatch)
    }
  }

  @Test("a threshold of 0.0 is honoured by the engine", arguments: TestStore.all)
  func zeroThreshold(on kind: TestStore) async throws {
    let bank = try await Bank(on: kind, policy: Bank.policy(verify: 0, recognise: 0.9))
    try await bank.enrol("s1", of: "anna", Face.anna)
    #expect(session(of: try await outcome(bank, Face.stranger)) == "s1")
    #expect(try await outcome(bank, [-0.1, 0, 0, 1]) == .retry(.faceNotMatched, attemptsRemaining: 2))
  }

  @Test(
    "an engine opened anew knows all enrolments, and finishes one that was cut off", arguments: TestStore.all)
  func reopening(on kind: TestStore) async throws {
    var bank = try await Bank(on: kind)
    for number in 0..<5 { try await bank.enrol(.init("s\(number)"), of: "anna", Face.anna) }
    for moment in FailingStore.Moment.allCases {
      // The second write of an enrolment says that it is ready.
      bank.store.failWrite(2, moment)
      let session = SessionID("cut-\(moment)")
      await expect(.storeUnavailable) { try await bank.enrol(session, of: "bert", Face.bert) }
      try await bank.reopen(seed: 2)
      #expect(try await bank.inner.session(session, in: Bank.organisation)?.session.preparation == .ready)
    }
    #expect(session(of: try await outcome(bank, Face.bert, as: "bert")) != nil)
    #expect(session(of: try await outcome(bank, Face.anna)) == "s0")
  }

  @Test(
    "an enrolment whose first write fails is not acknowledged, and may be repeated", arguments: TestStore.all)
  func failedEnrolment(on kind: TestStore) async throws {
    let bank = try await Bank(on: kind)
    for moment in FailingStore.Moment.allCases {
      bank.store.failWrite(1, moment)
      let session = SessionID("\(moment)")
      await expect(.storeUnavailable) { try await bank.enrol(session, of: "anna", Face.anna) }
      _ = try await bank.enrol(session, of: "anna", Face.anna)
      #expect(try await bank.inner.session(session, in: Bank.organisation)?.session.preparation == .ready)
    }
  }

  @Test("one session approved many times at once is enrolled once", arguments: TestStore.all)
  func concurrent(on kind: TestStore) async throws {
    let bank = try await Bank(on: kind)
    try await bank.addUser("anna")
    let results = try await withThrowingTaskGroup(of: Enrolment.Status.self) { group in
      for _ in 0..<32 { group.addTask { try await bank.enrol("s1", of: "anna", Face.anna) } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(results.count { $0 == .enrolled } == 1)
    #expect(results.count { $0 == .alreadyEnrolled } == 31)
    #expect(try await bank.inner.sessions(of: "anna", in: Bank.organisation).count == 1)
  }

  private func approval(
    _ session: SessionID, of user: UserID = "anna", _ faces: [[Float]],
    on workflow: WorkflowID = Bank.onboarding
  ) -> SessionApproval {
    SessionApproval(
      id: session, organisation: Bank.organisation, workflow: workflow, user: user,
      approvedAt: Instant(millisecondsSince1970: 0),
      embeddings: faces.map { UncheckedEmbedding($0, space: Bank.space) })
  }

  @Test(
    "a bad embedding is left out and named, and the others of its session are enrolled",
    arguments: TestStore.all)
  func oneBad(on kind: TestStore) async throws {
    let bank = try await Bank(on: kind)
    try await bank.addUser("anna")
    var faces: [[Float]] = [Face.anna, [.nan, 0, 0, 0], Face.anna, [1]]
    let enrolment = try await bank.engine.enrol(approval("s1", faces))
    #expect(enrolment.status == .enrolled && enrolment.rejected.map(\.index) == [1, 3])
    #expect(enrolment.rejected.allSatisfy { $0.reason.code == .invalidEmbedding })
    #expect(enrolment.rejected[0].reason.context.contains("embedding 1"))
    #expect(try await bank.inner.session("s1", in: Bank.organisation)?.embeddings.count == 2)
    #expect(session(of: try await outcome(bank, Face.anna)) == "s1")
    // The same session again, with what could not be used left away.
    faces = [Face.anna, Face.anna]
    #expect(try await bank.engine.enrol(approval("s1", faces)).status == .alreadyEnrolled)
  }

  @Test(
    "an approval is acknowledged when durable and prepared behind it: preparing, then ready",
    arguments: TestStore.all)
  func background(on kind: TestStore) async throws {
    let bank = try await Bank(on: kind)
    try await bank.addUser("anna")
    try await bank.engine.sessionApproved(approval("s1", [Face.anna]))
    let kept = try await bank.engine.preparation(of: "s1", in: Bank.organisation)
    #expect(kept == .preparing || kept == .ready)
    try await bank.engine.prepared(Bank.organisation)
    #expect(try await bank.engine.preparation(of: "s1", in: Bank.organisation) == .ready)
    #expect(session(of: try await outcome(bank, Face.anna)) == "s1")
  }

  @Test(
    "a failure behind an acknowledged approval is made up for by the next call",
    arguments: FailingStore.Moment.allCases)
  func backgroundFailure(moment: FailingStore.Moment) async throws {
    let bank = try await Bank()
    try await bank.addUser("anna")
    bank.store.failWrite(2, moment)
    try await bank.engine.sessionApproved(approval("s1", [Face.anna]))
    try? await bank.engine.prepared(Bank.organisation)
    try await bank.engine.prepared(Bank.organisation)
    #expect(try await bank.engine.preparation(of: "s1", in: Bank.organisation) == .ready)
  }

  @Test(
    "a reference unlike the user's others, and one like somebody else's, are pointed out by ids",
    arguments: TestStore.all)
  func checks(on kind: TestStore) async throws {
    let bank = try await Bank(on: kind)
    try await bank.enrol("s1", of: "anna", Face.anna)
    try await bank.enrol("s2", of: "anna", Face.like(anna: 0.9))
    #expect(try await bank.engine.checks(of: "s2", in: Bank.organisation).isEmpty)
    try await bank.enrol("s3", of: "bert", Face.like(anna: 0.8))
    let duplicates = try await bank.engine.checks(of: "s3", in: Bank.organisation).duplicates
    #expect(Set(duplicates.map(\.session)) == ["s1", "s2"] && Set(duplicates.map(\.user)) == ["anna"])
    try await bank.enrol("s4", of: "anna", Face.carl, on: Bank.payout)
    let checks = try await bank.engine.checks(of: "s4", in: Bank.organisation)
    #expect(checks == EnrolmentChecks(inconsistentWith: ["s1", "s2"], duplicates: []))
    await expect(.unknownSession) { _ = try await bank.engine.checks(of: "none", in: Bank.organisation) }
  }

  @Test("what a check finds behind an approval is observed", arguments: TestStore.all)
  func observed(on kind: TestStore) async throws {
    let bank = try await Bank(on: kind)
    try await bank.enrol("s1", of: "anna", Face.anna)
    try await bank.addUser("bert")
    try await bank.engine.sessionApproved(approval("s2", of: "bert", [Face.anna]))
    while bank.observer.conspicuous.isEmpty { await Task.yield() }
    #expect(bank.observer.conspicuous.first?.duplicates.map(\.session) == ["s1"])
  }

  @Test(
    "an import gives each session its own result, and goes on where it was interrupted",
    arguments: TestStore.all)
  func bulk(on kind: TestStore) async throws {
    let bank = try await Bank(on: kind)
    for user in ["anna", "bert"] as [UserID] { try await bank.addUser(user) }
    let approvals = [
      approval("s1", [Face.anna]), approval("s2", of: "zoe", [Face.anna]), approval("s3", of: "bert", [[0]]),
      approval("s4", of: "bert", [Face.bert, [.infinity, 0, 0, 0]]), approval("s5", [Face.anna], on: "none"),
    ]
    func codes(_ results: [Result<Enrolment, ReVerificationError>]) -> [String] {
      results.map { result in
        switch result {
        case .success(let enrolment): "\(enrolment.status) \(enrolment.rejected.map(\.index))"
        case .failure(let error): error.code.rawValue
        }
      }
    }
    let first = await bank.engine.importSessions(Array(approvals.prefix(3)))
    #expect(codes(first) == ["enrolled []", "unknownUser", "invalidEmbedding"])
    let all = await bank.engine.importSessions(approvals)
    #expect(
      codes(all) == [
        "alreadyEnrolled []", "unknownUser", "invalidEmbedding", "enrolled [1]", "unknownWorkflow",
      ])
    #expect(session(of: try await outcome(bank, Face.bert, as: "bert")) == "s4")
    #expect(try await bank.inner.sessions(in: Bank.organisation, after: 0, limit: 9).count == 2)
  }

  @Test(
    "an import of several pages is whole, in order, and counted as it is read at opening",
    arguments: TestStore.all)
  func pages(on kind: TestStore) async throws {
    var bank = try await Bank(on: kind)
    try await bank.addUser("anna")
    let count = 2 * ReVerificationEngine.pageSize + 1
    let results = await bank.engine.importSessions((0..<count).map { approval(.init("s\($0)"), [Face.anna]) })
    #expect(results.allSatisfy { (try? $0.get().status) == .enrolled })
    #expect(bank.gallery.snapshot(of: Bank.organisation).count == count)
    try await bank.reopen(seed: 2)
    #expect(bank.gallery.snapshot(of: Bank.organisation).count == count)
    #expect(bank.loaded == [1000, 2000, 2001])
  }
}
