import Biometrics
import EnrolmentStore
import EvaluationCommands

enum WorkflowCommand: Command {
  static let name = "workflow"
  static let summary = "add or change a workflow and its policy"
  static let explanation = """
    Adds the workflow, or changes what is given and leaves the rest; prints what it is then. Re-verifications that are under
    way keep the terms they were begun on. A new one needs its thresholds: as numbers, or as the error rates that they are to
    keep, by the evidence of an embedding space. Rates that the evidence doesn't support are refused, with what it would take.

      reverify workflow --store bank.db --organisation bank --workflow onboarding --space edgeface-xs --target-fmr 1e-5 \\
        --target-fpir 1e-2 --enrolled 10000
    """
  static let options =
    StoreAccess.options + [
      StoreAccess.organisation, .option("workflow", "ID", "its id"),
      .option("verify-threshold", "T", "the claimed user matches from here on, -1...1"),
      .option("recognise-threshold", "T", "anybody known is recognised from here on"),
      .option("space", "NAME", "instead: by the evidence of this embedding space"), SpaceLibrary.option,
      .option("target-fmr", "RATE", "with --space: the most false matches of a comparison (1e-5)"),
      .option(
        "target-fpir", "RATE", "with --space: the most false positives of a search (1e-3)"),
      .option("enrolled", "N", "with --space: sessions there will be at most (1000)"),
      .option("attempts", "N", "1...10"), .option("life", "SECONDS", "1...86400"),
      LockOutOption.option,
      .option(
        "face-binding", "WHETHER",
        "required: captures must carry embeddings of the matching space, to compare with those submitted, so that passive "
          + "scores never pass; or whereGiven"
      ),
      .option("price", "N", "what a re-verification costs"),
      .option("status", "STATUS", "active or inactive"),
      .option("re-verification", "WHETHER", "on, off or unavailable"),
      .option("retention-days", "N", "how long sessions and evidence are kept, 1...36600, or 'none'"),
    ]

  static func run(_ arguments: Arguments) async throws -> Int32 {
    let organisation = try StoreAccess.organisationID(arguments)
    let id = WorkflowID(try arguments.required("workflow"))
    return try await StoreAccess.with(arguments) { store in
      let old = try await store.workflow(id, in: organisation)
      let space = try await store.sessions(in: organisation, after: 0, limit: 1).first?
        .enrolled.session.space
      let policy = try policy(arguments, old: old?.policy, space: space)
      let workflow = Workflow(
        id: id, organisation: organisation,
        status: try arguments.choice("status", default: old?.status ?? .active),
        reVerification: try arguments.choice(
          "re-verification", default: old?.reVerification ?? .on),
        price: try arguments.optionalNumber("price", in: 0...1_000_000_000).map(Credits.init)
          ?? old?.price ?? Credits(1),
        policy: policy, retention: try retention(arguments, old: old?.retention))
      try await store.commit([.workflow(workflow)])
      try Output.standard.write(json: workflow)
      return ExitStatus.success
    }
  }

  /// `space` is that of the references there are; `nil` while there are none.
  private static func policy(
    _ arguments: Arguments, old: ReVerificationPolicy?, space: EmbeddingSpace?
  ) throws -> ReVerificationPolicy {
    let targeted = try targeted(arguments, space: space)
    let life = try arguments.optionalNumber("life", in: 1...86_400).map { Duration.seconds($0) }
    return try ReVerificationPolicy(
      verifyThreshold: threshold(
        "verify-threshold", arguments, (targeted ?? old)?.verifyThreshold),
      recogniseThreshold: threshold(
        "recognise-threshold", arguments, (targeted ?? old)?.recogniseThreshold),
      attempts: try arguments.number("attempts", in: 1...10, default: old?.attempts ?? 3),
      life: life ?? old?.life ?? .seconds(600),
      lockOut: try LockOutOption.read(arguments, old: old.map(\.lockOut) ?? .standard),
      faceBinding: try arguments.choice("face-binding", default: old?.faceBinding ?? .required))
  }

  private static func threshold(
    _ name: String, _ arguments: Arguments, _ other: SimilarityThreshold?
  ) throws -> SimilarityThreshold {
    if let value = try arguments.optionalNumber(name, in: -1...1 as ClosedRange<Float>) {
      return SimilarityThreshold(value)!
    }
    guard let other else { throw UsageError("a new workflow needs --\(name), or --space") }
    return other
  }

  /// The policy of the error rates asked for; `nil` when none are.
  private static func targeted(
    _ arguments: Arguments, space: EmbeddingSpace?
  ) throws -> ReVerificationPolicy? {
    guard let name = arguments["space"] else {
      let stray = ["target-fmr", "target-fpir", "enrolled"].first { arguments[$0] != nil }
      if let stray { throw UsageError("--\(stray) needs --space, whose evidence it goes by") }
      return nil
    }
    let points = try SpaceLibrary.read(arguments).space(named: name)
    do {
      return try ReVerificationPolicy(
        PolicyTargets(
          falseMatchRate: arguments.number("target-fmr", in: 0...1, default: 1e-5),
          falsePositiveRate: arguments.number("target-fpir", in: 0...1, default: 1e-3),
          enrolled: arguments.number("enrolled", in: 1...1_000_000_000, default: 1000)),
        by: points, for: space ?? points.space)
    } catch let error as OperatingPointError {
      throw UsageError("\(error)")
    }
  }

  private static func retention(_ arguments: Arguments, old: RetentionPeriod?) throws
    -> RetentionPeriod?
  {
    guard let text = arguments["retention-days"] else { return old }
    if text == "none" { return nil }
    let day: Int64 = 86_400
    let days = 1...RetentionPeriod.range.upperBound.components.seconds / day
    guard let number = Int64(text), days.contains(number) else {
      throw UsageError(
        "--retention-days is a number from \(days.lowerBound) to \(days.upperBound) or 'none', not '\(text)'")
    }
    return try RetentionPeriod(.seconds(number * day))
  }
}
