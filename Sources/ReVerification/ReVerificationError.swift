import Biometrics
import EnrolmentStore

/// Why a call to the engine has no answer. Not an outcome: nothing was decided about the person.
///
/// Safe to log: it holds no embedding, score, e-mail address or secret.
public struct ReVerificationError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What a caller can do about it.
  public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
    /// The caller gave up; there is no outcome.
    case cancelled
    /// What was handed in is wrong, and would be again.
    case validation
    /// The engine could not be reached: repeat the call, with the same idempotency key.
    case network
    /// The capture is of a kind this engine can't judge.
    case capture
    /// The store failed or is busy: repeat the call, with the same idempotency key.
    case storage
    /// A defect of the engine or its parts: repeat the call, with the same idempotency key.
    case `internal`
  }

  public enum Code: String, Hashable, Sendable, Codable, CaseIterable {
    case cancelled
    case invalidEmail, invalidKey, keyReused, invalidEmbedding, wrongSpace, malformedCapture
    case unknownReVerification, unknownWorkflow, unknownUser, unknownSession, unknownOrganisation
    case sessionConflict
    /// What it concerns was erased, and its identifier is not given again.
    case erased
    case unreachable
    case unsupportedCapture
    /// The store failed, or may have.
    case storeUnavailable
    case storeDamaged
    /// Another engine on the same store is evaluating an attempt of this re-verification.
    case busyElsewhere
    /// Others changed the same records again and again.
    case contention
    case evaluationFailed
    /// The evaluation took so long that another engine took it for lost.
    case superseded
    case encodingFailed

    public var kind: Kind {
      switch self {
      case .cancelled: .cancelled
      case .invalidEmail, .invalidKey, .keyReused, .invalidEmbedding, .wrongSpace, .malformedCapture,
        .unknownReVerification, .unknownWorkflow, .unknownUser, .unknownSession, .unknownOrganisation,
        .sessionConflict, .erased:
        .validation
      case .unreachable: .network
      case .unsupportedCapture: .capture
      case .storeUnavailable, .storeDamaged, .busyElsewhere, .contention: .storage
      case .evaluationFailed, .superseded, .encodingFailed: .internal
      }
    }
  }

  public let code: Code
  /// Where and what: for example `embedding 2: expected 512 values, found 128`.
  public let context: String

  public init(_ code: Code, _ context: String) {
    self.code = code
    self.context = context
  }

  public var kind: Kind { code.kind }

  public var description: String { "\(kind.rawValue).\(code.rawValue): \(context)" }
}

extension ReVerificationError {
  /// A store's error where the engine had nothing to try anew.
  init(_ error: StoreError) {
    let code: Code =
      switch error.code {
      case .unavailable, .inUse, .unknownVersion, .wrongKey: .storeUnavailable
      case .damaged: .storeDamaged
      case .erased: .erased
      // What it rests on was there when it was read.
      case .conflict, .missing, .emailTaken: .contention
      }
    self.init(code, error.description)
  }
}
