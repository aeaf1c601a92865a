/// A name of one kind of thing, so that a user's can't be passed where a session's is asked for.
///
/// Compared and ordered by its Unicode scalars, the same on every machine. An identifier is safe to log.
public struct Identifier<Kind>: Hashable, Comparable, Sendable {
  public let rawValue: String

  public init(_ rawValue: String) {
    self.rawValue = rawValue
  }

  /// Two texts that look alike, and that `String` takes for equal, name two things: a store's keys differ too.
  public static func == (left: Self, right: Self) -> Bool {
    left.rawValue == right.rawValue && left.rawValue.utf8.elementsEqual(right.rawValue.utf8)
  }

  public static func < (left: Self, right: Self) -> Bool {
    left.rawValue.unicodeScalars.lexicographicallyPrecedes(right.rawValue.unicodeScalars)
  }
}

extension Identifier: CustomStringConvertible {
  public var description: String { rawValue }
}

extension Identifier: Codable {
  public init(from decoder: any Decoder) throws {
    self.init(try decoder.singleValueContainer().decode(String.self))
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(rawValue)
  }
}

extension Identifier: ExpressibleByUnicodeScalarLiteral, ExpressibleByExtendedGraphemeClusterLiteral,
  ExpressibleByStringLiteral
{
  public init(stringLiteral value: String) {
    self.init(value)
  }
}

/// The kinds of things that have identifiers; never made, only named.
public enum IdentifierKind {
  public enum Organisation {}
  public enum Workflow {}
  public enum User {}
  public enum Session {}
  public enum ReVerification {}
  public enum Attempt {}
  public enum Claim {}
  public enum Engine {}
  public enum APIKey {}
}

public typealias OrganisationID = Identifier<IdentifierKind.Organisation>
public typealias WorkflowID = Identifier<IdentifierKind.Workflow>
public typealias UserID = Identifier<IdentifierKind.User>
/// An approved session: one verification of a user that was approved on a workflow.
public typealias SessionID = Identifier<IdentifierKind.Session>
public typealias ReVerificationID = Identifier<IdentifierKind.ReVerification>
/// The caller's name of one attempt: the same key again is the same attempt, and gets the same answer.
public typealias IdempotencyKey = Identifier<IdentifierKind.Attempt>
/// One evaluation of an attempt; a result that names another claim than the running one is late.
public typealias ClaimID = Identifier<IdentifierKind.Claim>
/// One opening of an engine on a store.
public typealias EngineID = Identifier<IdentifierKind.Engine>
/// The public name of an API key; never the key itself.
public typealias APIKeyID = Identifier<IdentifierKind.APIKey>
