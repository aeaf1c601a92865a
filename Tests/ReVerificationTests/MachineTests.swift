import Biometrics
import EnrolmentStore
import FoundationEssentials
import Testing

@testable import ReVerification

/// Single steps of the state machine that the engine's tests don't reach, and its stored form.
@Suite("The state machine")
struct MachineTests {
  private let start = Instant(millisecondsSince1970: 1_750_000_000_000)

  private func machine() throws -> ReVerification {
    ReVerification(
      id: "r", organisation: "bank", workflow: "w", user: "anna", apiKey: "key",
      challenge: Challenge(nonce: "00"), policy: try Bank.policy(lockOut: .standard, faceBinding: .required),
      price: Credits(3),
      at: ClockReading(wall: start, millisecondsSinceBoot: 0, boot: "boot"))
  }

  private func submission(_ key: IdempotencyKey, claim: ClaimID = "c1") -> ReVerification.Event {
    .submit(.init(key: key, content: Digest(of: []), claim: claim, engine: "e"))
  }

  @Test("the same key joins the running evaluation, another waits for it, and one too late is expired")
  func whileEvaluating() throws {
    var machine = try machine()
    guard case .evaluate(let claim, Credits(3)?) = machine.handle(submission("A"), at: start) else {
      Issue.record("the first attempt is evaluated and charged")
      return
    }
    #expect(machine.handle(submission("A", claim: "c2"), at: start) == .join(claim))
    #expect(machine.handle(submission("B", claim: "c2"), at: start) == .wait(claim))
    let late = machine.handle(submission("B", claim: "c2"), at: machine.expiry)
    #expect(late == .answer(.ended(.failed(.expired))))
    #expect(machine.handle(submission("A", claim: "c2"), at: machine.expiry) == .join(claim))
  }

