import Biometrics

extension SQLiteStore {
  public func organisations() throws(StoreError) -> [Organisation] {
    try database.all("SELECT id, sealed FROM organisations") { (row: Row) throws(StoreError) in
      let id: OrganisationID = try row.identifier(0)
      return try record(Organisation.self, row, 1, of: id, as: SealedIdentity("organisations", id))
    }.sorted { $0.id < $1.id }
  }

  public func organisation(_ id: OrganisationID) throws(StoreError) -> Organisation? {
    try database.first("SELECT sealed FROM organisations WHERE id = ?", id) {
      (row: Row) throws(StoreError) in
      try record(Organisation.self, row, 0, of: id, as: SealedIdentity("organisations", id))
    }
  }

  public func workflow(
    _ id: WorkflowID, in organisation: OrganisationID
  ) throws(StoreError) -> Workflow? {
    try database.first("SELECT sealed FROM workflows WHERE organisation = ? AND id = ?", organisation, id) {
      (row: Row) throws(StoreError) in
      try record(
        Workflow.self, row, 0, of: organisation, as: SealedIdentity("workflows", organisation, id))
    }
  }

  public func user(_ id: UserID, in organisation: OrganisationID) throws(StoreError) -> User? {
    try database.first(
      "SELECT id, email_hash, sealed FROM users WHERE organisation = ? AND id = ?", organisation, id
    ) { (row: Row) throws(StoreError) in try user(row, of: organisation) }
  }

  public func user(
    withEmail email: EmailAddress, in organisation: OrganisationID
  ) throws(StoreError) -> User? {
    // An organisation that isn't there has no key to look up by.
    guard keyring.has(organisation) else { return nil }
    let hash = try hash(of: email, in: organisation)
    let found: User? = try database.first(
      "SELECT id, email_hash, sealed FROM users WHERE organisation = ? AND email_hash = ?", organisation, hash
    ) { (row: Row) throws(StoreError) in try user(row, of: organisation) }
    guard found == nil || found?.email == email else {
      throw StoreError(.damaged, "a user of \(organisation) under another's address")
    }
    return found
  }

  public func apiKey(_ digest: Digest) throws(StoreError) -> APIKey? {
    try database.first("SELECT id, organisation, sealed FROM api_keys WHERE digest = ?", digest) {
      (row: Row) throws(StoreError) in
      let id: APIKeyID = try row.identifier(0)
      let organisation: OrganisationID = try row.identifier(1)
      return try record(
        APIKey.self, row, 2, of: organisation, as: SealedIdentity("api_keys", id, digest, organisation))
    }
  }

  /// The key with this public id, for those who administer keys and don't have its secret.
  public func apiKey(
    _ id: APIKeyID, in organisation: OrganisationID
  ) throws(StoreError) -> APIKey? {
    try database.first("SELECT digest, sealed FROM api_keys WHERE id = ? AND organisation = ?", id, organisation) {
      (row: Row) throws(StoreError) in
      let identity = SealedIdentity("api_keys", id, try row.bytes(0), organisation)
      return try record(APIKey.self, row, 1, of: organisation, as: identity)
    }
  }

  /// Throws `missing` for an organisation that never was in the store; one that was erased is known.
  public func requireKnown(_ organisation: OrganisationID) throws(StoreError) {
    guard keyring.has(organisation) else {
      throw StoreError(.missing, "organisation \(organisation)")
    }
  }

  public func balance(of organisation: OrganisationID) throws(StoreError) -> Credits? {
    try database.first("SELECT sealed FROM balances WHERE organisation = ?", organisation) {
      (row: Row) throws(StoreError) in
      try record(Credits.self, row, 0, of: organisation, as: SealedIdentity("balances", organisation))
    }
  }

  public func reVerification(_ id: ReVerificationID) throws(StoreError) -> StoredReVerification? {
    try database.first(
      "SELECT organisation, workflow, user, expiry, revision, sealed FROM re_verifications WHERE id = ?", id
    ) { (row: Row) throws(StoreError) in
      let stored = StoredReVerification(
        id: id, organisation: try row.identifier(0), workflow: try row.identifier(1),
        user: try row.identifier(2), expiry: try row.instant(3), state: try row.bytes(5),
        revision: try row.integer(4))
      return stored.with(state: try keyring.open(stored.state, of: stored.organisation, as: stored.identity))
    }
  }

  public func failures(
    of user: UserID, in organisation: OrganisationID
  ) throws(StoreError) -> FailureCounter {
    try database.first(
      "SELECT revision, sealed FROM failures WHERE organisation = ? AND user = ?", organisation, user
    ) { (row: Row) throws(StoreError) in
      let identity = SealedIdentity("failures", organisation, user, try row.integer(0))
      return try record(FailureCounter.self, row, 1, of: organisation, as: identity)
    } ?? FailureCounter(organisation: organisation, user: user)
  }

