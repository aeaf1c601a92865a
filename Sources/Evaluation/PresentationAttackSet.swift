/// One presentation to a liveness check, or to the whole engine, with ground truth.
public struct Presentation: Hashable, Sendable {
  /// The attack-instrument species, for example `print`; nil for a bona fide presentation.
  public let species: String?
  /// Higher for a live person; nil, or not finite, when the check gave no response.
  public let livenessScore: Double?
  /// The comparison score with the claimed reference; nil when none was formed.
  public let comparisonScore: Double?

  public init(species: String?, livenessScore: Double?, comparisonScore: Double? = nil) {
    self.species = species
    self.livenessScore = livenessScore
    self.comparisonScore = comparisonScore
  }

  /// The scores that stand for decisions already made: 1 for classified as bona fide, 0 for refused. A request for another
  /// capture is a refusal: the person did not pass.
  public static func decision(isBonaFide: Bool) -> Double { isBonaFide ? 1 : 0 }
  /// Where the scores of decisions are to be judged.
  public static let decisionThreshold = 1.0
}

/// Responses of a liveness check to presentations with ground truth: APCER and BPCER of ISO/IEC 30107-3.
///
/// The liveness score lies higher for a live person; `score >= threshold` classifies as bona fide. A
/// presentation without a response (a score that is not finite stands for one) enters no classification error
/// rate and is counted: APNRR and BPNRR.
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

  /// The liveness scores of presentations; a missing one is a non-response.
  public init(_ presentations: [Presentation]) {
    var scores: [String?: [Double]] = [:]
    for each in presentations { scores[each.species, default: []].append(each.livenessScore ?? .nan) }
    let bonaFide = scores.removeValue(forKey: nil) ?? []
    self.init(
      bonaFide: bonaFide, attacks: Dictionary(uniqueKeysWithValues: scores.map { ($0.key!, $0.value) }))
  }

  /// The species presented, by name, those without any response included.
  public var species: [String] { Set(attacks.keys).union(attackNonResponses.keys).sorted() }

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

  /// The highest threshold at which BPCER stays within `target`, by the k-rule: with k errors allowed among n, the (k+1)-th
  /// lowest score.
  ///
  /// Found on the very presentations that are judged, it compares checks, as ISO/IEC 30107-3 has it; no threshold should be
  /// chosen so. Throws `.noBonaFidePresentations` rather than returning one of nothing.
  public func threshold(
    atBonaFideErrorRate target: TargetRate
  ) throws(EvaluationError) -> TargetOutcome<Double> {
    guard !bonaFide.isEmpty else { throw .noBonaFidePresentations }
    let allowed = target.allowedErrors(of: bonaFide.count)
    guard allowed > 0 else {
      return .notReachable(trials: bonaFide.count, needed: target.trialsForOneError)
    }
    return .reached(bonaFide[allowed])
  }
}

/// Impostor attack presentations against the whole engine, liveness and comparison together: IAPAR.
public struct ImpostorAttackSet: Sendable {
  /// The attack presentations, in the order given.
  public let presentations: [Presentation]

  /// Takes presentations of any species; bona fide ones are left out.
  public init(_ presentations: [Presentation]) {
    self.presentations = presentations.filter { $0.species != nil }
  }

  /// IAPAR of one species: the proportion of all its presentations, those without a response included, that
  /// pass liveness and match. Throws `.noAttackPresentations` rather than returning zero.
  public func acceptRate(
    species: String, livenessThreshold: Double, matchThreshold: Double
  ) throws(EvaluationError) -> Proportion {
    let (scores, made) = try livenessScores(species: species, matchThreshold: matchThreshold)
    return Proportion(scores.count - scores.countBelow(livenessThreshold), of: made)
  }

  /// The liveness scores, ascending, of a species' presentations that match, and how many presentations of it there are.
  func livenessScores(
    species: String, matchThreshold: Double
  ) throws(EvaluationError) -> (matching: [Double], made: Int) {
    let made = presentations.filter { $0.species == species }
    guard !made.isEmpty else { throw .noAttackPresentations(species: species) }
    let matching = made.compactMap { presentation -> Double? in
      guard let liveness = presentation.livenessScore, let comparison = presentation.comparisonScore,
        liveness.isFinite, comparison >= matchThreshold
      else { return nil }
      return liveness
    }
    return (matching.sorted(), made.count)
  }
}
