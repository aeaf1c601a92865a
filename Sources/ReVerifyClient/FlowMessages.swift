import Biometrics
import ReVerification

/// The keys of everything a flow's screens say, for translation. Raw values are stable.
public enum MessageKey: String, Hashable, Sendable, CaseIterable {
  case startingTitle = "starting.title"
  case faceCheckTitle = "faceCheck.title"
  case faceCheckText = "faceCheck.text"
  case livenessFailed = "banner.livenessFailed"
  case captureUnusable = "banner.captureUnusable"
  case faceNotMatched = "banner.faceNotMatched"
  /// For one attempt.
  case attemptsRemainingOne = "banner.attemptsRemaining.one"
  /// For any other number, which stands for `{count}`.
  case attemptsRemainingOther = "banner.attemptsRemaining.other"
  case sendingTitle = "sending.title"
  case decidingTitle = "deciding.title"
  case errorTitle = "error.title"
  case errorNetwork = "error.network"
  case errorValidation = "error.validation"
  case errorCapture = "error.capture"
  case errorServer = "error.server"
  case cannotContinueTitle = "cannotContinue.title"
  case cannotContinueText = "cannotContinue.text"
  case tryAgain = "action.tryAgain"
  case close = "action.close"

  /// What is said where no translation is.
  public var english: String {
    switch self {
    case .startingTitle: "Getting ready…"
    case .faceCheckTitle: "Face check"
    case .faceCheckText: "Fit your face in the oval, and move closer as it grows."
    case .livenessFailed: "That check didn't work."
    case .captureUnusable: "We couldn't see you well enough. Find even light and hold still."
    case .faceNotMatched: "We couldn't recognise you."
    case .attemptsRemainingOne: "1 attempt left"
    case .attemptsRemainingOther: "{count} attempts left"
    case .sendingTitle: "Sending…"
    case .decidingTitle: "Checking…"
    case .errorTitle: "Something went wrong"
    case .errorNetwork: "We couldn't reach the service. Check your connection."
    case .errorValidation: "The service couldn't accept the check."
    case .errorCapture: "This camera's recording can't be used here."
    case .errorServer: "The service had a problem. Nothing was lost."
    case .cannotContinueTitle: "We can't continue"
    case .cannotContinueText: "This check isn't possible right now. Please choose another way."
    case .tryAgain: "Try again"
    case .close: "Close"
    }
  }
}

/// What a screen says in one state, in the words that were chosen.
public struct FlowScreen: Hashable, Sendable {
  public struct Button: Hashable, Sendable {
    public let action: FlowAction
    public let label: String
  }

  public let title: String
  public let text: String?
  public let banner: String?
  public let buttons: [Button]
}

extension FlowState {
  /// This state's screen; `translation` gives a key's words, or `nil` for the English ones.
  public func screen(translation: (MessageKey) -> String? = { _ in nil }) -> FlowScreen {
    func say(_ key: MessageKey) -> String { translation(key) ?? key.english }
    let (title, text): (MessageKey, MessageKey?) =
      switch self {
      case .starting: (.startingTitle, nil)
      case .faceCheck: (.faceCheckTitle, .faceCheckText)
      case .sending: (.sendingTitle, nil)
      case .deciding: (.decidingTitle, nil)
      case .error(let kind): (.errorTitle, kind.message)
      case .cannotContinue: (.cannotContinueTitle, .cannotContinueText)
      }
    var banner: String?
    if case .faceCheck(let shown?) = self {
      let count = shown.attemptsRemaining
      let remaining = say(count == 1 ? .attemptsRemainingOne : .attemptsRemainingOther)
        .split(separator: "{count}", omittingEmptySubsequences: false).joined(separator: "\(count)")
      banner = "\(say(shown.reason.message)) \(remaining)"
    }
    return FlowScreen(
      title: say(title), text: text.map(say), banner: banner,
      buttons: actions.map { FlowScreen.Button(action: $0, label: say($0.message)) })
  }
}

extension FlowAction {
  fileprivate var message: MessageKey {
    switch self {
    case .tryAgain: .tryAgain
    case .close: .close
    }
  }
}

extension RetryReason {
  fileprivate var message: MessageKey {
    switch self {
    case .livenessFailed: .livenessFailed
    case .captureUnusable: .captureUnusable
    case .faceNotMatched: .faceNotMatched
    }
  }
}

extension ReVerificationError.Kind {
  fileprivate var message: MessageKey {
    switch self {
    case .network: .errorNetwork
    case .validation: .errorValidation
    case .capture: .errorCapture
    case .cancelled, .storage, .internal: .errorServer
    }
  }
}
