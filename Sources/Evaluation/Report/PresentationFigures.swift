/// What is said of presentations to a liveness check: BPCER and APCER of each species at some thresholds, and, where
/// comparison scores and their threshold are known, IAPAR.
public struct PresentationFigures: Sendable {
  /// Why a threshold is looked at.
  public enum Choice: Hashable, Sendable {
    /// It was given, or the file holds decisions.
    case given
    /// The highest within a BPCER, found on these presentations.
    case bonaFideErrorRate(TargetRate)
    /// The lowest within an APCER of every species, found on these presentations.
    case attackErrorRate(TargetRate)
  }

  /// All rates at one threshold; a rate of nothing is nil.
  public struct Rates: Sendable {
    public let threshold: Double
    public let bonaFide: Proportion?
    /// By name of the species.
    public let attacks: [(species: String, rate: Proportion?)]
    /// The species with the highest APCER, which is the one to report.
    public let worst: (species: String, rate: Proportion)?
    /// IAPAR by name of the species; empty without comparison scores and their threshold.
    public let impostors: [(species: String, rate: Proportion?)]

    /// The species with the highest IAPAR, the first by name when equal.
    public var worstImpostor: (species: String, rate: Proportion)? {
      impostors.reduce(nil) { worst, each in
        guard let rate = each.rate, worst.map({ $0.1.value < rate.value }) ?? true else { return worst }
        return (each.species, rate)
      }
    }
  }

  public static let standardTargets = [TargetRate(1, in: 100)!, TargetRate(1, in: 20)!]

  public let set: PresentationAttackSet
  public let impostors: ImpostorAttackSet
  /// What a comparison score must reach; nil when it was not given.
  public let matchThreshold: Double?
  public let points: [(choice: Choice, outcome: TargetOutcome<Rates>)]
  /// Whether any attack has a comparison score.
  public let hasComparisons: Bool

  /// Measures at the threshold given, and at those of the targets on both sides. A target of a class without a response is
  /// left out.
  public init(
    _ presentations: [Presentation], threshold: Double?, matchThreshold: Double? = nil,
    targets: [TargetRate] = standardTargets
  ) {
    let set = PresentationAttackSet(presentations)
    let impostors = ImpostorAttackSet(presentations)
    let hasComparisons = impostors.presentations.contains { $0.comparisonScore != nil }
    func rates(_ threshold: Double) -> Rates {
      Rates(
        threshold: threshold, bonaFide: try? set.bonaFideErrorRate(at: threshold),
        attacks: set.species.map { ($0, try? set.attackErrorRate(species: $0, at: threshold)) },
        worst: try? set.worstAttackErrorRate(at: threshold),
        impostors: set.species.compactMap { species in
          guard hasComparisons, let matchThreshold else { return nil }
          let rate = try? impostors.acceptRate(
            species: species, livenessThreshold: threshold, matchThreshold: matchThreshold)
          return (species, rate)
        })
    }
    var points: [(Choice, TargetOutcome<Rates>)] = threshold.map { [(.given, .reached(rates($0)))] } ?? []
    for (choices, find) in [
      (targets.map(Choice.bonaFideErrorRate), set.threshold(atBonaFideErrorRate:)),
      (targets.map(Choice.attackErrorRate), set.threshold(atAttackErrorRate:)),
    ] {
      for (choice, target) in zip(choices, targets) {
        guard let outcome = try? find(target) else { continue }
        points.append((choice, outcome.map(rates)))
      }
    }
    (self.set, self.impostors, self.matchThreshold, self.points) = (set, impostors, matchThreshold, points)
    self.hasComparisons = hasComparisons
  }

  /// Doubts that a reader should know first.
  public var warnings: [String] {
    var warnings: [String] = []
    if set.bonaFide.isEmpty { warnings.append("\(EvaluationError.noBonaFidePresentations)") }
    if set.attacks.values.allSatisfy(\.isEmpty) {
      warnings.append("\(EvaluationError.noAttackPresentations(species: nil))")
    }
    let silent = set.bonaFideNonResponses + set.attackNonResponses.values.reduce(0, +)
    if silent > 0 {
      warnings.append("\(silent) presentations got no response from the liveness check and are in no BPCER or APCER")
    }
    if hasComparisons, matchThreshold == nil {
      warnings.append("there are comparison scores of attacks, but no threshold for them, so IAPAR is undefined")
    }
    return warnings
  }
}

extension TargetOutcome {
  /// The outcome with another point.
  func map<Other>(_ transform: (Point) -> Other) -> TargetOutcome<Other> {
    switch self {
    case .reached(let point): .reached(transform(point))
    case .notReachable(let trials, let needed): .notReachable(trials: trials, needed: needed)
    }
  }
}
