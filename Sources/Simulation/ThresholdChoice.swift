import Biometrics
import Evaluation
import FaceMatching

/// The two thresholds of a simulation and where they come from.
public struct ThresholdChoice: Sendable {
  public let verify: SimilarityThreshold
  public let recognise: SimilarityThreshold
  /// The false match rate that `verify` is for, where it is for one.
  public let targetFalseMatchRate: TargetRate?
  /// For a reader: where they come from and what that is worth.
  public let source: String

  public init(
    verify: SimilarityThreshold, recognise: SimilarityThreshold, targetFalseMatchRate: TargetRate?,
    source: String
  ) {
    self.verify = verify
    self.recognise = max(recognise, verify)
    self.targetFalseMatchRate = targetFalseMatchRate
    self.source = source
  }

  /// The thresholds of a space's operating points. Nil where the points don't include both rates.
  public init?(_ points: OperatingPoints, verify: TargetRate, recognise: TargetRate, isEvidence: Bool) {
    guard let verifyPoint = points.point(forTarget: verify.description),
      let recognisePoint = points.point(forTarget: recognise.description)
    else { return nil }
    let caution =
      isEvidence ? "; they were chosen on this very data set" : "; they were chosen on other data than these"
    self.init(
      verify: verifyPoint.threshold, recognise: recognisePoint.threshold, targetFalseMatchRate: verify,
      source: "operating points of \(points.space.model), FMR \(verify) and \(recognise) on "
        + "\(points.evidence.name) (\(verifyPoint.falseMatches) and \(recognisePoint.falseMatches) of "
        + "\(verifyPoint.nonMatedComparisons) non-mated comparisons)\(caution)")
  }

  /// Thresholds from the pairs of held-out subjects, who take no part in the simulation.
  ///
  /// Where those pairs are too few for a rate, the rate of one false match among them takes its place, and `source`
  /// says so. Throws when they have no mated or no non-mated pair.
  static func heldOut(
    _ cohort: Cohort, subjects: [Int], verify: TargetRate, recognise: TargetRate
  ) throws -> ThresholdChoice {
    let rows = subjects.flatMap { subject in cohort.rowsOfSubject[subject].map { (subject, $0) } }
    let pairs = try LabelledPairs(rows.map { cohort.embeddings[$0.1] }, subjects: rows.map(\.0))
    let (verifyThreshold, verifyText) = try threshold(pairs, verify)
    let (recogniseThreshold, recogniseText) = try threshold(pairs, recognise)
    return ThresholdChoice(
      verify: verifyThreshold, recognise: recogniseThreshold, targetFalseMatchRate: verify,
      source:
        "pairs of \(subjects.count) held-out subjects: verify at \(verifyText), recognise at \(recogniseText)"
    )
  }

  private static func threshold(
    _ pairs: LabelledPairs, _ target: TargetRate
  ) throws -> (SimilarityThreshold, String) {
    let outcome = try pairs.operatingPoints(atFalseMatchRates: [target])[0]
    switch outcome {
    case .reached(let point):
      let matches = point.rates.falseMatchRate
      return (try threshold(of: point), "FMR \(target) (\(matches.count) of \(matches.total))")
    case .notReachable(let trials, let needed):
      guard let least = TargetRate(1, in: trials),
        let point = try pairs.operatingPoints(atFalseMatchRates: [least])[0].point
      else { throw SimulationError.tooFewPairs(trials) }
      return (
        try threshold(of: point),
        "\(point.rates.falseMatchRate) instead of FMR \(target), for which \(needed) would be needed"
      )
    }
  }

  private static func threshold(of point: FalseMatchOperatingPoint) throws -> SimilarityThreshold {
    guard case .success(let made) = OperatingPoints.Point.make(point) else {
      throw SimulationError.tiedScores
    }
    return made.threshold
  }
}

/// Why a simulation can't be played.
public enum SimulationError: Error, Equatable, CustomStringConvertible {
  /// The held-out subjects have so many non-mated pairs, which choose no threshold.
  case tooFewPairs(Int)
  /// More of their non-mated pairs have a score of exactly 1 than may match, so that no threshold keeps them out.
  case tiedScores
  /// Nobody can be enrolled: the cohort has so many subjects.
  case tooFewSubjects(Int)
  /// The liveness model is of a landmarker that can't be simulated.
  case otherLandmarker

  public var description: String {
    switch self {
    case .tooFewPairs(let count):
      "the held-out subjects have \(count) non-mated pairs: too few to choose a threshold"
    case .tiedScores:
      "the held-out subjects have more non-mated pairs with a score of exactly 1 than may match: no threshold keeps them out"
    case .tooFewSubjects(let count): "at least 12 subjects were expected, found \(count)"
    case .otherLandmarker: "the liveness model's landmarker can't be simulated"
    }
  }
}
