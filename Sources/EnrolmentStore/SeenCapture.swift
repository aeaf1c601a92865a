import Biometrics

/// What a liveness scorer must know of an earlier capture, so that a copy of it is told after a restart too.
///
/// For the store it is bytes of the scorer's own: keyed hashes and times, no landmarks, no embedding, nobody's identifier.
public struct SeenCapture: Hashable, Sendable, Codable {
  /// Names the submission it came with; the same name replaces.
  public let name: [UInt8]
  /// The first instant at which it is of no use any more.
  public let expiry: Instant
  public let content: [UInt8]

  public init(name: [UInt8], expiry: Instant, content: [UInt8]) {
    self.name = name
    self.expiry = expiry
    self.content = content
  }
}

/// A seen capture with its place in the order they came.
public struct NumberedCapture: Hashable, Sendable, Codable {
  public let sequence: Int64
  public let capture: SeenCapture

  public init(sequence: Int64, _ capture: SeenCapture) {
    self.sequence = sequence
    self.capture = capture
  }
}
