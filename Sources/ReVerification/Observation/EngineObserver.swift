import Biometrics
import EnrolmentStore

/// Hears what an engine does, for metrics and logs. Called from many threads, between the engine's steps: it must be quick
/// and never call the engine.
public protocol EngineObserver: Sendable {
  func observe(_ event: EngineEvent)
}

/// What an engine did. No embedding, score or secret is in it; an e-mail address only in `asked`, which is for debugging.
public enum EngineEvent: Sendable {
  /// An organisation's gallery was loaded when the engine opened.
  case opened(OrganisationID, GalleryOrigin)
  /// An organisation's gallery was to be written to its snapshot.
  case checkpointed(OrganisationID, Checkpoint)
  /// Somebody asks to begin.
  case asked(WorkflowID, EmailAddress)
  case begun(ReVerificationID, of: OrganisationID, on: WorkflowID)
  /// It could not begin; the organisation is `nil` for a key that is unknown.
  case refused(FailureReason, of: OrganisationID?, on: WorkflowID)
  /// An attempt was judged.
  case judged(ReVerificationID, of: OrganisationID, Answer, AttemptTimes)
  /// A re-verification ended without an attempt being judged; `nil`: it was cancelled.
  case ended(ReVerificationID, of: OrganisationID, Outcome?)
  case enrolled(SessionID, in: OrganisationID, Enrolment.Status)
  /// A new reference that a person should look at.
  case conspicuous(SessionID, in: OrganisationID, EnrolmentChecks)
  case erased(Erasure)
  /// A call failed; the first names it: `begin`, `submit`, `cancel`, `outcome`, `enrol`, `prepare`, `erase`, `checkpoint`.
  case failed(String, ReVerificationError)
}

/// How long the parts of a judged attempt took.
public struct AttemptTimes: Hashable, Sendable {
  /// Checking and fusing what was handed in.
  public var decode = Duration.zero
  public var liveness = Duration.zero
  /// Matching; zero when liveness had failed.
  public var search = Duration.zero
  /// Reading and writing the store.
  public var durability = Duration.zero

  public init() {}

  public var total: Duration { decode + liveness + search + durability }
}

/// Hears and forgets.
struct SilentObserver: EngineObserver {
  func observe(_ event: EngineEvent) {}
}

extension ReVerificationEngine {
  /// Makes a call, and lets the observer know when it fails.
  nonisolated func observing<Value>(
    _ name: String, _ call: () async throws(ReVerificationError) -> Value
  ) async throws(ReVerificationError) -> Value {
    do throws(ReVerificationError) {
      return try await call()
    } catch {
      observer.observe(.failed(name, error))
      throw error
    }
  }
}
