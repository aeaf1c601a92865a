import Biometrics

/// Ties an organisation's decision records together by a keyed hash, each to the one before, so that nobody without
/// the key can remove, edit or reorder one unnoticed.
///
/// value(0) = H(key, "chain start", organisation); value(n) = H(key, "chain link", organisation, n, value(n − 1),
/// digest of record n), H being BLAKE2b-256 under the key.
public struct DecisionChain: Sendable {
  private let key: SecretKey
  private let organisation: OrganisationID

  /// The chain of `organisation` under `key`, which must be of use for nothing else.
  public init(key: SecretKey, organisation: OrganisationID) {
    self.key = key
    self.organisation = organisation
  }

  /// The value before the first record.
  package var start: Digest {
    var bytes = CanonicalBytes("reverify chain start 1")
    bytes.append(organisation.rawValue)
    return key.keyedDigest(of: bytes.bytes)
  }

  /// The value of record `sequence`, whose digest is `content`.
  package func value(_ sequence: Int64, _ content: Digest, after previous: Digest) -> Digest {
    var bytes = CanonicalBytes("reverify chain link 1")
    bytes.append(organisation.rawValue)
    bytes.append(sequence)
    bytes.append(previous.bytes)
    bytes.append(content.bytes)
    return key.keyedDigest(of: bytes.bytes)
  }

  /// The head of a chain that ends with record `sequence` and its value.
  package func head(_ sequence: Int64, _ value: Digest) -> ChainHead {
    ChainHead(sequence: sequence, value: value, seal: seal(sequence, value))
  }

  /// Whether this chain's key made `head`.
  func isGenuine(_ head: ChainHead) -> Bool {
    seal(head.sequence, head.value) == head.seal
  }

  private func seal(_ sequence: Int64, _ value: Digest) -> Digest {
    var bytes = CanonicalBytes("reverify chain head 1")
    bytes.append(organisation.rawValue)
    bytes.append(sequence)
    bytes.append(value.bytes)
    return key.keyedDigest(of: bytes.bytes)
  }
}

/// Where a chain ends: how many records, and the value of the last. Kept beside the records, so that a missing tail
/// is noticed; noted elsewhere, it tells later whether the store was set back.
public struct ChainHead: Hashable, Sendable, Codable {
  /// The number of records.
  public let sequence: Int64
  public let value: Digest
  /// Shows that the store made it.
  public let seal: Digest

  public init(sequence: Int64, value: Digest, seal: Digest) {
    self.sequence = sequence
    self.value = value
    self.seal = seal
  }
}

/// What an audit of an organisation's decision records found.
public enum ChainAudit: Hashable, Sendable {
  /// Every record is there, in its place and as it was written.
  case intact(ChainHead)
  /// The first thing that is wrong.
  case broken(ChainFault)
}

/// A break of a chain.
public struct ChainFault: Hashable, Sendable, CustomStringConvertible {
  public enum Code: String, Hashable, Sendable, CaseIterable {
    /// The record is missing, and later ones are there.
    case removed
    /// The record is not as it was written.
    case edited
    /// Another record stands in its place.
    case reordered
    /// Records are missing at the end.
    case truncated
    /// The head is missing, not the store's own, or of another chain.
    case head
    /// The chain does not contain a head that was noted earlier: the store was set back.
    case setBack
  }

  public let code: Code
  /// The number of the first record concerned.
  public let sequence: Int64

  public init(_ code: Code, at sequence: Int64) {
    self.code = code
    self.sequence = sequence
  }

  public var description: String { "decision \(sequence): \(code.rawValue)" }
}
