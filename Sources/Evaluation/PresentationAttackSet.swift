/// Responses of a liveness check to presentations with ground truth: APCER and BPCER of ISO/IEC 30107-3.
///
/// The liveness score lies higher for a live person; `score >= threshold` classifies as bona fide. A
/// presentation without a response (a score that is not finite stands for one) enters no classification error
/// rate and is counted.
public struct PresentationAttackSet: Sendable {
  /// Liveness scores of bona fide presentations, ascending.
  public let bonaFide: [Double]
  /// Liveness scores of attack presentations by attack-instrument species, ascending.
  public let attacks: [String: [Double]]
  /// Bona fide presentations without a response.
  public let bonaFideNonResponses: Int
  /// By species; every species of `attacks` is there.
  public let attackNonResponses: [String: Int]

  /// Sorts the scores and counts those that are not finite as non-responses, beside the ones given.
  public init(
    bonaFide: [Double], attacks: [String: [Double]], bonaFideNonResponses: Int = 0,
    attackNonResponses: [String: Int] = [:]
  ) {
    self.bonaFide = bonaFide.filter(\.isFinite).sorted()
    self.attacks = attacks.mapValues { $0.filter(\.isFinite).sorted() }
    self.bonaFideNonResponses = bonaFideNonResponses + bonaFide.count { !$0.isFinite }
    self.attackNonResponses = attackNonResponses.merging(
      attacks.mapValues { $0.count { !$0.isFinite } }, uniquingKeysWith: +)
  }

  /// BPCER: the proportion of bona fide presentations classified as attacks.
  ///
  /// Throws `.noBonaFidePresentations` rather than returning zero.
  public func bonaFideErrorRate(at threshold: Double) throws(EvaluationError) -> Proportion {
    guard !bonaFide.isEmpty else { throw .noBonaFidePresentations }
    return Proportion(bonaFide.countBelow(threshold), of: bonaFide.count)
  }

  /// APCER of one attack-instrument species: the proportion of its presentations classified as bona fide.
  ///
  /// Throws `.noAttackPresentations` for a species without responses rather than returning zero.
  public func attackErrorRate(
    species: String, at threshold: Double
  ) throws(EvaluationError) -> Proportion {
    guard let scores = attacks[species], !scores.isEmpty else {
      throw .noAttackPresentations(species: species)
    }
    return Proportion(scores.count - scores.countBelow(threshold), of: scores.count)
  }

  /// The species with the highest APCER and that rate, which is the one to report; the first by name when
  /// equal.
  ///
  /// Species without responses are passed over. Throws `.noAttackPresentations` when there is no other.
  public func worstAttackErrorRate(
    at threshold: Double
  ) throws(EvaluationError) -> (species: String, rate: Proportion) {
    var worst: (species: String, rate: Proportion)?
    for (species, scores) in attacks.sorted(by: { $0.key < $1.key }) where !scores.isEmpty {
      let rate = try attackErrorRate(species: species, at: threshold)
      if worst.map({ $0.rate.value < rate.value }) ?? true { worst = (species, rate) }
    }
    guard let worst else { throw .noAttackPresentations(species: nil) }
    return worst
  }

  /// The lowest threshold at which APCER stays within `target` for every species, by the k-rule on each.
  ///
  /// `.notReachable` tells of the species with the fewest presentations. Throws when no species has a
  /// response.
  public func threshold(atAttackErrorRate target: TargetRate) throws(EvaluationError) -> TargetOutcome<Double>
  {
    let species = attacks.values.filter { !$0.isEmpty }
    guard let fewest = species.map(\.count).min() else { throw .noAttackPresentations(species: nil) }
    guard target.allowedErrors(of: fewest) > 0 else {
      return .notReachable(trials: fewest, needed: target.trialsForOneError)
    }
    let highest = species.map { $0[$0.count - 1 - target.allowedErrors(of: $0.count)] }.max()!
    return .reached(highest.nextUp)
  }
}

/// Impostor attack presentations against the whole engine, liveness and comparison together: IAPAR.
public struct ImpostorAttackSet: Sendable {
  /// One presentation and what the engine made of it.
  public struct Presentation: Hashable, Sendable {
    /// The attack-instrument species, for example `print`.
    public let species: String
    /// `nil` when the liveness check gave no response: not accepted.
    public let livenessScore: Double?
    /// The comparison score with the attacked reference; `nil` when none was formed: not accepted.
    public let comparisonScore: Double?

    /// A presentation of a species with the scores that were formed.
    public init(species: String, livenessScore: Double?, comparisonScore: Double?) {
      self.species = species
      self.livenessScore = livenessScore
      self.comparisonScore = comparisonScore
    }
  }

  /// All presentations, in the order given.
  public let presentations: [Presentation]

  /// Takes presentations of any species.
  public init(_ presentations: [Presentation]) {
    self.presentations = presentations
  }

  /// IAPAR of one species: the proportion of all its presentations, those without a response included, that
  /// pass liveness and match. Throws `.noAttackPresentations` rather than returning zero.
  public func acceptRate(
    species: String, livenessThreshold: Double, matchThreshold: Double
  ) throws(EvaluationError) -> Proportion {
    let made = presentations.filter { $0.species == species }
    guard !made.isEmpty else { throw .noAttackPresentations(species: species) }
    let accepted = made.count { presentation in
      guard let liveness = presentation.livenessScore, let comparison = presentation.comparisonScore else {
        return false
      }
      return liveness >= livenessThreshold && comparison >= matchThreshold
    }
    return Proportion(accepted, of: made.count)
  }
}
