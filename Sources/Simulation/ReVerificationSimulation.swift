import Biometrics
import EnrolmentStore
import Evaluation
import FaceMatching
import Liveness
import LivenessTraining
import ReVerification

/// Plays re-verifications of a cohort through the engine itself and counts how they end against the truth.
public struct ReVerificationSimulation: Sendable {
  public struct Options: Sendable {
    public var seed: UInt64 = 1
    public var targetFalseMatchRate = TargetRate(1, in: 100_000)!
    public var recogniseFalseMatchRate = TargetRate(1, in: 1_000_000)!
    /// Given thresholds; nil chooses them from held-out subjects.
    public var thresholds: ThresholdChoice?
    public var attempts = 3
    /// Re-verifications of each person at most, for each part they play.
    public var scenesPerPerson = 3
    public var threadCount: Int?
    /// The lowest mean of upstream passive scores that is live, 0...1.
    public var livenessThreshold = 0.5
    /// Judges liveness from simulated captures instead, by the model's policy `standard`. Its landmarker must be one that
    /// can be simulated.
    public var livenessModel: LivenessModel?

    public init() {}
  }

  private static let organisation: OrganisationID = "organisation"
  private static let workflow: WorkflowID = "onboarding"
  private static let otherWorkflow: WorkflowID = "another"
  private static let secret = "a simulation's key"
  /// The share of subjects whose pairs choose the thresholds.
  private static let heldOutShare = 1.0 / 3
  private static let fewestSubjects = 12

  private let cohort: Cohort
  private let options: Options
  private let cast: Cast
  private let scenes: [Scene]
  private let thresholds: ThresholdChoice

  /// Casts the cohort and, where none are given, chooses the thresholds.
  public init(_ cohort: Cohort, options: Options = Options()) throws {
    guard cohort.rowsOfSubject.count >= Self.fewestSubjects else {
      throw SimulationError.tooFewSubjects(cohort.rowsOfSubject.count)
    }
    var random = SeededGenerator(seed: options.seed)
    cast = Cast(cohort, heldOutShare: options.thresholds == nil ? Self.heldOutShare : 0, random: &random)
    scenes = Scene.all(cast, perPerson: options.scenesPerPerson, random: &random)
    thresholds =
      try options.thresholds
      ?? ThresholdChoice.heldOut(
        cohort, subjects: cast.calibrationSubjects, verify: options.targetFalseMatchRate,
        recognise: options.recogniseFalseMatchRate)
    self.cohort = cohort
    self.options = options
  }

  /// The same people in the same scenes under another policy.
  init(_ other: ReVerificationSimulation, _ change: PolicyChange) {
    cohort = other.cohort
    cast = other.cast
    scenes = other.scenes
    var options = other.options
    options.attempts = change.attempts ?? options.attempts
    options.livenessThreshold = change.livenessThreshold ?? options.livenessThreshold
    options.livenessModel = change.livenessModel ?? options.livenessModel
    if let threshold = change.livenessThreshold { options.livenessModel?.judge(by: threshold) }
    self.options = options
    let verify = change.verifyThreshold ?? other.thresholds.verify
    thresholds = ThresholdChoice(
      verify: verify, recognise: change.recogniseThreshold ?? max(other.thresholds.recognise, verify),
      targetFalseMatchRate: nil, source: "changed")
  }

  /// Plays every scene, one after the other, and reports `progress` as (done, total).
  public func run(progress: (Int, Int) -> Void = { _, _ in }) async throws -> SimulationReport {
    try await play(progress: progress).report
  }

  /// A scene as it was played.
  struct Played: Sendable {
    let truth: Truth
    /// The attack's species, where captures are simulated.
    let species: AttackSpecies?
    let outcome: String

    var name: String { species.map { "\(truth.rawValue), \($0.rawValue)" } ?? truth.rawValue }
  }

  /// Plays every scene; `scenes` has the truth and the outcome of each, in order.
  func play(
    progress: (Int, Int) -> Void = { _, _ in }
  ) async throws -> (report: SimulationReport, scenes: [Played]) {
    let clock = SimulationClock()
    let randomness = SeededRandomness(seed: options.seed)
    let gallery = try Gallery(space: cohort.space, configuration: .init(threadCount: options.threadCount))
    let camera = try SimulatedCamera(options, space: cohort.space, clock: clock)
    let liveness = camera.scorer
    let engine = try await ReVerificationEngine.open(
      store: try store(), gallery: gallery, liveness: liveness, clock: clock,
      randomness: randomness)
    try await enrol(in: engine, clock: clock)
    var truths: [ReVerificationID: Truth] = [:]
    var counts: [Truth: [String: Int]] = [:]
    var latencies: [Double] = []
    var outcomes: [Played] = []
    let enrolled = clock.time
    for (number, scene) in scenes.enumerated() {
      // So far apart that no lock-out carries over, and the same under every policy.
      clock.move(to: enrolled + .seconds(24 * 60 * 60) * (number + 1))
      randomness.restart(at: number, seed: options.seed)
      let outcome = try await play(
        scene, number, before: camera, in: engine, truths: &truths, latencies: &latencies)
      outcomes.append(
        Played(
          truth: scene.truth, species: camera.species(of: scene, number),
          outcome: SimulationReport.name(of: outcome)))
      counts[scene.truth, default: [:]][SimulationReport.name(of: outcome), default: 0] += 1
      progress(number + 1, scenes.count)
    }
    let report = report(
      counts, matched: try await matchedImpostors(engine, truths), latencies: latencies,
      references: gallery.snapshot(of: Self.organisation).count, liveness: liveness.model,
      level: try Kernels.fromEnvironment.get().level)
    return (report, outcomes)
  }

