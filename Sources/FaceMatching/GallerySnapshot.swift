import Biometrics

/// The references of one organisation at one moment. Scans of it agree with each other, whatever is enrolled or removed
/// meanwhile; a filter that names a user goes by an index, and does not find what has been removed since.
///
/// Results are exact: those of the exhaustive scan with the defined reduction, bit for bit, best first, ties by
/// ascending enrolment.
public struct GallerySnapshot: Sendable {
  public let space: EmbeddingSpace
  let view: PartitionView
  let users: ShardedIndex<UserID>?
  let engine: SearchEngine

  /// The number of references.
  public var count: Int { view.referenceCount }

  /// The best min(`limit`, n) references of the n that pass `filter` and reach `threshold`; all of them without a
  /// limit.
  ///
  /// Cost is one scan; a filter that names a user costs that user's references only. Blocks the calling thread.
  /// Throws `.otherSpace` before any score exists, and `.negativeLimit`.
  public func candidates(
    for probe: Embedding, limit: Int? = nil, threshold: SimilarityThreshold? = nil,
    filter: SearchFilter = .all
  ) throws(GalleryError) -> [Candidate] {
    try candidates(for: [probe], limit: limit, threshold: threshold, filter: filter)[0]
  }

  /// As for one probe, for each of `probes` in order; a result never depends on the others of its batch.
  public func candidates(
    for probes: [Embedding], limit: Int? = nil, threshold: SimilarityThreshold? = nil,
    filter: SearchFilter = .all
  ) throws(GalleryError) -> [[Candidate]] {
    for probe in probes { try check(probe) }
    if let limit, limit < 0 { throw GalleryError(.negativeLimit(limit)) }
    let request = SearchRequest(limit: limit, threshold: threshold, filter: filter)
    if let user = filter.onlyUser {
      let numbers = users?.numbers(of: user) ?? []
      return probes.map { engine.search($0.values, numbers: numbers, in: view, request) }
    }
    return engine.search(probes.map(\.values), in: view, request)
  }

  /// The scores that decide a claim to be `user` on `workflow`. Runs on the gallery's own threads while the caller's
  /// task is suspended. Throws `.otherSpace` before any score exists.
  public func question(
    _ probe: Embedding, claimed user: UserID, on workflow: WorkflowID
  ) async throws(GalleryError) -> ClaimScores {
    try await questions([probe], claimed: user, on: workflow)[0]
  }

  /// As for one probe, for each of `probes` in order, by one scan.
  public func questions(
    _ probes: [Embedding], claimed user: UserID, on workflow: WorkflowID
  ) async throws(GalleryError) -> [ClaimScores] {
    for probe in probes { try check(probe) }
    let view = view
    let engine = engine
    let numbers = users?.numbers(of: user) ?? []
    return await engine.pool.run {
      let others = engine.search(
        probes.map(\.values), in: view, SearchRequest(limit: 1, threshold: nil, filter: .excludingUser(user)))
      return zip(probes, others).map { probe, others in
        let own = engine.search(
          probe.values, numbers: numbers, in: view,
          SearchRequest(limit: nil, threshold: nil, filter: .user(user)))
        return ClaimScores(
          claimed: own.filter { $0.reference.workflow == workflow },
          otherWorkflow: own.first { $0.reference.workflow != workflow }, otherPerson: others.first)
      }
    }
  }

  /// The references of a user, in the order of enrolment. Costs that user's references only.
  public func references(of user: UserID) -> [EnrolledReference] {
    (users?.numbers(of: user) ?? []).compactMap { number in
      view.location(of: number).map { view[$0.segment].segment.references[$0.row] }
    }
  }

  private func check(_ probe: Embedding) throws(GalleryError) {
    guard probe.space == space else {
      throw GalleryError(.otherSpace(expected: space, found: probe.space))
    }
  }
}

/// The scores that answer the two questions of a re-verification: is it the claimed user, is it somebody known?
public struct ClaimScores: Hashable, Sendable {
  /// All references of the claimed user on the workflow, best first.
  public let claimed: [Candidate]
  /// The claimed user's best reference on any other workflow.
  public let otherWorkflow: Candidate?
  /// The best reference of anybody else in the organisation.
  public let otherPerson: Candidate?
}
