import Biometrics

extension SQLiteStore {
  private static let columns = "s.sequence, s.id, s.user, s.workflow, s.approved_at, s.preparation, s.sealed"

  public func session(
    _ id: SessionID, in organisation: OrganisationID
  ) throws(StoreError) -> EnrolledSession? {
    try numberedSessions(
      "WHERE s.organisation = ? AND s.id = ? AND 0 <= ?", organisation, id, 0
    ).first?.enrolled
  }

  public func sessions(
    of user: UserID, in organisation: OrganisationID
  ) throws(StoreError) -> [ApprovedSession] {
    try database.all(
      "SELECT \(Self.columns) FROM sessions s WHERE s.organisation = ? AND s.user = ? ORDER BY s.sequence",
      organisation, user
    ) { (row: Row) throws(StoreError) in try session(row, of: organisation) }
  }

  public func sessions(
    in organisation: OrganisationID, after sequence: Int64, limit: Int
  ) throws(StoreError) -> [NumberedSession] {
    try numberedSessions(
      "WHERE s.organisation = ? AND s.sequence > ? ORDER BY s.sequence LIMIT ?", organisation,
      max(0, sequence), max(0, limit))
  }

  public func preparingSessions(
    in organisation: OrganisationID, limit: Int
  ) throws(StoreError) -> [NumberedSession] {
    try numberedSessions(
      """
      WHERE s.organisation = ? AND s.preparation = 'preparing' AND s.sequence > ?
      ORDER BY s.sequence LIMIT ?
      """, organisation, 0, max(0, limit))
  }

  private func numberedSessions(
    _ condition: String, _ organisation: OrganisationID, _ second: any SQLValue, _ third: any SQLValue
  ) throws(StoreError) -> [NumberedSession] {
    try database.all(
      """
      SELECT \(Self.columns), e.sealed FROM sessions s
      LEFT JOIN session_embeddings e ON e.organisation = s.organisation AND e.sequence = s.sequence \(condition)
      """, organisation, second, third
    ) { (row: Row) throws(StoreError) in
      let sequence = try row.integer(0)
      let session = try session(row, of: organisation)
      let identity = SealedIdentity("session_embeddings", organisation, sequence)
      var reader = ByteReader(
        try keyring.open(try row.bytes(7), of: organisation, as: identity), identity.description)
      let embeddings = try RowCoding.decodeEmbeddings(&reader)
      guard reader.isAtEnd else { throw reader.damaged() }
      return NumberedSession(sequence: sequence, EnrolledSession(session, embeddings: embeddings))
    }
  }

  private func session(_ row: Row, of organisation: OrganisationID) throws(StoreError) -> ApprovedSession {
    guard let preparation = ApprovedSession.Preparation(rawValue: try row.text(5)) else {
      throw StoreError(.damaged, "session \(try row.text(1)) of \(organisation): unknown preparation")
    }
    let (sequence, id): (Int64, SessionID) = (try row.integer(0), try row.identifier(1))
    let (user, workflow): (UserID, WorkflowID) = (try row.identifier(2), try row.identifier(3))
    let approvedAt = try row.instant(4)
    let identity = SealedIdentity(
      "sessions", organisation, sequence, id, user, workflow, approvedAt, preparation.rawValue)
    let space = try record(EmbeddingSpace.self, row, 6, of: organisation, as: identity)
    return ApprovedSession(
      id: id, organisation: organisation, workflow: workflow, user: user, approvedAt: approvedAt,
      space: space,
      preparation: preparation)
  }

