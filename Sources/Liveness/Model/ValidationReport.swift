/// How a model did on captures of subjects that it was not made from.
public struct ValidationReport: Hashable, Sendable, Codable {
  /// Errors among trials, with the bounds of Wilson's 95 % interval.
  public struct Rate: Hashable, Sendable, Codable {
    public var errors: Int
    public var trials: Int
    public var low: Double
    public var high: Double

    public init(errors: Int, trials: Int, low: Double, high: Double) {
      self.errors = errors
      self.trials = trials
      self.low = low
      self.high = high
    }
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
}

/// Where a model comes from.
public struct Provenance: Hashable, Sendable, Codable {
  /// SHA-256 by name of what it was made from.
  public var data: [String: String]
  public var command: String
  public var revision: String
  /// ISO 8601.
  public var date: String

  public init(data: [String: String], command: String, revision: String, date: String) {
    self.data = data
    self.command = command
    self.revision = revision
    self.date = date
  }
}
