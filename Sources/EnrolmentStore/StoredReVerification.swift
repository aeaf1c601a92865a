import Biometrics

/// A re-verification as a store keeps it: what a store looks for, and the rest as bytes it needn't understand.
public struct StoredReVerification: Hashable, Sendable {
  public let id: ReVerificationID
  public let organisation: OrganisationID
  public let workflow: WorkflowID
  public let user: UserID
  public let expiry: Instant
  /// The encoded state machine.
  public let state: [UInt8]
  /// How often it has been stored, 0 for one that never was. A commit names the revision it was made from.
  public let revision: Int64

  public init(
    id: ReVerificationID, organisation: OrganisationID, workflow: WorkflowID, user: UserID, expiry: Instant,
    state: [UInt8], revision: Int64
  ) {
    self.id = id
    self.organisation = organisation
    self.workflow = workflow
    self.user = user
    self.expiry = expiry
    self.state = state
    self.revision = revision
  }

  /// The same with the revision that storing it makes.
  public var stored: Self {
    Self(
      id: id, organisation: organisation, workflow: workflow, user: user, expiry: expiry, state: state,
      revision: revision + 1)
  }
}
