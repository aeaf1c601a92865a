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
  var organisations: [OrganisationID: Organisation] = [:]
  var workflows: [Owned<WorkflowID>: Workflow] = [:]
  var users: [Owned<UserID>: User] = [:]
  var usersByEmail: [Owned<EmailAddress>: UserID] = [:]
  var keys: [APIKeyID: APIKey] = [:]
  var keysByDigest: [Digest: APIKeyID] = [:]
  var balances: [OrganisationID: Credits] = [:]
  var sessions: [Owned<SessionID>: EnrolledSession] = [:]
  var sessionsOfUser: [Owned<UserID>: [SessionID]] = [:]
  var sessionOrder: [OrganisationID: [SessionID]] = [:]
  var reVerifications: [ReVerificationID: StoredReVerification] = [:]
  var failures: [Owned<UserID>: FailureCounter] = [:]
  var decisions: [OrganisationID: [DecisionRecord]] = [:]

  private typealias Undo = (inout Tables) -> Void

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
      let key = Owned(id, by: organisation)
      guard var enrolled = sessions[key] else {
        throw StoreError(.missing, "session \(id) of \(organisation)")
      }
      enrolled.session.preparation = .ready
      set(\.sessions, key, enrolled, &undo)
    case .reVerification(let stored):
      guard stored.revision == reVerifications[stored.id]?.revision ?? 0 else {
        throw StoreError(.conflict, "re-verification \(stored.id)")
      }
      set(\.reVerifications, stored.id, stored.stored, &undo)
    case .failures(var counter):
      let key = Owned(counter.user, by: counter.organisation)
      guard counter.revision == failures[key]?.revision ?? 0 else {
        throw StoreError(.conflict, "failures of user \(counter.user)")
      }
      counter.revision += 1
      set(\.failures, key, counter, &undo)
    case .decision(let record):
      try require(record.organisation)
      append(\.decisions, record.organisation, record, &undo)
    }
  }

  private mutating func put(_ user: User, _ undo: inout [Undo]) throws(StoreError) {
    try require(user.organisation)
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
    set(\.sessions, key, enrolled, &undo)
    append(\.sessionsOfUser, Owned(session.user, by: organisation), session.id, &undo)
    append(\.sessionOrder, organisation, session.id, &undo)
  }

  private func require(_ organisation: OrganisationID) throws(StoreError) {
    guard organisations[organisation] != nil else {
      throw StoreError(.missing, "organisation \(organisation)")
    }
  }

  private mutating func set<Key, Value>(
    _ table: WritableKeyPath<Tables, [Key: Value]>, _ key: Key, _ value: Value?, _ undo: inout [Undo]
  ) {
    let old = self[keyPath: table][key]
    self[keyPath: table][key] = value
    undo.append { $0[keyPath: table][key] = old }
  }

  private mutating func append<Key, Element>(
    _ table: WritableKeyPath<Tables, [Key: [Element]]>, _ key: Key, _ element: Element, _ undo: inout [Undo]
  ) {
    self[keyPath: table][key, default: []].append(element)
    undo.append { $0[keyPath: table][key]?.removeLast() }
  }
}
