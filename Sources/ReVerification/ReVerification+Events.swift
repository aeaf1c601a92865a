import Biometrics
import EnrolmentStore

extension ReVerification {
  /// What happens to a re-verification.
  public enum Event: Hashable, Sendable {
    case submit(Submission)
    /// The evaluation under this claim came to a result.
    case evaluated(ClaimID, Evaluation)
    /// The evaluation under this claim will never come to one: its process ended, or it failed.
    case evaluationLost(ClaimID)
    case cancel
    /// Somebody asks how it stands.
    case inquire
  }

  /// What the machine needs to know of a submitted attempt.
  public struct Submission: Hashable, Sendable {
    public enum Validity: Hashable, Sendable {
      case valid
      /// It can't be evaluated, and must not use an attempt.
      case invalid
    }

    public enum Standing: Hashable, Sendable {
      case clear
      /// The user was locked out by failures in another re-verification.
      case lockedOut
    }

    public let key: IdempotencyKey
    public let content: Digest
    public let validity: Validity
    public let standing: Standing
    /// The claim it is to be evaluated under, if it comes to that; never used before.
    public let claim: ClaimID
    public let engine: EngineID

    public init(
      key: IdempotencyKey, content: Digest, validity: Validity = .valid, standing: Standing = .clear,
      claim: ClaimID, engine: EngineID
    ) {
      self.key = key
      self.content = content
      self.validity = validity
      self.standing = standing
      self.claim = claim
      self.engine = engine
    }
  }

  /// The result of an evaluation.
  public enum Evaluation: Hashable, Sendable {
    case notLive
    case unusable
    /// Liveness passed, and these are the scores.
    case compared(MatchScores)
  }

  /// What is to be done about an event. `evaluate`, `decide` and `release` come with a changed state, which must be
  /// kept before anything else is done; the others leave it as it was.
  public enum Action: Hashable, Sendable {
    /// Answer so; it was decided before, or needs no decision.
    case answer(Answer)
    /// Charge, if there is an amount, and evaluate the attempt under this claim.
    case evaluate(Claim, charge: Credits?)
    case decide(Decision)
    /// The claim is given up; its attempt stays used, and its key may claim it again.
    case release
    /// The same attempt is being evaluated: its answer will be this one's.
    case join(Claim)
    /// Another attempt is being evaluated: submit again when it is through.
    case wait(Claim)
    case refuse(Refusal)
    /// No end yet.
    case pending
    case concluded(End)
    /// Late, or a duplicate.
    case ignore
  }

  /// A decision just made, not known to anybody yet.
  public enum Decision: Hashable, Sendable {
    /// The attempt with this number was judged.
    case answered(Answer, attempt: Int)
    /// It ended without an attempt being judged.
    case ended(Outcome)
    case cancelled
  }

  /// Why a submission gets no answer; none uses an attempt.
  public enum Refusal: Hashable, Sendable {
    case invalidInput
    /// The key was used for something else.
    case keyReused
    /// The attempt was being evaluated, or was lost, when the re-verification was cancelled.
    case cancelled
  }
}
