import Biometrics
import FaceMatching

/// What is wrong with a set of enrolled references, told by identifiers alone: no score and no embedding leaves it.
///
/// Users whose scores lie out of line are found by robust deviations: those more than `Limits.deviations` times the scaled
/// median absolute deviation from the median of all users, as the goats and lambs of Doddington et al., "Sheep, goats,
/// lambs and wolves" (1998), without their assumption of a normal distribution.
public struct EnrolmentHealth: Sendable {
  /// When something is worth telling.
  public struct Limits: Sendable {
    /// The score at which references of two users are one person's.
    public var recogniseThreshold: Double
    /// The score that references of one user should reach with each other.
    public var verifyThreshold: Double
    /// Deviations from the median, at least 0.
    public var deviations = 4.0

    public init(verifyThreshold: Double, recogniseThreshold: Double) {
      self.verifyThreshold = verifyThreshold
      self.recogniseThreshold = recogniseThreshold
    }
  }

  /// A reference, by whose it is and its session.
  public struct Identity: Hashable, Sendable {
    public let user: String
    public let session: String

    public init(user: String, session: String) {
      self.user = user
      self.session = session
    }
  }

  /// Two references that should not be as they are.
  public struct Pair: Hashable, Sendable {
    public let first: Identity
    public let second: Identity
  }

  public let references: Int
  public let users: Int
  /// For each two users of whom references are recognised as one person's, the closest two.
  public let onePersonUnderTwoUsers: [Pair]
  /// For each user with references that don't match each other, the two farthest.
  public let disagreeingReferences: [Pair]
  /// Users whose references score low with each other, against all users.
  public let hardToMatch: [String]
  /// Users whose references score high with those of others, against all users.
  public let easilyMatched: [String]

  /// Looks at all pairs of references. Arrays of different lengths are a programming error and trap; throws for
  /// embeddings of several spaces.
  public init(
    _ embeddings: [Embedding], _ identities: [Identity], limits: Limits, threadCount: Int? = nil
  ) throws(GalleryError) {
    precondition(embeddings.count == identities.count, "an identity for each reference")
    let names = Set(identities.map(\.user)).sorted()
    let numbers = Dictionary(uniqueKeysWithValues: zip(names, 0...))
    let userOf = identities.map { numbers[$0.user]! }
    let empty = Findings(users: names.count)
    var parts = try AllPairs(embeddings, threadCount: threadCount).accumulate {
      empty
    } visit: { findings, row, first, scores in
      findings.add(row, first, scores, userOf, limits)
    }
    var all = parts.isEmpty ? empty : parts.removeFirst()
    for part in parts { all.merge(part) }
    func pair(_ rows: ScoredRows) -> Pair {
      Pair(first: identities[rows.row], second: identities[rows.other])
    }
    references = embeddings.count
    users = names.count
    onePersonUnderTwoUsers = all.recognised.sorted { $0.key < $1.key }.map { pair($0.value) }
    disagreeingReferences = all.disagreeing.sorted { $0.key < $1.key }.map { pair($0.value) }
    hardToMatch = Self.outliers(all.mated, below: true, limits.deviations).map { names[$0] }
    easilyMatched = Self.outliers(all.nonMated, below: false, limits.deviations).map { names[$0] }
  }

  /// Users whose mean lies out of line; none where too few have one, or all have the same.
  private static func outliers(_ sums: [Mean], below: Bool, _ deviations: Double) -> [Int] {
    let means = sums.enumerated().compactMap { user, sum in sum.value.map { (user, $0) } }
    guard means.count >= 10 else { return [] }
    let middle = median(means.map(\.1))
    // 1.4826 makes it the standard deviation of a normal distribution.
    let spread = 1.4826 * median(means.map { abs($0.1 - middle) })
    guard spread > 0 else { return [] }
    return means.filter { below ? $0.1 < middle - deviations * spread : $0.1 > middle + deviations * spread }
      .map(\.0)
  }

  static func median(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    let half = sorted.count / 2
    return sorted.count % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2
  }
}

