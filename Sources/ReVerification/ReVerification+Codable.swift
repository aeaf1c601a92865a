import Biometrics
import EnrolmentStore
import FoundationEssentials

extension ReVerification: Codable {
  /// The version of the stored form, described in `Documentation/Formats/ReVerificationState.md`.
  static let format = 2
  /// The version before, which knew the beginning by the time of day alone.
  private static let wallFormat = 1

  private enum CodingKeys: String, CodingKey {
    case format, id, organisation, workflow, user, apiKey, challenge, policy, price, begun, begunAt, state
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let format = try container.decode(Int.self, forKey: .format)
    guard format == Self.format || format == Self.wallFormat else {
      throw DecodingError.dataCorruptedError(
        forKey: .format, in: container, debugDescription: "expected \(Self.format), found \(format)")
    }
    id = try container.decode(ReVerificationID.self, forKey: .id)
    organisation = try container.decode(OrganisationID.self, forKey: .organisation)
    workflow = try container.decode(WorkflowID.self, forKey: .workflow)
    user = try container.decode(UserID.self, forKey: .user)
    apiKey = try container.decode(APIKeyID.self, forKey: .apiKey)
    challenge = try container.decode(Challenge.self, forKey: .challenge)
    policy = try container.decode(ReVerificationPolicy.self, forKey: .policy)
    price = try container.decode(Credits.self, forKey: .price)
    if format == Self.format {
      begun = try container.decode(ClockReading.self, forKey: .begun)
    } else {
      // No machine's boot has the empty name, so the time of day goes on counting.
      let wall = try container.decode(Instant.self, forKey: .begunAt)
      begun = ClockReading(wall: wall, millisecondsSinceBoot: 0, boot: "")
    }
    state = try container.decode(State.self, forKey: .state)
    if let broken = brokenInvariant {
      throw DecodingError.dataCorruptedError(forKey: .state, in: container, debugDescription: broken)
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(Self.format, forKey: .format)
    try container.encode(id, forKey: .id)
    try container.encode(organisation, forKey: .organisation)
    try container.encode(workflow, forKey: .workflow)
    try container.encode(user, forKey: .user)
    try container.encode(apiKey, forKey: .apiKey)
    try container.encode(challenge, forKey: .challenge)
    try container.encode(policy, forKey: .policy)
    try container.encode(price, forKey: .price)
    try container.encode(begun, forKey: .begun)
    try container.encode(state, forKey: .state)
  }

  /// What of a state read from outside could not have come about; `nil` when nothing.
  private var brokenInvariant: String? {
    if attempts.count > policy.attempts { return "more attempts than the policy allows" }
    if Set(attempts.map(\.key)).count != attempts.count { return "two attempts under one key" }
    switch state {
    case .evaluating(let claim, let attempts):
      guard claim.attempt >= 1, claim.attempt <= attempts.count else {
        return "a claim to an attempt that is not there"
      }
      return attempts[claim.attempt - 1].answer == nil ? nil : "a claim to an attempt that was answered"
    case .ended(let ending, _):
      guard case .outcome(.verified(let about, _, let user)) = ending.end else { return nil }
      return about == id && user == self.user ? nil : "an outcome of another re-verification"
    case .open:
      return nil
    }
  }
}

extension ReVerification {
  /// The re-verification as it is stored, made from the one stored at `revision` (0: none was).
  func stored(replacing revision: Int64) throws(ReVerificationError) -> StoredReVerification {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    do {
      return StoredReVerification(
        id: id, organisation: organisation, workflow: workflow, user: user, expiry: expiry,
        state: Array(try encoder.encode(self)), revision: revision)
    } catch {
      throw ReVerificationError(.encodingFailed, "re-verification \(id)")
    }
  }

  /// Reads what `stored(replacing:)` made; throws `storeDamaged` for anything else.
  init(_ stored: StoredReVerification) throws(ReVerificationError) {
    do {
      self = try JSONDecoder().decode(Self.self, from: Data(stored.state))
    } catch {
      throw ReVerificationError(.storeDamaged, "state of re-verification \(stored.id)")
    }
    guard id == stored.id, organisation == stored.organisation else {
      throw ReVerificationError(.storeDamaged, "state of re-verification \(stored.id) is another's")
    }
  }
}
