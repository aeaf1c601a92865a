import Biometrics

/// A key that is an organisation's own.
struct Owned<Key: Hashable & Sendable>: Hashable, Sendable {
  let key: Key
  let organisation: OrganisationID

  init(_ key: Key, by organisation: OrganisationID) {
    self.key = key
    self.organisation = organisation
  }
}

/// What an in-memory store holds. Each write notes how to take it back, so that a commit is whole or nothing.
struct Tables {
  let chainKey: SecretKey
  var organisations: [OrganisationID: Organisation] = [:]
  var workflows: [Owned<WorkflowID>: Workflow] = [:]
  var users: [Owned<UserID>: User] = [:]
  var usersByEmail: [Owned<EmailAddress>: UserID] = [:]
  var keys: [APIKeyID: APIKey] = [:]
  var keysByDigest: [Digest: APIKeyID] = [:]
  var balances: [OrganisationID: Credits] = [:]
  var sessions: [Owned<SessionID>: NumberedSession] = [:]
  var sessionsOfUser: [Owned<UserID>: [SessionID]] = [:]
  /// In the order of enrolment; `nil` where one was erased.
  var sessionOrder: [OrganisationID: [SessionID?]] = [:]
  var galleryVersion = GalleryVersion.empty
  var reVerifications: [ReVerificationID: StoredReVerification] = [:]
  var evidence: [ReVerificationID: [Int: AttemptEvidence]] = [:]
  /// In the order they came.
  var captures: [NumberedCapture] = []
  var failures: [Owned<UserID>: FailureCounter] = [:]
  var decisions: [OrganisationID: [NumberedDecision]] = [:]
  var erasures: [NumberedErasure] = []
  var erased: [ErasureTarget: Bool] = [:]

  typealias Undo = (inout Tables) -> Void

  init(chainKey: SecretKey) {
    self.chainKey = chainKey
  }

  /// Makes all changes in order, or none.
  mutating func make(_ changes: [StoreChange]) throws(StoreError) {
    var undo: [Undo] = []
    do throws(StoreError) {
      for change in changes { try make(change, &undo) }
    } catch {
      for step in undo.reversed() { step(&self) }
      throw error
    }
  }

  private mutating func make(_ change: StoreChange, _ undo: inout [Undo]) throws(StoreError) {
    switch change {
    case .organisation(let organisation):
      try refuseErased(.organisation, of: organisation.id)
      set(\.organisations, organisation.id, organisation, &undo)
    case .workflow(let workflow):
      try require(workflow.organisation)
      set(\.workflows, Owned(workflow.id, by: workflow.organisation), workflow, &undo)
    case .user(let user):
      try put(user, &undo)
    case .apiKey(let key):
      try put(key, &undo)
    case .balance(let credits, let organisation):
      try require(organisation)
      set(\.balances, organisation, credits, &undo)
    case .charge(let credits, let organisation):
      guard let balance = balances[organisation] else { return }
      set(\.balances, organisation, balance - credits, &undo)
    case .enrol(let enrolled):
      try add(enrolled, &undo)
    case .ready(let id, let organisation):
      try prepare(id, organisation, .ready, &undo)
    case .refused(let id, let organisation):
      try prepare(id, organisation, .refused, &undo)
    case .reVerification(let stored):
      guard stored.revision == reVerifications[stored.id]?.revision ?? 0 else {
        throw StoreError(.conflict, "re-verification \(stored.id)")
      }
      set(\.reVerifications, stored.id, stored.stored, &undo)
    case .failures(let counter):
      try put(counter, &undo)
    case .decision(let record):
      try append(record, &undo)
    case .evidence(let evidence):
      try put(evidence, &undo)
    case .captureSeen(let capture):
      let others = captures.filter { $0.capture.name != capture.name }
      let last = others.last?.sequence ?? 0
      replace(\.captures, others + [NumberedCapture(sequence: last + 1, capture)], &undo)
    case .forgetCaptures(let now):
      replace(\.captures, captures.filter { $0.capture.expiry > now }, &undo)
    case .erase(let erasure):
      try erase(erasure, &undo)
    }
  }

  private mutating func put(_ user: User, _ undo: inout [Undo]) throws(StoreError) {
    try require(user.organisation)
    try refuseErased(.user(user.id), of: user.organisation)
    let address = Owned(user.email, by: user.organisation)
    guard usersByEmail[address] ?? user.id == user.id else {
      throw StoreError(.emailTaken, "user \(user.id) of \(user.organisation)")
    }
    let key = Owned(user.id, by: user.organisation)
    if let old = users[key] { set(\.usersByEmail, Owned(old.email, by: user.organisation), nil, &undo) }
    set(\.usersByEmail, address, user.id, &undo)
    set(\.users, key, user, &undo)
  }

  private mutating func put(_ key: APIKey, _ undo: inout [Undo]) throws(StoreError) {
    try require(key.organisation)
    guard keysByDigest[key.digest] ?? key.id == key.id,
      keys[key.id]?.organisation ?? key.organisation == key.organisation
    else { throw StoreError(.conflict, "API key \(key.id)") }
    if let old = keys[key.id] { set(\.keysByDigest, old.digest, nil, &undo) }
    set(\.keysByDigest, key.digest, key.id, &undo)
    set(\.keys, key.id, key, &undo)
  }

