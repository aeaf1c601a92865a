import Biometrics
import EnrolmentStore
import Foundation
import Testing

@Suite("Policies")
struct PolicyTests {
  private static let low = SimilarityThreshold(0.4)!
  private static let high = SimilarityThreshold(0.5)!

  private func policy(
    verify: SimilarityThreshold = low, recognise: SimilarityThreshold = high, attempts: Int = 3,
    life: Duration = .seconds(600), lockOut: LockOutPolicy? = .standard
  ) throws -> ReVerificationPolicy {
    try ReVerificationPolicy(
      verifyThreshold: verify, recogniseThreshold: recognise, attempts: attempts, life: life, lockOut: lockOut
    )
  }

  @Test(
    "unless said otherwise there are 3 attempts, 10 minutes, and a lock-out after 5 failures in 3 minutes for 30"
  )
  func defaults() throws {
    let policy = try ReVerificationPolicy(verifyThreshold: Self.low, recogniseThreshold: Self.high)
    #expect(policy.attempts == 3)
    #expect(policy.life == .seconds(600))
    #expect(policy.lockOut?.failures == 5)
    #expect(policy.lockOut?.window == .seconds(180))
    #expect(policy.lockOut?.duration == .seconds(1800))
  }

  @Test("a recognise threshold below the verify threshold is refused, an equal one is not")
  func thresholdOrder() throws {
    #expect(throws: PolicyError(.recogniseBelowVerify)) { try policy(verify: Self.high, recognise: Self.low) }
    #expect(throws: Never.self) { try policy(verify: Self.high, recognise: Self.high) }
  }

  @Test("attempts are 1...10", arguments: [(0, false), (1, true), (10, true), (11, false), (-1, false)])
  func attempts(count: Int, isGood: Bool) {
    #expect(((try? policy(attempts: count)) != nil) == isGood)
  }

  @Test("life and lock-out have their ranges, and say which is broken")
  func ranges() {
    #expect(throws: PolicyError(.life)) { try policy(life: .milliseconds(999)) }
    #expect(throws: PolicyError(.life)) { try policy(life: .seconds(86_401)) }
    #expect(throws: PolicyError(.lockOutFailures)) {
      try LockOutPolicy(failures: 0, window: .seconds(180), duration: .seconds(1))
    }
    #expect(throws: PolicyError(.lockOutWindow)) {
      try LockOutPolicy(failures: 5, window: .zero, duration: .seconds(1))
    }
    #expect(throws: PolicyError(.lockOutDuration)) {
      try LockOutPolicy(failures: 5, window: .seconds(180), duration: .seconds(-1))
    }
    for code in PolicyError.Code.allCases { #expect(!PolicyError(code).description.isEmpty) }
  }

  @Test("a policy comes back from its stored form as it was", arguments: [true, false])
  func coding(hasLockOut: Bool) throws {
    let policy = try policy(
      verify: SimilarityThreshold(Float(0.1).nextUp)!, attempts: 7, life: .milliseconds(61_001),
      lockOut: hasLockOut ? .standard : nil)
    let stored = try JSONEncoder().encode(policy)
    #expect(try JSONDecoder().decode(ReVerificationPolicy.self, from: stored) == policy)
  }

  @Test("what binds the face is kept, and a policy stored without it is held to the stricter way")
  func faceBinding() throws {
    let given = try ReVerificationPolicy(
      verifyThreshold: Self.low, recogniseThreshold: Self.high, faceBinding: .whereGiven)
    #expect(try policy().faceBinding == .required)
    let stored = try JSONEncoder().encode(given)
    #expect(try JSONDecoder().decode(ReVerificationPolicy.self, from: stored) == given)
    var fields = try #require(try JSONSerialization.jsonObject(with: stored) as? [String: Any])
    #expect(fields.removeValue(forKey: "faceBinding") as? String == "whereGiven")
    let older = try JSONSerialization.data(withJSONObject: fields)
    #expect(try JSONDecoder().decode(ReVerificationPolicy.self, from: older).faceBinding == .required)
  }

  @Test(
    "a stored policy that breaks a rule is not read",
    arguments: [
      (#""attempts":3"#, #""attempts":11"#), (#""recogniseThreshold":0.5"#, #""recogniseThreshold":0.25"#),
      (#""recogniseThreshold":0.5"#, #""recogniseThreshold":1.5"#),
      (#""lifeMilliseconds":600000"#, #""lifeMilliseconds":-1"#), (#""failures":5"#, #""failures":0"#),
    ])
  func damagedCoding(good: String, bad: String) throws {
    let stored = String(decoding: try JSONEncoder().encode(policy()), as: UTF8.self)
    let damaged = stored.replacingOccurrences(of: good, with: bad)
    #expect(damaged != stored)
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(ReVerificationPolicy.self, from: Data(damaged.utf8))
    }
  }
}
