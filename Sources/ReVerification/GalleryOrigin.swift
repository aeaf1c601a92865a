import Biometrics
import EnrolmentStore
import FaceMatching
import Glibc

/// Where an organisation's gallery came from when an engine opened.
public enum GalleryOrigin: Hashable, Sendable, CustomStringConvertible {
  /// From its snapshot, which was of the store's very state.
  case snapshot(references: Int)
  /// From the store, session by session, since there was no such snapshot.
  case store(sessions: Int, because: SnapshotRefusal)

  public var description: String {
    switch self {
    case .snapshot(let references): "from its snapshot, \(references) references"
    case .store(let sessions, let refusal): "from the store, \(sessions) sessions: \(refusal)"
    }
  }

  /// Its name in metrics: of a closed set.
  var name: String {
    switch self {
    case .snapshot: "snapshot"
    case .store(_, let refusal): refusal.code.rawValue
    }
  }

  /// Whether somebody should look why.
  public var isConspicuous: Bool {
    switch self {
    case .snapshot: false
    case .store(_, let refusal): ![.none, .missing, .otherGeneration].contains(refusal.code)
    }
  }
}

/// Why a snapshot was not used. It costs the time of building the gallery from the store, and nothing else.
public struct SnapshotRefusal: Error, Hashable, Sendable, CustomStringConvertible {
  public enum Code: String, Hashable, Sendable, CaseIterable {
    /// The store keeps no snapshots.
    case none
    case missing
    /// Written for another state of the store: something was enrolled, prepared or erased since, or a backup restored.
    case otherGeneration
    /// Not as it was written.
    case damaged
    /// Sealed under another key than this store's.
    case foreignKey
    /// Its references are of another embedding space than the engine's.
    case otherSpace
    /// Written in a version of the format that this one can't read.
    case otherVersion
    /// The system did not let it be read.
    case unreadable
    /// The gallery handed in had references of the organisation already.
    case galleryInUse
  }

  public let code: Code
  /// Where and what: names places in the file, never a template.
  public let context: String

  public var description: String { context.isEmpty ? code.rawValue : "\(code.rawValue) (\(context))" }

  init(_ code: Code, _ context: String = "") {
    self.code = code
    self.context = context
  }

  init(_ error: SnapshotFileError) {
    switch error.code {
    case .system(let failure) where failure.number == ENOENT: self.init(.missing)
    case .system(let failure): self.init(.unreadable, "\(failure)")
    case .notASnapshot, .length, .damaged, .malformed, .sealing: self.init(.damaged, error.reason)
    case .version: self.init(.otherVersion, error.reason)
    case .otherSpace: self.init(.otherSpace, error.reason)
    case .otherGeneration: self.init(.otherGeneration)
    case .organisationPresent: self.init(.galleryInUse)
    }
  }
}

/// What came of writing an organisation's gallery to its snapshot.
public enum Checkpoint: Hashable, Sendable {
  case written(references: Int)
  /// The snapshot that is there is of the present state.
  case current
  /// The store changed all the time, so that there was no state to write.
  case overtaken

  /// Its name in logs and metrics: of a closed set.
  public var name: String {
    switch self {
    case .written: "written"
    case .current: "current"
    case .overtaken: "overtaken"
    }
  }
}
