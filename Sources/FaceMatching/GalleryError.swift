import Biometrics

/// Why a gallery refused. Names identifiers and spaces, never a template or a score.
public struct GalleryError: Error, Equatable, Sendable, CustomStringConvertible {
  public enum Code: Equatable, Sendable {
    /// The embedding belongs to another space than the gallery: nothing was compared.
    case otherSpace(expected: EmbeddingSpace, found: EmbeddingSpace)
    /// The session is enrolled already, with another reference.
    case sessionAlreadyEnrolled(SessionID)
    /// The number of candidates asked for is negative.
    case negativeLimit(Int)
    /// The number of threads asked for is not at least 1.
    case threadCount(Int)
    /// The kernels asked for can't be had.
    case kernels(KernelSelectionError)
    /// OpenBLAS was asked for by name and can't be used, for this reason.
    case blasUnavailable(String)
    /// Rows can't be kept in this folder, for this reason.
    case rowFolder(String, SystemFailure)
  }

  public let code: Code

  init(_ code: Code) {
    self.code = code
  }

  public var description: String {
    switch code {
    case .otherSpace(let expected, let found):
      "the gallery holds embeddings of the space \(expected), this one is of \(found)"
    case .sessionAlreadyEnrolled(let session): "session \(session) is enrolled with another reference"
    case .negativeLimit(let limit): "a limit of at least 0 was expected, found \(limit)"
    case .threadCount(let count): "at least 1 thread was expected, found \(count)"
    case .kernels(let error): error.description
    case .blasUnavailable(let reason): "OpenBLAS can't be used: \(reason)"
    case .rowFolder(let folder, let failure): "rows can't be kept in \(folder): \(failure)"
    }
  }
}
