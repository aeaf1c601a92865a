import FaceMatching

extension DataSetEvaluation {
  /// The version of the JSON form, described in `Documentation/Formats/Evaluation.md`. Before 2 claims took comparisons as
  /// independent, and transactions of one attempt were of other subjects than those of three.
  public static let schemaVersion = 2

  /// The figures under the names and nesting of the shared baselines.
  public var json: JSONTree {
    .of(
      ("rows", .count(data.rowCount)), ("dim", .count(data.dimension)),
      ("subjects", .count(data.subjectCount)),
      ("undetected_rows", .count(data.isDetected.count { !$0 })),
      ("unusable_rows", .count(unusableRowCount)), ("norms", normsJSON),
      ("kfold", folds.isEmpty ? .null : .object(folds.map { .init($0.metric.baselineName, Self.json($0)) })),
      ("pairs_dev", developmentJSON),
      ("official_pairs_cosine", listedPairs?.json ?? .null),
      (
        "all_pairs",
        allPairs.isEmpty
          ? .null
          : .object(
            allPairs.map { metric, figures, seconds in
              .init(metric.baselineName, figures.json.adding("seconds", .number(seconds)))
            })
      ),
      ("all_pairs_detected_only_cosine", detectedOnlyJSON),
      ("open_set_identification", identification?.json ?? .null),
      ("transactions", transactions?.json ?? .null),
      ("subgroups", groups?.json ?? .null))
  }

  private var normsJSON: JSONTree {
    guard let norms else { return .null }
    return .of(
      ("n", .count(norms.summary.count)), ("mean", .number(norms.summary.mean)),
      ("std", .number(norms.summary.standardDeviation)),
      ("percentiles_0_1_5_25_50_75_95_99_100", .list(norms.percentiles.map { .number($0) })))
  }

  private var detectedOnlyJSON: JSONTree {
    guard let detectedOnly else { return .null }
    return .object([
      .init("n_genuine", .count(detectedOnly.mated?.summary.count ?? 0)),
      .init("n_impostor", .count(detectedOnly.nonMated?.summary.count ?? 0)),
      .init("eer", detectedOnly.json["eer"] ?? .null),
      .init("fnmr_at_fmr", detectedOnly.json["fnmr_at_fmr"] ?? .null),
    ])
  }

  private var developmentJSON: JSONTree {
    guard !development.isEmpty else { return .null }
    return .object(
      development.map { metric, training, test in
        var members: [JSONTree.Member] = [
          .init("n_train", .count(training)), .init("n_test", .count(test.comparisons)),
        ]
        for (name, threshold, right) in [
          ("low", test.threshold.low, test.right.low), ("mid", test.threshold.mid, test.right.mid),
          ("high", test.threshold.high, test.right.high),
        ] {
          let accuracy = Proportion(right, of: test.comparisons)
          members += [
            .init("threshold_\(name)", .number(threshold)), .init("right_\(name)", .count(right)),
            .init("accuracy_\(name)", .number(accuracy.value)),
            .init("accuracy_\(name)_interval", .interval(accuracy.clopperPearson())),
          ]
        }
        return .init(metric.baselineName, .object(members))
      })
  }

  private static func json(_ folds: Folds) -> JSONTree {
    let accuracy = folds.accuracy
    var members: [JSONTree.Member] = [
      .init("folds", .list(accuracy.folds.map(json))), .init("n_pairs", .count(accuracy.comparisons)),
      .init("failures", .count(accuracy.failures)),
    ]
    for (name, value, error) in [
      ("low", accuracy.accuracy.low, accuracy.standardError.low),
      ("mid", accuracy.accuracy.mid, accuracy.standardError.mid),
      ("high", accuracy.accuracy.high, accuracy.standardError.high),
    ] {
      members += [.init("accuracy_\(name)", .number(value)), .init("stderr_\(name)", .number(error))]
    }
    members.append(
      .init(
        "best_overall",
        .of(
          ("accuracy", .number(accuracy.bestOverall.right.value)),
          ("threshold_low", .number(accuracy.bestOverall.lowestThreshold)),
          ("threshold_high", .number(accuracy.bestOverall.highestThreshold)))))
    for (name, threshold, right) in folds.fixed {
      members.append(
        .init("fixed_\(name)", .of(("threshold_ge", .number(threshold)), ("accuracy", .number(right.value)))))
    }
    return .object(members)
  }

  private static func json(_ fold: FoldedAccuracy.Fold) -> JSONTree {
    .of(
      ("fold", .count(fold.fold)), ("n", .count(fold.comparisons)),
      ("threshold_low", .number(fold.threshold.low)),
      ("right_low", .count(fold.right.low)), ("threshold_mid", .number(fold.threshold.mid)),
      ("right_mid", .count(fold.right.mid)), ("threshold_high", .number(fold.threshold.high)),
      ("right_high", .count(fold.right.high)))
  }
}

extension DoublePairs.Metric {
  /// What the shared baselines call it.
  public var baselineName: String {
    switch self {
    case .cosine: "cosine"
    case .normalisedEuclidean: "euclidean_l2norm"
    case .euclidean: "euclidean_raw"
    }
  }
}

extension DataSetEvaluation.Groups {
  var json: JSONTree {
    .of(
      ("fmr_target", .text(target.description)), ("threshold_ge", .number(threshold)),
      ("fmr", falseMatches.json), ("fnmr", falseNonMatches.json))
  }
}

extension SubgroupRates {
  public var json: JSONTree {
    .of(
      (
        "groups",
        .list(
          groups.map { group in
            .of(
              ("name", .text(group.name)), ("errors", group.rate.map { .count($0.count) } ?? .null),
              ("comparisons", .count(group.rate?.total ?? 0)), ("rate", .number(group.rate?.value)),
              ("interval", .interval(group.interval)), ("too_small", .flag(group.isTooSmall)))
          })
      ), ("comparisons_needed", .count(comparisonsNeeded)), ("too_small", .list(tooSmall.map { .text($0) })),
      ("max_to_min", Self.json(highestToLowest)), ("max_to_geometric_mean", Self.json(highestToGeometricMean))
    )
  }

  private static func json(_ ratio: Ratio) -> JSONTree {
    switch ratio {
    case .value(let value): .of(("value", .number(value)), ("why_not", .null))
    case .noErrors(let group): .of(("value", .null), ("why_not", .text("group \(group) has no error")))
    case .tooFewGroups: .of(("value", .null), ("why_not", .text("fewer than two groups are large enough")))
    }
  }
}
