import Biometrics
import FaceMatching
import Testing

@testable import Evaluation

@Suite struct OperatingPointTests {
  private static let space = EmbeddingSpace(model: "m", weightsDigest: "w", dimension: 2, preprocessing: "p")

  private static func embeddings(_ rows: [[Float]]) throws -> [Embedding] {
    try rows.map { try Embedding($0, space: space) }
  }

  /// Six of the fourteen non-mated pairs have a score of exactly 1, the others of 0.
  private static let tied: (rows: [[Float]], subjects: [Int]) = (
    [[1, 0], [1, 0], [1, 0], [1, 0], [0, 1], [0, 1]], [0, 0, 1, 2, 3, 4]
  )

  @Test func `scores of exactly 1 that are tied leave no threshold, and are said to`() throws {
    let pairs = try LabelledPairs(try Self.embeddings(Self.tied.rows), subjects: Self.tied.subjects)
    let points = try pairs.points(atFalseMatchRates: [.of("0.5"), .of("0.2"), .of("0.01")], bootstrap: nil)
    let loose = try points[0].point.get()
    // Seven may match, and six do: above 0.
    #expect(loose.threshold.value == Float.leastNonzeroMagnitude && loose.falseMatches == 6)
    #expect(loose.nonMatedComparisons == 14 && loose.falseNonMatches == 0 && loose.matedComparisons == 1)
    #expect(points[1].point == .failure(.tiedAtOne(trials: 14, allowed: 2)))
    #expect(points[2].point == .failure(.tooFewTrials(trials: 14, needed: 100)))
    #expect(
      UnsupportedTarget.tiedAtOne(trials: 14, allowed: 2).description(of: "non-mated comparisons")
        .contains("scores of exactly 1 are tied"))
  }

  @Test func `the counts of a point are those that its stored threshold gives`() throws {
    var generator = SeededGenerator(seed: 3)
    let subjects = (0..<40).map { $0 / 2 }
    let rows = subjects.map { subject -> [Float] in
      // Coarse directions, so that many scores are equal, some of them 1.
      let angle = Double(subject % 7) * 0.2 + Double(generator.next(below: 3)) * 0.05
      return [Float(angle), 1]
    }
    let embeddings = try Self.embeddings(rows)
    let pairs = try LabelledPairs(embeddings, subjects: subjects)
    let everything = pairs.comparisons(nonMatedFrom: -1)
    var made = 0
    for (_, result) in try pairs.points(
      atFalseMatchRates: ["0.5", "0.2", "0.1", "0.05", "0.01"].map { .of($0) }, bootstrap: nil)
    {
      guard case .success(let point) = result else { continue }
      made += 1
      func count(_ kind: ComparisonKind, _ isError: (Double) -> Bool) -> Int {
        everything.count { ($0.subject == $0.otherSubject) == (kind == .mated) && isError($0.score) }
      }
      let threshold = Double(point.threshold.value)
      #expect(point.falseMatches == count(.nonMated) { $0 >= threshold })
      #expect(point.falseNonMatches == count(.mated) { $0 < threshold })
    }
    #expect(made > 1)
  }

  @Test func `searches that tie at 1 leave no recognise threshold`() throws {
    // Subjects 0 and 2 are enrolled; both searches of 1 and 3 find a score of 1.
    let rows: [[Float]] = [[1, 0], [1, 0], [0, 1], [0, 1], [1, 0]]
    let searches = try RecogniseEvaluation(try Self.embeddings(rows), subjects: [0, 1, 2, 3, 0])
    #expect(
      try searches.point(atFalsePositiveRate: .of("0.5")) == .failure(.tiedAtOne(trials: 2, allowed: 1)))
  }

  @Test func `too many to enrol are told by number`() throws {
    let error = #expect(throws: EvaluationError.self) {
      try RecogniseEvaluation(try Self.embeddings([[1, 0], [0, 1]]), subjects: [0, 1], enrolled: 999_999)
    }
    #expect(error == .tooFewToEnrol(wanted: 999_999, found: 1))
  }

  @Test func `a subject without an embedding keeps the place, so that the same are enrolled as in eval`()
    throws
  {
    // Subject 1 has none: 2 is enrolled and 3 is not, by the engine's scores as in double precision.
    let rows: [Float] = [1, 0, 1, 0.1, 0, 0, 0, 1, 0, 2, 1, 1]
    let data = LabelledData(name: "d", values: rows, dimension: 2, subjects: ["0", "0", "1", "2", "2", "3"])
    let eval = try OpenSetEvaluation(data, threadCount: nil).searches
    let engine = try RecogniseEvaluation(
      try Self.embeddings([[1, 0], [1, 0.1], [0, 1], [0, 2], [1, 1]]), subjects: [0, 0, 2, 2, 3]
    ).searches
    #expect(eval.enrolled == 2 && engine.enrolled == 2)
    #expect(eval.mated.count == 2 && engine.mated.count == 2)
    #expect(eval.nonMatedBestScores.count == 1 && engine.nonMatedBestScores.count == 1)
  }

  @Test func `a stranger's searches are not independent: the interval by subject is wider`() throws {
    // One of ten strangers is behind all ten false positives of a hundred searches.
    let searches = (0..<100).map { NonMatedSearch(bestScore: $0 / 10 == 0 ? 0.9 : 0.1, subject: $0 / 10) }
    let set = try IdentificationSet(enrolled: 5, mated: [MatedSearch(rank: 1, score: 1)], nonMated: searches)
    let bySubject = try #require(set.falsePositivesBySubject(at: 0.5, BootstrapPlan(replicates: 400)))
    #expect(isClose(bySubject.value, 0.1))
    let simple = try set.falsePositiveRate(at: 0.5).clopperPearson()
    #expect(bySubject.effectiveInterval.high > simple.high + 0.1)
    #expect(set.falseNegativesBySubject(at: 0.5, BootstrapPlan()) == nil, "subjects are not known")
  }
}