/// A sum of scores and their number.
private struct Mean: Sendable {
  var sum = 0.0
  var count = 0

  var value: Double? { count > 0 ? sum / Double(count) : nil }
}

private struct ScoredRows: Sendable {
  let row: Int
  let other: Int
  let score: Float
}

/// Two users, the smaller number first.
private struct UserPair: Hashable, Comparable, Sendable {
  let first: Int
  let second: Int

  init(_ a: Int, _ b: Int) {
    first = min(a, b)
    second = max(a, b)
  }

  static func < (left: UserPair, right: UserPair) -> Bool {
    (left.first, left.second) < (right.first, right.second)
  }
}

/// What one thread has found.
private struct Findings: Sendable {
  var recognised: [UserPair: ScoredRows] = [:]
  var disagreeing: [Int: ScoredRows] = [:]
  var mated: [Mean]
  var nonMated: [Mean]

  init(users: Int) {
    mated = Array(repeating: Mean(), count: users)
    nonMated = mated
  }

  mutating func add(
    _ row: Int, _ first: Int, _ scores: UnsafeBufferPointer<Float>, _ userOf: [Int],
    _ limits: EnrolmentHealth.Limits
  ) {
    let user = userOf[row]
    let (lowest, highest) = (Float(limits.verifyThreshold), Float(limits.recogniseThreshold))
    for (offset, score) in scores.enumerated() {
      let found = ScoredRows(row: row, other: first + offset, score: score)
      let other = userOf[found.other]
      if other == user {
        mated[user].sum += Double(score)
        mated[user].count += 1
        if score < lowest { disagree(user, found) }
      } else {
        for each in [user, other] {
          nonMated[each].sum += Double(score)
          nonMated[each].count += 1
        }
        if score >= highest { recognise(UserPair(user, other), found) }
      }
    }
  }

  private mutating func recognise(_ users: UserPair, _ found: ScoredRows) {
    if let known = recognised[users], !Self.isFirst(found, known, higher: true) { return }
    recognised[users] = found
  }

  private mutating func disagree(_ user: Int, _ found: ScoredRows) {
    if let known = disagreeing[user], !Self.isFirst(found, known, higher: false) { return }
    disagreeing[user] = found
  }

  /// Whether a finding is to be told rather than another; of equal scores the one of the earlier rows, so that the number of
  /// threads changes nothing.
  private static func isFirst(_ found: ScoredRows, _ known: ScoredRows, higher: Bool) -> Bool {
    if found.score != known.score { return (found.score > known.score) == higher }
    return (found.row, found.other) < (known.row, known.other)
  }

  mutating func merge(_ other: Findings) {
    for (users, found) in other.recognised { recognise(users, found) }
    for (user, found) in other.disagreeing { disagree(user, found) }
    for user in mated.indices {
      mated[user].sum += other.mated[user].sum
      mated[user].count += other.mated[user].count
      nonMated[user].sum += other.nonMated[user].sum
      nonMated[user].count += other.nonMated[user].count
    }
  }
}

/// Whether embeddings made now are still those of before: of a canary set, the same images embedded twice.
public struct CanaryDrift: Sendable {
  /// Images whose two embeddings score below the limit, in order.
  public let drifted: [Int]
  /// Images that one of the sets has no embedding of.
  public let missing: [Int]
  public let images: Int

  /// `limit` is the score that two embeddings of one image should reach: 1 but for rounding with an unchanged pipeline.
  /// Arrays of different lengths are a programming error and trap; embeddings of two spaces throw.
  public init(before: [Embedding?], now: [Embedding?], limit: Double) throws(EmbeddingError) {
    precondition(before.count == now.count, "an embedding of each image in both sets")
    var (drifted, missing): ([Int], [Int]) = ([], [])
    for (image, pair) in zip(before, now).enumerated() {
      guard let old = pair.0, let new = pair.1 else {
        missing.append(image)
        continue
      }
      if Double(try old.score(with: new).value) < limit { drifted.append(image) }
    }
    self.drifted = drifted
    self.missing = missing
    images = before.count
  }
}
