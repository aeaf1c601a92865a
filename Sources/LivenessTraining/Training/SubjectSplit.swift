import Biometrics

/// Captures in three parts, no subject in two of them: for fitting, for calibration and thresholds, and for testing.
public struct SubjectSplit: Sendable {
  public let train: [LabelledCapture]
  public let calibrate: [LabelledCapture]
  public let test: [LabelledCapture]

  /// Why a set of captures can't be split.
  public enum Failure: Error, Hashable, Sendable, CustomStringConvertible {
    /// So many subjects, of the least number needed.
    case tooFewSubjects(found: Int, needed: Int)
    case noBonaFide
    case noAttacks
    /// A subject of this name is in more than one of the given parts.
    case subjectInTwoParts

    public var description: String {
      switch self {
      case .tooFewSubjects(let found, let needed): "\(found) subjects, expected \(needed) or more"
      case .noBonaFide: "no bona fide captures"
      case .noAttacks: "no attacks"
      case .subjectInTwoParts: "a subject is in more than one part"
      }
    }
  }

  public static let minimumSubjects = 8

  /// Half of the subjects to train, a quarter each to calibrate and to test, drawn by `seed`.
  public init(_ captures: [LabelledCapture], seed: UInt64) throws(Failure) {
    var generator = SeededGenerator(seed: seed)
    let subjects = Set(captures.map(\.subject)).sorted().shuffled(using: &generator)
    guard subjects.count >= Self.minimumSubjects else {
      throw .tooFewSubjects(found: subjects.count, needed: Self.minimumSubjects)
    }
    let part = Dictionary(
      uniqueKeysWithValues: subjects.enumerated().map { ($1, min($0 * 4 / subjects.count, 3)) })
    try self.init(
      train: captures.filter { part[$0.subject]! < 2 }, calibrate: captures.filter { part[$0.subject]! == 2 },
      test: captures.filter { part[$0.subject]! == 3 })
  }

  /// Parts made elsewhere; throws when a subject is in two of them.
  public init(
    train: [LabelledCapture], calibrate: [LabelledCapture], test: [LabelledCapture]
  ) throws(Failure) {
    let subjects = [train, calibrate, test].map { Set($0.map(\.subject)) }
    guard subjects[0].isDisjoint(with: subjects[1]), subjects[0].isDisjoint(with: subjects[2]),
      subjects[1].isDisjoint(with: subjects[2])
    else { throw .subjectInTwoParts }
    for part in [train, calibrate, test] {
      guard part.contains(where: \.isBonaFide) else { throw .noBonaFide }
      guard part.contains(where: { !$0.isBonaFide }) else { throw .noAttacks }
    }
    self.train = train
    self.calibrate = calibrate
    self.test = test
  }
}
