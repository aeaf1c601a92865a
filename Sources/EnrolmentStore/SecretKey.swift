import CSodium

/// A secret of 32 bytes, in memory that is kept out of swap and core dumps and wiped when its last owner lets go.
///
/// Its description holds none of it.
public final class SecretKey: @unchecked Sendable {
  // Sendable, since the memory is written before anybody else knows of it, and then made read-only by the system.

  public static let byteCount = 32

  private let memory: UnsafeMutableRawPointer

  /// The key that `fill` writes; the memory it is given holds zeros.
  public init<Failure: Error>(
    _ fill: (UnsafeMutableRawBufferPointer) throws(Failure) -> Void
  ) throws(Failure) {
    startSodium()
    guard let memory = sodium_malloc(Self.byteCount) else {
      preconditionFailure("no memory for a key of \(Self.byteCount) bytes")
    }
    sodium_memzero(memory, Self.byteCount)
    self.memory = memory
    try fill(UnsafeMutableRawBufferPointer(start: memory, count: Self.byteCount))
    sodium_mprotect_readonly(memory)
  }

  deinit { sodium_free(memory) }

  /// A key from the system's source of randomness.
  public static func random() -> SecretKey {
    SecretKey { randombytes_buf($0.baseAddress!, $0.count) }
  }

  /// The key made of exactly 32 bytes, or `nil`. The caller's array is not wiped: for keys that must leave no trace, fill.
  public convenience init?(_ bytes: [UInt8]) {
    guard bytes.count == Self.byteCount else { return nil }
    self.init { $0.copyBytes(from: bytes) }
  }

  /// The key for one purpose, from which neither this key nor that of another purpose can be learnt.
  ///
  /// BLAKE2b-256 of the purpose's bytes under this key.
  public func derived(for purpose: [UInt8]) -> SecretKey {
    withBytes { key in
      SecretKey { derived in
        let status = crypto_generichash(
          derived.baseAddress!.assumingMemoryBound(to: UInt8.self), Self.byteCount, purpose,
          UInt64(purpose.count), key, Self.byteCount)
        precondition(status == 0, "BLAKE2b under a key of \(Self.byteCount) bytes can't fail")
      }
    }
  }

  /// BLAKE2b-256 of `content` under this key: only who has the key can make it or check it.
  public func keyedDigest(of content: [UInt8]) -> Digest {
    withBytes { key in Digest(of: content, key: key) }
  }

  /// Lends the 32 bytes to `body`, which must not keep the pointer.
  package func withBytes<Value, Failure: Error>(
    _ body: (UnsafePointer<UInt8>) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    try body(UnsafePointer(memory.assumingMemoryBound(to: UInt8.self)))
  }
}

extension SecretKey: CustomStringConvertible, CustomReflectable {
  public var description: String { "(secret key)" }
  public var customMirror: Mirror { Mirror(self, children: []) }
}

extension Digest {
  fileprivate init(of content: [UInt8], key: UnsafePointer<UInt8>) {
    var digest = [UInt8](repeating: 0, count: Self.byteCount)
    let status = crypto_generichash(
      &digest, digest.count, content, UInt64(content.count), key, SecretKey.byteCount)
    precondition(status == 0, "BLAKE2b under a key of \(SecretKey.byteCount) bytes can't fail")
    self.init(digest)
  }
}
