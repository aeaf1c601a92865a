import Biometrics

/// That something was erased: whose, when and why. It holds identifiers only, and is kept for good.
///
/// It is what keeps the erased from coming back: their identifiers are never given again, and a store that is opened
/// erases them anew, whatever backup it came from.
public struct Erasure: Hashable, Sendable, Codable {
  /// What was erased with all that hangs on it. Decision records and the states of re-verifications stay: they hold no
  /// biometric data.
  public enum Subject: Hashable, Sendable, Codable {
    /// Everything of the organisation.
    case organisation
    /// The user with e-mail address, sessions, failure counter and the evidence of their attempts.
    case user(UserID)
    /// The approved session with its embeddings.
    case session(SessionID)
    /// The evidence of a re-verification's attempts.
    case evidence(ReVerificationID)
  }

  public enum Reason: String, Hashable, Sendable, Codable, CaseIterable {
    /// The data subject asked for it.
    case request
    /// Its retention period is over.
    case retention
    /// The organisation has left.
    case departure
    /// It should not have been kept.
    case correction
  }

  public let organisation: OrganisationID
  public let subject: Subject
  public let reason: Reason
  public let erasedAt: Instant

  public init(_ subject: Subject, of organisation: OrganisationID, reason: Reason, at erasedAt: Instant) {
    self.organisation = organisation
    self.subject = subject
    self.reason = reason
    self.erasedAt = erasedAt
  }

  /// What was erased, without when and why: the same subject is erased once.
  var target: ErasureTarget { ErasureTarget(organisation: organisation, subject: subject) }
}

/// A subject of an organisation.
struct ErasureTarget: Hashable, Sendable, CustomStringConvertible {
  let organisation: OrganisationID
  let subject: Erasure.Subject

  var description: String {
    switch subject {
    case .organisation: "organisation \(organisation)"
    case .user(let id): "user \(id) of \(organisation)"
    case .session(let id): "session \(id) of \(organisation)"
    case .evidence(let id): "evidence of re-verification \(id) of \(organisation)"
    }
  }
}

/// An erasure with its place in the store's ledger, from 1 without gaps.
public struct NumberedErasure: Hashable, Sendable, Codable {
  public let sequence: Int64
  public let erasure: Erasure

  public init(sequence: Int64, _ erasure: Erasure) {
    self.sequence = sequence
    self.erasure = erasure
  }
}
