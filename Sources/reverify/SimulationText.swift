import Biometrics
import Evaluation
import EvaluationCommands
import Foundation
import Simulation

/// A simulation's report for people.
enum SimulationText {
  static func heading(_ cohort: Cohort, seed: UInt64) -> String {
    let size =
      "\(cohort.embeddings.count) embeddings of \(cohort.rowsOfSubject.count) subjects, "
      + "\(cohort.space.dimension) dimensions"
    return cohort.name == "synthetic"
      ? "synthetic cohort, of nobody: \(size), seed \(seed)" : "\(cohort.name): \(size), seed \(seed)"
  }

  static func body(_ report: SimulationReport) -> String {
    let people = report.population
    return """
      thresholds: verify \(report.verifyThreshold.value), recognise \(report.recogniseThreshold.value)
        from \(report.thresholdSource)
      people: \(people.enrolled) enrolled, \(people.enrolledElsewhere) on another workflow, \
      \(people.strangers) strangers, \(people.heldOut) held out; \(people.references) references
      liveness: \(report.livenessScorer) (\(report.attacks == nil
        ? "provisional: an upstream score is taken at its word" : "simulated captures: no evidence about people"))

      \(outcomes(report))

      \(errors(report))

      submit: median \(milliseconds(report.submitMilliseconds.p50)), 90 % \(milliseconds(report.submitMilliseconds.p90)), \
      99 % \(milliseconds(report.submitMilliseconds.p99)), longest \(milliseconds(report.submitMilliseconds.max)) \
      (in process, in-memory store, \(report.kernelLevel) kernels)
      \(report.attacks.map(attacks) ?? "")
      """
  }

  /// What became of attacks on the liveness check, by species.
  private static func attacks(_ rows: [AttackSimulation.Row]) -> String {
    let lines = rows.map { row in
      let reasons = row.reasons.prefix(2).map { "\($0.reason.rawValue) \($0.count)" }.joined(separator: ", ")
      return row.species.padded(to: 20) + "\(row.verified) of \(row.played)".leftPadded(to: 10)
        + "   \(reasons)"
        + (row.isStoppable ? "" : "  (can't be stopped by what a client sends)")
    }
    return """

      attacks with a matching face, through the engine, one attempt each
      shown                 verified   refused for
      \(lines.joined(separator: "\n"))

      """
  }

  private static func outcomes(_ report: SimulationReport) -> String {
    let names = SimulationReport.outcomeNames
    let head = "truth".padded(to: 20) + names.map { $0.leftPadded(to: $0.count + 3) }.joined()
    let rows = Truth.allCases.map { truth in
      truth.rawValue.padded(to: 20)
        + names.map { name in
          "\(report.outcomes[truth.rawValue]?[name] ?? 0)".leftPadded(to: name.count + 3)
        }.joined()
    }
    return ([head] + rows).joined(separator: "\n")
  }

  private static func errors(_ report: SimulationReport) -> String {
    let errors = report.errors
    var lines = [
      "errors                               count        of   95 % interval",
      line("wrong person verified", errors.wrongPersonVerified),
      line("wrong person matched, per attempt", errors.wrongPersonMatched),
      line("right person refused", errors.rightPersonRefused),
      line("failed liveness verified", errors.failedLivenessVerified),
    ]
    if let target = report.targetFalseMatchRate, let rate = Double(target) {
      let interval = errors.wrongPersonMatched
      let verdict = interval.low <= rate ? "is within or above" : "lies below"
      lines.append("the target FMR \(target) \(verdict) the interval of wrong persons matched per attempt")
    }
    return lines.joined(separator: "\n")
  }

  private static func line(_ name: String, _ error: SimulationReport.ErrorCount) -> String {
    name.padded(to: 34) + "\(error.count)".leftPadded(to: 8) + "\(error.of)".leftPadded(to: 10) + "   "
      + "\(BoundText.low(error.low)) to \(BoundText.high(error.high))"
  }

  private static func milliseconds(_ value: Double) -> String {
    String(format: "%.2f ms", value)
  }
}
