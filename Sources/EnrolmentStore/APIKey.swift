import Biometrics

/// What is kept of an API key: whose it is and what it may do, under the digest of the secret, never the secret.
public struct APIKey: Hashable, Sendable, Codable {
  public enum Environment: String, Hashable, Sendable, Codable {
    case live
    /// For trying out an integration; re-verifies nobody.
    case sandbox
  }

  public enum Status: String, Hashable, Sendable, Codable {
    case valid
    case revoked
  }

  public enum Permission: String, Hashable, Sendable, Codable {
    case reVerification
  }

  public let id: APIKeyID
  public let digest: Digest
  public let organisation: OrganisationID
  public let environment: Environment
  public var status: Status
  public var permissions: Set<Permission>

  /// A key whose secret is `secret`. The secret must be random, 128 bits or more: a plain digest guards no password.
  public init(
    id: APIKeyID, secret: String, organisation: OrganisationID, environment: Environment = .live,
    status: Status = .valid, permissions: Set<Permission> = [.reVerification]
  ) {
    self.id = id
    self.digest = Self.digest(of: secret)
    self.organisation = organisation
    self.environment = environment
    self.status = status
    self.permissions = permissions
  }

  /// The digest under which the key with this secret is kept.
  public static func digest(of secret: String) -> Digest {
    Digest(of: Array("reverify API key 1:\(secret)".utf8))
  }

  /// Whether the key may begin re-verifications: live, not revoked, and permitted to.
  public var mayReVerify: Bool {
    environment == .live && status == .valid && permissions.contains(.reVerification)
  }
}