  public func evidence(
    of reVerification: ReVerificationID, attempt: Int
  ) throws(StoreError) -> AttemptEvidence? {
    try database.first(
      """
      SELECT organisation, workflow, user, judged_at, sealed FROM evidence
      WHERE re_verification = ? AND attempt = ?
      """, reVerification, attempt
    ) { (row: Row) throws(StoreError) in
      let columns = AttemptEvidence(
        reVerification: reVerification, organisation: try row.identifier(0), workflow: try row.identifier(1),
        user: try row.identifier(2), attempt: attempt, judgedAt: try row.instant(3), probe: [], capture: [])
      let bytes = try keyring.open(try row.bytes(4), of: columns.organisation, as: columns.identity)
      return try columns.with(bytes)
    }
  }

  public func erasures(after sequence: Int64, limit: Int) throws(StoreError) -> [NumberedErasure] {
    try readErasures(after: sequence, limit: max(0, limit))
  }

  public func lastSession(in organisation: OrganisationID) throws(StoreError) -> Int64 {
    try register(Int64.self, "sessions", of: organisation) ?? 0
  }

  public func galleryVersion() throws(StoreError) -> GalleryVersion {
    try readGalleryVersion()
  }

  private func user(_ row: Row, of organisation: OrganisationID) throws(StoreError) -> User {
    let id: UserID = try row.identifier(0)
    return try record(
      User.self, row, 2, of: organisation, as: SealedIdentity("users", organisation, id, try row.bytes(1)))
  }

  /// The record in a row's sealed column.
  func record<Record: Decodable>(
    _ type: Record.Type, _ row: Row, _ column: Int32, of organisation: OrganisationID?,
    as identity: SealedIdentity
  ) throws(StoreError) -> Record {
    let bytes = try keyring.open(try row.bytes(column), of: organisation, as: identity)
    return try RecordCoding.decode(type, from: bytes, identity.description)
  }

  /// What the address is looked up by; without the organisation's key nobody can try addresses.
  func hash(of email: EmailAddress, in organisation: OrganisationID) throws(StoreError) -> Digest {
    try keyring.lasting("e-mail hash", of: organisation).keyedDigest(of: Array(email.normalised.utf8))
  }
}

// Single values that an organisation has one of, and the one that the store has.
extension SQLiteStore {
  func register<Record: Decodable>(
    _ type: Record.Type, _ name: String, of organisation: OrganisationID
  ) throws(StoreError) -> Record? {
    try database.first("SELECT sealed FROM registers WHERE organisation = ? AND name = ?", organisation, name)
    {
      (row: Row) throws(StoreError) in
      try record(type, row, 0, of: organisation, as: SealedIdentity("registers", name, organisation))
    }
  }

  func setRegister(
    _ name: String, of organisation: OrganisationID, to value: some Encodable
  ) throws(StoreError) {
    let sealed = try keyring.seal(
      RecordCoding.encode(value), of: organisation, as: SealedIdentity("registers", name, organisation))
    try database.run(
      "INSERT OR REPLACE INTO registers (name, organisation, sealed) VALUES (?, ?, ?)", name, organisation,
      sealed)
  }

  func readGalleryVersion() throws(StoreError) -> GalleryVersion {
    try database.first("SELECT sealed FROM gallery WHERE id = 1") { (row: Row) throws(StoreError) in
      try record(GalleryVersion.self, row, 0, of: nil, as: SealedIdentity("gallery", 1))
    } ?? .empty
  }

  func setGalleryVersion(_ version: GalleryVersion) throws(StoreError) {
    guard try version != readGalleryVersion() else { return }
    try database.run(
      "INSERT OR REPLACE INTO gallery (id, sealed) VALUES (1, ?)",
      try keyring.seal(RecordCoding.encode(version), of: nil, as: SealedIdentity("gallery", 1)))
  }
}

extension StoredReVerification {
  var identity: SealedIdentity {
    SealedIdentity("re_verifications", id, organisation, workflow, user, expiry, revision)
  }

  func with(state: [UInt8]) -> Self {
    Self(
      id: id, organisation: organisation, workflow: workflow, user: user, expiry: expiry, state: state,
      revision: revision)
  }
}

extension AttemptEvidence {
  var identity: SealedIdentity {
    SealedIdentity("evidence", reVerification, attempt, organisation, workflow, user, judgedAt)
  }

  /// This with the probe and capture in `bytes`.
  func with(_ bytes: [UInt8]) throws(StoreError) -> Self {
    var reader = ByteReader(bytes, identity.description)
    let probe = try RowCoding.decodeEmbeddings(&reader)
    let capture = try reader.bytes(Int(try reader.integer(UInt32.self)))
    guard reader.isAtEnd else { throw reader.damaged() }
    return Self(
      reVerification: reVerification, organisation: organisation, workflow: workflow, user: user,
      attempt: attempt, judgedAt: judgedAt, probe: probe, capture: capture)
  }
}