  private mutating func add(_ enrolled: EnrolledSession, _ undo: inout [Undo]) throws(StoreError) {
    let session = enrolled.session
    let organisation = session.organisation
    try refuseErased(.organisation, of: organisation)
    try refuseErased(.session(session.id), of: organisation)
    try refuseErased(.user(session.user), of: organisation)
    guard workflows[Owned(session.workflow, by: organisation)] != nil else {
      throw StoreError(.missing, "workflow \(session.workflow) of \(organisation)")
    }
    guard users[Owned(session.user, by: organisation)] != nil else {
      throw StoreError(.missing, "user \(session.user) of \(organisation)")
    }
    let key = Owned(session.id, by: organisation)
    guard sessions[key] == nil else {
      throw StoreError(.conflict, "session \(session.id) of \(organisation)")
    }
    let order = sessionOrder[organisation] ?? []
    set(\.sessions, key, NumberedSession(sequence: Int64(order.count + 1), enrolled), &undo)
    append(\.sessionsOfUser, Owned(session.user, by: organisation), session.id, &undo)
    append(\.sessionOrder, organisation, session.id, &undo)
    replace(\.galleryVersion, galleryVersion.enrolling(enrolled), &undo)
  }

  private mutating func prepare(
    _ id: SessionID, _ organisation: OrganisationID, _ preparation: ApprovedSession.Preparation,
    _ undo: inout [Undo]
  ) throws(StoreError) {
    let key = Owned(id, by: organisation)
    guard let known = sessions[key] else {
      throw StoreError(.missing, "session \(id) of \(organisation)")
    }
    guard known.enrolled.session.preparation != preparation else { return }
    var enrolled = known.enrolled
    enrolled.session.preparation = preparation
    set(\.sessions, key, NumberedSession(sequence: known.sequence, enrolled), &undo)
    replace(\.galleryVersion, galleryVersion.preparing(id, in: organisation, preparation), &undo)
  }

  private mutating func put(_ counter: FailureCounter, _ undo: inout [Undo]) throws(StoreError) {
    var counter = counter
    let key = Owned(counter.user, by: counter.organisation)
    guard counter.revision == failures[key]?.revision ?? 0 else {
      throw StoreError(.conflict, "failures of user \(counter.user)")
    }
    // Of the erased nothing is counted.
    guard !isErased(.user(counter.user), of: counter.organisation) else { return }
    counter.revision += 1
    set(\.failures, key, counter, &undo)
  }

  private mutating func append(_ record: DecisionRecord, _ undo: inout [Undo]) throws(StoreError) {
    try require(record.organisation)
    let last = chainHead(of: record.organisation)
    let value = chain(of: record.organisation)
      .value(last.sequence + 1, record.digest, after: last.value)
    append(
      \.decisions, record.organisation, NumberedDecision(sequence: last.sequence + 1, record, chain: value),
      &undo)
  }

  private mutating func put(_ evidence: AttemptEvidence, _ undo: inout [Undo]) throws(StoreError) {
    guard let stored = reVerifications[evidence.reVerification],
      stored.organisation == evidence.organisation, stored.user == evidence.user
    else { throw StoreError(.missing, "re-verification \(evidence.reVerification)") }
    guard users[Owned(evidence.user, by: evidence.organisation)] != nil,
      !isErased(.evidence(evidence.reVerification), of: evidence.organisation)
    else { return }
    var attempts = self.evidence[evidence.reVerification] ?? [:]
    attempts[evidence.attempt] = evidence
    set(\.evidence, evidence.reVerification, attempts, &undo)
  }

  func require(_ organisation: OrganisationID) throws(StoreError) {
    try refuseErased(.organisation, of: organisation)
    guard organisations[organisation] != nil else {
      throw StoreError(.missing, "organisation \(organisation)")
    }
  }
}

extension Tables {
  /// Throws `missing` for an organisation that never was.
  func requireKnown(_ organisation: OrganisationID) throws(StoreError) {
    guard organisations[organisation] != nil || isErased(.organisation, of: organisation) else {
      throw StoreError(.missing, "organisation \(organisation)")
    }
  }

  func chain(of organisation: OrganisationID) -> DecisionChain {
    DecisionChain(key: chainKey, organisation: organisation)
  }

  func chainHead(of organisation: OrganisationID) -> ChainHead {
    let chain = chain(of: organisation)
    guard let last = decisions[organisation]?.last else { return chain.head(0, chain.start) }
    return chain.head(last.sequence, last.chain)
  }

  /// The sessions numbered after `sequence`, in the order of enrolment.
  func sessions(
    in organisation: OrganisationID, after sequence: Int64
  ) -> some Sequence<NumberedSession> {
    elements(of: sessionOrder[organisation] ?? [], after: sequence).lazy.compactMap { id in
      id.flatMap { sessions[Owned($0, by: organisation)] }
    }
  }

  mutating func set<Key, Value>(
    _ table: WritableKeyPath<Tables, [Key: Value]>, _ key: Key, _ value: Value?, _ undo: inout [Undo]
  ) {
    let old = self[keyPath: table][key]
    self[keyPath: table][key] = value
    undo.append { $0[keyPath: table][key] = old }
  }

  mutating func append<Key, Element>(
    _ table: WritableKeyPath<Tables, [Key: [Element]]>, _ key: Key, _ element: Element, _ undo: inout [Undo]
  ) {
    self[keyPath: table][key, default: []].append(element)
    undo.append { $0[keyPath: table][key]?.removeLast() }
  }

  mutating func replace<Value>(
    _ place: WritableKeyPath<Tables, Value>, _ value: Value, _ undo: inout [Undo]
  ) {
    let old = self[keyPath: place]
    self[keyPath: place] = value
    undo.append { $0[keyPath: place] = old }
  }
}
