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

  /// Erases what is past its workflow's retention period; returns how much it was.
  @discardableResult
  public nonisolated func applyRetention(
    in organisation: OrganisationID
  ) async throws(ReVerificationError) -> Int {
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
      guard error.code == .missing else { throw ReVerificationError(error) }
      throw ReVerificationError(erasure.subject.unknownCode, error.context)
    }
    feed.forget(erasure.subject, of: erasure.organisation)
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
