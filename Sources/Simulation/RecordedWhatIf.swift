import Biometrics
import EnrolmentStore
import Liveness
import ReVerification

/// Decides recorded re-verifications anew under another policy, by the production state machine, from the scores and
/// liveness that their decision records hold.
///
/// Each is begun anew with the changed policy and given its attempts in their order. What was not recorded can't be
/// decided and is told as such: an attempt that was never made because the first policy ended earlier, scores that were
/// not formed because liveness had failed, and, by another liveness model, a capture that is not among those given. A cancel, an expiry or a lock-out that came before the end comes again.
public struct RecordedWhatIf: Sendable {
  private let change: PolicyChange
  private let captures: RecordedCaptures?

  /// With another liveness model, `captures` are what it judges; without them every attempt would be undetermined. Throws
  /// what the detector says of a model that it can't use.
  public init(_ change: PolicyChange, captures: [CaptureRecord] = []) throws {
    self.change = change
    self.captures = try change.livenessModel.map { try RecordedCaptures(captures, model: $0) }
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
      let evaluation: ReVerification.Evaluation
      switch self.evaluation(of: evidence, verify: change.verifyThreshold ?? first.policy!.verifyThreshold) {
      case .success(let known): evaluation = known
      case .failure(let gap): return .undetermined("attempt \(evidence.attempt) \(gap.rawValue)")
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
      attempts: change.attempts ?? policy.attempts, life: policy.life, lockOut: policy.lockOut,
      faceBinding: policy.faceBinding)
  }

  /// What is not known of an attempt.
  private enum Gap: String, Error {
    case noScore = "would pass liveness, and no score was formed"
    case notRecorded = "has no capture among those given"
    case otherLandmarker = "has a capture of a landmarker that the model is not for"
  }

  private func evaluation(
    of evidence: DecisionRecord.Evidence, verify: SimilarityThreshold
  ) -> Result<ReVerification.Evaluation, Gap> {
    var liveness = evidence.liveness
    switch captures?.assessment(of: evidence) {
    case .success(let other): liveness = other
    case .failure(.notRecorded): return .failure(.notRecorded)
    case .failure(.otherLandmarker): return .failure(.otherLandmarker)
    case nil: break
    }
    var verdict = liveness.verdict
    if let threshold = change.livenessThreshold, let score = liveness.score, verdict != .unusable {
      verdict = score >= threshold ? .live : .notLive
    }
    // The face handed in is held to the verify threshold as well; only where the capture was live was it looked at.
    if let lowest = evidence.liveness.boundFaceScore {
      let isSame = SimilarityScore(Float(lowest)).matches(verify)
      if isSame, liveness.reasons == [.otherFace] { verdict = .live }
      if !isSame, verdict == .live { verdict = .notLive }
    }
    switch verdict {
    case .live: return evidence.scores.map { .success(.compared($0)) } ?? .failure(.noScore)
    case .notLive: return .success(.notLive)
    case .unusable: return .success(.unusable)
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
