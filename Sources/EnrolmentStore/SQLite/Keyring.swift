import Biometrics

/// Whose a key of a store is, and what for.
struct KeyName: Hashable, Sendable {
  enum Purpose: String, Sendable {
    /// Encrypts; replaced by a new generation when it is rotated.
    case data
    /// The source of keys that must stay: of chains, of hashes to look up by, of the ledger.
    case root
  }

  /// `nil` for the store's own.
  let organisation: OrganisationID?
  let purpose: Purpose
  let generation: UInt32

  /// What a wrapped key is bound to.
  func context(_ store: String) -> [UInt8] {
    var bytes = CanonicalBytes("reverify wrapped key 1")
    bytes.append(store)
    bytes.append(organisation == nil ? UInt8(0) : 1)
    bytes.append(organisation?.rawValue ?? "")
    bytes.append(purpose.rawValue)
    bytes.append(generation)
    return bytes.bytes
  }
}

/// The keys of a store, unwrapped.
struct Keyring: Sendable {
  private(set) var keys: [KeyName: SecretKey] = [:]
  private var latest: [OrganisationID?: UInt32] = [:]

  mutating func add(_ key: SecretKey, _ name: KeyName) {
    keys[name] = key
    if name.purpose == .data {
      latest[name.organisation] = max(latest[name.organisation] ?? 0, name.generation)
    }
  }

  mutating func remove(_ name: KeyName) {
    keys[name] = nil
  }

  func has(_ organisation: OrganisationID?) -> Bool { latest[organisation] != nil }

  /// The generation that is sealed under now.
  func generation(of organisation: OrganisationID?) -> UInt32? { latest[organisation] }

  /// The generations there are, the earliest first.
  func generations(of organisation: OrganisationID?) -> [UInt32] {
    keys.keys.filter { $0.organisation == organisation && $0.purpose == .data }.map(\.generation).sorted()
  }

  /// The key for one lasting purpose of an organisation, or of the store.
  func lasting(_ purpose: String, of organisation: OrganisationID?) throws(StoreError) -> SecretKey {
    let name = KeyName(organisation: organisation, purpose: .root, generation: 0)
    guard let root = keys[name] else { throw missing(name) }
    return root.derived(for: Array("reverify \(purpose) 1".utf8))
  }

  func seal(
    _ value: [UInt8], of organisation: OrganisationID?, as identity: SealedIdentity
  ) throws(StoreError) -> [UInt8] {
    let name = KeyName(organisation: organisation, purpose: .data, generation: latest[organisation] ?? 0)
    guard let key = keys[name] else { throw missing(name) }
    return Sealing.seal(value, under: key, generation: name.generation, as: identity)
  }

  func open(
    _ sealed: [UInt8], of organisation: OrganisationID?, as identity: SealedIdentity
  ) throws(StoreError) -> [UInt8] {
    let generation = try Sealing.generation(of: sealed, identity)
    let name = KeyName(organisation: organisation, purpose: .data, generation: generation)
    guard let key = keys[name] else {
      throw StoreError(.damaged, "\(identity.description): sealed under a key that isn't there")
    }
    return try Sealing.open(sealed, under: key, as: identity)
  }

  private func missing(_ name: KeyName) -> StoreError {
    StoreError(
      .damaged, "the \(name.purpose.rawValue) key of \(name.organisation?.rawValue ?? "the store") is missing"
    )
  }
}
