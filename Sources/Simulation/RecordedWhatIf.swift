import Biometrics
import EnrolmentStore
import ReVerification

/// Decides recorded re-verifications anew under another policy, by the production state machine, from the scores and
/// liveness that their decision records hold.
///
/// Each is begun anew with the changed policy and given its attempts in their order. What was not recorded can't be
/// decided and is told as such: an attempt that was never made because the first policy ended earlier, and scores that were
/// not formed because liveness had failed. A cancel, an expiry or a lock-out that came before the end comes again.
public struct RecordedWhatIf: Sendable {
  private let change: PolicyChange

  public init(_ change: PolicyChange) {
    self.change = change
  }

  /// Decides all re-verifications that were begun; records of one come in the order of their decisions. Throws
  /// `PolicyError` when the change makes no policy.
  public func run(_ records: [DecisionRecord]) throws -> WhatIfReport {
    var order: [ReVerificationID] = []
    var recordsOf: [ReVerificationID: [DecisionRecord]] = [:]
    for record in records where record.policy != nil && record.begunAt != nil && record.user != nil {
      if recordsOf[record.reVerification] == nil { order.append(record.reVerification) }
      recordsOf[record.reVerification, default: []].append(record)
    }
    var flips: [WhatIfReport.Flip] = []
    var undetermined: [WhatIfReport.Undetermined] = []
    var (before, after): ([String: Int], [String: Int]) = ([:], [:])
    for id in order {
      let old = Self.name(recordsOf[id]!.last!.conclusion)
      before[old, default: 0] += 1
      switch try decide(recordsOf[id]!) {
      case .decided(let new):
        after[new, default: 0] += 1
        if new != old { flips.append(.init(id: "\(id)", truth: nil, before: old, after: new)) }
      case .undetermined(let reason):
        after["undetermined", default: 0] += 1
        undetermined.append(.init(id: "\(id)", before: old, reason: reason))
      }
    }
    return WhatIfReport(
      reVerifications: order.count, before: before, after: after, ratesBefore: nil, ratesAfter: nil,
      flips: flips,
      undetermined: undetermined)
  }

  private enum Decision {
    case decided(String)
    case undetermined(String)
  }

  private func decide(_ records: [DecisionRecord]) throws -> Decision {
    let first = records[0]
    var machine = ReVerification(
      id: first.reVerification, organisation: first.organisation, workflow: first.workflow, user: first.user!,
      apiKey: first.apiKey, challenge: Challenge(nonce: ""), policy: try changed(first.policy!),
      price: first.charged ?? Credits(0), at: first.begunAt!)
    for record in records {
      guard let evidence = record.evidence else { continue }
      guard let evaluation = evaluation(of: evidence) else {
        return .undetermined("attempt \(evidence.attempt) would pass liveness, and no score was formed")
      }
      let claim = ClaimID("what-if-\(evidence.attempt)")
      _ = machine.handle(
        .submit(.init(key: evidence.key, content: evidence.contentDigest, claim: claim, engine: "what-if")),
        at: evidence.claimedAt)
      let action = machine.handle(
        .evaluated(claim, evaluation), at: machine.time(at: record.decidedAt))
      if case .decide(.answered(.ended(let outcome), _)) = action {
        return .decided(SimulationReport.name(of: outcome))
      }
    }
    let last = records.last!
    guard last.evidence == nil || Self.isOpen(last.conclusion) else {
      return .undetermined("it would go on, and attempt \(machine.attempts.count + 1) was never made")
    }
    return .decided(Self.name(last.conclusion))
  }

  /// The policy of a record with the changes; a recognise threshold that would lie below the verify threshold is raised to
  /// it, unless it was itself asked for.
  private func changed(_ policy: ReVerificationPolicy) throws -> ReVerificationPolicy {
    let verify = change.verifyThreshold ?? policy.verifyThreshold
    return try ReVerificationPolicy(
      verifyThreshold: verify,
      recogniseThreshold: change.recogniseThreshold ?? max(policy.recogniseThreshold, verify),
      attempts: change.attempts ?? policy.attempts, life: policy.life, lockOut: policy.lockOut)
  }

  /// Nil where liveness would pass now and did not then.
  private func evaluation(of evidence: DecisionRecord.Evidence) -> ReVerification.Evaluation? {
    var verdict = evidence.liveness.verdict
    if let threshold = change.livenessThreshold, let score = evidence.liveness.score, verdict != .unusable {
      verdict = score >= threshold ? .live : .notLive
    }
    switch verdict {
    case .live: return evidence.scores.map { .compared($0) }
    case .notLive: return .notLive
    case .unusable: return .unusable
    }
  }

  private static func isOpen(_ conclusion: DecisionRecord.Conclusion) -> Bool {
    if case .retry = conclusion { true } else { false }
  }

  private static func name(_ conclusion: DecisionRecord.Conclusion) -> String {
    switch conclusion {
    case .retry: "open"
    case .ended(let outcome): SimulationReport.name(of: outcome)
    case .cancelled: "cancelled"
    }
  }
}
