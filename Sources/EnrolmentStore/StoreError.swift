/// Why a store could not do what it was asked.
///
/// Safe to log: it names kinds and identifiers, never an e-mail address or a template.
public struct StoreError: Error, Hashable, Sendable, CustomStringConvertible {
  public enum Code: String, Hashable, Sendable, CaseIterable {
    /// Something changed since it was read; read again and decide anew.
    case conflict
    /// A record refers to one that is not there.
    case missing
    /// Another user of the organisation has this e-mail address.
    case emailTaken
    /// What it concerns was erased, and its identifier is not given again.
    case erased
    /// The store can't be reached or can't write; nothing can be said about whether the commit took place.
    case unavailable
    /// What was read is not what was written.
    case damaged
    /// Another process has the store open.
    case inUse
    /// The store is of a version that this build doesn't know.
    case unknownVersion
    /// The master key is missing, or not the store's.
    case wrongKey
  }

  public let code: Code
  /// What it concerned, for example `session s-1 of bank`.
  public let context: String

  public init(_ code: Code, _ context: String) {
    self.code = code
    self.context = context
  }

  public var description: String { "store: \(code.rawValue): \(context)" }
}
