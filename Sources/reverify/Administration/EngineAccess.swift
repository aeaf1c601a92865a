import Biometrics
import EmbeddingFiles
import EnrolmentStore
import EvaluationCommands
import FaceMatching
import Foundation
import Liveness
import ReVerification

/// An engine on the store that a command works on, and the options that shape it.
enum EngineAccess {
  private static let passive = "passive"

  static let options: [CommandOption] = [
    .option("space", "NAME", "the embedding space (default: that of the sessions in the store)"),
    SpaceLibrary.option,
    .option(
      "liveness", "FILES",
      "liveness models, with commas; or 'passive', which takes upstream scores at their word"),
    .option("log", "LEVEL", "JSON lines on stderr: debug, info, warning or error (default: none)"),
  ]

  /// JSON lines on stderr.
  private struct StandardError: LogSink {
    func write(_ line: String) { log(line) }
  }

  /// Opens the store and an engine on it, lets `work` use both, writes the gallery's snapshot where it has changed, and closes
  /// the store whatever comes of it.
  ///
  /// Throws `missing` first where `organisation` never was in the store; an erased one's decisions are still there.
  ///
  /// Where attempts are begun or judged, `--liveness` must say by what: nobody is to rely on upstream scores unawares.
  static func with<Value>(
    _ arguments: Arguments, judging: Bool = false, of organisation: OrganisationID? = nil,
    _ work: (SQLiteStore, ReVerificationEngine) async throws -> Value
  ) async throws -> Value {
    if judging, arguments["liveness"] == nil {
      throw UsageError(
        "liveness by what? Give --liveness FILES, or --liveness passive to take upstream scores at their word"
      )
    }
    if judging, arguments["liveness"] == Self.passive {
      complain("liveness is not judged: upstream passive scores are taken at their word")
    }
    return try await StoreAccess.with(arguments) { store in
      if let organisation { try await store.requireKnown(organisation) }
      let engine = try await open(store, arguments)
      let value = try await work(store, engine)
      do {
        try await engine.checkpoint()
      } catch {
        // What the command did is done and durable; only the next start takes longer.
        complain("the gallery's snapshot was not written: \(error)")
      }
      return value
    }
  }

  static func open(_ store: SQLiteStore, _ arguments: Arguments) async throws
    -> ReVerificationEngine
  {
    let observers = try observers(arguments)
    let space = try await space(of: store, arguments)
    let engine = try await ReVerificationEngine.open(
      store: store, gallery: Gallery(space: space), liveness: try scorer(arguments),
      observer: EngineObservers(observers)
    ) { Progress.count("sessions read", $0) }
    for (organisation, origin) in await engine.origins where origin.isConspicuous {
      complain("the gallery of \(organisation) was read \(origin)")
    }
    return engine
  }

  static func observers(_ arguments: Arguments) throws(UsageError) -> [any EngineObserver] {
    guard let text = arguments["log"] else { return [] }
    guard let level = EngineLog.Level(rawValue: text) else {
      throw UsageError("--log is one of debug, info, warning, error, not '\(text)'")
    }
    return [EngineLog(StandardError(), level: level)]
  }

  /// The space that is named, or else that of the first session in the store.
  static func space(of store: SQLiteStore, _ arguments: Arguments) async throws -> EmbeddingSpace {
    guard let space = try await knownSpace(of: store, arguments) else {
      throw UsageError("of which embedding space? There is no session yet to tell: give --space NAME")
    }
    return space
  }

  /// The same; `nil` where none is named and there is no session yet.
  static func knownSpace(
    of store: SQLiteStore, _ arguments: Arguments
  ) async throws -> EmbeddingSpace? {
    if let name = arguments["space"] {
      return try SpaceLibrary.read(arguments).space(named: name).space
    }
    for organisation in try await store.organisations() {
      let first = try await store.sessions(in: organisation.id, after: 0, limit: 1).first
      if let first { return first.enrolled.session.space }
    }
    return nil
  }

  static func scorer(_ arguments: Arguments) throws -> any LivenessScorer {
    guard let paths = arguments["liveness"], paths != passive else { return UpstreamPassiveScorer() }
    let models = try paths.split(separator: ",").map { path in
      do {
        return try LivenessModel.load(path: String(path))
      } catch {
        throw InputError("\(path): \(error)")
      }
    }
    let digests = try models.map { try $0.digest() }.joined(separator: "+")
    // Challenges outlive a command, so their keys come from the operator's key and not from chance.
    let key = try StoreAccess.challengeKey(arguments)
    return CaptureLivenessScorer(
      detector: try LivenessDetector(models: models), model: "capture-\(digests)",
      challengeKey: key.derived("challenge"), replayKey: key.derived("replay"))
  }
}

extension StoreAccess {
  /// From which the keys of challenges and fingerprints are made: a secret of its own beside the store's keys.
  struct ChallengeKey {
    private let secret: [UInt8]

    init(_ secret: [UInt8]) {
      self.secret = secret
    }

    func derived(_ purpose: String) -> [UInt8] {
      Digest(of: Array("reverify command \(purpose) 1:".utf8) + secret).bytes
    }
  }

  static func challengeKey(_ arguments: Arguments) throws -> ChallengeKey {
    let environment = ProcessInfo.processInfo.environment["REVERIFY_MASTER_KEY"]
    let text =
      try arguments["master-key"].map { try String(contentsOfFile: $0, encoding: .utf8) }
      ?? environment
    guard let text else { throw InputError("there is no master key to make challenges under") }
    return ChallengeKey(Array(text.trimmingCharacters(in: .whitespacesAndNewlines).utf8))
  }
}

/// The embeddings that `--embeddings` and `--rows` name, as a caller of the engine hands them in.
enum EmbeddingRows {
  static let options: [CommandOption] = [
    .option("embeddings", "FILE", "embeddings of one face: any file that 'compare' reads"),
    .option("rows", "ROWS", "rows of the file, such as 0,5,10-19 (default: all)"),
  ]

  static func read(_ arguments: Arguments, space: EmbeddingSpace) throws -> [UncheckedEmbedding] {
    let matrix = try EmbeddingFile.read(try arguments.required("embeddings"))
    let rows = try arguments["rows"].map { try SearchCommand.rows($0, below: matrix.rowCount) }
    return (rows ?? Array(0..<matrix.rowCount)).map {
      UncheckedEmbedding(Array(matrix[$0]), space: space)
    }
  }
}
