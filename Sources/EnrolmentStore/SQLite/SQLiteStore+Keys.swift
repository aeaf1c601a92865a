import Biometrics
import CSodium

/// A key with its wrapped form, not yet stored.
struct NewKey: Sendable {
  let name: KeyName
  let key: SecretKey
  let wrapped: [UInt8]
  /// The name of the master key that wrapped it.
  let masterKey: String
}

extension SQLiteStore {
  /// Unwraps the store's keys; makes its own when it is new.
  func openKeys() async throws(StoreError) {
    let provider = try await masterKey.identifier()
    guard let store = try text("id") else {
      guard try database.count("keys") == 0 else { throw StoreError(.damaged, "the store has no id") }
      let store = newStoreID()
      let keys = try await makeKeys(of: nil, in: store)
      try transaction { () throws(StoreError) in
        try setText("id", store)
        try setText("master_key", provider)
        try add(keys)
      }
      return
    }
    let known = try text("master_key") ?? ""
    guard known == provider else {
      throw StoreError(.wrongKey, "the store is under master key \(known), found \(provider)")
    }
    for (name, wrapped) in try wrappedKeys() {
      keyring.add(try await masterKey.unwrap(wrapped, context: name.context(store)), name)
    }
    guard keyring.has(nil) else { throw StoreError(.damaged, "the store's own keys are missing") }
  }

  /// Keys for the organisations that `changes` add, wrapped before the commit, since a key service takes its time.
  func newKeys(for changes: [StoreChange]) async throws(StoreError) -> [NewKey] {
    var keys: [NewKey] = []
    for case .organisation(let organisation) in changes
    where !keyring.has(organisation.id) && !keys.contains(where: { $0.name.organisation == organisation.id })
    {
      guard let store = try text("id") else { throw StoreError(.damaged, "the store has no id") }
      keys += try await makeKeys(of: organisation.id, in: store)
    }
    return keys
  }

  private func makeKeys(
    of organisation: OrganisationID?, in store: String
  ) async throws(StoreError) -> [NewKey] {
    let names = [
      KeyName(organisation: organisation, purpose: .root, generation: 0),
      KeyName(organisation: organisation, purpose: .data, generation: 1),
    ]
    var keys: [NewKey] = []
    for name in names { keys.append(try await makeKey(name, in: store)) }
    return keys
  }

  func makeKey(_ name: KeyName, in store: String) async throws(StoreError) -> NewKey {
    let key = SecretKey.random()
    let provider = masterKey
    return NewKey(
      name: name, key: key, wrapped: try await provider.wrap(key, context: name.context(store)),
      masterKey: try await provider.identifier())
  }

  /// Stores new keys, but for those that somebody else has made meanwhile.
  func add(_ keys: [NewKey]) throws(StoreError) {
    let known = keyring
    for new in keys
    where new.name.generation > known.generation(of: new.name.organisation) ?? 0
      || !known.has(new.name.organisation)
    {
      guard try text("master_key") == new.masterKey else {
        throw StoreError(.conflict, "the master key was changed meanwhile")
      }
      try put(new.name, new.wrapped)
      keyring.add(new.key, new.name)
    }
  }

  func put(_ name: KeyName, _ wrapped: [UInt8]) throws(StoreError) {
    try database.run(
      """
      INSERT INTO keys (owner, organisation, purpose, generation, wrapped) VALUES (?1, ?2, ?3, ?4, ?5)
      ON CONFLICT DO UPDATE SET wrapped = ?5
      """,
      name.organisation == nil ? 0 : 1, name.organisation?.rawValue ?? "", name.purpose.rawValue,
      Int(name.generation), wrapped)
  }

  func wrappedKeys() throws(StoreError) -> [(name: KeyName, wrapped: [UInt8])] {
    try database.all("SELECT owner, organisation, purpose, generation, wrapped FROM keys") {
      (row: Row) throws(StoreError) in
      let organisation: OrganisationID = try row.identifier(1)
      guard let purpose = KeyName.Purpose(rawValue: try row.text(2)),
        let generation = UInt32(exactly: try row.integer(3))
      else { throw StoreError(.damaged, "a key of an unknown kind") }
      let owner = try row.integer(0) == 0 ? nil : organisation
      return (KeyName(organisation: owner, purpose: purpose, generation: generation), try row.bytes(4))
    }
  }

  /// A line of the table `store`.
  func text(_ name: String) throws(StoreError) -> String? {
    try database.first("SELECT value FROM store WHERE name = ?", name) {
      (row: Row) throws(StoreError) in try row.text(0)
    }
  }

  func setText(_ name: String, _ value: String) throws(StoreError) {
    try database.run("INSERT OR REPLACE INTO store (name, value) VALUES (?, ?)", name, value)
  }

  private func newStoreID() -> String {
    startSodium()
    var bytes = [UInt8](repeating: 0, count: 16)
    randombytes_buf(&bytes, bytes.count)
    return hexadecimal(bytes)
  }
}

extension SQLiteStore {
  /// Where snapshots of the gallery lie; `nil` for a store that is open for reading only.
  public nonisolated var snapshots: SnapshotFolder? {
    configuration.access == .readWrite ? snapshotFolder : nil
  }

  nonisolated var snapshotFolder: SnapshotFolder {
    SnapshotFolder(configuration.path + "-snapshots") {
      [self] (organisation: OrganisationID) async throws(StoreError) -> SecretKey in
      try await snapshotKey(of: organisation)
    }
  }

  /// The same at each opening and after every rotation.
  private func snapshotKey(of organisation: OrganisationID) throws(StoreError) -> SecretKey {
    try keyring.lasting("gallery snapshot", of: organisation)
  }

  /// Removes the snapshots of organisations in which `erasures` take out references. They are whole files, written before:
  /// the engine makes them anew.
  func removeSnapshots(before erasures: some Sequence<Erasure>) throws(StoreError) {
    let organisations = Set(erasures.filter { $0.subject.takesOutReferences }.map(\.organisation))
    for organisation in organisations {
      try snapshotFolder.remove(try snapshotFolder.files(of: organisation))
    }
  }
}

extension Erasure.Subject {
  var takesOutReferences: Bool {
    if case .evidence = self { false } else { true }
  }
}
