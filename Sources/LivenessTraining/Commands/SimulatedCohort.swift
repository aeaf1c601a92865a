import Liveness

/// A cohort of simulated captures: every subject live several times, and once the victim of each species.
public struct SimulatedCohort: Sendable {
  public var profile: LandmarkerProfile
  public var seed: UInt64
  public var subjects: Int
  /// The first subject's number, so that cohorts can be kept apart.
  public var firstSubject = 0
  public var bonaFideEach = 6
  public var attacksEach = 1
  public var species = AttackSpecies.allCases
  public var colours = Colours.shown
  /// The key that challenges are issued under; `nil` for one made of the seed.
  public var challengeKey: [UInt8]?

  /// Whether challenges have colours.
  public enum Colours: Sendable {
    case shown, absent
    /// In every second capture, so that a model is made for both.
    case alternating
  }

  public init(profile: LandmarkerProfile, seed: UInt64, subjects: Int) {
    self.profile = profile
    self.seed = seed
    self.subjects = subjects
  }

  /// Hands out the captures one by one, in an order that does not depend on anything else.
  public func forEach(_ body: (SimulatedCapture) throws -> Void) rethrows {
    let shown =
      switch colours {
      case .shown: [true, true]
      case .absent: [false, false]
      case .alternating: [false, true]
      }
    let simulators = shown.map {
      CaptureSimulator(seed: seed, profile: profile, withColours: $0, challengeKey: challengeKey)
    }
    for subject in firstSubject..<firstSubject + subjects {
      for species in species {
        for index in 0..<(species == .bonaFide ? bonaFideEach : attacksEach) {
          try body(simulators[(subject + index) % 2].capture(species, subject: subject, index: index))
        }
      }
    }
  }

  /// All captures' features.
  public func labelled(extractor: FeatureExtractor, limits: CheckLimits = CheckLimits()) -> [LabelledCapture]
  {
    var captures: [LabelledCapture] = []
    forEach { captures.append(LabelledCapture($0, extractor: extractor, limits: limits)) }
    return captures
  }
}
