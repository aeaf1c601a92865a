import Biometrics

/// What is true of a simulated re-verification, unknown to the engine.
public enum Truth: String, CaseIterable, Sendable, Codable {
  /// The claimed user.
  case rightPerson
  /// Somebody else who is enrolled on the workflow, claiming another user.
  case anotherEnrolled
  /// Somebody the organisation has never seen, claiming a user.
  case stranger
  /// The claimed user's face, with a capture that fails the liveness check.
  case failedLiveness
  /// A user verified on another workflow only, claiming to be themselves.
  case enrolledElsewhere

  /// Whether verifying would be wrong.
  public var isImpostor: Bool { self == .anotherEnrolled || self == .stranger }
}

/// One re-verification to play: who claims to be whom, and what they show at each attempt.
struct Scene: Sendable {
  let truth: Truth
  let email: String
  /// Who is before the camera.
  let shown: Cast.Person
  /// Rows of the cohort shown to the camera, one an attempt, from the first again when they run out.
  let shownRows: [Int]

  /// All scenes of a cast: up to `perPerson` for each person who can play one.
  static func all(_ cast: Cast, perPerson: Int, random: inout SeededGenerator) -> [Scene] {
    var scenes: [Scene] = []
    for (place, person) in cast.enrolled.enumerated() where !person.spareRows.isEmpty {
      for rotation in 0..<min(perPerson, person.spareRows.count) {
        let rows = Array(person.spareRows[rotation...] + person.spareRows[..<rotation])
        scenes.append(Scene(truth: .rightPerson, email: person.email, shown: person, shownRows: rows))
        if let other = victim(cast.enrolled, except: place, &random) {
          scenes.append(Scene(truth: .anotherEnrolled, email: other.email, shown: person, shownRows: rows))
        }
      }
      scenes.append(
        Scene(truth: .failedLiveness, email: person.email, shown: person, shownRows: person.spareRows))
    }
    for person in cast.strangers {
      guard let claimed = victim(cast.enrolled, except: nil, &random) else { break }
      for rotation in 0..<min(perPerson, person.spareRows.count) {
        let rows = Array(person.spareRows[rotation...] + person.spareRows[..<rotation])
        scenes.append(Scene(truth: .stranger, email: claimed.email, shown: person, shownRows: rows))
      }
    }
    for person in cast.enrolledElsewhere {
      let rows = person.spareRows.isEmpty ? person.approvedRows : person.spareRows
      scenes.append(Scene(truth: .enrolledElsewhere, email: person.email, shown: person, shownRows: rows))
    }
    return scenes
  }

  private static func victim(
    _ people: [Cast.Person], except place: Int?, _ random: inout SeededGenerator
  ) -> Cast.Person? {
    guard people.count > (place == nil ? 0 : 1) else { return nil }
    while true {
      let drawn = Int.random(in: 0..<people.count, using: &random)
      if drawn != place { return people[drawn] }
    }
  }
}
