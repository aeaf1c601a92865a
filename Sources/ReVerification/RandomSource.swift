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

/// What a client must respond to at one attempt, so that an old capture is no answer to it.
public struct Challenge: Hashable, Sendable, Codable {
  public static let nonceBytes = 32

  /// 256 random bits, in hexadecimal, from which what the client shows is derived.
  public let nonce: String

  /// How many attempts were used before: each is shown something of its own, whenever it asks.
  public let attempt: Int

  public init(nonce: String, attempt: Int = 0) {
    self.nonce = nonce
    self.attempt = attempt
  }

  /// The challenge of another attempt of the same re-verification.
  public func forAttempt(_ attempt: Int) -> Challenge { Challenge(nonce: nonce, attempt: attempt) }

  public init(from decoder: any Decoder) throws {
    self.init(nonce: try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .nonce))
  }

  /// Without the attempt, which follows from those that were used.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(nonce, forKey: .nonce)
  }

  private enum CodingKeys: String, CodingKey {
    case nonce
  }
}
