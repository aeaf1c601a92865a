import CSodium

/// A key that snapshot files are sealed under: 32 bytes that nobody else knows, in locked memory, wiped at the end.
///
/// `@unchecked Sendable`: never written once made.
public final class SnapshotKey: @unchecked Sendable {
  public static let byteCount = 32

  /// XChaCha20-Poly1305 for the sections, and keyed BLAKE2b for header and table, each with a key of its own.
  enum Use: UInt64 {
    case sections = 1
    case table = 2
  }

  private let bytes: UnsafeMutableRawPointer

  /// A key of 32 bytes; another length traps. The caller wipes its own copy.
  public init(_ key: some Collection<UInt8>) {
    precondition(key.count == Self.byteCount, "a snapshot key has 32 bytes")
    precondition(sodium_init() >= 0, "libsodium can't be used")
    guard let memory = sodium_malloc(Self.byteCount) else { fatalError("no locked memory for a key") }
    bytes = memory
    UnsafeMutableRawBufferPointer(start: memory, count: Self.byteCount).copyBytes(from: key)
    sodium_mprotect_readonly(memory)
  }

  deinit { sodium_free(bytes) }

  /// Runs `body` with the key of a use, derived by libsodium's BLAKE2b KDF, and wipes it.
  func withKey<Result>(for use: Use, _ body: (UnsafePointer<UInt8>) -> Result) -> Result {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Self.byteCount) { derived in
      let key = derived.baseAddress!
      crypto_kdf_derive_from_key(
        key, Self.byteCount, use.rawValue, "rvgalry1", bytes.assumingMemoryBound(to: UInt8.self))
      defer { sodium_memzero(key, Self.byteCount) }
      return body(key)
    }
  }
}
