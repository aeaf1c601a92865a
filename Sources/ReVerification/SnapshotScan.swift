import Biometrics
import EnrolmentStore
import FaceMatching

extension ErasureScan {
  /// Looks for the erased in the snapshots of the store's gallery: opens each and asks it for every session and user that
  /// the ledger names.
  ///
  /// Costs reading them all, one at a time into memory. A snapshot of an earlier state is no finding if nothing of the erased
  /// is in it; one that can't be opened is `unreadable`, and one that belongs to no organisation of the store a `snapshot`.
  public mutating func lookIntoSnapshots(of store: SQLiteStore) async throws(StoreError) {
    guard let folder = store.snapshots else { return }
    var files = Set(try folder.files())
    for organisation in try await store.organisations().map(\.id) {
      let file = try await folder.file(of: organisation)
      guard files.remove(file.path) != nil else { continue }
      switch Self.load(file) {
      case .success(let gallery): try await look(into: gallery, of: organisation, in: store, file.path)
      case .failure(let refusal):
        findings.append(.init(code: .unreadable, file: file.path, place: refusal.description))
      }
    }
    for path in files.sorted() {
      findings.append(.init(code: .snapshot, file: path, place: "of none of the store's galleries"))
    }
  }

  private static func load(_ file: SnapshotFolder.File) -> Result<Gallery, SnapshotRefusal> {
    do {
      let space = try Gallery.information(ofSnapshot: file.path, key: file.snapshotKey).space
      let gallery = try Gallery(space: space)
      try gallery.readSnapshot(from: file.path, key: file.snapshotKey)
      return .success(gallery)
    } catch {
      let refusal = (error as? SnapshotFileError).map { SnapshotRefusal($0) }
      return .failure(refusal ?? SnapshotRefusal(.unreadable, "no gallery could be made for it"))
    }
  }

  private mutating func look(
    into gallery: Gallery, of organisation: OrganisationID, in store: SQLiteStore, _ path: String
  ) async throws(StoreError) {
    var last: Int64 = 0
    while true {
      let page = try await store.erasures(after: last, limit: 1000)
      for erasure in page.map(\.erasure) where erasure.organisation == organisation {
        let place: String
        switch erasure.subject {
        case .user(let user):
          let count = gallery.snapshot(of: organisation).references(of: user).count
          guard count > 0 else { continue }
          place = "user \(user) of \(organisation): \(count) references"
        case .session(let session):
          guard gallery.remove(session: session, from: organisation) else { continue }
          place = "session \(session) of \(organisation)"
        case .organisation, .evidence: continue
        }
        findings.append(.init(code: .snapshot, file: path, place: place))
      }
      guard let end = page.last else { return }
      last = end.sequence
    }
  }
}
