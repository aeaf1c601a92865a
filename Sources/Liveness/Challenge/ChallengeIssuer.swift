import Biometrics
import CSodium

/// Makes challenges, and recognises those it made, by a key alone.
///
/// HMAC-SHA-256 of the nonce and the attempt's number under the key gives the schedule, whenever it is asked for: nobody
/// gets another one by asking again. The identifier holds the time of issue and a tag over it, so that nothing need be
/// stored of a challenge but that it was used.
public struct ChallengeIssuer: Sendable {
  public static let keyBytes = 32
  /// Attempts that a nonce can have challenges for.
  public static let attempts = 0...255
  private let key: [UInt8]

  /// A `key` of 32 bytes that nobody else knows; another length traps.
  public init(key: [UInt8]) {
    precondition(key.count == Self.keyBytes, "a challenge key has 32 bytes")
    self.key = key
  }

  /// The challenge of an attempt, counted from 0, at a nonce of 32 random bytes, issued `now`; another number of them, or
  /// an attempt beyond 255, traps.
  ///
  /// Issued again, it shows the same; its expiry alone follows the time of issue.
  /// Without colours it is weaker: ten old captures of a victim then have a chance to answer it, and a rendered face need
  /// not reflect the screen. Turn them off only where a screen can't show them. See Documentation/Evaluation/Liveness.md.
  public func issue(
    nonce: [UInt8], attempt: Int = 0, withColours: Bool = true, at now: Instant
  ) -> ChallengeSchedule {
    precondition(nonce.count == ChallengeSchedule.nonceBytes, "a nonce has 32 bytes")
    precondition(Self.attempts.contains(attempt), "an attempt's number is one byte")
    return challenge(
      Head(issuedAt: now, withColours: withColours, attempt: UInt8(attempt)), nonce: nonce)
  }

  /// The challenge that has this identifier and nonce; `nil` when this issuer made none such.
  public func challenge(id: [UInt8], nonce: [UInt8]) -> ChallengeSchedule? {
    guard id.count == ChallengeSchedule.idBytes, nonce.count == ChallengeSchedule.nonceBytes else {
      return nil
    }
    let head = Head(id)
    guard sodium_memcmp(identifier(head, nonce: nonce), id, id.count) == 0 else { return nil }
    return challenge(head, nonce: nonce)
  }

  /// The readable part of an identifier: 47 bits of time in milliseconds, one for colours, and a byte for the attempt.
  private struct Head {
    static let byteCount = 7
    let issuedAt: Instant
    let withColours: Bool
    let attempt: UInt8

    init(issuedAt: Instant, withColours: Bool, attempt: UInt8) {
      (self.issuedAt, self.withColours, self.attempt) = (issuedAt, withColours, attempt)
    }

    init(_ id: [UInt8]) {
      var word: UInt64 = 0
      for byte in id.prefix(6) { word = word << 8 | UInt64(byte) }
      (issuedAt, withColours) = (Instant(millisecondsSince1970: Int64(word >> 1)), word & 1 == 1)
      attempt = id[6]
    }

    var bytes: [UInt8] {
      let word = UInt64(truncatingIfNeeded: issuedAt.millisecondsSince1970) << 1 | (withColours ? 1 : 0)
      return (0..<6).map { UInt8(truncatingIfNeeded: word >> UInt64(40 - 8 * $0)) } + [attempt]
    }
  }

  private func identifier(_ head: Head, nonce: [UInt8]) -> [UInt8] {
    let tag = authenticated(Array("reverify-challenge-id-2".utf8) + head.bytes + nonce)
    return head.bytes + tag.prefix(ChallengeSchedule.idBytes - Head.byteCount)
  }

  private func authenticated(_ message: [UInt8]) -> [UInt8] {
    var tag = [UInt8](repeating: 0, count: Int(crypto_auth_hmacsha256_BYTES))
    crypto_auth_hmacsha256(&tag, message, UInt64(message.count), key)
    return tag
  }

  private func challenge(_ head: Head, nonce: [UInt8]) -> ChallengeSchedule {
    // Without the time of issue, which would give whoever asks often his choice of schedules.
    let message = Array("reverify-challenge-2".utf8) + [head.attempt] + nonce
    var draws = Draws(authenticated(message + [0]) + authenticated(message + [1]))
    let first = draws.next(0.28, 0.42)
    let middle = draws.next(0.36, 0.70)
    // At least 1.75 times the first, so that following it is enough of an approach.
    let last = draws.next(max(0.56, 1.75 * first), 0.82)
    let stages = [first, middle, last].enumerated().map { index, width in
      // An oval stays inside the image's width.
      let reach = min(0.10, 0.48 - width / 2)
      let jitter = index == 0 ? 0 : draws.next(-0.25, 0.25)
      return ChallengeSchedule.Stage(
        start: ((Double(index) + jitter) / 3 * ChallengeSchedule.duration).rounded(), width: width,
        centreX: draws.next(-reach, reach), centreY: draws.next(-0.10, 0.10))
    }
    return ChallengeSchedule(
      id: identifier(head, nonce: nonce), nonce: nonce, attempt: Int(head.attempt), issuedAt: head.issuedAt,
      stages: stages, flashes: head.withColours ? Self.flashes(&draws) : [])
  }

  /// Six flashes, two and a half a second: below the three a second that may harm people with photosensitive epilepsy
  /// (WCAG 2.3.1). No colour follows itself.
  private static func flashes(_ draws: inout Draws) -> [ChallengeSchedule.Flash] {
    let start = draws.next(300, 1200).rounded()
    let colours = ChallengeSchedule.Colour.allCases
    var current = draws.index(below: colours.count)
    return (0..<6).map { index in
      if index > 0 { current = (current + 1 + draws.index(below: colours.count - 1)) % colours.count }
      return .init(colour: colours[current], start: start + 400 * Double(index), duration: 400)
    }
  }
}

/// Numbers from derived bytes, sixteen bits each: exact sums and products of whole numbers and constants.
private struct Draws {
  private let bytes: [UInt8]
  private var position = 0

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  private mutating func next() -> Int {
    defer { position += 2 }
    return Int(bytes[position]) << 8 | Int(bytes[position + 1])
  }

  mutating func next(_ low: Double, _ high: Double) -> Double {
    low + (high - low) * (Double(next()) / 65536)
  }

  mutating func index(below count: Int) -> Int { next() * count / 65536 }
}
