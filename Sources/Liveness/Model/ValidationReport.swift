/// How a model did on captures of subjects that it was not made from.
public struct ValidationReport: Hashable, Sendable, Codable {
  /// Errors among trials, with the bounds of Wilson's 95 % interval.
  public struct Rate: Hashable, Sendable, Codable {
    public var errors: Int
    public var trials: Int
    public var low: Double
    public var high: Double

    /// The bounds follow from the counts; without trials they are 0 and 1.
    ///
    /// Wilson, "Probable inference, the law of succession, and statistical inference" (1927).
    public init(errors: Int, of trials: Int) {
      self.errors = errors
      self.trials = trials
      guard trials > 0 else {
        (low, high) = (0, 1)
        return
      }
      let (n, p, z) = (Double(trials), Double(errors) / Double(trials), 1.959_963_984_540_054)
      let centre = p + z * z / (2 * n)
      let reach = z * (p * (1 - p) / n + z * z / (4 * n * n)).squareRoot()
      low = errors == 0 ? 0 : max(0, (centre - reach) / (1 + z * z / n))
      high = errors == trials ? 1 : min(1, (centre + reach) / (1 + z * z / n))
    }
  }

  /// What a model that is not provisional rests on at least: a quarter of 60 people with three live captures each and 300
  /// attacks of each species, which is how `tune-liveness` splits.
  public enum Minimum {
    public static let subjects = 15
    public static let bonaFide = 45
    public static let attacksOfSpecies = 75
  }

  public var subjects: Int
  public var captures: Int
  /// The policy that the rates are of.
  public var policy: String
  /// Bona fide captures that did not pass.
  public var bpcer: Rate
  /// Attacks that passed, by species.
  public var apcer: [String: Rate]
  /// What the captures were, in a sentence.
  public var note: String

  public init(subjects: Int, captures: Int, policy: String, bpcer: Rate, apcer: [String: Rate], note: String)
  {
    self.subjects = subjects
    self.captures = captures
    self.policy = policy
    self.bpcer = bpcer
    self.apcer = apcer
    self.note = note
  }

  /// Whether attacks, all species together, pass more rarely than people: the upper bound of their rate lies below the
  /// lower bound of people's. With few captures the bounds are wide, and it does not.
  package var showsDiscrimination: Bool {
    let attacks = Rate(
      errors: apcer.values.reduce(0) { $0 + $1.errors }, of: apcer.values.reduce(0) { $0 + $1.trials })
    return attacks.high < 1 - bpcer.high
  }

  /// Whether there are as many subjects and captures as `Minimum` asks.
  package var isSufficient: Bool {
    subjects >= Minimum.subjects && bpcer.trials >= Minimum.bonaFide
      && apcer.values.allSatisfy { $0.trials >= Minimum.attacksOfSpecies }
  }
}

extension ValidationReport {
  func check(
    policies: [String: LivenessModel.Policy], isProvisional: Bool, at place: String
  ) throws(LivenessModelError) {
    guard policies[policy] != nil else { throw LivenessModelError(.badValidation, at: "\(place).policy") }
    guard !apcer.isEmpty else { throw LivenessModelError(.badValidation, at: "\(place).apcer") }
    try bpcer.check(at: "\(place).bpcer")
    for (species, rate) in apcer.sorted(by: { $0.key < $1.key }) {
      try rate.check(at: "\(place).apcer.\(species)")
    }
    var trials = bpcer.trials
    for rate in apcer.values { trials += rate.trials }
    guard subjects > 0, subjects <= captures, captures == trials else {
      throw LivenessModelError(.badValidation, at: place)
    }
    guard showsDiscrimination else { throw LivenessModelError(.noDiscrimination, at: place) }
    guard isProvisional || isSufficient else {
      throw LivenessModelError(.insufficientValidation, at: place)
    }
  }
}

extension ValidationReport.Rate {
  fileprivate func check(at place: String) throws(LivenessModelError) {
    // No test has more captures; sums of such counts don't overflow.
    guard (1...1_000_000_000).contains(trials), (0...trials).contains(errors) else {
      throw LivenessModelError(.badValidation, at: place)
    }
    let expected = Self(errors: errors, of: trials)
    guard (low - expected.low).magnitude <= 1e-9, (high - expected.high).magnitude <= 1e-9 else {
      throw LivenessModelError(.badValidation, at: place)
    }
  }
}

/// Where a model comes from.
public struct Provenance: Hashable, Sendable, Codable {
  /// SHA-256 by name of what it was made from.
  public var data: [String: String]
  /// How many captures it was made and tested with, by where they come from: `CaptureProvenance`, `unstated`, or `recorded` for
  /// sequences of landmarks that are no captures.
  public var captures: [String: Int]
  public var command: String
  public var revision: String
  /// ISO 8601.
  public var date: String

  public init(
    data: [String: String], captures: [String: Int] = [:], command: String, revision: String, date: String
  ) {
    self.data = data
    self.captures = captures
    self.command = command
    self.revision = revision
    self.date = date
  }

  /// Whether a camera took all of them, by what they say: only then is a model evidence about people.
  public var isOfCameras: Bool {
    captures.allSatisfy { $0.key == CaptureProvenance.camera.rawValue || $0.value == 0 }
      && captures[CaptureProvenance.camera.rawValue] ?? 0 > 0
  }
}
