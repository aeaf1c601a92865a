import Biometrics

/// What a workflow asks of its thresholds: error rates, for which the embedding space's evidence has the scores.
public struct PolicyTargets: Hashable, Sendable {
  /// The most false matches a comparison with the claimed user's reference may give, above 0 and below 1. Over several
  /// attempts of a transaction they add up: at most so many times as much.
  public let falseMatchRate: Double
  /// The most false positives a search of the organisation may give, above 0 and below 1.
  public let falsePositiveRate: Double
  /// The number of references that an organisation is expected to have at most, at least 1.
  public let enrolled: Int

  public init(falseMatchRate: Double, falsePositiveRate: Double, enrolled: Int) {
    self.falseMatchRate = falseMatchRate
    self.falsePositiveRate = falsePositiveRate
    self.enrolled = enrolled
  }
}

extension ReVerificationPolicy {
  /// The policy whose thresholds keep `targets` by the evidence of `points`, which is of the references' `space`.
  ///
  /// The recognise threshold is raised to the verify threshold where it would lie below. Throws `OperatingPointError` when
  /// the evidence does not support a target or is of another space, and `PolicyError` for the other values.
  public init(
    _ targets: PolicyTargets, by points: OperatingPoints, for space: EmbeddingSpace, attempts: Int = 3,
    life: Duration = .seconds(600), lockOut: LockOutPolicy? = .standard, faceBinding: FaceBinding = .required
  ) throws {
    guard points.space == space else {
      throw OperatingPointError(.otherSpace, asked: targets.falseMatchRate, space: points.space.model)
    }
    let verify = try points.verifyThreshold(atFalseMatchRate: targets.falseMatchRate)
    let recognise = try points.recogniseThreshold(
      atFalsePositiveRate: targets.falsePositiveRate, enrolled: targets.enrolled)
    try self.init(
      verifyThreshold: verify, recogniseThreshold: max(verify, recognise), attempts: attempts, life: life,
      lockOut: lockOut, faceBinding: faceBinding)
  }
}
