import Biometrics
import EnrolmentStore
import FaceMatching
import Liveness

/// A re-verification that was begun, as its client needs it.
public struct Begun: Hashable, Sendable {
  public let id: ReVerificationID
  public let challenge: Challenge
  /// What it is to show its user at the first attempt; `nil` where the liveness scorer asks for nothing.
  public let schedule: ChallengeSchedule?
  public let attemptsAllowed: Int
  /// The first instant at which it is no longer valid.
  public let expiry: Instant
}

public enum BeginResult: Hashable, Sendable {
  case begun(Begun)
  /// It ended before a challenge was made; no attempt was used, nothing charged.
  case ended(Outcome)
}

extension ReVerificationEngine {
  /// Begins a re-verification of the user with this e-mail address, or says why it can't be begun.
  ///
  /// Reasons are checked in the order of `IneligibilityReason`, the lock-out last; the first hit is given. Throws kind
  /// `validation` for an e-mail that is no address.
  public nonisolated func begin(
    workflowID: WorkflowID, email: String, apiKey secret: String
  ) async throws(ReVerificationError) -> BeginResult {
    guard let email = EmailAddress(email) else {
      throw ReVerificationError(.invalidEmail, "expected an e-mail address")
    }
    observer.observe(.asked(workflowID, email))
    let request = BeginRequest(workflow: workflowID, email: email, digest: APIKey.digest(of: secret))
    return try await observing("begin") { () async throws(ReVerificationError) in
      try await begin(request, at: clock.reading())
    }
  }

  private nonisolated func begin(
    _ request: BeginRequest, at reading: ClockReading
  ) async throws(ReVerificationError) -> BeginResult {
    switch try await eligibility(of: request) {
    case .ineligible(let reason, let facts):
      return try await refuse(.notEligible(reason), request, facts, at: reading)
    case .eligible(let key, let workflow, let user):
      let counter = try await failures(of: user.id, in: user.organisation)
      if let lockOut = counter.lockOut(at: counter.time(at: reading)) {
        let facts = KnownFacts(key: key, workflow: workflow, user: user)
        return try await refuse(
          .attemptsExhausted, request, facts, lockedOutUntil: lockOut.until, at: reading)
      }
      return try await begin(workflow, user, key, at: reading)
    }
  }

  nonisolated func failures(
    of user: UserID, in organisation: OrganisationID
  ) async throws(ReVerificationError) -> FailureCounter {
    try await storage(await store.failures(of: user, in: organisation))
  }

  private nonisolated func begin(
    _ workflow: Workflow, _ user: User, _ key: APIKey, at reading: ClockReading
  ) async throws(ReVerificationError) -> BeginResult {
    let organisation = try await storage(await store.organisation(user.organisation))
    guard let organisation else {
      throw ReVerificationError(.contention, "organisation \(user.organisation) was erased meanwhile")
    }
    let begun = ReVerification(
      id: randomness.identifier(), organisation: user.organisation, workflow: workflow.id, user: user.id,
      apiKey: key.id, challenge: Challenge(nonce: hexadecimal(randomness.bytes(Challenge.nonceBytes))),
      policy: workflow.policy.joined(with: organisation), price: workflow.price, at: reading)
    guard try await commit([.reVerification(try begun.stored(replacing: 0))]) else {
      // The source of randomness repeats itself: nothing that rests on it may go on.
      throw ReVerificationError(.contention, "re-verification \(begun.id) exists")
    }
    observer.observe(.begun(begun.id, of: begun.organisation, on: begun.workflow))
    return .begun(
      Begun(
        id: begun.id, challenge: begun.challenge, schedule: liveness.schedule(for: begun.challenge),
        attemptsAllowed: begun.policy.attempts,
        expiry: begun.expiry))
  }

  /// Ends at once, with a decision record if the organisation is known.
  private nonisolated func refuse(
    _ reason: FailureReason, _ request: BeginRequest, _ facts: KnownFacts, lockedOutUntil: Instant? = nil,
    at reading: ClockReading
  ) async throws(ReVerificationError) -> BeginResult {
    let outcome = Outcome.failed(reason)
    if let key = facts.key {
      let record = DecisionRecord(
        reVerification: randomness.identifier(), organisation: key.organisation, workflow: request.workflow,
        user: facts.user?.id, apiKey: key.id, conclusion: .ended(outcome), decidedAt: reading,
        policy: facts.workflow?.policy, space: feed.space, lockedOutUntil: lockedOutUntil,
        engineVersion: EngineVersion.current)
      _ = try await commit([.decision(record)])
    }
    observer.observe(.refused(reason, of: facts.key?.organisation, on: request.workflow))
    return .ended(outcome)
  }
}

private struct BeginRequest {
  let workflow: WorkflowID
  let email: EmailAddress
  /// Of the API key.
  let digest: Digest
}

/// What was found out before a reason not to begin was met.
private struct KnownFacts {
  var key: APIKey?
  var workflow: Workflow?
  var user: User?
}

private enum Eligibility {
  case eligible(APIKey, Workflow, User)
  case ineligible(IneligibilityReason, KnownFacts)
}

extension ReVerificationEngine {
  /// The contract's table, row by row: each row reads only what it needs, and the first that hits ends it.
  private nonisolated func eligibility(
    of request: BeginRequest
  ) async throws(ReVerificationError) -> Eligibility {
    var facts = KnownFacts()
    facts.key = try await storage(await store.apiKey(request.digest))
    guard let key = facts.key, key.mayReVerify else { return .ineligible(.notAuthorized, facts) }
    let organisation = key.organisation

    let workflow = try await storage(await store.workflow(request.workflow, in: organisation))
    guard let workflow, workflow.reVerification != .unavailable else { return .ineligible(.notFound, facts) }
    facts.workflow = workflow
    guard workflow.status == .active, workflow.reVerification == .on else {
      return .ineligible(.disabled, facts)
    }

    let balance = try await storage(await store.balance(of: organisation))
    if let balance, balance < workflow.price { return .ineligible(.insufficientBalance, facts) }

    facts.user = try await storage(await store.user(withEmail: request.email, in: organisation))
    guard let user = facts.user else { return .ineligible(.userNotFound, facts) }

    let sessions = try await storage(await store.sessions(of: user.id, in: organisation))
    let isVerified = sessions.contains {
      $0.workflow == workflow.id && $0.preparation == .ready && $0.space == feed.space
    }
    if isVerified { return .eligible(key, workflow, user) }
    if sessions.contains(where: { $0.preparation == .preparing && $0.space == feed.space }) {
      // Perhaps its preparation failed: then this makes up for it.
      Task.detached { try? await self.prepare(organisation) }
    }
    return .ineligible(.notPreviouslyVerified, facts)
  }
}
