import Biometrics
import CSodium

/// Makes challenges, and recognises those it made, by a key alone.
///
/// HMAC-SHA-256 of identifier and nonce under the key gives the schedule. The identifier holds the time of issue and a
/// tag over it and the nonce, so that nothing need be stored of a challenge but that it was used.
public struct ChallengeIssuer: Sendable {
  public static let keyBytes = 32
  private let key: [UInt8]

  /// A `key` of 32 bytes that nobody else knows; another length traps.
  public init(key: [UInt8]) {
    precondition(key.count == Self.keyBytes, "a challenge key has 32 bytes")
    self.key = key
  }

  /// A challenge issued `now` with 32 random bytes; another number of them traps.
  ///
  /// Without colours it is weaker: ten old captures of a victim then have a chance to answer it, and a rendered face need
  /// not reflect the screen. Turn them off only where a screen can't show them. See Documentation/Evaluation/Liveness.md.
  public func issue(nonce: [UInt8], withColours: Bool = true, at now: Instant) -> ChallengeSchedule {
    precondition(nonce.count == ChallengeSchedule.nonceBytes, "a nonce has 32 bytes")
    let id = identifier(issued: now.millisecondsSince1970, withColours: withColours, nonce: nonce)
    return schedule(id: id, nonce: nonce, issuedAt: now, withColours: withColours)
  }

  /// The challenge that has this identifier and nonce; `nil` when this issuer made none such.
  public func challenge(id: [UInt8], nonce: [UInt8]) -> ChallengeSchedule? {
    guard id.count == ChallengeSchedule.idBytes, nonce.count == ChallengeSchedule.nonceBytes else {
      return nil
    }
    // 47 bits of time and one for colours.
    var head: UInt64 = 0
    for byte in id.prefix(6) { head = head << 8 | UInt64(byte) }
    let (issued, withColours) = (Int64(head >> 1), head & 1 == 1)
    guard sodium_memcmp(identifier(issued: issued, withColours: withColours, nonce: nonce), id, id.count) == 0
    else {
      return nil
    }
    return schedule(
      id: id, nonce: nonce, issuedAt: Instant(millisecondsSince1970: issued), withColours: withColours)
  }

  private func identifier(issued: Int64, withColours: Bool, nonce: [UInt8]) -> [UInt8] {
    let head = UInt64(truncatingIfNeeded: issued) << 1 | (withColours ? 1 : 0)
    let bytes = (0..<6).map { UInt8(truncatingIfNeeded: head >> UInt64(40 - 8 * $0)) }
    let tag = authenticated(Array("reverify-challenge-id-1".utf8) + bytes + nonce)
    return bytes + tag.prefix(ChallengeSchedule.idBytes - bytes.count)
  }

  private func authenticated(_ message: [UInt8]) -> [UInt8] {
    var tag = [UInt8](repeating: 0, count: Int(crypto_auth_hmacsha256_BYTES))
    crypto_auth_hmacsha256(&tag, message, UInt64(message.count), key)
    return tag
  }

  private func schedule(
    id: [UInt8], nonce: [UInt8], issuedAt: Instant, withColours: Bool
  ) -> ChallengeSchedule {
    let message = Array("reverify-challenge-1".utf8) + id + nonce
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
      id: id, nonce: nonce, issuedAt: issuedAt, stages: stages,
      flashes: withColours ? Self.flashes(&draws) : [])
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
