import Biometrics
import EnrolmentStore

/// What one event of a stored re-verification leads to: changes that go with its new state, and a result.
struct Step<Value> {
  var changes: [StoreChange] = []
  let value: Value
}

/// When a step is taken: by all clocks, and on the line of time of the re-verification concerned.
struct Moment {
  let reading: ClockReading
  let now: Instant
}

extension ReVerificationEngine {
  /// How often a commit is tried when others change the same records; each time one of them has come further.
  private static let patience = 1000

  /// Lets `body` change the re-verification, and keeps it with the changes that go with it, all or nothing.
  ///
  /// When somebody else has changed it meanwhile, the body runs again, on what they made of it.
  nonisolated func change<Value>(
    _ id: ReVerificationID,
    _ body: (inout ReVerification, Moment) async throws(ReVerificationError) -> Step<Value>
  ) async throws(ReVerificationError) -> Value {
    for _ in 0..<Self.patience {
      let read = try await storage(await store.reVerification(id))
      guard let read else { throw ReVerificationError(.unknownReVerification, "re-verification \(id)") }
      let before = try ReVerification(read)
      var machine = before
      let reading = clock.reading()
      let moment = Moment(reading: reading, now: machine.time(at: reading))
      await releaseLostClaim(of: &machine, at: moment.now)
      let step = try await body(&machine, moment)
      if machine == before && step.changes.isEmpty { return step.value }
      let state = StoreChange.reVerification(try machine.stored(replacing: read.revision))
      if try await commit([state] + step.changes) { return step.value }
    }
    throw ReVerificationError(.contention, "re-verification \(id)")
  }

  /// Whether the changes were made; false when something they rest on has changed.
  nonisolated func commit(_ changes: [StoreChange]) async throws(ReVerificationError) -> Bool {
    do throws(StoreError) {
      try await store.commit(changes)
      return true
    } catch {
      if error.code == .conflict { return false }
      throw ReVerificationError(error)
    }
  }

  /// Gives up a claim that nobody works on any more: of an engine that has ended, or of a call that failed.
  ///
  /// Must follow the read of the state: a claim of this engine is noted before it is stored, and forgotten after its
  /// decision is, so one that is stored and not noted is either lost or decided by now, and then the commit conflicts.
  private nonisolated func releaseLostClaim(of machine: inout ReVerification, at now: Instant) async {
    guard case .evaluating(let claim, _) = machine.state else { return }
    let lost: Bool
    if claim.engine == self.id {
      lost = !(await isRunning(claim.id, for: machine.id))
    } else {
      lost = now >= claim.at + configuration.claimLease
    }
    if lost { _ = machine.handle(.evaluationLost(claim.id), at: now) }
  }

  /// Runs a read of the store, with its errors as the engine's.
  nonisolated func storage<Value>(
    _ read: @autoclosure () async throws(StoreError) -> Value
  ) async throws(ReVerificationError) -> Value {
    do throws(StoreError) {
      return try await read()
    } catch {
      throw ReVerificationError(error)
    }
  }
}
