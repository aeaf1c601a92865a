import Biometrics
import Dispatch
import EnrolmentStore
import FaceMatching

// A snapshot is used only if it is of the store's very state: its generation is a digest of the whole history of what concerns
// galleries. So it may be missing, old, torn or put back from a backup at any time, and all that it costs is time.
extension ReVerificationEngine {
  /// How often a snapshot is begun anew when the store changes meanwhile.
  private static let snapshotPatience = 3

  /// Loads every organisation's gallery, and removes snapshots that are no use any more: they may hold what was erased since.
  nonisolated func load(progress: (Int) -> Void) async throws(ReVerificationError) {
    var count = 0
    var used: Set<String> = []
    for organisation in try await storage(await store.organisations()).map(\.id) {
      let origin: GalleryOrigin
      var read = 0
      switch try await restore(organisation) {
      case .success(let restored):
        origin = .snapshot(references: restored.references)
        used.insert(restored.path)
        read = restored.references
        progress(count + read)
      case .failure(let refusal):
        try await prepare(organisation) {
          read = $0
          progress(count + $0)
        }
        origin = .store(sessions: read, because: refusal)
      }
      count += read
      await note(origin, of: organisation)
    }
    // Where one can't be removed it is passed over again the next time; an erasure insists.
    if let folder = store.snapshots, let files = try? folder.files() {
      try? folder.remove(files.filter { !used.contains($0) })
    }
  }

  /// Takes over the organisation's snapshot, if it is of the present state. Never stands in the way of opening: only a store
  /// that can't be read throws.
  private nonisolated func restore(
    _ organisation: OrganisationID
  ) async throws(ReVerificationError) -> Result<(references: Int, path: String), SnapshotRefusal> {
    guard let folder = store.snapshots else { return .failure(SnapshotRefusal(.none)) }
    let file = try await storage(await folder.file(of: organisation))
    // In this order: what another engine enrols in between makes the version another one.
    let last = try await storage(await store.lastSession(in: organisation))
    let version = try await storage(await store.galleryVersion())
    do throws(SnapshotFileError) {
      let found = try feed.gallery.readSnapshot(
        from: file.path, generation: version.generation(of: organisation), key: file.snapshotKey)
      feed.begin(at: last, in: organisation)
      return .success((found.count, file.path))
    } catch {
      let refusal = SnapshotRefusal(error)
      let others = refusal.code == .missing ? (try? folder.files(of: organisation)) ?? [] : []
      let isForeign = others.contains { $0.hasSuffix(".gallery") }
      return .failure(isForeign ? SnapshotRefusal(.foreignKey) : refusal)
    }
  }

  /// Writes each organisation's gallery to its snapshot, so that the next opening need not build it; where the one there is of
  /// the present state, nothing. To be called before the store is closed, and now and then.
  ///
  /// Re-verifications go on meanwhile; enrolments of the organisation get ready, and erasures are made, when its gallery is
  /// written. Costs about 3 KB on the disk a reference of 512 dimensions. A store that keeps no snapshots gives an empty
  /// result. Throws kind `storage` when it can't be written; the store is as it was.
  @discardableResult
  public nonisolated func checkpoint() async throws(ReVerificationError) -> [OrganisationID: Checkpoint] {
    try await observing("checkpoint") { () async throws(ReVerificationError) in
      guard let folder = store.snapshots else { return [:] }
      var results: [OrganisationID: Checkpoint] = [:]
      for organisation in try await storage(await store.organisations()).map(\.id) {
        let result = try await inTurn(of: organisation) { engine async throws(ReVerificationError) in
          try await engine.writeSnapshot(of: organisation, in: folder)
        }
        observer.observe(.checkpointed(organisation, result))
        results[organisation] = result
      }
      return results
    }
  }

  private nonisolated func writeSnapshot(
    of organisation: OrganisationID, in folder: SnapshotFolder
  ) async throws(ReVerificationError) -> Checkpoint {
    // Erased meanwhile: there is nothing to be kept of it.
    guard try await storage(await store.organisation(organisation)) != nil else { return .current }
    let file = try await storage(await folder.file(of: organisation))
    try await storage(try folder.make())
    for _ in 0..<Self.snapshotPatience {
      while try await preparePage(of: organisation) == Self.pageSize {}
      let version = try await storage(await store.galleryVersion())
      let generation = version.generation(of: organisation)
      let position = feed.position(in: organisation)
      let later = try await storage(await store.sessions(in: organisation, after: position, limit: 1))
      guard later.isEmpty else { continue }
      guard await notedPreparations(of: organisation).isEmpty else { continue }
      try await catchUpWithErasures(of: organisation)
      let known = try? Gallery.information(ofSnapshot: file.path, key: file.snapshotKey)
      if known?.generation == generation { return .current }
      let count = feed.gallery.snapshot(of: organisation).count
      try await write(organisation, generation, to: file)
      if try await storage(await store.galleryVersion()) == version { return .written(references: count) }
      // It may hold what was erased while it was written.
      try await storage(try folder.remove([file.path]))
    }
    return .overtaken
  }

  /// Takes out of the gallery what others have erased in the store.
  private nonisolated func catchUpWithErasures(of organisation: OrganisationID)
    async throws(ReVerificationError)
  {
    var last: Int64 = 0
    while true {
      let page = try await storage(await store.erasures(after: last, limit: Self.pageSize))
      for entry in page where entry.erasure.organisation == organisation {
        feed.forget(entry.erasure.subject, of: organisation)
      }
      guard let end = page.last else { return }
      last = end.sequence
    }
  }

  /// Writes on a thread of its own, since it may take minutes.
  private nonisolated func write(
    _ organisation: OrganisationID, _ generation: [UInt8], to file: SnapshotFolder.File
  ) async throws(ReVerificationError) {
    let gallery = feed.gallery
    let failure = await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        do throws(SnapshotFileError) {
          try gallery.writeSnapshot(
            of: organisation, to: file.path, generation: generation, key: file.snapshotKey)
          continuation.resume(returning: SnapshotFileError?.none)
        } catch {
          continuation.resume(returning: error)
        }
      }
    }
    if let failure { throw ReVerificationError(.storeUnavailable, "snapshot \(failure)") }
  }
}

extension GalleryVersion {
  /// The name that a snapshot of the organisation's gallery at this version bears.
  func generation(of organisation: OrganisationID) -> [UInt8] {
    var content = CanonicalBytes("reverify snapshot generation 1")
    content.append(changes)
    content.append(digest.bytes)
    content.append(organisation.rawValue)
    return Digest(of: content.bytes).bytes
  }
}

extension SnapshotFolder.File {
  var snapshotKey: SnapshotKey {
    key.withBytes { SnapshotKey(UnsafeBufferPointer(start: $0, count: SecretKey.byteCount)) }
  }
}
