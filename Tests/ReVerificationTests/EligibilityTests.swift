import Biometrics
import EnrolmentStore
import FaceMatching
import ReVerification
import TestSupport
import Testing

/// The contract's table of `begin`, row by row.
@Suite("Begin")
struct EligibilityTests {
  /// A bank where Anna can be re-verified.
  private func bank(on kind: TestStore, balance: Credits? = nil) async throws -> Bank {
    let bank = try await Bank(on: kind, balance: balance)
    try await bank.enrol("s1", of: "anna", Face.anna)
    return bank
  }

  private func begin(
    _ bank: Bank, workflow: WorkflowID = Bank.onboarding, email: String = "anna@example.com",
    apiKey: String = Bank.secret
  ) async throws -> BeginResult {
    try await bank.engine.begin(workflowID: workflow, email: email, apiKey: apiKey)
  }

  private func notEligible(_ reason: IneligibilityReason) -> BeginResult {
    .ended(.failed(.notEligible(reason)))
  }

  @Test(
    "an eligible user gets a challenge, the policy's attempts and an expiry, and nothing is charged",
    arguments: TestStore.all)
  func eligible(on kind: TestStore) async throws {
    let bank = try await bank(on: kind, balance: Credits(1))
    let begun = try await bank.begin()
    #expect(begun.attemptsAllowed == 3)
    #expect(begun.expiry == bank.clock.now() + .seconds(600))
    #expect(begun.challenge.nonce.count == 64)
    #expect(begun.id.rawValue.count == 32)
    let another = try await bank.begin()
    #expect(another.id != begun.id && another.challenge != begun.challenge)
    #expect(try await bank.inner.balance(of: Bank.organisation) == Credits(1))
    #expect(try await bank.engine.outcome(of: begun.id) == nil)
  }

  @Test(
    "row 1: an empty or wrong e-mail is a validation error",
    arguments: ["", "  ", "anna", "anna@@example.com"], TestStore.all)
  func validation(email: String, on kind: TestStore) async throws {
    let bank = try await bank(on: kind)
    await expect(.invalidEmail) { _ = try await begin(bank, email: email) }
    #expect(ReVerificationError.Code.invalidEmail.kind == .validation)
    #expect(try await bank.records() == [])
  }

  @Test("row 2: an unknown key is not authorised", arguments: TestStore.all)
  func unknownKey(on kind: TestStore) async throws {
    let bank = try await bank(on: kind)
    #expect(try await begin(bank, apiKey: "guess") == notEligible(.notAuthorized))
    #expect(try await begin(bank, apiKey: "") == notEligible(.notAuthorized))
    #expect(try await bank.records() == [], "no organisation is known to keep a record for")
  }

  @Test(
    "row 2: a revoked key, a sandbox key, and one without the permission are not authorised",
    arguments: [
      APIKey(id: "k", secret: "other", organisation: Bank.organisation, status: .revoked),
      APIKey(id: "k", secret: "other", organisation: Bank.organisation, environment: .sandbox),
      APIKey(id: "k", secret: "other", organisation: Bank.organisation, permissions: []),
    ], TestStore.all)
  func unauthorisedKey(key: APIKey, on kind: TestStore) async throws {
    let bank = try await bank(on: kind)
    try await bank.inner.commit([.apiKey(key)])
    #expect(try await begin(bank, apiKey: "other") == notEligible(.notAuthorized))
    let record = try #require(try await bank.records().first)
    #expect(record.conclusion == .ended(.failed(.notEligible(.notAuthorized))))
    #expect(record.apiKey == "k" && record.workflow == Bank.onboarding && record.user == nil)
  }

  @Test(
    "row 3: a missing workflow, another organisation's, and one re-verification is not available to are not found",
    arguments: TestStore.all)
  func notFound(on kind: TestStore) async throws {
    let bank = try await bank(on: kind)
    let policy = try Bank.policy()
    try await bank.inner.commit([
      .organisation(Organisation(id: "airline")),
      .workflow(Workflow(id: "boarding", organisation: "airline", policy: policy)),
      .workflow(
        Workflow(
          id: "basic", organisation: Bank.organisation, reVerification: .unavailable, policy: policy)),
    ])
    for workflow in ["missing", "boarding", "basic"] as [WorkflowID] {
      #expect(try await begin(bank, workflow: workflow) == notEligible(.notFound))
    }
    let records = try await bank.records()
    #expect(records.allSatisfy { $0.policy == nil && $0.user == nil } && records.count == 3)
  }

  @Test("row 4: an inactive workflow and one with re-verification off are disabled", arguments: TestStore.all)
  func disabled(on kind: TestStore) async throws {
    let bank = try await bank(on: kind)
    let policy = try Bank.policy()
    let inactive = Workflow(
      id: Bank.onboarding, organisation: Bank.organisation, status: .inactive, policy: policy)
    let off = Workflow(
      id: Bank.onboarding, organisation: Bank.organisation, reVerification: .off, policy: policy)
    for workflow in [inactive, off] {
      try await bank.inner.commit([.workflow(workflow)])
      #expect(try await begin(bank) == notEligible(.disabled))
    }
  }

  @Test(
    "row 5: a balance below the price is insufficient, an equal one or none is not", arguments: TestStore.all)
  func insufficientBalance(on kind: TestStore) async throws {
    let bank = try await bank(on: kind, balance: Credits(4))
    let dear = Workflow(
      id: Bank.onboarding, organisation: Bank.organisation, price: Credits(5), policy: try Bank.policy())
    try await bank.inner.commit([.workflow(dear)])
    #expect(try await begin(bank) == notEligible(.insufficientBalance))
    for enough in [Credits(5), nil] {
      try await bank.inner.commit([.balance(enough, of: Bank.organisation)])
      _ = try await bank.begin()
    }
  }

