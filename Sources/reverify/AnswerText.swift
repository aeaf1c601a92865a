import Biometrics
import EvaluationCommands

/// Answers in words.
enum AnswerText {
  static func text(_ answer: Answer) -> String {
    switch answer {
    case .retry(let reason, let remaining): "retry: \(reason.rawValue), attempts remaining: \(remaining)"
    case .ended(let outcome): text(outcome)
    }
  }

  static func text(_ outcome: Outcome) -> String {
    switch outcome {
    case .verified(let id, let session, let user):
      "verified: user \(user), session \(session), re-verification \(id)"
    case .failed(.notReVerified): "failed: notReVerified"
    case .failed(.attemptsExhausted): "failed: attemptsExhausted"
    case .failed(.expired): "failed: expired"
    case .failed(.notEligible(let reason)): "failed: notEligible, \(reason.rawValue)"
    }
  }
}
