import Biometrics
import ReVerification
import TestSupport
import Testing

@testable import ReVerifyClient

/// What can happen to a flow.
private enum Letter: String, CaseIterable {
  case close, answer, error, tryAgain
  case faceChecked, sent, lateAnswer

  /// Those of the contract's promise; the others happen by themselves in the short form.
  static let contract: [Letter] = [.close, .answer, .error, .tryAgain]
}

/// A flow whose transport answers when the test says so, with what has been seen of it. A value, so that sequences share
/// their beginnings.
private struct Rehearsal {
  static let check = FaceCheck(
    reVerificationID: "r", challenge: Challenge(nonce: "00"), attemptsAllowed: 3,
    expiry: Instant(millisecondsSince1970: 0))
  static let verified = Outcome.verified(reVerificationID: "r", originalSessionID: "s", userID: "u")

  var machine = FlowMachine(isValid: true)
  var result: Result<Outcome, ReVerificationError>?
  var firstCall: (number: Int, call: FlowMachine.Call)?
  var lastCall: (number: Int, call: FlowMachine.Call)?
  var callCount = 0
  var lastKey: IdempotencyKey?
  var givenUp = 0
  var answers = 0
  var broken: String?

  init() {
    post(.start)
  }

  mutating func post(_ event: FlowMachine.Event) {
    for effect in machine.handle(event) {
      switch effect {
      case .show(let state):
        if result != nil { broken = "\(state) after the result" }
      case .call(let number, let call, _):
        if result != nil { broken = "a call after the result" }
        callCount += 1
        lastCall = (number, call)
        if firstCall == nil { firstCall = lastCall }
        if case .submit(let attempt) = call { lastKey = attempt.key }
      case .giveUp: givenUp += 1
      case .finish(let new):
        if result != nil { broken = "a second result" }
        result = new
      }
    }
  }

  mutating func happen(_ letter: Letter, at step: Int) {
    let before = self
    switch letter {
    case .close: post(.close)
    case .tryAgain: post(.tryAgain)
    case .faceChecked: checkFace(at: step)
    case .sent: if let lastCall { post(.sent(lastCall.number)) }
    case .error:
      if let lastCall { post(.failed(lastCall.number, ReVerificationError(.unreachable, ""))) }
    case .answer: if let lastCall { answer(lastCall) }
    case .lateAnswer: if let firstCall { answer(firstCall) }
    }
    if letter == .close, result == nil { broken = "a close without a result" }
    if letter == .tryAgain, callCount > before.callCount {
      if callCount != before.callCount + 1 { broken = "try again made more than one call" }
      if before.lastKey != lastKey { broken = "try again under another key" }
    }
    switch result {
    case nil, .success(Rehearsal.verified): break
    case .success(let other): broken = "\(other)"
    case .failure(let error): if error.kind != .cancelled { broken = "\(error)" }
    }
  }

  mutating func checkFace(at step: Int) {
    post(.faceChecked(Attempt(key: .init("\(step)"), capture: Capture(passiveScores: []), embeddings: [])))
  }

  /// Attempts get a retry first, and the outcome the second time.
  private mutating func answer(_ call: (number: Int, call: FlowMachine.Call)) {
    switch call.call {
    case .begin: post(.began(call.number, .begun(Self.check)))
    case .submit:
      answers += 1
      let retry = FlowAnswer.retry(.faceNotMatched, attemptsRemaining: 2, schedule: nil)
      post(.answered(call.number, answers == 1 ? retry : .ended(Self.verified)))
    }
  }
}

@Suite("A flow, in all orders of what can happen")
struct InterleavingTests {
  /// Plays every sequence of `letters` of a length, each closed at its end, and returns how many there were.
  private func play(
    _ letters: [Letter], length: Int, facesCheckThemselves: Bool, from rehearsal: Rehearsal = Rehearsal(),
    path: [Letter] = []
  ) -> Int {
    guard path.count < length else {
      var closed = rehearsal
      closed.happen(.close, at: length)
      if closed.result == nil { Issue.record("no result after \(path.map(\.rawValue))") }
      return 1
    }
    return letters.reduce(0) { count, letter in
      var next = rehearsal
      next.happen(letter, at: path.count)
      if facesCheckThemselves, case .faceCheck = next.machine.state { next.checkFace(at: path.count) }
      if let broken = next.broken {
        Issue.record("\(broken) after \((path + [letter]).map(\.rawValue))")
        return count
      }
      return count
        + play(
          letters, length: length, facesCheckThemselves: facesCheckThemselves, from: next,
          path: path + [letter])
    }
  }

  @Test("close, answer, error and try again, exhaustively to depth 8: one result, and no state after it")
  func contract() {
    // Each face check answers itself, so that four letters reach every state.
    #expect(play(Letter.contract, length: 8, facesCheckThemselves: true) == 65_536)
  }

  @Test("the same with late answers and the steps between, to depth 6 (8 in long runs)")
  func everything() {
    let length = LongRuns.areEnabled ? 8 : 6
    let expected = (0..<length).reduce(1) { product, _ in product * Letter.allCases.count }
    #expect(play(Letter.allCases, length: length, facesCheckThemselves: false) == expected)
  }

  @Test("all of it at once from many threads: one result, told once, and no state after it")
  func threads() async {
    for _ in 0..<(LongRuns.areEnabled ? 2000 : 200) {
      let told = Guarded<(results: Int, statesAfter: Int)>((0, 0))
      let core = FlowCore(
        FlowMachine(isValid: true),
        FlowCore.Listener(
          onState: { _ in told.withLock { $0.statesAfter += $0.results } },
          onResult: { _ in told.withLock { $0.results += 1 } })
      ) { _, _ in }
      core.post(.start)
      await withTaskGroup(of: Void.self) { group in
        for step in 0..<16 {
          group.addTask {
            switch step % 6 {
            case 0: core.post(.began(1, .begun(Rehearsal.check)))
            case 1: core.post(.failed(Int(step / 6) + 1, ReVerificationError(.unreachable, "")))
            case 2: core.post(.tryAgain)
            case 3:
              core.post(.faceChecked(Attempt(key: "k", capture: Capture(passiveScores: []), embeddings: [])))
            case 4: core.post(.answered(step / 6 + 1, .ended(Rehearsal.verified)))
            default: core.post(.close)
            }
          }
        }
      }
      #expect(told.withLock { $0.results } == 1 && told.withLock { $0.statesAfter } == 0)
    }
  }

  @Test("a host may close from inside a callback, and is told the rest in order")
  func reentrance() {
    let order = Guarded<[String]>([])
    let core = Guarded<FlowCore?>(nil)
    let flow = FlowCore(
      FlowMachine(isValid: true),
      FlowCore.Listener(
        onState: { state in
          order.withLock { $0.append("\(state)") }
          core.withLock { $0 }?.post(.close)
          order.withLock { $0.append("closed") }
        },
        onResult: { _ in order.withLock { $0.append("result") } })
    ) { _, _ in }
    core.withLock { $0 = flow }
    flow.post(.start)
    #expect(order.withLock { $0 } == ["starting", "closed", "result"])
    core.withLock { $0 = nil }
  }

  @Test("what was begun after the close is given up, so that nobody else can go on with it")
  func lateBegin() {
    var rehearsal = Rehearsal()
    rehearsal.happen(.close, at: 0)
    rehearsal.happen(.answer, at: 1)
    #expect(rehearsal.givenUp == 1 && rehearsal.broken == nil)
  }
}
