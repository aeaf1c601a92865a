import Biometrics
import EmbeddingFiles
import Evaluation
import FaceMatching

package enum HealthCommand: Command {
  package static let name = "health"
  package static let summary = "find what is wrong with enrolled references, by identifiers alone"
  package static let explanation = """
    Takes the subjects of the data for users and the images for sessions, compares all references, and lists: users who are
    one person, users whose references don't match each other, users who are hard to match, users who are easily matched by
    others. With a canary set, the images whose embedding is no longer what it was. No score is printed. Exit status 1 when
    there is something to look at.

      reverify health --data FOLDER --space edgeface-xs
      reverify health --data FOLDER --threshold 0.4 --recognise-threshold 0.7
      reverify health --canary before.npy --canary-now now.npy      rows of the same images
    """
  package static let options =
    EmbeddingInput.options + [
      SpaceLibrary.option,
      .option("space", "NAME", "the embedding space; also known by the file's digest"),
      .option(
        "target-fmr", "RATE", "the FMR of the space's threshold for one user's references (default 1e-3)"),
      .option("recognise-fmr", "RATE", "that for references of two users (default 1e-5)"),
      .option("threshold", "T", "instead: the threshold itself, -1...1"),
      .option("recognise-threshold", "T", "with --threshold: that for two users (default: the same)"),
      .option("deviations", "N", "robust deviations from the median user that are told (default 4)"),
      .option("canary", "FILE", "embeddings of the canary images as they were"),
      .option("canary-now", "FILE", "embeddings of the same images now"),
      .option("canary-limit", "T", "the score that both of an image should reach (default 0.99)"),
      .option("threads", "N", "threads to use (default: one per core)"),
      .flag("json", "the findings as one JSON object"),
    ]

  package static func run(_ arguments: Arguments) throws -> Int32 {
    let input = try EmbeddingInput.read(arguments)
    let drift = try canaries(arguments)
    guard input != nil || drift != nil else {
      throw UsageError("there is nothing to look at: give --data FOLDER, or --canary and --canary-now")
    }
    let health = try input.map { try look(at: $0, arguments) }
    let leftOut = input.flatMap { input in health.map { input.matrix.rowCount - $0.references } } ?? 0
    Output.standard.write(
      arguments.has("json")
        ? json(health, leftOut, drift).text() + "\n" : text(health, leftOut, drift))
    var findings = leftOut
    if let health {
      findings += health.onePersonUnderTwoUsers.count + health.disagreeingReferences.count
      findings += health.hardToMatch.count + health.easilyMatched.count
    }
    if let drift { findings += drift.drifted.count + drift.missing.count }
    return findings == 0 ? ExitStatus.success : ExitStatus.partial
  }

  private static func look(at input: EmbeddingInput, _ arguments: Arguments) throws -> EnrolmentHealth {
    guard let subjects = input.subjects, let images = input.images else {
      throw UsageError("whose are they? Give --index FILE")
    }
    let (space, verify, recognise) = try limits(input, arguments)
    var limits = EnrolmentHealth.Limits(
      verifyThreshold: Double(verify), recogniseThreshold: Double(recognise))
    limits.deviations = try arguments.number("deviations", in: 0...1000.0, default: 4)
    var embeddings: [Embedding] = []
    var identities: [EnrolmentHealth.Identity] = []
    for (row, embedding) in input.embeddings(space: space).enumerated() {
      guard let embedding else { continue }
      embeddings.append(embedding)
      identities.append(.init(user: subjects[row], session: images[row]))
    }
    return try EnrolmentHealth(
      embeddings, identities, limits: limits,
      threadCount: try arguments.optionalNumber("threads", in: 1...1024))
  }

  private static func limits(
    _ input: EmbeddingInput, _ arguments: Arguments
  ) throws -> (EmbeddingSpace, Float, Float) {
    let range = -1...1 as ClosedRange<Float>
    if arguments["threshold"] != nil {
      try arguments.refuse(
        ["space", "models", "target-fmr", "recognise-fmr"],
        because: "chooses a threshold of a known space, and --threshold is given: give one or the other")
    }
    if let verify = try arguments.optionalNumber("threshold", in: range) {
      let recognise = try arguments.number("recognise-threshold", in: range, default: verify)
      let space = try EmbeddingInput.unnamedSpace(input.matrix, path: input.embeddingsPath)
      return (space, verify, recognise)
    }
    if arguments["recognise-threshold"] != nil { throw UsageError("--recognise-threshold needs --threshold") }
    let verify = try arguments.rate("target-fmr") ?? TargetRate(1, in: 1000)!
    let recognise = try arguments.rate("recognise-fmr") ?? TargetRate(1, in: 100_000)!
    let library = try SpaceLibrary.read(arguments)
    let digest = try sha256(ofFile: input.embeddingsPath)
    guard
      let points = try arguments["space"].map(library.space(named:))
        ?? library.space(ofFileWithDigest: digest)
    else { throw UsageError("by which threshold? Give --space NAME or --threshold T") }
    guard points.space.dimension == input.matrix.dimension else {
      throw InputError(
        "\(input.embeddingsPath): expected \(points.space.dimension) components, as \(points.space.model) has, found "
          + "\(input.matrix.dimension)")
    }
    return (
      points.space, try points.verifyThreshold(atFalseMatchRate: verify.value).value,
      try points.verifyThreshold(atFalseMatchRate: recognise.value).value
    )
  }

  private static func canaries(_ arguments: Arguments) throws -> CanaryDrift? {
    guard let before = arguments["canary"], let now = arguments["canary-now"] else {
      if arguments["canary"] != nil || arguments["canary-now"] != nil {
        throw UsageError("--canary and --canary-now are the same images at two times: give both")
      }
      return nil
    }
    let (old, new) = (try EmbeddingFile.read(before), try EmbeddingFile.read(now))
    guard old.rowCount == new.rowCount, old.dimension == new.dimension else {
      throw InputError("\(now): expected \(old.rowCount) rows of \(old.dimension) components, as before")
    }
    let space = try EmbeddingInput.unnamedSpace(old, path: before)
    func embeddings(_ matrix: EmbeddingMatrix) -> [Embedding?] {
      (0..<matrix.rowCount).map { try? Embedding(Array(matrix[$0]), space: space) }
    }
    return try CanaryDrift(
      before: embeddings(old), now: embeddings(new),
      limit: try arguments.number("canary-limit", in: -1...1.0, default: 0.99))
  }

  private static func json(_ health: EnrolmentHealth?, _ leftOut: Int, _ drift: CanaryDrift?) -> JSONTree {
    func pairs(_ pairs: [EnrolmentHealth.Pair]?) -> JSONTree {
      guard let pairs else { return .null }
      return .list(pairs.map { .list([identity($0.first), identity($0.second)]) })
    }
    func identity(_ identity: EnrolmentHealth.Identity) -> JSONTree {
      .of(("user", .text(identity.user)), ("session", .text(identity.session)))
    }
    func texts(_ names: [String]?) -> JSONTree { names.map { .list($0.map { .text($0) }) } ?? .null }
    func counts(_ numbers: [Int]?) -> JSONTree { numbers.map { .list($0.map { .count($0) }) } ?? .null }
    return .of(
      ("references", health.map { .count($0.references) } ?? .null),
      ("rows_left_out", health.map { _ in .count(leftOut) } ?? .null),
      ("users", health.map { .count($0.users) } ?? .null),
      ("one_person_under_two_users", pairs(health?.onePersonUnderTwoUsers)),
      ("disagreeing_references", pairs(health?.disagreeingReferences)),
      ("hard_to_match", texts(health?.hardToMatch)),
      ("easily_matched", texts(health?.easilyMatched)),
      ("canary_images", drift.map { .count($0.images) } ?? .null),
      ("drifted_images", counts(drift?.drifted)), ("missing_images", counts(drift?.missing)))
  }

  private static func text(_ health: EnrolmentHealth?, _ leftOut: Int, _ drift: CanaryDrift?) -> String {
    var lines: [String] = []
    if let health {
      lines.append("\(health.references) references of \(health.users) users")
      if leftOut > 0 { lines.append("rows that are no embedding, left out: \(leftOut)") }
      lines += pairs("one person under two users", health.onePersonUnderTwoUsers)
      lines += pairs("references of one user that don't match", health.disagreeingReferences)
      lines += names("hard to match", health.hardToMatch)
      lines += names("easily matched by others", health.easilyMatched)
    }
    if let drift {
      lines += names("of \(drift.images) canary images, changed", drift.drifted.map(String.init))
      lines += names("of \(drift.images) canary images, without an embedding", drift.missing.map(String.init))
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func pairs(_ title: String, _ pairs: [EnrolmentHealth.Pair]) -> [String] {
    ["\(title): \(pairs.count)"]
      + pairs.map { pair in
        let (first, second) = (pair.first, pair.second)
        return
          "  user \(first.user), session \(first.session)  and  user \(second.user), session \(second.session)"
      }
  }

  private static func names(_ title: String, _ names: [String]) -> [String] {
    ["\(title): \(names.count)"] + (names.isEmpty ? [] : ["  " + names.joined(separator: ", ")])
  }
}
