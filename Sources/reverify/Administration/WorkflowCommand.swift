import Biometrics
import EnrolmentStore
import EvaluationCommands

enum WorkflowCommand: Command {
  static let name = "workflow"
  static let summary = "add or change a workflow and its policy"
  static let explanation = """
    Adds the workflow, or changes what is given and leaves the rest; prints what it is then. Re-verifications that are under
    way keep the terms they were begun on. A new one needs its thresholds: as numbers, or by --space and the false match
    rates its evidence supports.

      reverify workflow --store bank.db --organisation bank --workflow onboarding --space edgeface-xs --target-fmr 1e-5 \\
        --recognise-target-fmr 1e-6
    """
  static let options =
    StoreAccess.options + [
      StoreAccess.organisation, .option("workflow", "ID", "its id"),
      .option("verify-threshold", "T", "the claimed user matches from here on, -1...1"),
      .option("recognise-threshold", "T", "anybody known is recognised from here on"),
      .option("space", "NAME", "instead: thresholds of this embedding space"), SpaceLibrary.option,
      .option(
        "target-fmr", "RATE",
        "with --space: the false match rate, as the space's points name it (1e-5)"),
      .option("recognise-target-fmr", "RATE", "with --space: the same for recognising (1e-6)"),
      .option("attempts", "N", "1...10"), .option("life", "SECONDS", "1...86400"),
      .option("lock-out", "F/W/D", "F failures within W seconds lock out for D seconds, or 'none'"),
      .option("price", "N", "what a re-verification costs"),
      .option("status", "STATUS", "active or inactive"),
      .option("re-verification", "WHETHER", "on, off or unavailable"),
      .option("retention-days", "N", "how long sessions and evidence are kept, or 'none'"),
    ]

  static func run(_ arguments: Arguments) async throws -> Int32 {
    let organisation = try StoreAccess.organisationID(arguments)
    let id = WorkflowID(try arguments.required("workflow"))
    return try await StoreAccess.with(arguments) { store in
      let old = try await store.workflow(id, in: organisation)
      let policy = try policy(arguments, old: old?.policy)
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

  private static func policy(
    _ arguments: Arguments, old: ReVerificationPolicy?
  ) throws -> ReVerificationPolicy {
    let life = try arguments.optionalNumber("life", in: 1...86_400).map { Duration.seconds($0) }
    return try ReVerificationPolicy(
      verifyThreshold: threshold(
        "verify-threshold", "target-fmr", "1e-5", arguments, old?.verifyThreshold),
      recogniseThreshold: threshold(
        "recognise-threshold", "recognise-target-fmr", "1e-6", arguments, old?.recogniseThreshold),
      attempts: try arguments.number("attempts", in: 1...10, default: old?.attempts ?? 3),
      life: life ?? old?.life ?? .seconds(600), lockOut: try lockOut(arguments, old: old))
  }

  private static func threshold(
    _ number: String, _ target: String, _ usual: String, _ arguments: Arguments,
    _ old: SimilarityThreshold?
  ) throws -> SimilarityThreshold {
    if let value = try arguments.optionalNumber(number, in: -1...1 as ClosedRange<Float>) {
      return SimilarityThreshold(value)!
    }
    if let space = arguments["space"] {
      let points = try SpaceLibrary.read(arguments).space(named: space)
      let rate = arguments[target] ?? usual
      guard let point = points.point(forTarget: rate) else {
        let known = points.points.map(\.targetFalseMatchRate).joined(separator: ", ")
        throw UsageError("--\(target): the evidence of \(space) supports \(known), not '\(rate)'")
      }
      return point.threshold
    }
    guard let old else { throw UsageError("a new workflow needs --\(number), or --space") }
    return old
  }

  private static func lockOut(_ arguments: Arguments, old: ReVerificationPolicy?) throws
    -> LockOutPolicy?
  {
    guard let text = arguments["lock-out"] else { return old.map(\.lockOut) ?? .standard }
    if text == "none" { return nil }
    let numbers = text.split(separator: "/").map { Int($0) }
    guard numbers.count == 3, let failures = numbers[0], let window = numbers[1],
      let duration = numbers[2]
    else {
      throw UsageError(
        "--lock-out is failures/seconds/seconds, such as 5/180/1800, or 'none', not '\(text)'")
    }
    return try LockOutPolicy(
      failures: failures, window: .seconds(window), duration: .seconds(duration))
  }

  private static func retention(_ arguments: Arguments, old: RetentionPeriod?) throws
    -> RetentionPeriod?
  {
    guard let text = arguments["retention-days"] else { return old }
    if text == "none" { return nil }
    guard let days = Int64(text) else {
      throw UsageError("--retention-days is a number of days or 'none', not '\(text)'")
    }
    return try RetentionPeriod(.seconds(days.multipliedReportingOverflow(by: 86_400).partialValue))
  }
}
