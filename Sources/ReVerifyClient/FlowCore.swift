import Biometrics
import ReVerification

/// Lets events happen to a flow's machine from any thread, and tells the host one thing at a time, in order.
///
/// No lock is held while the host is told something, so it may close or go on from inside its callbacks.
final class FlowCore: Sendable {
  /// Whom states and the result are told; let go once the result was.
  struct Listener: Sendable {
    let onState: @Sendable (FlowState) -> Void
    let onResult: @Sendable (Result<Outcome, ReVerificationError>) -> Void
  }

  /// A call or a cancel that the transport is to make.
  enum Request: Sendable {
    case call(Int, FlowMachine.Call, ReVerificationID?)
    case giveUp(ReVerificationID)
  }

  private enum Delivery {
    case state(FlowState)
    case result(Result<Outcome, ReVerificationError>)
  }

  private struct Work {
    var machine: FlowMachine
    var listener: Listener?
    var deliveries: [Delivery] = []
    var isDelivering = false
  }

  private let work: Guarded<Work>
  private let perform: @Sendable (FlowCore, Request) -> Void

  init(
    _ machine: FlowMachine, _ listener: Listener, perform: @escaping @Sendable (FlowCore, Request) -> Void
  ) {
    work = Guarded(Work(machine: machine, listener: listener))
    self.perform = perform
  }

  var state: FlowState? { work.withLock { $0.machine.state } }
  var faceCheck: FaceCheck? { work.withLock { $0.machine.faceCheck } }

  func post(_ event: FlowMachine.Event) {
    let requests = work.withLock { work in
      var requests: [Request] = []
      for effect in work.machine.handle(event) {
        switch effect {
        case .show(let state): work.deliveries.append(.state(state))
        case .finish(let result): work.deliveries.append(.result(result))
        case .call(let number, let call, let id): requests.append(.call(number, call, id))
        case .giveUp(let id): requests.append(.giveUp(id))
        }
      }
      return requests
    }
    for request in requests { perform(self, request) }
    deliver()
  }

  /// Tells what is to be told, unless another thread, or a caller further up, is at it.
  private func deliver() {
    while let (delivery, listener) = next() {
      switch delivery {
      case .state(let state): listener.onState(state)
      case .result(let result): listener.onResult(result)
      }
      work.withLock { $0.isDelivering = false }
    }
  }

  private func next() -> (Delivery, Listener)? {
    work.withLock { work in
      guard !work.isDelivering, !work.deliveries.isEmpty, let listener = work.listener else { return nil }
      work.isDelivering = true
      let delivery = work.deliveries.removeFirst()
      if case .result = delivery { work.listener = nil }
      return (delivery, listener)
    }
  }
}
