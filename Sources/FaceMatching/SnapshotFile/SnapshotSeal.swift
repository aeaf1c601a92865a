import CSodium
import CXXHash

/// How sections are made safe against damage or, with a key, against reading and forging.
///
/// Without a key a section's mark is XXH3-128 of its bytes, which finds any damage but no forger. With one, the bytes are
/// XChaCha20-Poly1305's and the mark its tag, with what the table says of the section as associated data.
struct SnapshotSeal: Sendable {
  static let markBytes = 16
  static let nonceBytes = Int(crypto_aead_xchacha20poly1305_ietf_NPUBBYTES)

  let key: SnapshotKey?
  /// Random, a file's own; a section's nonce is this with its number added into the last eight bytes.
  let nonce: [UInt8]

  init(key: SnapshotKey?, nonce: [UInt8]) {
    self.key = key
    self.nonce = nonce
  }

  /// For a new file.
  init(key: SnapshotKey?) {
    var nonce = [UInt8](repeating: 0, count: Self.nonceBytes)
    if key != nil {
      precondition(sodium_init() >= 0, "libsodium can't be used")
      randombytes_buf(&nonce, nonce.count)
    }
    self.init(key: key, nonce: nonce)
  }

  /// Seals `content`, `count` bytes, in place, and returns its mark.
  func seal(_ content: UnsafeMutablePointer<UInt8>, count: Int, as section: SnapshotSection) -> [UInt8] {
    guard let key else { return Self.checksum(content, count) }
    let identity = section.identity
    var mark = [UInt8](repeating: 0, count: Self.markBytes)
    key.withKey(for: .sections) { key in
      _ = crypto_aead_xchacha20poly1305_ietf_encrypt_detached(
        content, &mark, nil, content, UInt64(count), identity, UInt64(identity.count), nil,
        nonce(of: section), key)
    }
    return mark
  }

  /// Opens what `seal` made, in place; false, with nothing revealed, where it does not fit the section's mark.
  func open(_ content: UnsafeMutablePointer<UInt8>, count: Int, as section: SnapshotSection) -> Bool {
    guard let key else { return isIntact(content, count: count, as: section) }
    let identity = section.identity
    return key.withKey(for: .sections) { key in
      crypto_aead_xchacha20poly1305_ietf_decrypt_detached(
        content, nil, content, UInt64(count), section.mark, identity, UInt64(identity.count),
        nonce(of: section), key) == 0
    }
  }

  /// Whether bytes that are not sealed fit the section's mark.
  func isIntact(_ content: UnsafePointer<UInt8>, count: Int, as section: SnapshotSection) -> Bool {
    Self.checksum(content, count) == section.mark
  }

  /// BLAKE2b-256 of header and table, keyed where there is a key.
  func digest(of bytes: [UInt8]) -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: SnapshotHeader.digestBytes)
    func hash(_ key: UnsafePointer<UInt8>?) {
      crypto_generichash(
        &digest, digest.count, bytes, UInt64(bytes.count), key, key == nil ? 0 : SnapshotKey.byteCount)
    }
    if let key { key.withKey(for: .table) { hash($0) } } else { hash(nil) }
    return digest
  }

  private func nonce(of section: SnapshotSection) -> [UInt8] {
    var nonce = nonce
    var number = UInt64(section.number)
    for index in (nonce.count - 8..<nonce.count) {
      let sum = UInt64(nonce[index]) + (number & 0xff)
      nonce[index] = UInt8(truncatingIfNeeded: sum)
      number = (number >> 8) + (sum >> 8)
    }
    return nonce
  }

  private static func checksum(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> [UInt8] {
    var canonical = XXH128_canonical_t()
    XXH128_canonicalFromHash(&canonical, XXH3_128bits(bytes, count))
    return withUnsafeBytes(of: canonical) { Array($0) }
  }
}
