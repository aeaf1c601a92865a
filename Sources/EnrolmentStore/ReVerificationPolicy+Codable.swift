import Biometrics

// Kept with the unit in the key, and checked again when read: a stored policy is as trustworthy as its file.

extension ReVerificationPolicy: Codable {
  private enum CodingKeys: String, CodingKey {
    case verifyThreshold, recogniseThreshold, attempts, lifeMilliseconds, lockOut, organisationLockOut,
      faceBinding
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    do {
      try self.init(
        verifyThreshold: container.decode(SimilarityThreshold.self, forKey: .verifyThreshold),
        recogniseThreshold: container.decode(SimilarityThreshold.self, forKey: .recogniseThreshold),
        attempts: container.decode(Int.self, forKey: .attempts),
        life: .milliseconds(container.decode(Int64.self, forKey: .lifeMilliseconds)),
        lockOut: container.decodeIfPresent(LockOutPolicy.self, forKey: .lockOut),
        // Absent for the stricter choice, to which a policy of before there was one is held too.
        faceBinding: container.decodeIfPresent(FaceBinding.self, forKey: .faceBinding) ?? .required)
      organisationLockOut = try container.decodeIfPresent(LockOutPolicy.self, forKey: .organisationLockOut)
    } catch let error as PolicyError {
      throw damaged(error, container.codingPath)
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(verifyThreshold, forKey: .verifyThreshold)
    try container.encode(recogniseThreshold, forKey: .recogniseThreshold)
    try container.encode(attempts, forKey: .attempts)
    try container.encode(life.wholeMilliseconds, forKey: .lifeMilliseconds)
    try container.encodeIfPresent(lockOut, forKey: .lockOut)
    if faceBinding != .required { try container.encode(faceBinding, forKey: .faceBinding) }
    try container.encodeIfPresent(organisationLockOut, forKey: .organisationLockOut)
  }
}

extension LockOutPolicy: Codable {
  private enum CodingKeys: String, CodingKey {
    case failures, windowMilliseconds, durationMilliseconds
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    do {
      try self.init(
        failures: container.decode(Int.self, forKey: .failures),
        window: .milliseconds(container.decode(Int64.self, forKey: .windowMilliseconds)),
        duration: .milliseconds(container.decode(Int64.self, forKey: .durationMilliseconds)))
    } catch let error as PolicyError {
      throw damaged(error, container.codingPath)
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(failures, forKey: .failures)
    try container.encode(window.wholeMilliseconds, forKey: .windowMilliseconds)
    try container.encode(duration.wholeMilliseconds, forKey: .durationMilliseconds)
  }
}

private func damaged(_ error: PolicyError, _ path: [any CodingKey]) -> DecodingError {
  .dataCorrupted(.init(codingPath: path, debugDescription: error.description, underlyingError: error))
}
