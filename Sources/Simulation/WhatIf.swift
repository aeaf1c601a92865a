import Biometrics
import Evaluation
import Liveness

/// Values of a policy that are to be tried; nil leaves one as it is.
public struct PolicyChange: Hashable, Sendable {
  public var verifyThreshold: SimilarityThreshold?
  public var recogniseThreshold: SimilarityThreshold?
  public var attempts: Int?
  /// The lowest liveness score that is live, 0...1.
  public var livenessThreshold: Double?
  /// The model that is to judge what was recorded in front of the camera.
  public var livenessModel: LivenessModel?

  public init(
    verifyThreshold: SimilarityThreshold? = nil, recogniseThreshold: SimilarityThreshold? = nil,
    attempts: Int? = nil, livenessThreshold: Double? = nil,
    livenessModel: LivenessModel? = nil
  ) {
    self.verifyThreshold = verifyThreshold
    self.recogniseThreshold = recogniseThreshold
    self.attempts = attempts
    self.livenessThreshold = livenessThreshold
    self.livenessModel = livenessModel
  }
}

/// What decisions would have been under another policy, made by the production state machine.
public struct WhatIfReport: Sendable, Codable {
  /// A re-verification that would have ended otherwise.
  public struct Flip: Hashable, Sendable, Codable {
    /// Its identifier, or its place in the simulation.
    public let id: String
    /// What is true of it, in a simulation.
    public let truth: String?
    public let before: String
    public let after: String
  }

  /// One that what is known doesn't decide.
  public struct Undetermined: Hashable, Sendable, Codable {
    public let id: String
    public let before: String
    public let reason: String
  }

  /// FAR or FRR, with a 95 % interval (Clopper–Pearson).
  public struct Rate: Hashable, Sendable, Codable {
    public let count: Int
    public let of: Int
    public let low: Double
    public let high: Double

    init?(_ count: Int, of total: Int) {
      guard total > 0 else { return nil }
      let interval = Proportion(count, of: total).clopperPearson()
      (self.count, of, low, high) = (count, total, interval.low, interval.high)
    }
  }

  /// Rates per transaction, where the truth is known.
  public struct Rates: Hashable, Sendable, Codable {
    /// Wrong persons verified.
    public let falseAccept: Rate?
    /// Right persons not verified.
    public let falseReject: Rate?
    /// Live persons' claims by a capture that fails liveness, verified.
    public let failedLivenessVerified: Rate?
  }

  public let reVerifications: Int
  /// Ends and how often each was reached, before and after.
  public let before: [String: Int]
  public let after: [String: Int]
  public let ratesBefore: Rates?
  public let ratesAfter: Rates?
  public let flips: [Flip]
  public let undetermined: [Undetermined]
}

/// Plays one cohort through the engine under two policies: the same people in the same scenes.
public struct CohortWhatIf: Sendable {
  private let simulation: ReVerificationSimulation
  private let change: PolicyChange

  /// Throws as the simulation does.
  public init(_ cohort: Cohort, options: ReVerificationSimulation.Options, change: PolicyChange) throws {
    simulation = try ReVerificationSimulation(cohort, options: options)
    self.change = change
  }

  public func run(progress: (Int, Int) -> Void = { _, _ in }) async throws -> WhatIfReport {
    let before = try await simulation.play { progress($0, 2 * $1) }.scenes
    let after = try await ReVerificationSimulation(simulation, change).play { progress($1 + $0, 2 * $1) }
      .scenes
    let flips = zip(before, after).enumerated().compactMap { place, pair -> WhatIfReport.Flip? in
      let (old, new) = pair
      guard old.outcome != new.outcome else { return nil }
      return .init(id: "scene-\(place)", truth: old.name, before: old.outcome, after: new.outcome)
    }
    return WhatIfReport(
      reVerifications: before.count, before: Self.counts(before), after: Self.counts(after),
      ratesBefore: Self.rates(before), ratesAfter: Self.rates(after), flips: flips, undetermined: [])
  }

  private static func counts(_ scenes: [ReVerificationSimulation.Played]) -> [String: Int] {
    Dictionary(grouping: scenes, by: \.outcome).mapValues(\.count)
  }

  private static func rates(_ scenes: [ReVerificationSimulation.Played]) -> WhatIfReport.Rates {
    func verified(_ isIncluded: (Truth) -> Bool) -> (count: Int, total: Int) {
      let chosen = scenes.filter { isIncluded($0.truth) }
      return (chosen.count { $0.outcome == "verified" }, chosen.count)
    }
    let wrong = verified(\.isImpostor)
    let right = verified { $0 == .rightPerson }
    let failing = verified { $0 == .failedLiveness }
    return .init(
      falseAccept: .init(wrong.count, of: wrong.total),
      falseReject: .init(right.total - right.count, of: right.total),
      failedLivenessVerified: .init(failing.count, of: failing.total))
  }
}
