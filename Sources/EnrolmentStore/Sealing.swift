import CSodium

/// What a sealed value is: where it belongs. A value that is opened as anything else doesn't open.
struct SealedIdentity: Sendable {
  let bytes: [UInt8]
  /// For errors; identifiers only.
  let description: String

  /// The row of `table` with these columns: all it has but the sealed one.
  init(_ table: String, _ columns: any SQLValue...) {
    self.init(table, columns: columns)
  }

  init(_ table: String, columns: [any SQLValue]) {
    var bytes = CanonicalBytes("reverify row 1")
    bytes.append(table)
    for column in columns { column.append(to: &bytes) }
    self.bytes = bytes.bytes
    let names = columns.filter { !($0 is [UInt8]) && !($0 is Digest) }.map { "\($0)" }
    description = "\(table) \(names.joined(separator: " "))"
  }
}

/// Authenticated encryption of one value: XChaCha20-Poly1305 under a random nonce, its identity as associated data.
///
/// A sealed value is the format (1 byte, 1), the key's generation (4 bytes, little-endian), the nonce (24 bytes), the
/// encrypted value and the tag (16 bytes).
enum Sealing {
  static let format: UInt8 = 1
  private static let headerBytes = 5
  private static let nonceBytes = Int(crypto_aead_xchacha20poly1305_ietf_NPUBBYTES)
  private static let tagBytes = Int(crypto_aead_xchacha20poly1305_ietf_ABYTES)
  /// By how much a sealed value is longer than the value.
  static let overheadBytes = headerBytes + nonceBytes + tagBytes

  static func seal(
    _ value: [UInt8], under key: SecretKey, generation: UInt32, as identity: SealedIdentity
  ) -> [UInt8] {
    value.withUnsafeBytes { seal($0, under: key, generation: generation, as: identity) }
  }

  static func seal(
    _ value: UnsafeRawBufferPointer, under key: SecretKey, generation: UInt32, as identity: SealedIdentity
  ) -> [UInt8] {
    startSodium()
    let header = header(generation)
    let associated = header + identity.bytes
    let plain = value.assumingMemoryBound(to: UInt8.self)
    return [UInt8](unsafeUninitializedCapacity: value.count + overheadBytes) { sealed, count in
      _ = sealed.update(fromContentsOf: header)
      let nonce = sealed.baseAddress! + headerBytes
      randombytes_buf(nonce, nonceBytes)
      let status = key.withBytes { key in
        crypto_aead_xchacha20poly1305_ietf_encrypt(
          nonce + nonceBytes, nil, plain.baseAddress, UInt64(plain.count), associated,
          UInt64(associated.count), nil, nonce, key)
      }
      precondition(status == 0, "encryption of \(value.count) bytes can't fail")
      count = value.count + overheadBytes
    }
  }

  /// The generation of the key that `sealed` was sealed under.
  static func generation(of sealed: [UInt8], _ identity: SealedIdentity) throws(StoreError) -> UInt32 {
    guard sealed.count >= overheadBytes, sealed[0] == format else {
      throw StoreError(.damaged, "\(identity.description): not a sealed value")
    }
    return (0..<4).reduce(0) { $0 | UInt32(sealed[1 + $1]) << UInt32(8 * $1) }
  }

  /// The value in `sealed`; throws `damaged` for anything but what `seal` made for this key and identity.
  static func open(
    _ sealed: [UInt8], under key: SecretKey, as identity: SealedIdentity
  ) throws(StoreError) -> [UInt8] {
    _ = try generation(of: sealed, identity)
    var value = [UInt8](repeating: 0, count: sealed.count - overheadBytes)
    let isOpen = value.withUnsafeMutableBytes { open(sealed, into: $0, under: key, as: identity) }
    guard isOpen else { throw StoreError(.damaged, "\(identity.description): not what was written there") }
    return value
  }

  /// Writes the value in `sealed` to memory of exactly its size; false when it isn't what `seal` made.
  static func open(
    _ sealed: [UInt8], into value: UnsafeMutableRawBufferPointer, under key: SecretKey,
    as identity: SealedIdentity
  ) -> Bool {
    startSodium()
    guard sealed.count == value.count + overheadBytes, sealed[0] == format else { return false }
    let associated = Array(sealed[..<headerBytes]) + identity.bytes
    return sealed.withUnsafeBufferPointer { sealed in
      let nonce = sealed.baseAddress! + headerBytes
      return key.withBytes { key in
        crypto_aead_xchacha20poly1305_ietf_decrypt(
          value.baseAddress?.assumingMemoryBound(to: UInt8.self), nil, nil, nonce + nonceBytes,
          UInt64(value.count + tagBytes), associated, UInt64(associated.count), nonce, key) == 0
      }
    }
  }

  private static func header(_ generation: UInt32) -> [UInt8] {
    [format] + (0..<4).map { UInt8(truncatingIfNeeded: generation >> UInt32(8 * $0)) }
  }
}
