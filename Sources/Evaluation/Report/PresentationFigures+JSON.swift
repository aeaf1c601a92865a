extension PresentationFigures {
  /// The figures as `presentation_attacks` of `Documentation/Formats/Evaluation.md`.
  public var json: JSONTree {
    func targets(_ isIncluded: (Choice) -> TargetRate?) -> JSONTree {
      .object(
        points.compactMap { choice, outcome in
          isIncluded(choice).map { .init($0.description, outcome.point.map(tree) ?? .null) }
        })
    }
    let given = points.first { $0.choice == .given }?.outcome.point
    return .of(
      (
        "bona_fide",
        Self.tree(responses: set.bonaFide.count, nonResponses: set.bonaFideNonResponses)
      ),
      (
        "species",
        .object(
          set.species.map { species in
            .init(
              species,
              Self.tree(
                responses: set.attacks[species]?.count ?? 0,
                nonResponses: set.attackNonResponses[species] ?? 0))
          })
      ),
      ("match_threshold_ge", .number(matchThreshold)),
      ("at_given_threshold", given.map(tree) ?? .null),
      ("at_bpcer", targets { if case .bonaFideErrorRate(let rate) = $0 { rate } else { nil } }),
      ("at_apcer", targets { if case .attackErrorRate(let rate) = $0 { rate } else { nil } }),
      ("unsupported", .list(points.compactMap(Self.unsupported))),
      ("warnings", .list(warnings.map { .text($0) })))
  }

  private static func tree(responses: Int, nonResponses: Int) -> JSONTree {
    let all = responses + nonResponses
    return .of(
      ("presentations", .count(all)), ("non_responses", .count(nonResponses)),
      ("non_response_rate", all == 0 ? .null : tree(Proportion(nonResponses, of: all))))
  }

  private func tree(_ rates: Rates) -> JSONTree {
    func worst(_ worst: (species: String, rate: Proportion)?) -> JSONTree {
      guard let worst else { return .null }
      return .of(("species", .text(worst.species)), ("rate", .number(worst.rate.value)))
    }
    func each(_ rates: [(species: String, rate: Proportion?)]) -> JSONTree {
      rates.isEmpty ? .null : .object(rates.map { .init($0.species, Self.tree($0.rate)) })
    }
    return .of(
      ("liveness_threshold_ge", .number(rates.threshold)), ("bpcer", Self.tree(rates.bonaFide)),
      ("apcer", each(rates.attacks)), ("apcer_worst", worst(rates.worst)),
      ("iapar", each(rates.impostors)), ("iapar_worst", worst(rates.worstImpostor)))
  }

  private static func tree(_ rate: Proportion?) -> JSONTree {
    guard let rate else { return .null }
    return .of(
      ("rate", .number(rate.value)), ("count", .count(rate.count)), ("of", .count(rate.total)),
      ("clopper_pearson", .interval(rate.clopperPearson())), ("wilson", .interval(rate.wilson())))
  }

  private static func unsupported(
    _ point: (choice: Choice, outcome: TargetOutcome<Rates>)
  ) -> JSONTree? {
    guard case .notReachable(let trials, let needed) = point.outcome else { return nil }
    return .of(
      ("target", .text("\(point.choice)")), ("presentations", .count(trials)),
      ("presentations_for_one_error", .count(needed)))
  }

  /// Every rate with its counts and intervals, as CSV.
  var csv: String {
    var lines = ["at,liveness_threshold_ge,rate,species,errors,of,clopper_pearson_low,clopper_pearson_high,"
      + "wilson_low,wilson_high"]
    for point in points {
      guard let rates = point.outcome.point else { continue }
      func add(_ name: String, _ species: String, _ rate: Proportion?) {
        guard let rate else { return }
        let (exact, wilson) = (rate.clopperPearson(), rate.wilson())
        lines.append(
          "\(point.choice),\(rates.threshold),\(name),\(Text.cell(species)),\(rate.count),\(rate.total),"
            + "\(exact.low),\(exact.high),\(wilson.low),\(wilson.high)")
      }
      add("BPCER", "", rates.bonaFide)
      for each in rates.attacks { add("APCER", each.species, each.rate) }
      for each in rates.impostors { add("IAPAR", each.species, each.rate) }
    }
    return lines.joined(separator: "\n") + "\n"
  }
}

extension PresentationFigures.Choice: CustomStringConvertible {
  public var description: String {
    switch self {
    case .given: "given"
    case .bonaFideErrorRate(let rate): "BPCER \(rate)"
    case .attackErrorRate(let rate): "APCER \(rate)"
    }
  }
}