  func add(_ enrolled: EnrolledSession) throws(StoreError) {
    let session = enrolled.session
    let organisation = session.organisation
    try refuseErased(.organisation, of: organisation)
    try refuseErased(.session(session.id), of: organisation)
    try refuseErased(.user(session.user), of: organisation)
    try require(
      "workflows", organisation, session.workflow, "workflow \(session.workflow) of \(organisation)")
    try require("users", organisation, session.user, "user \(session.user) of \(organisation)")
    let sequence = try (register(Int64.self, "sessions", of: organisation) ?? 0) + 1
    try setRegister("sessions", of: organisation, to: sequence)
    try database.run(
      """
      INSERT INTO sessions (organisation, sequence, id, user, workflow, approved_at, preparation, sealed)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
      """, organisation, sequence, session.id, session.user, session.workflow, session.approvedAt,
      session.preparation.rawValue, try sealed(session, sequence))
    guard try database.changes == 1 else {
      throw StoreError(.conflict, "session \(session.id) of \(organisation)")
    }
    try database.run(
      "INSERT INTO session_embeddings (organisation, sequence, sealed) VALUES (?, ?, ?)", organisation,
      sequence,
      try keyring.seal(
        RowCoding.encode(enrolled.embeddings), of: organisation,
        as: SealedIdentity("session_embeddings", organisation, sequence)))
    try setGalleryVersion(try readGalleryVersion().enrolling(enrolled))
  }

  func prepare(
    _ id: SessionID, in organisation: OrganisationID, _ preparation: ApprovedSession.Preparation
  ) throws(StoreError) {
    let found = try database.first(
      "SELECT \(Self.columns) FROM sessions s WHERE s.organisation = ? AND s.id = ?", organisation, id
    ) { (row: Row) throws(StoreError) in (try row.integer(0), try session(row, of: organisation)) }
    guard let found else { throw StoreError(.missing, "session \(id) of \(organisation)") }
    let sequence = found.0
    var changed = found.1
    guard changed.preparation != preparation else { return }
    changed.preparation = preparation
    try database.run(
      "UPDATE sessions SET preparation = ?, sealed = ? WHERE organisation = ? AND sequence = ?",
      preparation.rawValue, try sealed(changed, sequence), organisation, sequence)
    try setGalleryVersion(try readGalleryVersion().preparing(id, in: organisation, preparation))
  }

  private func sealed(_ session: ApprovedSession, _ sequence: Int64) throws(StoreError) -> [UInt8] {
    let identity = SealedIdentity(
      "sessions", session.organisation, sequence, session.id, session.user, session.workflow,
      session.approvedAt,
      session.preparation.rawValue)
    return try keyring.seal(RecordCoding.encode(session.space), of: session.organisation, as: identity)
  }

  public func pastRetention(
    in organisation: OrganisationID, at now: Instant, limit: Int
  ) throws(StoreError) -> [Erasure.Subject] {
    let workflows = try database.all("SELECT id, sealed FROM workflows WHERE organisation = ?", organisation)
    {
      (row: Row) throws(StoreError) in
      let identity = SealedIdentity("workflows", organisation, try row.text(0))
      return try record(Workflow.self, row, 1, of: organisation, as: identity)
    }
    var sessions: [(sequence: Int64, id: SessionID)] = []
    var evidence: Set<ReVerificationID> = []
    for workflow in workflows {
      guard let retention = workflow.retention else { continue }
      // What began at this instant or before is over.
      let latest = now - retention.duration
      sessions += try database.all(
        """
        SELECT sequence, id FROM sessions WHERE organisation = ? AND workflow = ? AND approved_at <= ?
        ORDER BY sequence LIMIT ?
        """, organisation, workflow.id, latest, max(0, limit)
      ) { (row: Row) throws(StoreError) in (try row.integer(0), try row.identifier(1)) }
      evidence.formUnion(
        try database.all(
          """
          SELECT DISTINCT re_verification FROM evidence WHERE organisation = ? AND workflow = ? AND judged_at <= ?
          ORDER BY re_verification LIMIT ?
          """, organisation, workflow.id, latest, max(0, limit)
        ) { (row: Row) throws(StoreError) in try row.identifier(0) })
    }
    sessions.sort { $0.sequence < $1.sequence }
    let all = sessions.map { Erasure.Subject.session($0.id) } + evidence.sorted().map { .evidence($0) }
    return Array(all.prefix(max(0, limit)))
  }
}