  @Test("row 6: an unknown e-mail is a user not found, and no user is made of it", arguments: TestStore.all)
  func userNotFound(on kind: TestStore) async throws {
    let bank = try await bank(on: kind)
    #expect(try await begin(bank, email: "zoe@example.com") == notEligible(.userNotFound))
    #expect(
      try await bank.inner.user(
        withEmail: try #require(EmailAddress("zoe@example.com")), in: Bank.organisation) == nil)
    _ = try await begin(bank, email: " ANNA@Example.com ")
  }

  @Test(
    "row 7: a user without a ready reference on this workflow was not previously verified",
    arguments: TestStore.all)
  func notPreviouslyVerified(on kind: TestStore) async throws {
    let bank = try await bank(on: kind)
    try await bank.addUser("bert")
    #expect(try await begin(bank, email: "bert@example.com") == notEligible(.notPreviouslyVerified))
    #expect(try await begin(bank, workflow: Bank.payout) == notEligible(.notPreviouslyVerified))
  }

  @Test("row 7: a session that is still being prepared does not count yet", arguments: TestStore.all)
  func preparing(on kind: TestStore) async throws {
    let bank = try await bank(on: kind)
    try await bank.addUser("bert")
    let session = ApprovedSession(
      id: "s2", organisation: Bank.organisation, workflow: Bank.onboarding, user: "bert",
      approvedAt: bank.clock.now(), space: Bank.space, preparation: .preparing)
    try await bank.inner.commit([
      .enrol(EnrolledSession(session, embeddings: [UncheckedEmbedding(Face.bert, space: Bank.space)]))
    ])
    #expect(try await begin(bank, email: "bert@example.com") == notEligible(.notPreviouslyVerified))
    try await bank.enrol("s2", of: "bert", Face.bert, approvedAt: bank.clock.now().millisecondsSince1970)
    _ = try await bank.begin("bert")
  }

  @Test("row 7: a reference of another embedding space does not count", arguments: TestStore.all)
  func otherSpace(on kind: TestStore) async throws {
    var bank = try await bank(on: kind)
    try await bank.addUser("bert")
    let old = EmbeddingSpace.test(dimension: 4, model: "old")
    let session = ApprovedSession(
      id: "s2", organisation: Bank.organisation, workflow: Bank.onboarding, user: "bert",
      approvedAt: bank.clock.now(), space: old, preparation: .ready)
    try await bank.inner.commit([
      .enrol(EnrolledSession(session, embeddings: [UncheckedEmbedding(Face.bert, space: old)]))
    ])
    try await bank.reopen(seed: 2)
    #expect(try await begin(bank, email: "bert@example.com") == notEligible(.notPreviouslyVerified))
    _ = try await bank.begin()
  }

  @Test(
    "of all seven rows at once the first hits, and each next one when those before are mended",
    arguments: TestStore.all)
  func order(on kind: TestStore) async throws {
    let bank = try await Bank(on: kind, balance: Credits(0))
    func result(email: String = "zoe@example.com") async throws -> BeginResult {
      try await begin(bank, workflow: "w", email: email, apiKey: "k")
    }
    func put(_ status: Workflow.Status, _ availability: Workflow.Availability) async throws {
      let workflow = Workflow(
        id: "w", organisation: Bank.organisation, status: status, reVerification: availability,
        policy: try Bank.policy())
      try await bank.inner.commit([.workflow(workflow)])
    }
    try await put(.inactive, .unavailable)
    await expect(.invalidEmail) { _ = try await result(email: "zoe") }
    #expect(try await result() == notEligible(.notAuthorized))
    try await bank.inner.commit([.apiKey(APIKey(id: "k", secret: "k", organisation: Bank.organisation))])
    #expect(try await result() == notEligible(.notFound))
    try await put(.inactive, .off)
    #expect(try await result() == notEligible(.disabled))
    try await put(.active, .off)
    #expect(try await result() == notEligible(.disabled))
    try await put(.active, .on)
    #expect(try await result() == notEligible(.insufficientBalance))
    try await bank.inner.commit([.balance(Credits(1), of: Bank.organisation)])
    #expect(try await result() == notEligible(.userNotFound))
    try await bank.addUser("zoe")
    #expect(try await result() == notEligible(.notPreviouslyVerified))
    try await bank.enrol("s", of: "zoe", Face.anna, on: "w")
    guard case .begun = try await result() else {
      Issue.record("all rows are mended")
      return
    }
    let reasons = try await bank.records().map(\.conclusion)
    #expect(
      reasons
        == [.notFound, .disabled, .disabled, .insufficientBalance, .userNotFound, .notPreviouslyVerified]
        .map { .ended(.failed(.notEligible($0))) })
  }

  @Test(
    "a re-verification keeps the terms it was begun on when the workflow changes", arguments: TestStore.all)
  func terms(on kind: TestStore) async throws {
    let bank = try await bank(on: kind, balance: Credits(9))
    let begun = try await bank.begin()
    let changed = Workflow(
      id: Bank.onboarding, organisation: Bank.organisation, status: .inactive, reVerification: .off,
      price: Credits(9), policy: try Bank.policy(verify: 1, recognise: 1, attempts: 1))
    try await bank.inner.commit([.workflow(changed)])
    #expect(
      try await bank.submit(.test("1", Face.stranger), to: begun)
        == .retry(.faceNotMatched, attemptsRemaining: 2))
    #expect(try await bank.inner.balance(of: Bank.organisation) == Credits(8))
  }
}
