import Biometrics

/// Which sessions a store holds, and how far their preparation is: a gallery made at this version is still right at it.
///
/// A running digest of every change that concerns a gallery: two histories have one version only if they are one history.
public struct GalleryVersion: Hashable, Sendable, Codable {
  /// How many such changes there were.
  public let changes: Int64
  public let digest: Digest

  public init(changes: Int64, digest: Digest) {
    self.changes = changes
    self.digest = digest
  }

  /// The version of an empty store.
  public static let empty = GalleryVersion(changes: 0, digest: Digest(of: Array("reverify gallery 1".utf8)))

  func enrolling(_ session: EnrolledSession) -> Self {
    following(4, session.session.organisation, session.session.id.rawValue, session.digest.bytes)
  }

  func preparing(
    _ session: SessionID, in organisation: OrganisationID, _ preparation: ApprovedSession.Preparation
  ) -> Self {
    following(5, organisation, session.rawValue, Array(preparation.rawValue.utf8))
  }

  func erasing(_ target: ErasureTarget) -> Self {
    switch target.subject {
    case .organisation: following(1, target.organisation, "")
    case .user(let id): following(2, target.organisation, id.rawValue)
    case .session(let id): following(3, target.organisation, id.rawValue)
    case .evidence: self
    }
  }

  private func following(
    _ kind: UInt8, _ organisation: OrganisationID, _ id: String, _ content: [UInt8] = []
  ) -> Self {
    var bytes = CanonicalBytes("reverify gallery change 1")
    bytes.append(digest.bytes)
    bytes.append(kind)
    bytes.append(organisation.rawValue)
    bytes.append(id)
    bytes.append(content)
    return GalleryVersion(changes: changes + 1, digest: Digest(of: bytes.bytes))
  }
}

extension EnrolledSession {
  /// The digest of what a reference is made from.
  fileprivate var digest: Digest {
    var bytes = CanonicalBytes("reverify session 1")
    bytes.append(session.workflow.rawValue)
    bytes.append(session.user.rawValue)
    bytes.append(session.approvedAt.millisecondsSince1970)
    bytes.append(session.preparation.rawValue)
    for embedding in embeddings {
      bytes.append(embedding.space.description)
      bytes.append(UInt64(embedding.values.count))
      for value in embedding.values { bytes.append(value.bitPattern) }
    }
    return Digest(of: bytes.bytes)
  }
}
