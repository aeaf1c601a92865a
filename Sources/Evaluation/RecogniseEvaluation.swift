import Biometrics
import FaceMatching

/// Searches of an organisation with ground truth, by the engine's own scores: what a recognise threshold rests on.
///
/// Of the subjects in order, every other one is enrolled with their first row, up to a number of them; their other rows
/// are mated probes, and all rows of the subjects between are non-mated ones.
public struct RecogniseEvaluation: Sendable {
  /// Rank and score of the mate where it is the closest candidate; a mate that is not has no rank.
  public let searches: IdentificationSet

  private static let organisation: OrganisationID = "evaluation"
  private static let batch = 256

  /// `subjects` numbers the subject of each embedding; all are of one space. Enrols all that the protocol gives, or
  /// `enrolled` of them; throws `.noEnrolledReferences` when there are none or fewer.
  public init(
    _ embeddings: [Embedding], subjects: [Int], enrolled: Int? = nil, threadCount: Int? = nil
  ) throws(EvaluationError) {
    precondition(embeddings.count == subjects.count, "a subject for each embedding")
    let ordered = Set(subjects).sorted()
    let candidates = stride(from: 0, to: ordered.count, by: 2).map { ordered[$0] }
    guard let space = embeddings.first?.space, candidates.count >= enrolled ?? 1 else {
      throw .noEnrolledReferences
    }
    let chosen = Set(candidates.prefix(enrolled ?? candidates.count))
    // Those that could have been enrolled and were not take no part.
    let left = Set(candidates.dropFirst(chosen.count))
    var enrolledRows: [Int: Int] = [:]
    for (row, subject) in subjects.enumerated() where chosen.contains(subject) && enrolledRows[subject] == nil
    {
      enrolledRows[subject] = row
    }
    let references = Set(enrolledRows.values)
    let probes = subjects.indices.filter { !references.contains($0) && !left.contains(subjects[$0]) }
    let gallery = Self.gallery(embeddings, enrolledRows, space, threadCount)
    var mated: [MatedSearch] = []
    var nonMated: [Double] = []
    let snapshot = gallery.snapshot(of: Self.organisation)
    for start in stride(from: 0, to: probes.count, by: Self.batch) {
      let rows = probes[start..<min(start + Self.batch, probes.count)]
      for (row, closest) in zip(rows, Self.closest(rows.map { embeddings[$0] }, in: snapshot)) {
        let score = Double(closest.score.value)
        if !chosen.contains(subjects[row]) {
          nonMated.append(score)
        } else {
          let isMate = closest.reference.user == UserID("\(subjects[row])")
          mated.append(MatedSearch(rank: isMate ? 1 : nil, score: score))
        }
      }
    }
    searches = try IdentificationSet(enrolled: references.count, mated: mated, nonMatedBestScores: nonMated)
  }

  private static func gallery(
    _ embeddings: [Embedding], _ rows: [Int: Int], _ space: EmbeddingSpace, _ threadCount: Int?
  ) -> Gallery {
    do throws(GalleryError) {
      let gallery = try Gallery(space: space, configuration: .init(threadCount: threadCount))
      for (subject, row) in rows.sorted(by: { $0.key < $1.key }) {
        try gallery.enrol(
          Reference(
            organisation: organisation, workflow: "evaluation", user: UserID("\(subject)"),
            session: SessionID("\(row)"), approvedAt: Instant(millisecondsSince1970: 0),
            embedding: embeddings[row]))
      }
      return gallery
    } catch {
      preconditionFailure("embeddings of one space, enrolled once each: \(error)")
    }
  }

  private static func closest(_ probes: [Embedding], in snapshot: GallerySnapshot) -> [Candidate] {
    do throws(GalleryError) {
      return try snapshot.candidates(for: probes, limit: 1).map { $0[0] }
    } catch {
      preconditionFailure("embeddings of one space: \(error)")
    }
  }

  /// The lowest threshold that keeps FPIR within a target, or nil when the searches allow not one error at it. Throws when
  /// there is no search of one kind.
  public func point(
    atFalsePositiveRate target: TargetRate
  ) throws(EvaluationError) -> OperatingPoints.RecognisePoint? {
    guard let point = try searches.rates(atFalsePositiveRate: target).point else { return nil }
    // The least single-precision number that keeps it; nothing reaches one above 1.
    let threshold = min(Float(roundingUp: point.threshold), 1)
    let (positive, negative) = (point.falsePositiveRate, point.falseNegativeRate)
    let interval = positive.clopperPearson()
    return .init(
      targetFalsePositiveRate: target.description, enrolled: searches.enrolled,
      threshold: SimilarityThreshold(threshold)!, falsePositives: positive.count,
      nonMatedSearches: positive.total,
      falseNegatives: negative.count, matedSearches: negative.total, falsePositiveRateLow: interval.low,
      falsePositiveRateHigh: interval.high)
  }
}
