import FaceMatching

/// What was read and run for a report: names and digests, no paths of the machine.
public struct ReportProvenance: Sendable {
  public struct File: Sendable {
    public let name: String
    public let sha256: String

    public init(name: String, sha256: String) {
      self.name = name
      self.sha256 = sha256
    }
  }

  public let files: [File]
  public let command: String
  public let engineVersion: String

  public init(files: [File], command: String, engineVersion: String) {
    self.files = files
    self.command = command
    self.engineVersion = engineVersion
  }

  var json: JSONTree {
    .of(
      ("files", .list(files.map { .of(("name", .text($0.name)), ("sha256", .text($0.sha256))) })),
      ("command", .text(command)), ("engine_version", .text(engineVersion)))
  }
}

/// The figures of an evaluation as JSON, as a page and as curves.
public struct EvaluationReport: Sendable {
  public static let format = "reverify-evaluation"

  let title: String
  let figures: ComparisonFigures?
  let identification: IdentificationFigures?
  let transactions: TransactionFigures?
  let groups: DataSetEvaluation.Groups?
  let folds: [DataSetEvaluation.Folds]
  let development: [(metric: DoublePairs.Metric, training: Int, test: FoldedAccuracy.Fold)]
  let presentations: PresentationFigures?
  let provenance: ReportProvenance
  let extrapolated: [(rate: TargetRate, tail: TailExtrapolation?, threshold: Double?)]
  private let content: JSONTree
  private let dataWarnings: [String]

  /// The report of a data set; its curves and slider are those of all pairs by cosine.
  public init(
    _ evaluation: DataSetEvaluation, presentations: PresentationFigures? = nil,
    provenance: ReportProvenance, extrapolated: [TargetRate] = []
  ) {
    title = evaluation.data.name
    figures = evaluation.allPairs.first?.figures ?? evaluation.listedPairs
    // Searches and transactions are by cosine: thresholds of another metric say nothing of them.
    let isOfCosine = evaluation.allPairs.first.map { $0.metric == .cosine } ?? true
    identification = isOfCosine ? evaluation.identification : nil
    transactions = isOfCosine ? evaluation.transactions : nil
    groups = evaluation.groups
    folds = evaluation.folds
    development = evaluation.development
    self.presentations = presentations
    self.provenance = provenance
    self.extrapolated = Self.extrapolate(figures, extrapolated)
    content = evaluation.json
    let unusable = evaluation.unusableRowCount
    dataWarnings =
      unusable == 0
      ? []
      : [
        "\(unusable) of \(evaluation.data.rowCount) rows are no embedding (zeros, NaN or infinite): failures to enrol, in "
          + "no rate"
      ]
  }

  /// The report of scores from files.
  public init(
    _ evaluation: ScoreSetEvaluation, presentations: PresentationFigures? = nil,
    provenance: ReportProvenance, extrapolated: [TargetRate] = []
  ) {
    title = provenance.files.map(\.name).joined(separator: ", ")
    figures = evaluation.figures
    identification = nil
    transactions = evaluation.transactions
    groups = evaluation.groups
    folds = []
    development = []
    self.presentations = presentations
    self.provenance = provenance
    self.extrapolated = Self.extrapolate(evaluation.figures, extrapolated)
    content = evaluation.json
    dataWarnings = []
  }

  /// The report of presentations to a liveness check alone.
  public init(_ presentations: PresentationFigures, provenance: ReportProvenance) {
    title = provenance.files.map(\.name).joined(separator: ", ")
    figures = nil
    identification = nil
    transactions = nil
    groups = nil
    folds = []
    development = []
    self.presentations = presentations
    self.provenance = provenance
    extrapolated = []
    content = .object([])
    dataWarnings = []
  }

  private static func extrapolate(
    _ figures: ComparisonFigures?, _ rates: [TargetRate]
  ) -> [(rate: TargetRate, tail: TailExtrapolation?, threshold: Double?)] {
    guard !rates.isEmpty else { return [] }
    let tail = figures.flatMap {
      TailExtrapolation(highest: $0.highestNonMated, comparisons: $0.nonMated?.summary.count ?? 0)
    }
    return rates.map { ($0, tail, tail?.threshold(atFalseMatchRate: $0.value)) }
  }

  /// Doubts that a reader should know first.
  public var warnings: [String] {
    dataWarnings + (figures?.warnings.map(\.description) ?? []) + (presentations?.warnings ?? [])
  }

  /// The figures, described in `Documentation/Formats/Evaluation.md`.
  public var json: JSONTree {
    guard case .object(let members) = content else { preconditionFailure("figures are an object") }
    return .object(
      [
        .init("format", .text(Self.format)), .init("schema_version", .count(DataSetEvaluation.schemaVersion)),
        .init("data", .text(title)), .init("provenance", provenance.json),
      ] + members + [
        .init("presentation_attacks", presentations?.json ?? .null), .init("extrapolated", extrapolatedJSON),
      ])
  }

  private var extrapolatedJSON: JSONTree {
    guard !extrapolated.isEmpty else { return .null }
    return .object(
      extrapolated.map { rate, tail, threshold in
        .init(
          rate.description,
          .of(
            ("threshold", .number(threshold)), ("is_evidence", .flag(false)),
            ("fitted_above", .number(tail?.above)),
            ("fitted_scores", tail.map { .count($0.scores) } ?? .null),
            ("shape", .number(tail?.shape)), ("scale", .number(tail?.scale))))
      })
  }

  /// The names that curves can have.
  public static let curveFileNames = [
    "error_rates.csv", "histogram.csv", "cmc.csv", "identification.csv", "presentation_attacks.csv",
  ]

  /// Curves as CSV, by file name; numbers with all their digits.
  public var curveFiles: [(name: String, text: String)] {
    var files: [(String, String)] = []
    if let figures {
      let curve = figures.curve.map {
        "\($0.threshold),\($0.falseMatchRate.count),\($0.falseMatchRate.total),\($0.falseNonMatchRate.count),"
          + "\($0.falseNonMatchRate.total)\n"
      }
      files.append(
        (
          "error_rates.csv", "threshold_ge,false_matches,non_mated,false_non_matches,mated\n" + curve.joined()
        ))
      let bins = figures.histogram.map { "\($0.low),\($0.high),\($0.mated),\($0.nonMated)\n" }
      files.append(("histogram.csv", "low,high,mated,non_mated\n" + bins.joined()))
    }
    if let identification {
      let ranks = identification.cumulativeMatch.enumerated().map {
        "\($0.offset + 1),\($0.element.count),\($0.element.total)\n"
      }
      files.append(("cmc.csv", "rank,hits,searches\n" + ranks.joined()))
      let places = places.compactMap { place -> String? in
        guard let positive = place.falsePositives, let negative = place.falseNegatives else { return nil }
        return "\(place.threshold),\(positive.count),\(positive.total),\(negative.count),\(negative.total)\n"
      }
      files.append(
        (
          "identification.csv",
          "threshold_ge,false_positives,non_mated,false_negatives,mated\n" + places.joined()
        ))
    }
    if let presentations { files.append(("presentation_attacks.csv", presentations.csv)) }
    return files
  }

  var places: [SliderPlace] {
    figures.map { SliderPlace.all($0, identification, transactions) } ?? []
  }
}