  private func store() throws -> InMemoryStore {
    let store = InMemoryStore()
    let policy = try ReVerificationPolicy(
      verifyThreshold: thresholds.verify, recogniseThreshold: thresholds.recognise,
      attempts: options.attempts,
      // Passive scores show no face.
      faceBinding: options.livenessModel == nil ? .whereGiven : .required)
    var changes: [StoreChange] = [.organisation(Organisation(id: Self.organisation))]
    for workflow in [Self.workflow, Self.otherWorkflow] {
      changes.append(.workflow(Workflow(id: workflow, organisation: Self.organisation, policy: policy)))
    }
    changes.append(.apiKey(APIKey(id: "key", secret: Self.secret, organisation: Self.organisation)))
    for person in cast.enrolled + cast.enrolledElsewhere {
      let email = EmailAddress(person.email)!
      changes.append(.user(User(id: person.user, organisation: Self.organisation, email: email)))
    }
    try store.commit(changes)
    return store
  }

  private func enrol(in engine: ReVerificationEngine, clock: SimulationClock) async throws {
    for (people, workflow) in [(cast.enrolled, Self.workflow), (cast.enrolledElsewhere, Self.otherWorkflow)] {
      for person in people {
        for row in person.approvedRows {
          clock.advance(by: .seconds(1))
          _ = try await engine.enrol(
            SessionApproval(
              id: SessionID("session-\(row)"), organisation: Self.organisation, workflow: workflow,
              user: person.user, approvedAt: clock.now(), embeddings: [unchecked(row)]))
        }
      }
    }
  }

  private func play(
    _ scene: Scene, _ number: Int, before camera: SimulatedCamera, in engine: ReVerificationEngine,
    truths: inout [ReVerificationID: Truth],
    latencies: inout [Double]
  ) async throws -> Outcome {
    let begun: Begun
    switch try await engine.begin(workflowID: Self.workflow, email: scene.email, apiKey: Self.secret) {
    case .begun(let value): begun = value
    case .ended(let outcome): return outcome
    }
    truths[begun.id] = scene.truth
    for attempt in 0..<options.attempts {
      let probe = unchecked(scene.shownRows[attempt % scene.shownRows.count])
      let shown = Attempt(
        key: IdempotencyKey("attempt-\(attempt)"),
        capture: camera.capture(
          scene, number, attempt: attempt, for: begun.challenge.forAttempt(attempt), embedding: probe.values),
        embeddings: [probe])
      let start = ContinuousClock.now
      let answer = try await engine.submit(shown, to: begun.id)
      latencies.append((ContinuousClock.now - start) / .milliseconds(1))
      if case .ended(let outcome) = answer { return outcome }
    }
    preconditionFailure("a re-verification ends with its last attempt")
  }

  private func unchecked(_ row: Int) -> UncheckedEmbedding {
    UncheckedEmbedding(cohort.embeddings[row].values, space: cohort.space)
  }

  /// Compared attempts of wrong persons, and how many of them matched the claimed user.
  private func matchedImpostors(
    _ engine: ReVerificationEngine, _ truths: [ReVerificationID: Truth]
  ) async throws -> (matched: Int, compared: Int) {
    var (matched, compared) = (0, 0)
    var last: Int64 = 0
    while true {
      let page = try await engine.decisionRecords(of: Self.organisation, after: last)
      guard let end = page.last else { return (matched, compared) }
      for decision in page where truths[decision.record.reVerification]?.isImpostor == true {
        guard let scores = decision.record.evidence?.scores else { continue }
        compared += 1
        if scores.claimed.contains(where: { $0.score.matches(thresholds.verify) }) { matched += 1 }
      }
      last = end.sequence
    }
  }

  private func report(
    _ counts: [Truth: [String: Int]], matched: (matched: Int, compared: Int), latencies: [Double],
    references: Int, liveness: String, level: KernelLevel
  ) -> SimulationReport {
    func total(_ truth: Truth) -> Int { counts[truth]?.values.reduce(0, +) ?? 0 }
    func verified(_ truth: Truth) -> Int { counts[truth]?["verified"] ?? 0 }
    let impostors = Truth.allCases.filter(\.isImpostor)
    let errors = SimulationReport.Errors(
      wrongPersonVerified: .init(
        impostors.map(verified).reduce(0, +), of: impostors.map(total).reduce(0, +)),
      wrongPersonMatched: .init(matched.matched, of: matched.compared),
      rightPersonRefused: .init(total(.rightPerson) - verified(.rightPerson), of: total(.rightPerson)),
      failedLivenessVerified: .init(verified(.failedLiveness), of: total(.failedLiveness)))
    let outcomes = Truth.allCases.map { truth in
      (
        truth.rawValue,
        Dictionary(
          uniqueKeysWithValues: SimulationReport.outcomeNames.map { ($0, counts[truth]?[$0] ?? 0) })
      )
    }
    return SimulationReport(
      data: cohort.name, space: cohort.space, seed: options.seed, verifyThreshold: thresholds.verify,
      recogniseThreshold: thresholds.recognise, thresholdSource: thresholds.source,
      targetFalseMatchRate: thresholds.targetFalseMatchRate?.description, attemptsAllowed: options.attempts,
      livenessScorer: liveness,
      population: .init(
        enrolled: cast.enrolled.count, enrolledElsewhere: cast.enrolledElsewhere.count,
        strangers: cast.strangers.count, heldOut: cast.calibrationSubjects.count, references: references),
      outcomes: Dictionary(uniqueKeysWithValues: outcomes), errors: errors,
      submitMilliseconds: .init(latencies), engineVersion: EngineVersion.current, kernelLevel: level.rawValue)
  }
}
