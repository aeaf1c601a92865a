import Biometrics

extension SQLiteStore {
  /// Makes one change within a transaction.
  func make(_ change: StoreChange) throws(StoreError) {
    switch change {
    case .organisation(let organisation):
      try put(organisation)
    case .workflow(let workflow):
      try put(workflow)
    case .user(let user):
      try put(user)
    case .apiKey(let key):
      try put(key)
    case .balance(let credits, let organisation):
      try require(organisation)
      try set(credits, of: organisation)
    case .charge(let credits, let organisation):
      if let balance = try balance(of: organisation) { try set(balance - credits, of: organisation) }
    case .enrol(let enrolled):
      try add(enrolled)
    case .ready(let id, let organisation):
      try prepare(id, in: organisation, .ready)
    case .refused(let id, let organisation):
      try prepare(id, in: organisation, .refused)
    case .reVerification(let stored):
      try put(stored)
    case .failures(let counter):
      try put(counter)
    case .decision(let record):
      try append(record)
    case .evidence(let evidence):
      try put(evidence)
    case .captureSeen(let capture):
      try put(capture)
    case .forgetCaptures(let now):
      try forgetCaptures(expiredAt: now)
    case .erase(let erasure):
      try erase(erasure)
    }
  }

  private func put(_ organisation: Organisation) throws(StoreError) {
    try refuseErased(.organisation, of: organisation.id)
    let sealed = try keyring.seal(
      RecordCoding.encode(organisation), of: organisation.id,
      as: SealedIdentity("organisations", organisation.id))
    try database.run(
      "INSERT INTO organisations (id, sealed) VALUES (?1, ?2) ON CONFLICT (id) DO UPDATE SET sealed = ?2",
      organisation.id, sealed)
    try beginChain(of: organisation.id)
  }

  private func put(_ workflow: Workflow) throws(StoreError) {
    let organisation = workflow.organisation
    try require(organisation)
    let sealed = try keyring.seal(
      RecordCoding.encode(workflow), of: organisation,
      as: SealedIdentity("workflows", organisation, workflow.id))
    try database.run(
      """
      INSERT INTO workflows (organisation, id, sealed) VALUES (?1, ?2, ?3)
      ON CONFLICT (organisation, id) DO UPDATE SET sealed = ?3
      """, organisation, workflow.id, sealed)
  }

  private func put(_ user: User) throws(StoreError) {
    let organisation = user.organisation
    try require(organisation)
    try refuseErased(.user(user.id), of: organisation)
    let hash = try hash(of: user.email, in: organisation)
    let holder: UserID? = try database.first(
      "SELECT id FROM users WHERE organisation = ? AND email_hash = ?", organisation, hash
    ) { (row: Row) throws(StoreError) in try row.identifier(0) }
    guard holder == nil || holder == user.id else {
      throw StoreError(.emailTaken, "user \(user.id) of \(organisation)")
    }
    let sealed = try keyring.seal(
      RecordCoding.encode(user), of: organisation,
      as: SealedIdentity("users", organisation, user.id, hash.bytes))
    try database.run(
      """
      INSERT INTO users (organisation, id, email_hash, sealed) VALUES (?1, ?2, ?3, ?4)
      ON CONFLICT (organisation, id) DO UPDATE SET email_hash = ?3, sealed = ?4
      """, organisation, user.id, hash, sealed)
  }

  private func put(_ key: APIKey) throws(StoreError) {
    try require(key.organisation)
    let others = try database.all(
      "SELECT id, organisation FROM api_keys WHERE id = ? OR digest = ?", key.id, key.digest
    ) { (row: Row) throws(StoreError) -> (APIKeyID, OrganisationID) in
      (try row.identifier(0), try row.identifier(1))
    }
    guard others.allSatisfy({ $0 == (key.id, key.organisation) }) else {
      throw StoreError(.conflict, "API key \(key.id)")
    }
    let sealed = try keyring.seal(
      RecordCoding.encode(key), of: key.organisation,
      as: SealedIdentity("api_keys", key.id, key.digest, key.organisation))
    try database.run(
      """
      INSERT INTO api_keys (id, digest, organisation, sealed) VALUES (?1, ?2, ?3, ?4)
      ON CONFLICT (id) DO UPDATE SET digest = ?2, sealed = ?4
      """, key.id, key.digest, key.organisation, sealed)
  }

