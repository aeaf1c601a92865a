import CSodium

/// A BLAKE2b digest of 256 bits: the name of some bytes that gives nothing of them away.
public struct Digest: Hashable, Sendable {
  public static let byteCount = 32

  /// Exactly `byteCount` bytes.
  public let bytes: [UInt8]

  /// The digest of `content` (BLAKE2b-256, unkeyed; RFC 7693).
  public init(of content: [UInt8]) {
    startSodium()
    var digest = [UInt8](repeating: 0, count: Self.byteCount)
    let status = crypto_generichash(&digest, digest.count, content, UInt64(content.count), nil, 0)
    precondition(status == 0, "BLAKE2b of \(Self.byteCount) bytes can't fail")
    bytes = digest
  }

  /// The digest that these bytes are; exactly `byteCount` of them.
  init(_ bytes: [UInt8]) {
    precondition(bytes.count == Self.byteCount, "a digest has \(Self.byteCount) bytes")
    self.bytes = bytes
  }

  /// The digest written as 64 hexadecimal digits, or `nil` when `text` is anything else.
  public init?(hexadecimal text: String) {
    let digits = Array(text.utf8)
    guard digits.count == 2 * Self.byteCount else { return nil }
    var bytes: [UInt8] = []
    for place in stride(from: 0, to: digits.count, by: 2) {
      guard let high = hexadecimalValue(digits[place]), let low = hexadecimalValue(digits[place + 1]) else {
        return nil
      }
      bytes.append(high << 4 | low)
    }
    self.bytes = bytes
  }
}

extension Digest: CustomStringConvertible {
  /// 64 lower-case hexadecimal digits.
  public var description: String { hexadecimal(bytes) }
}

extension Digest: Codable {
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let digest = Self(hexadecimal: try container.decode(String.self)) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "a digest is \(2 * Self.byteCount) hexadecimal digits")
    }
    self = digest
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}

/// `bytes` as lower-case hexadecimal digits.
package func hexadecimal(_ bytes: [UInt8]) -> String {
  let digits = Array("0123456789abcdef".utf8)
  return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
}

func hexadecimalValue(_ digit: UInt8) -> UInt8? {
  switch digit {
  case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
  case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
  case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
  default: nil
  }
}

/// Makes libsodium ready; to be called before any use of it, from any thread, at no cost the second time.
package func startSodium() {
  _ = sodium
}

private let sodium: Void = {
  // Fails only where the system has no source of randomness, and then nothing here may go on.
  precondition(sodium_init() >= 0, "libsodium found no source of randomness")
}()
