import FaceMatching

/// Transactions made of a data set, with ground truth, each of three attempts, so that rates at one, two and three are of the
/// same people.
///
/// The reference of a subject is their first row of which an embedding can be made. Whoever has three rows behind it claims
/// to be themselves with these: one mated transaction. And everybody with three rows claims with their last three to be each
/// of the next `impostorsPerSubject` subjects in order: non-mated transactions. Subjects of fewer rows are left out and
/// counted: a transaction cut short would count as one not accepted, and make FAR look lower than it is.
struct TransactionEvaluation {
  static let attempts = TransactionFigures.mostAttempts
  static let impostorsPerSubject = 20

  let transactions: TransactionSet
  let leftOut: TransactionFigures.LeftOut

  init(_ data: LabelledData, threadCount: Int?) throws {
    let usable = Set(data.usableRows())
    var rowsOfSubject = [[Int]](repeating: [], count: data.subjectCount)
    for row in 0..<data.rowCount { rowsOfSubject[data.subjectNumbers[row]].append(row) }
    let references = rowsOfSubject.map { rows in rows.first(where: usable.contains) }
    // A subject without an embedding can't be enrolled and is claimed by nobody.
    let claimable = rowsOfSubject.indices.filter { references[$0] != nil }
    let pairs = try DoublePairs(count: data.rowCount, dimension: data.dimension, threadCount: threadCount) {
      data.write($0, to: $1)
    }
    func transaction(_ kind: ComparisonKind, _ rows: some Sequence<Int>, _ claimant: Int, _ claimed: Int)
      -> Transaction
    {
      let attempts = rows.map { row in
        usable.contains(row)
          ? AttemptResult.score(pairs.score(row, references[claimed]!)) : .failureToAcquire
      }
      return Transaction(kind: kind, attempts: attempts, claimant: claimant, claimed: claimed)
    }
    var made: [Transaction] = []
    var leftOut = TransactionFigures.LeftOut(mated: 0, nonMated: 0)
    for subject in rowsOfSubject.indices {
      let own = rowsOfSubject[subject]
      let later = references[subject].map { reference in own.filter { $0 > reference } } ?? []
      if later.count >= Self.attempts {
        made.append(transaction(.mated, later.prefix(Self.attempts), subject, subject))
      } else {
        leftOut.mated += 1
      }
      guard own.count >= Self.attempts else {
        leftOut.nonMated += 1
        continue
      }
      let others = Self.others(than: subject, among: claimable)
      made += others.map { transaction(.nonMated, own.suffix(Self.attempts), subject, $0) }
    }
    transactions = TransactionSet(made)
    self.leftOut = leftOut
  }

  /// The next subjects in order, from the start again after the last. `claimable` ascends; O(log n).
  static func others(than subject: Int, among claimable: [Int]) -> [Int] {
    var (low, high) = (0, claimable.count)
    while low < high {
      let middle = (low + high) / 2
      if claimable[middle] > subject { high = middle } else { low = middle + 1 }
    }
    let isThere = low > 0 && claimable[low - 1] == subject
    let count = min(impostorsPerSubject, claimable.count - (isThere ? 1 : 0))
    return (0..<count).map { claimable[(low + $0) % claimable.count] }
  }

  static let description =
    "reference: a subject's first row that is an embedding; mated: the \(attempts) rows behind it; non-mated: the last "
    + "\(attempts) rows of each subject against the \(impostorsPerSubject) subjects after them; subjects of fewer rows "
    + "are left out"
}
