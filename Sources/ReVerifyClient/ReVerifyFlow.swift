import Biometrics
import EnrolmentStore
import ReVerification

/// Makes flows over one transport.
public struct ReVerifyClient: Sendable {
  private let transport: any ReVerifyTransport
  private let randomness: any RandomSource

  public init(transport: any ReVerifyTransport, randomness: any RandomSource = SystemRandomness()) {
    self.transport = transport
    self.randomness = randomness
  }

  /// A flow that re-verifies the user with this e-mail address, once `start()` is called.
  ///
  /// `onState` hears each state in order; `onResult` is called exactly once, and no state follows. Both are called one at a
  /// time, on whatever thread brought them about. An e-mail that is no address gives `.failure` of kind `validation`
  /// and no state; closing, or letting the flow go, before an outcome gives kind `cancelled`.
  public func makeReVerifyFlow(
    workflowID: WorkflowID, email: String,
    onState: @escaping @Sendable (FlowState) -> Void = { _ in },
    onResult: @escaping @Sendable (Result<Outcome, ReVerificationError>) -> Void
  ) -> ReVerifyFlow {
    let transport = transport
    let core = FlowCore(
      FlowMachine(isValid: EmailAddress(email) != nil),
      FlowCore.Listener(onState: onState, onResult: onResult)
    ) { core, request in
      Task { await transport.perform(request, workflowID: workflowID, email: email, for: core) }
    }
    return ReVerifyFlow(core: core, randomness: randomness)
  }
}

/// The client's side of one re-verification, without a screen: it goes through the states that a screen shows.
///
/// Every method may be called at any time, from anywhere; what doesn't fit the state does nothing.
public final class ReVerifyFlow: Sendable {
  private let core: FlowCore
  private let randomness: any RandomSource

  init(core: FlowCore, randomness: any RandomSource) {
    self.core = core
    self.randomness = randomness
  }

  /// The state last entered; `nil` before `start()`.
  public var state: FlowState? { core.state }

  /// What the face check needs, once begun; its schedule is that of the next attempt.
  public var faceCheck: FaceCheck? { core.faceCheck }

  /// Begins, the first time it is called.
  public func start() {
    core.post(.start)
  }

  /// Hands over what the face check recorded, and the embeddings of its face, as a new attempt under a key of its own.
  public func submit(_ capture: Capture, embeddings: [UncheckedEmbedding]) {
    core.post(
      .faceChecked(Attempt(key: randomness.identifier(), capture: capture, embeddings: embeddings)))
  }

  /// Makes the call that failed again, with the same idempotency key.
  public func tryAgain() {
    core.post(.tryAgain)
  }

  /// Ends the flow: with its outcome where it could not continue, else with `cancelled`.
  public func close() {
    core.post(.close)
  }

  deinit {
    core.post(.close)
  }
}

extension ReVerifyTransport {
  /// Makes a call and posts what came of it.
  fileprivate func perform(
    _ request: FlowCore.Request, workflowID: WorkflowID, email: String, for core: FlowCore
  ) async {
    switch request {
    case .giveUp(let id):
      // Whether the server hears of it is not the flow's affair any more; unheard, the re-verification expires.
      try? await cancel(id)
    case .call(let number, .begin, _):
      do throws(ReVerificationError) {
        core.post(.began(number, try await begin(workflowID: workflowID, email: email)))
      } catch {
        core.post(.failed(number, error))
      }
    case .call(let number, .submit(let attempt), let id):
      guard let id else { preconditionFailure("an attempt is submitted to what was begun") }
      do throws(ReVerificationError) {
        let answer = try await submit(attempt, to: id) { core.post(.sent(number)) }
        core.post(.answered(number, answer))
      } catch {
        core.post(.failed(number, error))
      }
    }
  }
}
