extension EvaluationReport {
  static func table(_ title: String, _ heads: [String], _ rows: [[String]], note: String? = nil) -> String {
    guard !rows.isEmpty else { return "" }
    let head = heads.map { "<th>\($0)</th>" }.joined()
    let body = rows.map { row in
      "<tr>" + row.map { "<td>\($0)</td>" }.joined() + "</tr>"
    }.joined(separator: "\n")
    return """
      <section class="table"><h2>\(title)</h2><table><thead><tr>\(head)</tr></thead><tbody>\(body)</tbody></table>\
      \(note.map { "<p class=\"note\">\($0)</p>" } ?? "")</section>
      """
  }

  var transactionTable: String {
    guard let transactions else { return "" }
    var rows: [[String]] = []
    for point in transactions.points {
      for (place, pair) in zip(point.falseAccepts, point.falseRejects).enumerated() {
        func cells(_ rate: TransactionFigures.Rate?) -> [String] {
          guard let rate else { return ["–", "–", "–"] }
          let observed = rate.observed.rate
          return [
            Text.proportion(observed), Self.intervals(observed.clopperPearson(), rate.bySubject),
            Text.count(rate.observed.shortTransactions),
          ]
        }
        rows.append(
          [point.target.description, Text.fixed(point.threshold, 4), "\(place + 1)"] + cells(pair.0)
            + cells(pair.1))
      }
    }
    let (failures, attempts) = transactions.transactions.attemptCounts
    var note = "Protocol: \(transactions.protocolDescription)"
    if let left = transactions.leftOut {
      note += " (\(Text.count(left.mated)) of the mated, \(Text.count(left.nonMated)) of the non-mated)"
    }
    note +=
      ". \(Text.count(failures.total)) of \(Text.count(attempts)) attempts gave no score; they are used up and match "
      + "nobody. Short: ended without a match after fewer attempts than allowed, counted as not accepted, so that FAR could "
      + "be higher and FRR lower by as many. Note that \(TransactionFigures.dependence)."
    return Self.table(
      "Transactions",
      ["at FMR", "threshold", "attempts", "FAR", "interval", "short", "FRR", "interval", "short"], rows,
      note: note)
  }

  var groupTable: String {
    guard let groups else { return "" }
    func rows(_ rates: SubgroupRates, _ kind: String) -> [[String]] {
      rates.groups.map { group in
        [
          kind, group.name.escaped, group.rate.map(Text.proportion) ?? "no comparison",
          group.interval.map(Text.interval) ?? "–",
          group.isTooSmall
            ? "<b class=\"unsupported\">✗ too small</b>: \(Text.count(rates.comparisonsNeeded)) needed" : "✓",
        ]
      } + [
        [kind, "<i>highest / lowest</i>", Self.ratio(rates.highestToLowest), "", ""],
        [kind, "<i>highest / geometric mean</i>", Self.ratio(rates.highestToGeometricMean), "", ""],
      ]
    }
    return Self.table(
      "Groups at the threshold of FMR \(groups.target), \(Text.fixed(groups.threshold, 6))",
      ["", "group", "rate", "interval", "large enough"],
      rows(groups.falseMatches, "FMR") + rows(groups.falseNonMatches, "FNMR"),
      note:
        "Intervals and sizes count the comparisons of a group as independent, which those of one subject are not: a group "
        + "that is too small by this count is too small by any.")
  }

  private static func ratio(_ ratio: SubgroupRates.Ratio) -> String {
    switch ratio {
    case .value(let value): Text.rate(value)
    case .noErrors(let group): "none: group \(group.escaped) has no error"
    case .tooFewGroups: "none: fewer than two groups are large enough"
    }
  }

  var foldTable: String {
    let rows = folds.flatMap { folds -> [[String]] in
      let accuracy = folds.accuracy
      return [
        [
          folds.metric.baselineName, Text.count(accuracy.comparisons), "\(accuracy.folds.count)",
          Text.fixed(accuracy.accuracy.low, 5), Text.fixed(accuracy.accuracy.mid, 5),
          Text.fixed(accuracy.accuracy.high, 5), Text.fixed(accuracy.standardError.mid, 5),
          Text.proportion(accuracy.bestOverall.right),
        ]
      ]
    }
    return Self.table(
      "Cross-validated accuracy of the listed pairs",
      [
        "metric", "pairs", "folds", "lowest threshold", "middle", "highest", "standard error",
        "best, not validated",
      ], rows)
  }

  var developmentTable: String {
    Self.table(
      "Development pairs: threshold chosen on one part, tried on the other",
      ["metric", "chosen on", "lowest threshold", "right", "highest threshold", "right", "interval"],
      development.map { metric, training, test in
        let high = Proportion(test.right.high, of: test.comparisons)
        return [
          metric.baselineName, Text.count(training), Text.fixed(test.threshold.low, 5),
          Text.proportion(Proportion(test.right.low, of: test.comparisons)),
          Text.fixed(test.threshold.high, 5), Text.proportion(high), Text.interval(high.clopperPearson()),
        ]
      })
  }

  var extrapolationTable: String {
    let rows = extrapolated.map { rate, tail, threshold in
      [
        rate.description, threshold.map { Text.fixed($0, 4) } ?? "–",
        tail.map {
          "generalised Pareto, \($0.scores) scores above \(Text.fixed($0.above, 4)), shape \(Text.fixed($0.shape, 3))"
        }
          ?? "too few scores for a fit",
      ]
    }
    return Self.table(
      "<b class=\"unsupported\">Extrapolated, no evidence</b>",
      ["FMR", "threshold if the tail goes on so", "fit"], rows,
      note: "Asked for with --extrapolate. A guess at a tail that was not seen; nothing here upholds a claim."
    )
  }

  var provenanceHTML: String {
    let files = provenance.files.map { ["\($0.name.escaped)", "<code>\($0.sha256)</code>"] }
    return Self.table("Data", ["file", "SHA-256"], files)
      + """
      <footer><p>Command: <code>\(provenance.command.escaped)</code></p><p>Engine \(provenance.engineVersion.escaped)\
      </p></footer>
      """
  }
}
