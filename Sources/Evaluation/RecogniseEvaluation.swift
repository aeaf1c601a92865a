import Biometrics
import FaceMatching

/// Searches of an organisation with ground truth, by the engine's own scores: what a recognise threshold rests on.
///
/// Of the subjects in order, those at even places are enrolled with their first row that is an embedding, up to a number of
/// them; their other rows are mated probes, and all rows of the subjects between are non-mated ones.
public struct RecogniseEvaluation: Sendable {
  /// Rank and score of the mate where it is the closest candidate; a mate that is not has no rank.
  public let searches: IdentificationSet

  private static let organisation: OrganisationID = "evaluation"
  private static let batch = 256

  /// `subjects` gives the place of each embedding's subject in their order, from zero; a subject of whom there is no
  /// embedding keeps the place. All embeddings are of one space. Enrols all that the protocol gives, or
  /// `enrolled` of them; throws `.noEnrolledReferences` when there are none and `.tooFewToEnrol` when there are fewer.
  public init(
    _ embeddings: [Embedding], subjects: [Int], enrolled: Int? = nil, threadCount: Int? = nil
  ) throws(EvaluationError) {
    precondition(embeddings.count == subjects.count, "a subject for each embedding")
    let candidates = Set(subjects).filter { $0.isMultiple(of: 2) }.sorted()
    guard let space = embeddings.first?.space, !candidates.isEmpty else { throw .noEnrolledReferences }
    if let enrolled, enrolled > candidates.count {
      throw .tooFewToEnrol(wanted: enrolled, found: candidates.count)
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
    var nonMated: [NonMatedSearch] = []
    let snapshot = gallery.snapshot(of: Self.organisation)
    for start in stride(from: 0, to: probes.count, by: Self.batch) {
      let rows = probes[start..<min(start + Self.batch, probes.count)]
      for (row, closest) in zip(rows, Self.closest(rows.map { embeddings[$0] }, in: snapshot)) {
        let score = Double(closest.score.value)
        if !chosen.contains(subjects[row]) {
          nonMated.append(NonMatedSearch(bestScore: score, subject: subjects[row]))
        } else {
          let isMate = closest.reference.user == UserID("\(subjects[row])")
          mated.append(MatedSearch(rank: isMate ? 1 : nil, score: score, subject: subjects[row]))
        }
      }
    }
    searches = try IdentificationSet(enrolled: references.count, mated: mated, nonMated: nonMated)
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

  /// The lowest threshold that keeps FPIR within a target, with an interval by subject where a bootstrap is asked for; or
  /// why there is none. Throws when there is no search of one kind.
  public func point(
    atFalsePositiveRate target: TargetRate, bootstrap: BootstrapPlan? = nil
  ) throws(EvaluationError) -> Result<OperatingPoints.RecognisePoint, UnsupportedTarget> {
    try searches.rates(atFalsePositiveRate: target).supported { point in
      let (positive, negative) = (point.falsePositiveRate, point.falseNegativeRate)
      // The least single-precision number that keeps it; a similarity ends at 1.
      guard let threshold = SimilarityThreshold(Float(roundingUp: point.threshold)) else {
        return .failure(.tiedAtOne(trials: positive.total, allowed: point.allowedFalsePositives))
      }
      let interval = positive.clopperPearson()
      let bySubject = bootstrap.flatMap { searches.falsePositivesBySubject(at: point.threshold, $0) }
      return .success(
        .init(
          targetFalsePositiveRate: target.description, enrolled: searches.enrolled, threshold: threshold,
          falsePositives: positive.count, nonMatedSearches: positive.total, falseNegatives: negative.count,
          matedSearches: negative.total, falsePositiveRateLow: interval.low,
          falsePositiveRateHigh: interval.high,
          falsePositiveRateBySubjectLow: bySubject?.effectiveInterval.low,
          falsePositiveRateBySubjectHigh: bySubject?.effectiveInterval.high,
          falsePositiveRateUpheld: bySubject?.upperBound().high))
    }
  }
}
