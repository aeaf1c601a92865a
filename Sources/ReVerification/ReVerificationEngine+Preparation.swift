import Biometrics
import EnrolmentStore
import FaceMatching

extension ReVerificationEngine {
  /// How many sessions are read, and said to be ready, at once.
  static let pageSize = 1000

  /// Brings every session that was kept before this call into the gallery, and those still `preparing` to `ready`.
  ///
  /// Throws `storeDamaged` for a ready session whose embeddings can't be read: leaving a person out in silence would
  /// look like `notPreviouslyVerified`.
  nonisolated func prepare(
    _ organisation: OrganisationID, progress: (Int) -> Void = { _ in }
  ) async throws(ReVerificationError) {
    var count = 0
    while true {
      // One page a turn, so that an erasure in line doesn't wait for all of a long import.
      let page = try await inTurn(of: organisation) { engine async throws(ReVerificationError) in
        try await engine.preparePage(of: organisation)
      }
      count += page
      progress(count)
      if page < Self.pageSize { return }
    }
  }

  /// The next page of sessions; returns how many it had.
  nonisolated func preparePage(of organisation: OrganisationID) async throws(ReVerificationError)
    -> Int
  {
    let after = feed.position(in: organisation)
    let page = try await storage(
      await store.sessions(in: organisation, after: after, limit: Self.pageSize))
    for numbered in page {
      let session = numbered.enrolled.session
      let reference = try reference(of: numbered.enrolled)
      do throws(GalleryError) {
        try feed.advance(to: numbered.sequence, in: organisation, adding: reference)
      } catch {
        throw ReVerificationError(.evaluationFailed, error.description)
      }
      guard session.preparation == .preparing, session.space == feed.space else { continue }
      await note(
        reference == nil ? .refused(session.id, in: organisation) : .ready(session.id, in: organisation),
        for: organisation)
    }
    try await commitPrepared(of: organisation)
    return page.count
  }

  /// Gives the liveness scorer what earlier processes saw, and forgets what is of no use any more.
  nonisolated func restoreCaptures() async throws(ReVerificationError) {
    var last: Int64 = 0
    let now = clock.now()
    var hasExpired = false
    while true {
      let page = try await storage(await store.seenCaptures(after: last, limit: Self.pageSize))
      guard let end = page.last else { break }
      last = end.sequence
      let current = page.map(\.capture).filter { $0.expiry > now }
      hasExpired = hasExpired || current.count < page.count
      liveness.restore(current)
    }
    if hasExpired { _ = try await commit([.forgetCaptures(expiredAt: now)]) }
  }

  /// The reference of a session that takes part; `nil` for one that doesn't.
  nonisolated func reference(of enrolled: EnrolledSession) throws(ReVerificationError) -> Reference? {
    let session = enrolled.session
    guard session.space == feed.space, session.preparation != .refused else { return nil }
    do {
      return try enrolled.approval.reference(in: feed.space)
    } catch {
      guard session.preparation == .ready else { return nil }
      throw ReVerificationError(.storeDamaged, "session \(session.id): \(error.context)")
    }
  }

  /// Says of what is in the gallery that it is ready; what could not be said is said the next time.
  private nonisolated func commitPrepared(of organisation: OrganisationID) async throws(ReVerificationError) {
    let noted = await notedPreparations(of: organisation)
    guard !noted.isEmpty else { return }
    do throws(StoreError) {
      try await store.commit(noted)
    } catch {
      guard error.code == .missing || error.code == .erased else { throw ReVerificationError(error) }
      // One of them was erased: by itself, it is left out.
      for change in noted { try await commitUnlessErased(change) }
    }
    await forgetPreparations(of: organisation, count: noted.count)
  }

  private nonisolated func commitUnlessErased(_ change: StoreChange) async throws(ReVerificationError) {
    do throws(StoreError) {
      try await store.commit([change])
    } catch {
      guard error.code == .missing || error.code == .erased else { throw ReVerificationError(error) }
    }
  }
}
