import CFaceKernels

/// Embeddings with whose they are, and the pairs and folds that a protocol lists: what a data set's evaluation reads.
public struct LabelledData: Sendable {
  /// A listed comparison of two rows.
  public struct Pair: Hashable, Sendable {
    public let rowA: Int
    public let rowB: Int
    public let kind: ComparisonKind
    /// The part of a cross-validation it is tested in; nil without a protocol of folds.
    public let fold: Int?

    public init(rowA: Int, rowB: Int, kind: ComparisonKind, fold: Int?) {
      self.rowA = rowA
      self.rowB = rowB
      self.kind = kind
      self.fold = fold
    }
  }

  public let name: String
  /// Row after row, as stored; not normalised.
  public let values: [Float]
  public let dimension: Int
  /// The name of each row's subject. In order, they count 0, 1, 2, …: as numbers where all are, else as text.
  public let subjects: [String]
  /// Whether a face was detected in the row's image.
  public let isDetected: [Bool]
  public let pairs: [Pair]
  /// Pairs to develop with, such as View 1 of Labeled Faces in the Wild: each of the fold `trainingFold` or `testFold`.
  public let developmentPairs: [Pair]
  public static let (trainingFold, testFold) = (0, 1)
  /// The group of each row's subject; nil where none are known. A subject is of the group of its first row.
  public let groups: [String]?

  /// A subject's number for each row.
  let subjectNumbers: [Int]
  let subjectCount: Int

  /// Arrays whose lengths don't fit each other are a programming error and trap.
  public init(
    name: String, values: [Float], dimension: Int, subjects: [String], isDetected: [Bool]? = nil,
    pairs: [Pair] = [], developmentPairs: [Pair] = [], groups: [String]? = nil
  ) {
    precondition(dimension > 0 && values.count == dimension * subjects.count, "a subject for each row")
    precondition(groups.map { $0.count == subjects.count } ?? true, "a group for each row")
    self.name = name
    self.values = values
    self.dimension = dimension
    self.subjects = subjects
    self.isDetected = isDetected ?? Array(repeating: true, count: subjects.count)
    self.pairs = pairs
    self.developmentPairs = developmentPairs
    // A subject's rows would be taken for two people's else.
    var firstGroups: [String: String] = [:]
    self.groups = groups.map { groups in
      zip(subjects, groups).map { subject, group in
        firstGroups[subject] = firstGroups[subject] ?? group
        return firstGroups[subject]!
      }
    }
    let numbers = SubjectOrder.numbers(of: subjects)
    subjectNumbers = subjects.map { numbers[$0]! }
    subjectCount = numbers.count
  }

  public var rowCount: Int { subjects.count }

  /// Rows of which an embedding can be made: finite, and not all zeros. The others can't be enrolled or acquired.
  func usableRows() -> [Int] {
    values.withUnsafeBufferPointer { values in
      (0..<rowCount).filter { row in
        var sum = 0.0
        for index in row * dimension..<(row + 1) * dimension {
          sum += Double(values[index]) * Double(values[index])
        }
        return sum.isFinite && sum > 0
      }
    }
  }

  /// Writes a row, widened.
  func write(_ row: Int, to place: UnsafeMutableBufferPointer<Double>) {
    values.withUnsafeBufferPointer { values in
      for index in 0..<dimension { place[index] = Double(values[row * dimension + index]) }
    }
  }
}

extension UnsafeBufferPointer<Double> {
  /// The indices of the scores at or above a threshold, ascending, to the front of `indices`; returns how many.
  func countAtLeast(_ threshold: Double, indices: inout [UInt32]) -> Int {
    precondition(indices.count >= count, "room for every index")
    guard let first = baseAddress else { return 0 }
    return fk_at_least_f64(first, count, threshold, &indices)
  }
}
