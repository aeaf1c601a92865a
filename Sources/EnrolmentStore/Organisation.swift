import Biometrics

/// A customer of the engine: workflows, users, sessions and references belong to exactly one.
public struct Organisation: Hashable, Sendable, Codable {
  public let id: OrganisationID
  /// When repeated failures lock a user out, over all its workflows and beside their own policies: no workflow can be laxer.
  /// `nil` never does.
  public var lockOut: LockOutPolicy?

  public init(id: OrganisationID, lockOut: LockOutPolicy? = nil) {
    self.id = id
    self.lockOut = lockOut
  }
}

/// A way of verifying a user in full, and the terms on which such users are re-verified.
///
/// Its identifier is its organisation's own: another organisation's workflow looks just like a missing one.
public struct Workflow: Hashable, Sendable, Codable {
  public enum Status: String, Hashable, Sendable, Codable, CaseIterable {
    case active
    case inactive
  }

  /// Whether users of a workflow can be re-verified.
  public enum Availability: String, Hashable, Sendable, Codable, CaseIterable {
    case on
    /// Turned off by the organisation: its sessions are not enrolled.
    case off
    /// Not offered for this workflow; to a caller it looks like a missing one.
    case unavailable
  }

  public let id: WorkflowID
  public let organisation: OrganisationID
  public var status: Status
  public var reVerification: Availability
  /// What one re-verification costs.
  public var price: Credits
  public var policy: ReVerificationPolicy
  /// How long its sessions and the evidence of attempts are kept; `nil` until they are erased for another reason.
  public var retention: RetentionPeriod?

  public init(
    id: WorkflowID, organisation: OrganisationID, status: Status = .active,
    reVerification: Availability = .on, price: Credits = Credits(1), policy: ReVerificationPolicy,
    retention: RetentionPeriod? = nil
  ) {
    self.id = id
    self.organisation = organisation
    self.status = status
    self.reVerification = reVerification
    self.price = price
    self.policy = policy
    self.retention = retention
  }
}

/// A data subject that an organisation knows by an e-mail address, unique there.
public struct User: Hashable, Sendable, Codable {
  public let id: UserID
  public let organisation: OrganisationID
  public var email: EmailAddress

  public init(id: UserID, organisation: OrganisationID, email: EmailAddress) {
    self.id = id
    self.organisation = organisation
    self.email = email
  }
}

extension User: CustomStringConvertible {
  public var description: String { "user \(id) of \(organisation)" }
}

/// An amount of the unit in which re-verifications are paid for; below zero it is owed.
public struct Credits: Hashable, Comparable, Sendable, Codable {
  public let units: Int64

  public init(_ units: Int64) {
    self.units = units
  }

  public static func < (left: Credits, right: Credits) -> Bool {
    left.units < right.units
  }

  /// The difference; saturates instead of overflowing.
  public static func - (left: Credits, right: Credits) -> Credits {
    let (difference, overflow) = left.units.subtractingReportingOverflow(right.units)
    return Credits(overflow ? (left.units < 0 ? .min : .max) : difference)
  }
}
