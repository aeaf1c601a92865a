import Biometrics
import Evaluation
import Liveness

/// What a model does with labelled captures: errors as counts, by species and group, worst species first.
public struct ModelEvaluation: Sendable {
  public struct Row: Sendable {
    public let name: String
    /// Errors among trials.
    public let rate: Proportion
    /// What was said of the captures that did not pass, by count, the most frequent first.
    public let reasons: [(reason: LivenessReason, count: Int)]
  }

  public let policy: String
  public let subjects: Int
  public let captures: Int
  public let bonaFide: Row
  /// The species with the most errors first.
  public let attacks: [Row]
  /// Bona fide captures by group and value, for groups that were given.
  public let groups: [Row]
  public let scores: PresentationAttackSet

  /// Throws `EvaluationError.noBonaFidePresentations` or `.noAttackPresentations` rather than rates of nothing.
  public init(_ model: LivenessModel, policy name: String, on captures: [LabelledCapture]) throws {
    guard let policy = model.tuningInForce?.policies[name] else { throw LivenessError(.unknownPolicy) }
    let decided = captures.map { ($0, model.decide($0, policy: policy)) }
    let live = decided.filter(\.0.isBonaFide)
    guard !live.isEmpty else { throw EvaluationError.noBonaFidePresentations }
    let species = Set(captures.map(\.species)).subtracting([LabelledCapture.bonaFide]).sorted()
    guard !species.isEmpty else { throw EvaluationError.noAttackPresentations(species: nil) }
    self.policy = name
    subjects = Set(captures.map(\.subject)).count
    self.captures = captures.count
    // A retry is a response that refuses: the person did not pass.
    let responses = PresentationAttackSet(
      decided.map { capture, decision in
        Presentation(
          species: capture.isBonaFide ? nil : capture.species,
          livenessScore: Presentation.decision(isBonaFide: decision.verdict == .pass))
      })
    bonaFide = Self.row(
      "bona fide", try responses.bonaFideErrorRate(at: Presentation.decisionThreshold), live)
    attacks = try species.map { each in
      Self.row(
        each, try responses.attackErrorRate(species: each, at: Presentation.decisionThreshold),
        decided.filter { $0.0.species == each })
    }.sorted { $0.rate.value != $1.rate.value ? $0.rate.value > $1.rate.value : $0.name < $1.name }
    var groups: [String: [(LabelledCapture, LivenessDecision)]] = [:]
    for each in live {
      for (group, value) in each.0.groups { groups["\(group) = \(value)", default: []].append(each) }
    }
    self.groups = groups.sorted { $0.key < $1.key }.map { name, each in
      Self.row(name, Proportion(each.count { $0.1.verdict != .pass }, of: each.count), each)
    }
    scores = PresentationAttackSet(
      decided.map { capture, decision in
        Presentation(
          species: capture.isBonaFide ? nil : capture.species, livenessScore: decision.scoreForEvaluation)
      })
  }

  private static func row(
    _ name: String, _ rate: Proportion, _ decided: [(LabelledCapture, LivenessDecision)]
  ) -> Row {
    var counts: [LivenessReason: Int] = [:]
    for (_, decision) in decided { for reason in decision.reasons { counts[reason, default: 0] += 1 } }
    return Row(
      name: name, rate: rate,
      reasons: counts.sorted {
        $0.value != $1.value ? $0.value > $1.value : $0.key.rawValue < $1.key.rawValue
      }
      .map { ($0.key, $0.value) })
  }

  /// As a model file carries it.
  public func report(note: String) -> ValidationReport {
    ValidationReport(
      subjects: subjects, captures: captures, policy: policy, bpcer: .init(bonaFide.rate),
      apcer: Dictionary(uniqueKeysWithValues: attacks.map { ($0.name, .init($0.rate)) }), note: note)
  }
}

extension ValidationReport.Rate {
  /// With the bounds of Wilson's 95 % interval.
  public init(_ rate: Proportion) {
    self.init(errors: rate.count, of: rate.total)
  }
}