  private func set(_ credits: Credits?, of organisation: OrganisationID) throws(StoreError) {
    guard let credits else {
      return try database.run("DELETE FROM balances WHERE organisation = ?", organisation)
    }
    let sealed = try keyring.seal(
      RecordCoding.encode(credits), of: organisation, as: SealedIdentity("balances", organisation))
    try database.run(
      "INSERT OR REPLACE INTO balances (organisation, sealed) VALUES (?, ?)", organisation, sealed)
  }

  private func put(_ read: StoredReVerification) throws(StoreError) {
    let known: Int64? = try database.first("SELECT revision FROM re_verifications WHERE id = ?", read.id) {
      (row: Row) throws(StoreError) in try row.integer(0)
    }
    guard read.revision == known ?? 0 else { throw StoreError(.conflict, "re-verification \(read.id)") }
    let stored = read.stored
    guard keyring.has(stored.organisation) else {
      throw StoreError(.missing, "organisation \(stored.organisation)")
    }
    let sealed = try keyring.seal(stored.state, of: stored.organisation, as: stored.identity)
    try database.run(
      """
      INSERT INTO re_verifications (id, organisation, workflow, user, expiry, revision, sealed)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT (id) DO UPDATE SET
        organisation = ?2, workflow = ?3, user = ?4, expiry = ?5, revision = ?6, sealed = ?7
      """, stored.id, stored.organisation, stored.workflow, stored.user, stored.expiry, stored.revision,
      sealed)
  }

  private func put(_ read: FailureCounter) throws(StoreError) {
    var counter = read
    let organisation = counter.organisation
    let known: Int64? = try database.first(
      "SELECT revision FROM failures WHERE organisation = ? AND user = ?", organisation, counter.user
    ) { (row: Row) throws(StoreError) in try row.integer(0) }
    guard counter.revision == known ?? 0 else {
      throw StoreError(.conflict, "failures of user \(counter.user)")
    }
    // Of the erased nothing is counted.
    if try isErased(.user(counter.user), of: organisation) { return }
    if try isErased(.organisation, of: organisation) { return }
    guard keyring.has(organisation) else { throw StoreError(.missing, "organisation \(organisation)") }
    counter.revision += 1
    let sealed = try keyring.seal(
      RecordCoding.encode(counter), of: organisation,
      as: SealedIdentity("failures", organisation, counter.user, counter.revision))
    try database.run(
      "INSERT OR REPLACE INTO failures (organisation, user, revision, sealed) VALUES (?, ?, ?, ?)",
      organisation,
      counter.user, counter.revision, sealed)
  }

  private func put(_ evidence: AttemptEvidence) throws(StoreError) {
    let (id, organisation) = (evidence.reVerification, evidence.organisation)
    let isThere = try database.first(
      "SELECT 1 FROM re_verifications WHERE id = ? AND organisation = ? AND user = ?", id, organisation,
      evidence.user
    ) { (_: Row) throws(StoreError) in true }
    guard isThere != nil else { throw StoreError(.missing, "re-verification \(id)") }
    let user = try database.first(
      "SELECT 1 FROM users WHERE organisation = ? AND id = ?", organisation, evidence.user
    ) { (_: Row) throws(StoreError) in true }
    // Of the erased nothing is kept.
    guard user != nil, try !isErased(.evidence(id), of: organisation) else { return }
    let sealed = try keyring.seal(RowCoding.encode(evidence), of: organisation, as: evidence.identity)
    try database.run(
      """
      INSERT OR REPLACE INTO evidence (re_verification, attempt, organisation, workflow, user, judged_at, sealed)
      VALUES (?, ?, ?, ?, ?, ?, ?)
      """, id, evidence.attempt, organisation, evidence.workflow, evidence.user, evidence.judgedAt, sealed)
  }

  func require(_ organisation: OrganisationID) throws(StoreError) {
    try refuseErased(.organisation, of: organisation)
    let isThere = try database.first("SELECT 1 FROM organisations WHERE id = ?", organisation) {
      (_: Row) throws(StoreError) in true
    }
    guard isThere != nil else { throw StoreError(.missing, "organisation \(organisation)") }
  }

  /// Throws `missing` about `context` unless the table of an organisation's records has this one.
  func require(
    _ table: String, _ organisation: OrganisationID, _ id: any SQLValue, _ context: String
  ) throws(StoreError) {
    let isThere = try database.first(
      "SELECT 1 FROM \(table) WHERE organisation = ?1 AND id = ?2", organisation, id
    ) {
      (_: Row) throws(StoreError) in true
    }
    guard isThere != nil else { throw StoreError(.missing, context) }
  }
}
