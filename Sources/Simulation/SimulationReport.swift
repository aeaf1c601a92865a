import Biometrics
import Evaluation

/// What a simulation came to, against the truth.
public struct SimulationReport: Sendable, Codable {
  /// Errors among trials, with a 95 % interval (Clopper–Pearson).
  public struct ErrorCount: Sendable, Codable {
    public let count: Int
    public let of: Int
    public let low: Double
    public let high: Double

    init(_ count: Int, of total: Int) {
      self.count = count
      of = total
      // None of none is no evidence at all.
      let interval = total > 0 ? Proportion(count, of: total).clopperPearson() : nil
      low = interval?.low ?? 0
      high = interval?.high ?? 1
    }
  }

  public struct Errors: Sendable, Codable {
    /// Re-verifications by a wrong person that ended as verified.
    public let wrongPersonVerified: ErrorCount
    /// Compared attempts of wrong persons whose score with the claimed user's references matched.
    public let wrongPersonMatched: ErrorCount
    /// Re-verifications by the right person that did not end as verified.
    public let rightPersonRefused: ErrorCount
    /// Re-verifications with an attack that can be stopped, in place of a live person, that ended as verified.
    public let failedLivenessVerified: ErrorCount
  }

  public struct Population: Sendable, Codable {
    public let enrolled: Int
    public let enrolledElsewhere: Int
    public let strangers: Int
    public let heldOut: Int
    public let references: Int
  }

  public struct Latency: Sendable, Codable {
    public let p50: Double
    public let p90: Double
    public let p99: Double
    public let max: Double

    /// Percentiles by the nearest rank; zeros for no measurement.
    init(_ milliseconds: [Double]) {
      let sorted = milliseconds.sorted()
      func percentile(_ share: Double) -> Double {
        sorted.isEmpty ? 0 : sorted[Swift.max(0, Int((share * Double(sorted.count)).rounded(.up)) - 1)]
      }
      (p50, p90, p99, max) = (percentile(0.5), percentile(0.9), percentile(0.99), sorted.last ?? 0)
    }
  }

  public let data: String
  public let space: EmbeddingSpace
  public let seed: UInt64
  public let verifyThreshold: SimilarityThreshold
  public let recogniseThreshold: SimilarityThreshold
  public let thresholdSource: String
  public let targetFalseMatchRate: String?
  public let attemptsAllowed: Int
  public let livenessScorer: String
  public let population: Population
  /// How many of each truth ended how: `outcomes[truth][outcome]`; zeros included.
  public let outcomes: [String: [String: Int]]
  public let errors: Errors
  /// Of one submission, in process: liveness, search, decision, in-memory store.
  public let submitMilliseconds: Latency
  /// What became of attacks of each species; `nil` where captures are not judged.
  public var attacks: [AttackSimulation.Row]?
  public let engineVersion: String
  public let kernelLevel: String

  /// The names of outcomes, in the order of a table.
  public static let outcomeNames = [
    "verified", "notReVerified", "attemptsExhausted", "notEligible", "expired",
  ]

  static func name(of outcome: Outcome) -> String {
    switch outcome {
    case .verified: "verified"
    case .failed(.notReVerified): "notReVerified"
    case .failed(.attemptsExhausted): "attemptsExhausted"
    case .failed(.notEligible): "notEligible"
    case .failed(.expired): "expired"
    }
  }
}
