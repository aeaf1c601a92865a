import Biometrics
import EnrolmentStore
import ReVerification
import TestSupport
import Testing

/// The rule of `Documentation/Decisions/0014`: time passes by the clock that nobody can set.
@Suite("Clocks that jump")
struct ClockTests {
  private static let hour = Duration.seconds(3600)
  static let jumps: [Duration] = [.zero, hour, .zero - hour]
  /// Milliseconds from the expiry, and whether it is expired there.
  static let edges: [(Int, Bool)] = [(-1, false), (0, true), (1, true)]

  enum Interruption: String, CaseIterable, Sendable { case none, restart }

  private func bank(on kind: TestStore, lockOut: LockOutPolicy? = nil) async throws -> Bank {
    let bank = try await Bank(on: kind, policy: Bank.policy(lockOut: lockOut))
    try await bank.enrol("s1", of: "anna", Face.anna)
    return bank
  }

  @Test(
    "at expiry −1 ms, 0 and +1 ms, no jump of an hour extends or shortens the validity, nor does a restart",
    arguments: edges, jumps)
  func expiry(edge: (Int, Bool), jump: Duration) async throws {
    for kind in TestStore.all {
      for interruption in Interruption.allCases {
        var bank = try await bank(on: kind)
        let begun = try await bank.begin()
        bank.clock.advance(by: .seconds(5))
        bank.clock.jump(by: jump)
        bank.clock.advance(by: .seconds(595) + .milliseconds(edge.0))
        if interruption == .restart { try await bank.reopen(seed: 2) }
        let answer = try await bank.submit(.test("1", Face.anna), to: begun)
        let verified = Outcome.verified(reVerificationID: begun.id, originalSessionID: "s1", userID: "anna")
        #expect(answer == .ended(edge.1 ? .failed(.expired) : verified), "\(kind), \(interruption)")
      }
    }
  }

  @Test("jumps that come and go between attempts change nothing either", arguments: TestStore.all)
  func manyJumps(on kind: TestStore) async throws {
    let bank = try await bank(on: kind)
    let begun = try await bank.begin()
    for number in 1...2 {
      bank.clock.jump(by: Self.hour * number)
      bank.clock.advance(by: .seconds(299))
      #expect(
        try await bank.submit(.test(.init("\(number)")), to: begun)
          == .retry(.faceNotMatched, attemptsRemaining: 3 - number))
    }
    bank.clock.jump(by: .zero - Self.hour * 5)
    bank.clock.advance(by: .milliseconds(2000))
    #expect(try await bank.submit(.test("3", Face.anna), to: begun) == .ended(.failed(.expired)))
  }

  @Test("after the machine was started anew the time of day counts, and one that went back has expired it")
  func reboot() async throws {
    for (passed, jump, isExpired) in [
      (599, Duration.zero, false), (600, .zero, true), (10, .seconds(589), false), (10, .seconds(590), true),
      (10, .seconds(-11), true),
    ] as [(Int, Duration, Bool)] {
      var bank = try await bank(on: .inMemory)
      let begun = try await bank.begin()
      bank.clock.advance(by: .seconds(passed))
      bank.clock.jump(by: jump)
      bank.clock.reboot()
      try await bank.reopen(seed: 2)
      let outcome = try await bank.engine.outcome(of: begun.id)
      #expect(outcome == (isExpired ? .failed(.expired) : nil), "\(passed) s, \(jump)")
    }
  }

  @Test("no jump lengthens or shortens a lock-out", arguments: TestStore.all)
  func lockOut(on kind: TestStore) async throws {
    for jump in Self.jumps {
      let bank = try await bank(on: kind, lockOut: .standard)
      for _ in 0..<2 {
        let begun = try await bank.begin()
        for key in ["1", "2", "3"] { _ = try await bank.submit(.test(.init(key)), to: begun) }
      }
      func isLockedOut() async throws -> Bool {
        let result = try await bank.engine.begin(
          workflowID: Bank.onboarding, email: Bank.email(of: "anna"), apiKey: Bank.secret)
        return result == .ended(.failed(.attemptsExhausted))
      }
      bank.clock.jump(by: jump)
      #expect(try await isLockedOut())
      bank.clock.advance(by: .milliseconds(1_799_999))
      #expect(try await isLockedOut())
      bank.clock.advance(by: .milliseconds(1))
      #expect(try await !isLockedOut())
      // Nor does one make the old lock-out come back when failures are counted anew.
      bank.clock.jump(by: .zero - Self.hour * 2)
      _ = try await bank.submit(.test("1"), to: bank.begin())
      #expect(try await !isLockedOut())
    }
  }

  @Test("a window of failures is measured by what passed, not by the time of day", arguments: TestStore.all)
  func window(on kind: TestStore) async throws {
    for (between, locksOut) in [(44, true), (45, false)] {
      let bank = try await bank(on: kind, lockOut: .standard)
      for number in 0..<5 {
        if number > 0 { bank.clock.advance(by: .seconds(between)) }
        bank.clock.jump(by: number % 2 == 0 ? Self.hour : .zero - Self.hour)
        _ = try await bank.submit(.test("1"), to: bank.begin())
      }
      let counter = try await bank.inner.failures(of: "anna", in: Bank.organisation)
      #expect((counter.lockOut != nil) == locksOut)
    }
  }

  @Test("each decision's record holds the readings of both clocks")
  func record() async throws {
    let bank = try await bank(on: .inMemory)
    let begunAt = bank.clock.reading()
    let begun = try await bank.begin()
    bank.clock.advance(by: .seconds(5))
    bank.clock.jump(by: Self.hour)
    _ = try await bank.submit(.test("1"), to: begun)
    let record = try #require(try await bank.records().first)
    #expect(record.begunAt == begunAt && record.decidedAt == bank.clock.reading())
    #expect(record.begunAt?.elapsed(until: record.decidedAt) == .seconds(5))
  }

  @Test("the system's clocks move, and its boot has a name")
  func system() throws {
    let first = SystemClock().reading()
    let second = SystemClock().reading()
    #expect(first.boot == second.boot && first.boot.count == 36)
    #expect(try #require(first.elapsed(until: second)) >= .zero)
  }
}
