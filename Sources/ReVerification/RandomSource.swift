import Biometrics
import CSodium
import EnrolmentStore

/// Where identifiers and challenges come from.
public protocol RandomSource: Sendable {
  /// `count` bytes that nobody can foretell.
  func bytes(_ count: Int) -> [UInt8]
}

/// The system's randomness, by libsodium.
public struct SystemRandomness: RandomSource {
  public init() {
    startSodium()
  }

  public func bytes(_ count: Int) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    randombytes_buf(&bytes, count)
    return bytes
  }
}

extension RandomSource {
  /// A new identifier of 128 random bits, in hexadecimal: none is met twice or guessed.
  package func identifier<Kind>() -> Identifier<Kind> {
    Identifier(hexadecimal(bytes(16)))
  }
}

/// What a client must respond to, so that an old capture is no answer to it.
public struct Challenge: Hashable, Sendable, Codable {
  public static let nonceBytes = 32

  /// 256 random bits, in hexadecimal, from which what the client shows is derived.
  public let nonce: String

  public init(nonce: String) {
    self.nonce = nonce
  }
}
