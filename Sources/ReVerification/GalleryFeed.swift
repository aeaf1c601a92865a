import Biometrics
import EnrolmentStore
import FaceMatching

/// The gallery, with how far along each organisation's order of enrolment it has come.
///
/// References are added in the order of their numbers in the store, one behind the other. So what a search sees is told by one
/// number: all sessions up to it, less those that were erased. That is how a decision can be made again later.
final class GalleryFeed: Sendable {
  let gallery: Gallery
  private let through = Guarded<[OrganisationID: Int64]>([:])
  /// Whose erasure failed, so that the store may hold them or not.
  private let doubts = Guarded<[OrganisationID: Set<Erasure.Subject>]>([:])

  init(_ gallery: Gallery) {
    self.gallery = gallery
  }

  var space: EmbeddingSpace { gallery.space }

  /// The number of the last session that was looked at; 0 before the first.
  func position(in organisation: OrganisationID) -> Int64 {
    through.withLock { $0[organisation] ?? 0 }
  }

  /// Goes on to the session numbered `sequence`, whose reference, if it has one to compare with, takes part from now on.
  func advance(
    to sequence: Int64, in organisation: OrganisationID, adding reference: Reference?
  ) throws(GalleryError) {
    try through.withLock { (through: inout [OrganisationID: Int64]) throws(GalleryError) in
      if let reference { try gallery.enrol(reference) }
      through[organisation] = sequence
    }
  }

  /// Takes over a gallery that has all sessions up to the one numbered `sequence`.
  func begin(at sequence: Int64, in organisation: OrganisationID) {
    through.withLock { $0[organisation] = sequence }
  }

  /// Notes that nobody knows whether the store has erased this, or will by a later commit.
  func doubt(_ subject: Erasure.Subject, of organisation: OrganisationID) {
    if case .evidence = subject { return }
    doubts.withLock { _ = $0[organisation, default: []].insert(subject) }
  }

  func doubted(in organisation: OrganisationID) -> Set<Erasure.Subject> {
    doubts.withLock { $0[organisation] ?? [] }
  }

  /// Takes out what was erased; its memory is wiped once running searches end. True when there was anything.
  @discardableResult
  func forget(_ subject: Erasure.Subject, of organisation: OrganisationID) -> Bool {
    doubts.withLock { _ = $0[organisation]?.remove(subject) }
    let sessions: [SessionID]
    switch subject {
    case .organisation:
      let had = gallery.snapshot(of: organisation).count > 0
      gallery.remove(organisation: organisation)
      return had
    case .user(let user): sessions = gallery.snapshot(of: organisation).references(of: user).map(\.session)
    case .session(let session): sessions = [session]
    case .evidence: return false
    }
    let removed = sessions.filter { gallery.remove(session: $0, from: organisation) }
    if !removed.isEmpty { gallery.purge(organisation: organisation) }
    return !removed.isEmpty
  }

  /// The references as they are now, and the number of the last session among them.
  func snapshot(of organisation: OrganisationID) -> (GallerySnapshot, through: Int64) {
    through.withLock { (gallery.snapshot(of: organisation), $0[organisation] ?? 0) }
  }
}
