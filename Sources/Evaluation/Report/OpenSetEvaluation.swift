import FaceMatching

/// Open-set identification by the protocol of the shared baselines: of the subjects in order, those at even places are
/// enrolled with their first row that is an embedding; their other rows are mated probes, and all rows of the others non-mated ones.
struct OpenSetEvaluation {
  let searches: IdentificationSet

  /// Searches in double precision by cosine. Throws when nobody is enrolled.
  init(_ data: LabelledData, threadCount: Int?) throws {
    let usable = data.usableRows()
    var firsts: [Int: Int] = [:]
    for row in usable where firsts[data.subjectNumbers[row]] == nil { firsts[data.subjectNumbers[row]] = row }
    let enrolled = stride(from: 0, to: data.subjectCount, by: 2).filter { firsts[$0] != nil }
    let references = enrolled.map { firsts[$0]! }
    let places = Dictionary(uniqueKeysWithValues: zip(enrolled, 0...))
    let isReference = Set(references)
    let probes = usable.filter { !isReference.contains($0) }
    let order = references + probes
    let pairs = try DoublePairs(count: order.count, dimension: data.dimension, threadCount: threadCount) {
      data.write(order[$0], to: $1)
    }
    let numbers = data.subjectNumbers
    let results = pairs.search(probes: references.count..<order.count, references: 0..<references.count) {
      probe, scores in
      let subject = numbers[order[probe]]
      return Search(scores, subject, mate: places[subject])
    }
    let isUsable = Set(usable)
    // A row that is no embedding is a search without a result; one that should have been enrolled is missed by nobody.
    let lost = (0..<data.rowCount).filter { !isUsable.contains($0) }
    searches = try IdentificationSet(
      enrolled: references.count,
      mated: results.compactMap { if case .mated(let search) = $0 { search } else { nil } },
      nonMated: results.compactMap { if case .nonMated(let search) = $0 { search } else { nil } },
      matedFailures: lost.count { places[numbers[$0]] != nil },
      nonMatedFailures: lost.count { places[numbers[$0]] == nil })
  }

  private enum Search: Sendable {
    case mated(MatedSearch)
    case nonMated(NonMatedSearch)

    init(_ scores: UnsafeBufferPointer<Double>, _ subject: Int, mate: Int?) {
      if let mate {
        let score = scores[mate]
        var rank = 1
        for other in scores where other > score { rank += 1 }
        self = .mated(MatedSearch(rank: rank, score: score, subject: subject))
      } else {
        var best = -Double.infinity
        for score in scores where score > best { best = score }
        self = .nonMated(NonMatedSearch(bestScore: best, subject: subject))
      }
    }
  }
}
