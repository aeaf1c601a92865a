import Biometrics

/// Why a snapshot file was not written or not read. The gallery is as it was. Names files, places and identifiers, never
/// a template.
public struct SnapshotFileError: Error, Equatable, Sendable, CustomStringConvertible {
  public enum Code: Error, Equatable, Sendable {
    /// The system refused to read or write.
    case system(SystemFailure)
    /// The file doesn't begin as a snapshot does.
    case notASnapshot
    /// A version that this one can't read.
    case version(found: UInt32, expected: UInt32)
    /// The file's length is not the one that it states.
    case length(found: UInt64, expected: UInt64)
    /// What is stored at this byte is not what was written there, or, with a key, not under this key.
    case damaged(section: String, offset: UInt64)
    /// What is stored at this byte can't be: another thing was expected.
    case malformed(section: String, offset: UInt64, expected: String)
    /// The file is sealed and no key was given, or it isn't and one was.
    case sealing(isSealed: Bool)
    /// The embeddings are of another space than the gallery's.
    case otherSpace(expected: EmbeddingSpace, found: EmbeddingSpace)
    /// The file was written for another state of the store.
    case otherGeneration
    /// The gallery has references of this organisation already.
    case organisationPresent(OrganisationID)
  }

  public let code: Code
  public let path: String

  init(_ code: Code, _ path: String) {
    self.code = code
    self.path = path
  }

  public var description: String { "\(path): \(reason)" }

  /// What is wrong, without the path.
  public var reason: String {
    switch code {
    case .system(let failure): "\(failure)"
    case .notASnapshot: "not a gallery snapshot: \"RVGALRY\" was expected at byte 0"
    case .version(let found, let expected): "version \(expected) was expected at byte 8, found \(found)"
    case .length(let found, let expected): "\(expected) bytes were expected, found \(found)"
    case .damaged(let section, let offset): "damaged, or under another key: \(section) at byte \(offset)"
    case .malformed(let section, let offset, let expected):
      "\(section) at byte \(offset): \(expected) was expected"
    case .sealing(let isSealed):
      isSealed ? "sealed: a key was expected" : "not sealed, though a key was given"
    case .otherSpace(let expected, let found): "embeddings of \(expected) were expected, found \(found)"
    case .otherGeneration: "written for another state of the store"
    case .organisationPresent(let organisation): "the gallery has references of \(organisation) already"
    }
  }
}

extension SnapshotFileError.Code {
  /// Runs `body`, which reads the section that begins at `offset`; a failure of it is told as malformed content.
  static func reading<Result>(
    _ section: String, at offset: UInt64 = 0, _ body: () throws(ByteReader.Failure) -> Result
  ) throws(Self) -> Result {
    do throws(ByteReader.Failure) {
      return try body()
    } catch {
      throw .malformed(section: section, offset: offset + UInt64(error.position), expected: error.expected)
    }
  }
}
