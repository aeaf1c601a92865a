import Biometrics
import Liveness
import ReVerification

/// The states of one flow, as a value changed by `handle` alone; it calls nobody.
///
/// Invariants:
/// - At most one call is under way; answers to any other are late and change nothing.
/// - *Try again* makes the failed call anew: the same attempt, so the same idempotency key.
/// - It finishes once, whatever is raced with what; after `finish` no effect follows but giving up what came too late.
struct FlowMachine: Sendable {
  /// A call to the transport.
  enum Call: Sendable {
    case begin
    case submit(Attempt)
  }

  enum Event: Sendable {
    case start
    /// The transport's answers, to the call of this number.
    case began(Int, Beginning)
    case sent(Int)
    case answered(Int, FlowAnswer)
    case failed(Int, ReVerificationError)
    /// The user's part.
    case faceChecked(Attempt)
    case tryAgain
    case close
  }

  enum Effect: Sendable {
    case show(FlowState)
    case call(Int, Call, ReVerificationID?)
    case giveUp(ReVerificationID)
    case finish(Result<Outcome, ReVerificationError>)
  }

  private enum Phase: Sendable {
    case idle
    case calling(Call)
    case faceCheck
    case failed(Call, ReVerificationError)
    case blocked(Outcome)
    case finished
  }

  private let isValid: Bool
  private var phase = Phase.idle
  /// The number of the latest call.
  private var number = 0
  private(set) var state: FlowState?
  private(set) var faceCheck: FaceCheck?

  /// A flow that can begin, or one whose e-mail is no address and which fails without a state.
  init(isValid: Bool) {
    self.isValid = isValid
  }

  mutating func handle(_ event: Event) -> [Effect] {
    switch (event, phase) {
    case (.start, .idle) where isValid:
      return call(.begin, showing: .starting)
    case (.start, .idle) where !isValid, (.close, .idle) where !isValid:
      return finish(.failure(ReVerificationError(.invalidEmail, "expected an e-mail address")))
    case (.began(let answered, let beginning), .calling(.begin)) where answered == number:
      return begin(beginning)
    case (.began(_, .begun(let check)), .finished):
      // Closed while it was being begun: nobody will answer this one.
      return [.giveUp(check.reVerificationID)]
    case (.sent(let answered), .calling(.submit)) where answered == number && state == .sending:
      return [show(.deciding)]
    case (.answered(let answered, let answer), .calling(.submit)) where answered == number:
      return proceed(answer)
    case (.failed(let answered, let error), .calling(let failed)) where answered == number:
      if error.kind == .cancelled { return finish(.failure(error)) }
      phase = .failed(failed, error)
      return [show(.error(error.kind))]
    case (.faceChecked(let attempt), .faceCheck):
      return call(.submit(attempt), showing: .sending)
    case (.tryAgain, .failed(let failed, _)):
      if case .begin = failed { return call(failed, showing: .starting) }
      return call(failed, showing: .sending)
    case (.close, .blocked(let outcome)):
      return finish(.success(outcome))
    case (.close, .finished):
      return []
    case (.close, _):
      return close()
    default:
      return []
    }
  }

  private mutating func begin(_ beginning: Beginning) -> [Effect] {
    switch beginning {
    case .begun(let check):
      faceCheck = check
      phase = .faceCheck
      return [show(.faceCheck(banner: nil))]
    case .ended(let outcome):
      phase = .blocked(outcome)
      return [show(.cannotContinue)]
    }
  }

  private mutating func proceed(_ answer: FlowAnswer) -> [Effect] {
    switch answer {
    case .retry(let reason, let remaining, let schedule):
      faceCheck?.schedule = schedule
      phase = .faceCheck
      return [show(.faceCheck(banner: FlowBanner(reason, attemptsRemaining: remaining)))]
    case .ended(let outcome):
      return finish(.success(outcome))
    }
  }

  private mutating func call(_ call: Call, showing state: FlowState) -> [Effect] {
    number += 1
    phase = .calling(call)
    return [show(state), .call(number, call, faceCheck?.reVerificationID)]
  }

  private mutating func close() -> [Effect] {
    let context =
      if case .failed(_, let error) = phase { "closed after \(error)" } else { "closed before an outcome" }
    let abandoned = faceCheck.map { [Effect.giveUp($0.reVerificationID)] } ?? []
    return finish(.failure(ReVerificationError(.cancelled, context))) + abandoned
  }

  private mutating func finish(_ result: Result<Outcome, ReVerificationError>) -> [Effect] {
    phase = .finished
    return [.finish(result)]
  }

  private mutating func show(_ state: FlowState) -> Effect {
    self.state = state
    return .show(state)
  }
}
