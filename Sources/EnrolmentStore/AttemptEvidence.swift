import Biometrics

/// What an attempt was judged on, kept so that the decision can be made again.
///
/// It holds biometric data: a durable store encrypts it, erasure removes it, and its description shows none of it.
public struct AttemptEvidence: Hashable, Sendable {
  public let reVerification: ReVerificationID
  public let organisation: OrganisationID
  public let workflow: WorkflowID
  /// The claimed user.
  public let user: UserID
  /// The attempt's number, from 1.
  public let attempt: Int
  /// When it was judged; retention counts from here.
  public let judgedAt: Instant
  /// The embeddings of the probe, as accepted and in the order given.
  public let probe: [UncheckedEmbedding]
  /// The capture, encoded by the engine.
  public let capture: [UInt8]

  public init(
    reVerification: ReVerificationID, organisation: OrganisationID, workflow: WorkflowID, user: UserID,
    attempt: Int, judgedAt: Instant, probe: [UncheckedEmbedding], capture: [UInt8]
  ) {
    self.reVerification = reVerification
    self.organisation = organisation
    self.workflow = workflow
    self.user = user
    self.attempt = attempt
    self.judgedAt = judgedAt
    self.probe = probe
    self.capture = capture
  }
}

extension AttemptEvidence: CustomStringConvertible, CustomReflectable {
  public var description: String { "evidence of attempt \(attempt) of re-verification \(reVerification)" }
  public var customMirror: Mirror {
    Mirror(self, children: ["reVerification": reVerification, "attempt": attempt])
  }
}