  @Test("a late result of a claim that was given up is ignored, though the attempt is evaluated again")
  func lateResult() throws {
    var machine = try machine()
    _ = machine.handle(submission("A"), at: start)
    #expect(machine.handle(.evaluationLost("c1"), at: start) == .release)
    guard case .evaluate(let again, nil) = machine.handle(submission("A", claim: "c2"), at: start) else {
      Issue.record("the lost attempt is evaluated again, without a charge")
      return
    }
    #expect(again.attempt == 1 && again.id == "c2")
    #expect(machine.handle(.evaluated("c1", .notLive), at: start) == .ignore)
    #expect(
      machine.handle(.evaluated("c2", .notLive), at: start)
        == .decide(.answered(.retry(.livenessFailed, attemptsRemaining: 2), attempt: 1)))
    #expect(machine.handle(.evaluated("c2", .notLive), at: start) == .ignore)
  }

  /// What version 2 writes, and 1 wrote, kept here so that later versions are held to reading it.
  private static let stored =
    #"{"apiKey":"key","begun":{"boot":"boot","millisecondsSinceBoot":0,"wall":{"millisecondsSince1970":1750000000000}},"#
    + #""challenge":{"nonce":"00"},"format":2,"# + tail
  private static let storedByVersion1 =
    #"{"apiKey":"key","begunAt":{"millisecondsSince1970":1750000000000},"challenge":{"nonce":"00"},"format":1,"#
    + tail
  private static let tail = """
    "id":"r","organisation":"bank","policy":{"attempts":3,"lifeMilliseconds":600000,"lockOut":{\
    "durationMilliseconds":1800000,"failures":5,"windowMilliseconds":180000},"recogniseThreshold":0.6,\
    "verifyThreshold":0.5},"price":{"units":3},"state":{"evaluating":{"attempts":[{"answer":{"retry":{"_0":\
    "livenessFailed","attemptsRemaining":2}},"claimedAt":{"millisecondsSince1970":1750000000000},"content":\
    "0e5751c026e543b2e8ab2eb06099daa1d1e5df47778f7787faab45cdf12fe3a8","key":"A"},{"claimedAt":{\
    "millisecondsSince1970":1750000000000},"content":\
    "0e5751c026e543b2e8ab2eb06099daa1d1e5df47778f7787faab45cdf12fe3a8","key":"B"}],"claim":{"at":{\
    "millisecondsSince1970":1750000000000},"attempt":2,"engine":"e","id":"c2"}}},"user":"anna","workflow":"w"}
    """

  private func stored(_ text: String) -> StoredReVerification {
    StoredReVerification(
      id: "r", organisation: "bank", workflow: "w", user: "anna", expiry: start, state: Array(text.utf8),
      revision: 1)
  }

  @Test("the stored form of version 1 is read, its life measured by the time of day")
  func version1() throws {
    let machine = try ReVerification(stored(Self.storedByVersion1))
    #expect(machine.attempts.count == 2 && machine.begunAt == start)
    for (seconds, isOver) in [(599, false), (600, true)] {
      let later = ClockReading(wall: start + .seconds(seconds), millisecondsSinceBoot: 7, boot: "boot")
      #expect((machine.time(at: later) >= machine.expiry) == isOver)
    }
  }

  @Test("the stored form of version 2 is written and read as it always was")
  func storedForm() throws {
    var machine = try machine()
    _ = machine.handle(submission("A"), at: start)
    _ = machine.handle(.evaluated("c1", .notLive), at: start)
    _ = machine.handle(submission("B", claim: "c2"), at: start)
    #expect(String(decoding: try machine.stored(replacing: 0).state, as: UTF8.self) == Self.stored)
    #expect(try ReVerification(stored(Self.stored)) == machine)
  }

  @Test("open and ended states are stored as their format's description says")
  func otherStoredForms() throws {
    var machine = try machine()
    func state() throws -> String {
      let text = String(decoding: try machine.stored(replacing: 0).state, as: UTF8.self)
      #expect(try ReVerification(stored(text)) == machine)
      return String(text.dropFirst(text.firstRange(of: #""state":"#)!.upperBound.utf16Offset(in: text)))
    }
    #expect(try state() == #"{"open":{"attempts":[]}},"user":"anna","workflow":"w"}"#)
    var cancelled = machine
    _ = machine.handle(
      .submit(.init(key: "L", content: Digest(of: []), standing: .lockedOut, claim: "c", engine: "e")),
      at: start)
    #expect(
      try state() == """
        {"ended":{"_0":{"at":{"millisecondsSince1970":1750000000000},"end":{"outcome":{"_0":{"failed":{"_0":\
        {"attemptsExhausted":{}}}}}},"submission":{"content":\
        "0e5751c026e543b2e8ab2eb06099daa1d1e5df47778f7787faab45cdf12fe3a8","key":"L"}},"attempts":[]}},\
        "user":"anna","workflow":"w"}
        """)
    _ = cancelled.handle(.cancel, at: start)
    machine = cancelled
    #expect(
      try state() == """
        {"ended":{"_0":{"at":{"millisecondsSince1970":1750000000000},"end":{"cancelled":{}}},"attempts":[]}},\
        "user":"anna","workflow":"w"}
        """)
  }

  @Test(
    "a stored form that can't have come about is refused",
    arguments: [
      (#""format":2"#, #""format":3"#), (#""attempts":3"#, #""attempts":1"#), (#""key":"B""#, #""key":"A""#),
      (#""attempt":2"#, #""attempt":1"#), (#""attempt":2"#, #""attempt":0"#),
      (#""attempt":2"#, #""attempt":3"#),
      (#""attempt":2"#, #""attempt":-9223372036854775808"#), (#""id":"r""#, #""id":"q""#),
      (#""organisation":"bank""#, #""organisation":"airline""#),
      (#""verifyThreshold":0.5"#, #""verifyThreshold":0.7"#),
    ] as [(String, String)])
  func impossibleForm(good: String, bad: String) throws {
    let damaged = Self.stored.replacing(good, with: bad, maxReplacements: 1)
    #expect(damaged != Self.stored)
    #expect { try ReVerification(stored(damaged)) } throws: { error in
      (error as? ReVerificationError)?.code == .storeDamaged
    }
  }

  @Test("no single changed byte of a stored form crashes anything: it is refused or read")
  func changedBytes() throws {
    let good = Array(Self.stored.utf8)
    var refused = 0
    for place in good.indices {
      for change: UInt8 in [0x01, 0x10, 0x80] {
        var bytes = good
        bytes[place] ^= change
        let damaged = StoredReVerification(
          id: "r", organisation: "bank", workflow: "w", user: "anna", expiry: start, state: bytes, revision: 1
        )
        do throws(ReVerificationError) {
          var machine = try ReVerification(damaged)
          _ = machine.handle(.evaluated("c2", .notLive), at: start)
          _ = machine.handle(submission("C", claim: "c3"), at: start)
        } catch {
          #expect(error.code == .storeDamaged)
          refused += 1
        }
      }
    }
    #expect(refused > good.count, "most changes break the form")
  }
}
