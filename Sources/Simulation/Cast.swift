import Biometrics

/// Who plays which part, drawn from a cohort by a seed.
///
/// No subject has two parts. Those of the calibration meet nobody: their pairs alone choose the thresholds, so that what
/// is counted is not what was tuned on.
struct Cast: Sendable {
  /// A subject with the rows that were approved and those that are shown to the camera later.
  struct Person: Sendable {
    let number: Int
    let approvedRows: [Int]
    let spareRows: [Int]

    var user: UserID { UserID("user-\(number)") }
    var email: String { "user-\(number)@example.org" }
  }

  /// Verified on the workflow.
  let enrolled: [Person]
  /// Verified on another workflow of the organisation only.
  let enrolledElsewhere: [Person]
  /// Known to nobody; all their rows are spare.
  let strangers: [Person]
  let calibrationSubjects: [Int]

  /// Half of the subjects that are not held out are enrolled, a tenth elsewhere, the rest are strangers.
  init(_ cohort: Cohort, heldOutShare: Double, random: inout SeededGenerator) {
    let order = Array(cohort.rowsOfSubject.indices).shuffled(using: &random)
    let heldOut = Int(Double(order.count) * heldOutShare)
    calibrationSubjects = Array(order[..<heldOut])
    let players = order[heldOut...]
    let enrolledCount = players.count / 2
    let elsewhereCount = players.count / 10
    enrolled = players.prefix(enrolledCount).map { Self.person($0, of: cohort) }
    enrolledElsewhere = players.dropFirst(enrolledCount).prefix(elsewhereCount).map {
      Self.person($0, of: cohort)
    }
    strangers = players.dropFirst(enrolledCount + elsewhereCount).map {
      Person(number: $0, approvedRows: [], spareRows: cohort.rowsOfSubject[$0])
    }
  }

  /// The first row is approved, the second too where there are four or more; the rest are spare.
  private static func person(_ subject: Int, of cohort: Cohort) -> Person {
    let rows = cohort.rowsOfSubject[subject]
    let approved = rows.count >= 4 ? 2 : 1
    return Person(
      number: subject, approvedRows: Array(rows[..<approved]), spareRows: Array(rows[approved...]))
  }
}
