import Foundation

/// An e-mail address in its normal form, by which users of an organisation are told apart.
///
/// White space around it is dropped, letters become small, and composed characters are used (NFC), so that one
/// mailbox written in two ways is one user. Dots and `+tags` stay: what they mean is the mail provider's affair.
/// Its description is safe to log; only the debug description shows the address.
public struct EmailAddress: Hashable, Sendable {
  public let normalised: String

  /// The longest address a mail path can carry, in bytes of UTF-8 (RFC 5321, section 4.5.3.1).
  public static let maximumBytes = 254
  private static let maximumLocalBytes = 64
  private static let maximumLabelBytes = 63

  /// The address in `text`, or `nil` when there is none: empty, no single `@`, or signs no address has.
  ///
  /// The grammar is that of the HTML standard's e-mail input, with letters outside ASCII allowed as well (RFC 6531).
  public init?(_ text: String) {
    let trimmed = text.trimmingCharacters(in: .whitespacesAndNewlines)
    let address = trimmed.lowercased().precomposedStringWithCanonicalMapping
    let parts = address.split(separator: "@", omittingEmptySubsequences: false)
    guard parts.count == 2, address.utf8.count <= Self.maximumBytes,
      Self.isLocalPart(parts[0]), Self.isDomain(parts[1])
    else { return nil }
    normalised = address
  }

  private static func isLocalPart(_ text: Substring) -> Bool {
    let signs = Set("!#$%&'*+-/=?^_`{|}~.".unicodeScalars)
    return (1...maximumLocalBytes).contains(text.utf8.count)
      && text.unicodeScalars.allSatisfy { isLetterOrDigit($0) || signs.contains($0) }
  }

  private static func isDomain(_ text: Substring) -> Bool {
    text.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { label in
      (1...maximumLabelBytes).contains(label.utf8.count)
        && label.unicodeScalars.allSatisfy { isLetterOrDigit($0) || $0 == "-" }
        && label.first != "-" && label.last != "-"
    }
  }

  private static func isLetterOrDigit(_ scalar: Unicode.Scalar) -> Bool {
    guard !scalar.isASCII else { return scalar.properties.isAlphabetic || ("0"..."9").contains(scalar) }
    switch scalar.properties.generalCategory {
    case .control, .format, .surrogate, .privateUse, .unassigned, .spaceSeparator, .lineSeparator,
      .paragraphSeparator:
      return false
    default:
      return true
    }
  }
}

extension EmailAddress: CustomStringConvertible, CustomDebugStringConvertible {
  public var description: String { "(e-mail address)" }
  public var debugDescription: String { normalised }
}

extension EmailAddress: Codable {
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let address = Self(try container.decode(String.self)) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "not an e-mail address")
    }
    self = address
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(normalised)
  }
}
