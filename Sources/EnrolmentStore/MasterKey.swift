import CSodium
import Foundation

/// Wraps the keys of a store, so that they can be kept beside the data; a key service behind it never gives its key away.
public protocol MasterKeyProvider: Sendable {
  /// A name for the key in use, the same each time, so that a wrong key is told from a damaged store. Not secret.
  func identifier() async throws(StoreError) -> String
  /// `key` encrypted, with `context` authenticated along with it.
  func wrap(_ key: SecretKey, context: [UInt8]) async throws(StoreError) -> [UInt8]
  /// The key that was wrapped in this context. Throws `wrongKey` when it wasn't, `unavailable` when the service can't be asked.
  func unwrap(_ wrapped: [UInt8], context: [UInt8]) async throws(StoreError) -> SecretKey
}

/// A master key of 32 bytes that the operator hands in, as 64 hexadecimal digits, in a file or the environment.
public struct MasterKey: MasterKeyProvider {
  private let key: SecretKey
  private let name: String

  public init(_ key: SecretKey) {
    self.key = key.derived(for: Array("reverify master key wrap 1".utf8))
    name = String(key.keyedDigest(of: Array("reverify master key name 1".utf8)).description.prefix(16))
  }

  /// The key in a file that only its owner can read; throws `wrongKey` for anything else. What follows the digits but
  /// white space is refused.
  public static func file(_ path: String) throws(StoreError) -> MasterKey {
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    guard let mode = attributes?[.posixPermissions] as? Int else {
      throw StoreError(.wrongKey, "master key file \(path): can't be read")
    }
    guard mode & 0o077 == 0 else {
      throw StoreError(.wrongKey, "master key file \(path): others can read it; expected mode 600")
    }
    guard let file = fopen(path, "re") else {
      throw StoreError(.wrongKey, "master key file \(path): can't be read")
    }
    defer { fclose(file) }
    setvbuf(file, nil, _IONBF, 0)
    var digits = [UInt8](repeating: 0, count: 2 * SecretKey.byteCount + 8)
    defer { sodium_memzero(&digits, digits.count) }
    let count = fread(&digits, 1, digits.count, file)
    return try MasterKey(digits: digits[..<count], "master key file \(path)")
  }

  /// The key in an environment variable; throws `wrongKey` when there is none.
  public static func environment(_ name: String = "REVERIFY_MASTER_KEY") throws(StoreError) -> MasterKey {
    guard let text = ProcessInfo.processInfo.environment[name] else {
      throw StoreError(.wrongKey, "master key: the environment variable \(name) is not set")
    }
    return try MasterKey(digits: Array(text.utf8)[...], "master key in \(name)")
  }

  private init(digits: ArraySlice<UInt8>, _ place: String) throws(StoreError) {
    var end = digits.endIndex
    while end > 0, [0x0A, 0x0D, 0x20].contains(digits[end - 1]) { end -= 1 }
    let digits = digits[..<end]
    guard digits.count == 2 * SecretKey.byteCount else {
      throw StoreError(.wrongKey, "\(place): expected \(2 * SecretKey.byteCount) hexadecimal digits")
    }
    let key = try SecretKey { (memory: UnsafeMutableRawBufferPointer) throws(StoreError) in
      for place in 0..<SecretKey.byteCount {
        guard let high = hexadecimalValue(digits[2 * place]),
          let low = hexadecimalValue(digits[2 * place + 1])
        else { throw StoreError(.wrongKey, "master key: expected hexadecimal digits") }
        memory[place] = high << 4 | low
      }
    }
    self.init(key)
  }

  public func identifier() -> String { name }

  public func wrap(_ key: SecretKey, context: [UInt8]) -> [UInt8] {
    key.withBytes { bytes in
      Sealing.seal(
        UnsafeRawBufferPointer(start: bytes, count: SecretKey.byteCount), under: self.key, generation: 0,
        as: SealedIdentity("key", context))
    }
  }

  public func unwrap(_ wrapped: [UInt8], context: [UInt8]) throws(StoreError) -> SecretKey {
    try SecretKey { (memory: UnsafeMutableRawBufferPointer) throws(StoreError) in
      guard Sealing.open(wrapped, into: memory, under: key, as: SealedIdentity("key", context)) else {
        throw StoreError(.wrongKey, "a key of the store does not unwrap")
      }
    }
  }
}
