import EmbeddingFiles
import Evaluation

/// Presentations to a liveness check that `eval` works on.
package enum PresentationInput {
  package static let options: [CommandOption] = [
    .option(
      "presentations", "FILE",
      "instead or also: attacks and live people, a CSV with species (bona_fide or\nthe attack's), liveness_score or liveness_decision, and perhaps match_score"
    ),
    .option("liveness-threshold", "T", "the lowest liveness score that is live"),
    .option("match-threshold", "T", "the lowest match score that matches, for IAPAR"),
    .option("target-bpcer", "RATES", "with commas: of BPCER and of APCER (default: 1e-2,5e-2)"),
  ]

  /// The figures of the file that was named; nil where none was.
  package static func figures(_ arguments: Arguments) throws -> PresentationFigures? {
    let threshold = try arguments.finite("liveness-threshold")
    let matchThreshold = try arguments.finite("match-threshold")
    let targets = try arguments.rates("target-bpcer") ?? PresentationFigures.standardTargets
    guard let path = arguments["presentations"] else {
      for name in ["liveness-threshold", "match-threshold", "target-bpcer"] where arguments[name] != nil {
        throw UsageError("--\(name) is about presentations: give --presentations FILE")
      }
      return nil
    }
    let file = try PresentationFile.read(path)
    if file.hasDecisions, threshold != nil {
      throw UsageError("--liveness-threshold is about scores, and \(path) has decisions")
    }
    let presentations = file.rows.map { row in
      let score: Double? =
        switch row.response {
        case .score(let score): score
        case .decision(let isBonaFide): Presentation.decision(isBonaFide: isBonaFide)
        case .none: nil
        }
      return Presentation(species: row.species, livenessScore: score, comparisonScore: row.matchScore)
    }
    return PresentationFigures(
      presentations, threshold: file.hasDecisions ? Presentation.decisionThreshold : threshold,
      matchThreshold: matchThreshold, targets: file.hasDecisions ? [] : targets)
  }
}
