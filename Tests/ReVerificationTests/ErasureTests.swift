import Biometrics
import EnrolmentStore
import FaceMatching
import TestSupport
import Testing

@testable import ReVerification

@Suite("Erasure and retention")
struct ErasureTests {
  private func bank(on kind: TestStore) async throws -> Bank {
    let bank = try await Bank(on: kind)
    try await bank.enrol("s1", of: "anna", Face.anna)
    try await bank.enrol("s2", of: "bert", Face.bert)
    return bank
  }

  private func begin(_ bank: Bank, _ user: UserID) async throws -> BeginResult {
    try await bank.engine.begin(
      workflowID: Bank.onboarding, email: Bank.email(of: user), apiKey: Bank.secret)
  }

  private func sessions(_ bank: Bank) async throws -> Set<SessionID> {
    let snapshot = bank.gallery.snapshot(of: Bank.organisation)
    var sessions: Set<SessionID> = []
    for user in ["anna", "bert"] as [UserID] {
      sessions.formUnion(snapshot.references(of: user).map(\.session))
    }
    #expect(snapshot.count == sessions.count)
    return sessions
  }

  @Test(
    "an erased user is gone from store and gallery, and stays so when opened anew", arguments: TestStore.all)
  func user(on kind: TestStore) async throws {
    var bank = try await bank(on: kind)
    let open = try await bank.begin()
    try await bank.engine.erase(.user("anna"), of: Bank.organisation, reason: .request)
    for _ in 0..<2 {
      #expect(try await sessions(bank) == ["s2"])
      #expect(try await begin(bank, "anna") == .ended(.failed(.notEligible(.userNotFound))))
      try await bank.reopen(seed: 2)
    }
    // What was begun before goes on, with nobody to match.
    #expect(
      try await bank.submit(.test("1", Face.anna), to: open) == .retry(.faceNotMatched, attemptsRemaining: 2))
    let bert = try await bank.begin("bert")
    guard case .ended(.verified) = try await bank.submit(.test("1", Face.bert), to: bert) else {
      Issue.record("another user is as before")
      return
    }
  }

  @Test(
    "an erased session takes no part, its id is not given again, and the user's others go on",
    arguments: TestStore.all)
  func session(on kind: TestStore) async throws {
    let bank = try await bank(on: kind)
    try await bank.enrol("s3", of: "anna", Face.like(anna: 0.8))
    try await bank.engine.erase(.session("s1"), of: Bank.organisation, reason: .correction)
    #expect(try await sessions(bank) == ["s2", "s3"])
    await expect(.erased) { try await bank.enrol("s1", of: "anna", Face.anna) }
    let answer = try await bank.submit(.test("1", Face.anna), to: bank.begin())
    guard case .ended(.verified(_, "s3", "anna")) = answer else {
      Issue.record("found \(answer)")
      return
    }
  }

  @Test("an erased organisation is gone, and its keys with it", arguments: TestStore.all)
  func organisation(on kind: TestStore) async throws {
    let bank = try await bank(on: kind)
    try await bank.engine.erase(.organisation, of: Bank.organisation, reason: .departure)
    #expect(bank.gallery.snapshot(of: Bank.organisation).count == 0)
    #expect(try await begin(bank, "anna") == .ended(.failed(.notEligible(.notAuthorized))))
  }

  @Test(
    "what was never there is a validation error, and erasing twice changes nothing", arguments: TestStore.all)
  func unknown(on kind: TestStore) async throws {
    let bank = try await bank(on: kind)
    await expect(.unknownUser) {
      try await bank.engine.erase(.user("zoe"), of: Bank.organisation, reason: .request)
    }
    await expect(.unknownSession) {
      try await bank.engine.erase(.session("none"), of: Bank.organisation, reason: .request)
    }
    for _ in 0..<2 { try await bank.engine.erase(.user("anna"), of: Bank.organisation, reason: .request) }
    #expect(try await bank.inner.erasures(after: 0, limit: 9).count == 1)
  }

  @Test("an erasure whose write fails is made good by the same call", arguments: FailingStore.Moment.allCases)
  func failing(moment: FailingStore.Moment) async throws {
    let bank = try await bank(on: .inMemory)
    bank.store.failWrite(1, moment)
    await expect(.storeUnavailable) {
      try await bank.engine.erase(.user("anna"), of: Bank.organisation, reason: .request)
    }
    try await bank.engine.erase(.user("anna"), of: Bank.organisation, reason: .request)
    #expect(try await sessions(bank) == ["s2"])
  }

  @Test(
    "a failed erasure that was made all the same, at once or by a later commit, leaves no face to compare with",
    arguments: [Erasure.Subject.session("s1"), .user("anna"), .organisation], FailingStore.Moment.allCases)
  func madeAllTheSame(subject: Erasure.Subject, moment: FailingStore.Moment) async throws {
    let bank = try await bank(on: .inMemory)
    let open = try await bank.begin()
    bank.store.failWrite(1, moment)
    await expect(.storeUnavailable) {
      try await bank.engine.erase(subject, of: Bank.organisation, reason: .request)
    }
    if moment == .beforeWriting {
      // Until then the store holds it, and so does the gallery.
      let before = try await bank.begin()
      #expect(try await bank.submit(.test("1", Face.bert), to: before) == .ended(.failed(.notReVerified)))
      #expect(try await sessions(bank) == ["s1", "s2"])
      try await bank.inner.commit([
        .erase(Erasure(subject, of: Bank.organisation, reason: .request, at: bank.clock.now()))
      ])
    }
    _ = try? await bank.submit(.test("1", Face.anna), to: open)
    #expect(try await sessions(bank) == (subject == .organisation ? [] : ["s2"]))
    let verified = try await bank.endings(of: open.id).filter {
      if case .ended(.verified) = $0.conclusion { true } else { false }
    }
    #expect(verified == [])
  }

  @Test("erasing while approvals are prepared never leaves an erased face to compare with")
  func race() async throws {
    let bank = try await bank(on: .inMemory)
    for number in 0..<(LongRuns.areEnabled ? 500 : 50) {
      let user = UserID("user-\(number)")
      try await bank.addUser(user)
      let approval = SessionApproval(
        id: .init("session-\(number)"), organisation: Bank.organisation, workflow: Bank.onboarding,
        user: user,
        approvedAt: bank.clock.now(), embeddings: [UncheckedEmbedding(Face.carl, space: Bank.space)])
      async let enrolled: Enrolment? = try? bank.engine.sessionApproved(approval)
      async let erased: Void = bank.engine.erase(.user(user), of: Bank.organisation, reason: .request)
      _ = await enrolled
      try await erased
      try await bank.engine.prepared(Bank.organisation)
      #expect(bank.gallery.snapshot(of: Bank.organisation).references(of: user).isEmpty)
    }
  }

  @Test(
    "sessions past their workflow's retention period are erased, in the gallery too", arguments: TestStore.all
  )
  func retention(on kind: TestStore) async throws {
    let bank = try await bank(on: kind)
    let now = bank.clock.now().millisecondsSince1970
    try await bank.enrol("s3", of: "anna", Face.like(anna: 0.9), approvedAt: now)
    try await bank.inner.commit([
      .workflow(
        Workflow(
          id: Bank.onboarding, organisation: Bank.organisation, policy: Bank.policy(),
          retention: RetentionPeriod(.seconds(3600))))
    ])
    #expect(try await bank.engine.applyRetention(in: Bank.organisation) == 2)
    #expect(try await sessions(bank) == ["s3"])
    bank.clock.advance(by: .milliseconds(3_599_999))
    #expect(try await bank.engine.applyRetention(in: Bank.organisation) == 0)
    bank.clock.advance(by: .milliseconds(1))
    #expect(try await bank.engine.applyRetention(in: Bank.organisation) == 1)
    #expect(try await sessions(bank) == [])
  }
}
