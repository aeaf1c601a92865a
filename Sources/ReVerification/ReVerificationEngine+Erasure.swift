import Biometrics
import EnrolmentStore
import FaceMatching

extension ReVerificationEngine {
  /// Erases a user, a session, an organisation, or the evidence of a re-verification: in the store for good, and in memory.
  ///
  /// When it returns, no later comparison sees the references; their memory is wiped once running searches end. Again, it
  /// changes nothing. Throws kind `validation` for a subject that was never there.
  public nonisolated func erase(
    _ subject: Erasure.Subject, of organisation: OrganisationID, reason: Erasure.Reason
  ) async throws(ReVerificationError) {
    let erasure = Erasure(subject, of: organisation, reason: reason, at: clock.now())
    // In turn with preparations, so that none puts back what was just taken out.
    try await observing("erase") { () async throws(ReVerificationError) in
      try await inTurn(of: organisation) { engine async throws(ReVerificationError) in
        try await engine.make(erasure)
      }
    }
    observer.observe(.erased(erasure))
  }

  /// Erases what is past its workflow's retention period; returns how much it was. Of all organisations it forgets the
  /// captures that are of no use to the liveness scorer any more.
  @discardableResult
  public nonisolated func applyRetention(
    in organisation: OrganisationID
  ) async throws(ReVerificationError) -> Int {
    _ = try await commit([.forgetCaptures(expiredAt: clock.now())])
    var count = 0
    while true {
      let subjects = try await storage(
        await store.pastRetention(in: organisation, at: clock.now(), limit: Self.pageSize))
      for subject in subjects { try await erase(subject, of: organisation, reason: .retention) }
      count += subjects.count
      if subjects.count < Self.pageSize { return count }
    }
  }

  private nonisolated func make(_ erasure: Erasure) async throws(ReVerificationError) {
    do throws(StoreError) {
      try await store.commit([.erase(erasure)])
    } catch {
      guard error.code == .missing else {
        feed.doubt(erasure.subject, of: erasure.organisation)
        throw ReVerificationError(error)
      }
      throw ReVerificationError(erasure.subject.unknownCode, error.context)
    }
    feed.forget(erasure.subject, of: erasure.organisation)
  }

  /// Takes out of the gallery what a failed erasure has erased in the store all the same, at once or by a later commit.
  ///
  /// Costs a read for each erasure of the organisation that failed and was not repeated; else nothing.
  nonisolated func settleErasures(of organisation: OrganisationID) async throws(ReVerificationError) {
    guard !feed.doubted(in: organisation).isEmpty else { return }
    // In turn with preparations, so that none puts back what was just taken out.
    try await inTurn(of: organisation) { engine async throws(ReVerificationError) in
      for subject in engine.feed.doubted(in: organisation) {
        guard try await !engine.isThere(subject, of: organisation) else { continue }
        engine.feed.forget(subject, of: organisation)
      }
    }
  }

  private nonisolated func isThere(
    _ subject: Erasure.Subject, of organisation: OrganisationID
  ) async throws(ReVerificationError) -> Bool {
    switch subject {
    case .organisation: return try await storage(await store.organisation(organisation)) != nil
    case .user(let id): return try await storage(await store.user(id, in: organisation)) != nil
    case .session(let id): return try await storage(await store.session(id, in: organisation)) != nil
    case .evidence: return true
    }
  }
}

extension Erasure.Subject {
  /// What a subject that was never there is called in an error.
  fileprivate var unknownCode: ReVerificationError.Code {
    switch self {
    case .organisation: .unknownOrganisation
    case .user: .unknownUser
    case .session: .unknownSession
    case .evidence: .unknownReVerification
    }
  }
}
