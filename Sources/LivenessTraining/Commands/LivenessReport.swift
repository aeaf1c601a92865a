import Biometrics
import Evaluation
import Liveness

/// The text of an evaluation: counts with 95 % bounds, the worst species first.
public enum LivenessReport {
  /// Errors at the model's own thresholds.
  public static func text(_ evaluation: ModelEvaluation) -> String {
    var lines = [
      "policy \(evaluation.policy), \(evaluation.captures) captures of \(evaluation.subjects) subjects"
    ]
    lines.append("BPCER  " + row(evaluation.bonaFide))
    for attack in evaluation.attacks {
      let isUnstoppable =
        AttackSpecies(rawValue: attack.name).map(AttackSpecies.unstoppable.contains) ?? false
      lines.append("APCER  " + row(attack) + (isUnstoppable ? "  (not stoppable by these cues)" : ""))
    }
    for group in evaluation.groups { lines.append("BPCER, " + row(group)) }
    return lines.joined(separator: "\n")
  }

  /// APCER by species at the thresholds of BPCER 1 % and 5 %, found on the same captures: how ISO/IEC 30107-3 has checks
  /// compared, not how a threshold may be chosen.
  public static func operatingPoints(_ scores: PresentationAttackSet) throws -> String {
    try PresentationFigures.standardTargets.map { target in
      switch try scores.threshold(atBonaFideErrorRate: target) {
      case .notReachable(let trials, let needed):
        return
          "at BPCER \(percent(target.value)): not reachable with \(trials) live captures; \(needed) allow one error"
      // A score of 0 is a refusal whatever the threshold.
      case .reached(let threshold) where threshold <= 0:
        return
          "at BPCER \(percent(target.value)): not reachable, since more are refused whatever the threshold"
      case .reached(let threshold):
        var lines = ["at BPCER \(percent(target.value)): threshold \(threshold)"]
        lines.append("  BPCER \(interval(try scores.bonaFideErrorRate(at: threshold)))")
        for species in scores.species {
          lines.append(
            "  APCER \(species): \(interval(try scores.attackErrorRate(species: species, at: threshold)))")
        }
        lines.append("  worst: \(try scores.worstAttackErrorRate(at: threshold).species)")
        return lines.joined(separator: "\n")
      }
    }.joined(separator: "\n")
  }

  /// A rate as counts with its Wilson interval.
  public static func interval(_ rate: Proportion) -> String {
    let bounds = rate.wilson()
    return
      "\(rate) (\(percent(rate.value)), 95 %: \(percent(bounds.low, .down)) to \(percent(bounds.high, .up)))"
  }

  private static func row(_ row: ModelEvaluation.Row) -> String {
    let reasons = row.reasons.prefix(3).map { "\($0.reason.rawValue) \($0.count)" }.joined(separator: ", ")
    return "\(row.name): \(interval(row.rate))" + (reasons.isEmpty ? "" : "; \(reasons)")
  }

  /// A decision as a line of JSON, with whether the challenge is known to be a server's or was the record's own word.
  public static func json(
    _ decision: LivenessDecision, line: Int, model: String, isChallengeChecked: Bool
  ) -> String {
    func object(_ pairs: [(String, String)]) -> String {
      "{\(pairs.map { "\"\($0.0)\":\($0.1)" }.joined(separator: ","))}"
    }
    let cues = decision.cues.sorted { $0.key.rawValue < $1.key.rawValue }.map { cue, result in
      (
        cue.rawValue,
        object([("ratio", result.ratio.map { "\($0)" } ?? "null"), ("accepted", "\(result.isAccepted)")])
      )
    }
    let features = decision.features.named.sorted { $0.key < $1.key }.map { ($0.key, "\($0.value)") }
    return object([
      ("line", "\(line)"), ("challenge", isChallengeChecked ? "\"checked\"" : "\"unchecked\""),
      ("verdict", "\"\(decision.verdict.rawValue)\""),
      ("score", decision.score.map { "\($0)" } ?? "null"), ("threshold", "\(decision.threshold)"),
      ("reasons", "[\(decision.reasons.map { "\"\($0.rawValue)\"" }.joined(separator: ","))]"),
      ("cues", object(cues)), ("features", object(features)), ("model", "\"\(model)\""),
    ])
  }
}
