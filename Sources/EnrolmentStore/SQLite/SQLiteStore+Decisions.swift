import Biometrics

// A decision's sealed value is its number (8 bytes, little-endian), its chain value (32 bytes) and the record as JSON. The
// number is inside rather than in the identity, so that an audit can tell a record that changed its place from an edited one.
extension SQLiteStore {
  public func decisions(
    of organisation: OrganisationID, after sequence: Int64, limit: Int
  ) throws(StoreError) -> [NumberedDecision] {
    try decisionRows(of: organisation, after: sequence, limit: max(0, limit)) {
      (place, sealed) throws(StoreError) in
      let content = try open(sealed, of: organisation)
      guard content.sequence == place else {
        throw StoreError(.damaged, "decision \(place) of \(organisation): another stands in its place")
      }
      let record = try RecordCoding.decode(
        DecisionRecord.self, from: content.json, "decision \(place) of \(organisation)")
      return NumberedDecision(sequence: place, record, chain: content.chain)
    }
  }

  public func chainHead(of organisation: OrganisationID) throws(StoreError) -> ChainHead {
    let chain = try chain(of: organisation)
    guard let head = try register(ChainHead.self, "chain", of: organisation), chain.isGenuine(head) else {
      throw StoreError(.damaged, "the head of the decisions of \(organisation)")
    }
    return head
  }

  public func audit(
    of organisation: OrganisationID, noted: ChainHead?
  ) throws(StoreError) -> ChainAudit {
    let chain = try chain(of: organisation)
    // One record is in memory at a time, and of the others their digests.
    let links = try decisionRows(of: organisation, after: 0, limit: .max) {
      (place, sealed) throws(StoreError) in
      guard let content = try? open(sealed, of: organisation) else {
        return ChainLink(sequence: place, content: nil, value: nil)
      }
      return ChainLink(sequence: content.sequence, content: Digest(of: content.json), value: content.chain)
    }
    let head: ChainHead?
    do throws(StoreError) {
      head = try chainHead(of: organisation)
    } catch {
      guard error.code == .damaged else { throw error }
      head = nil
    }
    return chain.audit(links, head: head, noted: noted)
  }

  func append(_ record: DecisionRecord) throws(StoreError) {
    let organisation = record.organisation
    try require(organisation)
    let chain = try chain(of: organisation)
    let last = try chainHead(of: organisation)
    let json = RecordCoding.encode(record)
    let sequence = last.sequence + 1
    let value = chain.value(sequence, Digest(of: json), after: last.value)
    var content: [UInt8] = []
    RowCoding.append(sequence, to: &content)
    content += value.bytes + json
    try database.run(
      "INSERT INTO decisions (organisation, sequence, sealed) VALUES (?, ?, ?)", organisation, sequence,
      try keyring.seal(content, of: organisation, as: SealedIdentity("decisions", organisation)))
    try setRegister("chain", of: organisation, to: chain.head(sequence, value))
  }

  /// Begins the chain of a new organisation.
  func beginChain(of organisation: OrganisationID) throws(StoreError) {
    guard try register(ChainHead.self, "chain", of: organisation) == nil else { return }
    let chain = try chain(of: organisation)
    try setRegister("chain", of: organisation, to: chain.head(0, chain.start))
  }

  private func chain(of organisation: OrganisationID) throws(StoreError) -> DecisionChain {
    try requireKnown(organisation)
    return DecisionChain(
      key: try keyring.lasting("decision chain", of: organisation), organisation: organisation)
  }

  private func open(
    _ sealed: [UInt8], of organisation: OrganisationID
  ) throws(StoreError) -> (sequence: Int64, chain: Digest, json: [UInt8]) {
    let identity = SealedIdentity("decisions", organisation)
    var reader = ByteReader(try keyring.open(sealed, of: organisation, as: identity), identity.description)
    return (
      try reader.integer(Int64.self), Digest(try reader.bytes(Digest.byteCount)), reader.remaining()
    )
  }

  private func decisionRows<Value>(
    of organisation: OrganisationID, after sequence: Int64, limit: Int,
    make: (Int64, [UInt8]) throws(StoreError) -> Value
  ) throws(StoreError) -> [Value] {
    try database.all(
      """
      SELECT sequence, sealed FROM decisions WHERE organisation = ? AND sequence > ? ORDER BY sequence LIMIT ?
      """, organisation, max(0, sequence), limit
    ) { (row: Row) throws(StoreError) in try make(try row.integer(0), try row.bytes(1)) }
  }
}
