import Biometrics
import EnrolmentStore
import FaceMatching
import ReVerification

/// The contract written down a second time, as plainly as it can be: what each call must give, from a list of what happened.
///
/// It shares no rule with the engine, only the score of two faces: time is the time that truly passed, failures are a list, and
/// nothing is ever stored, restarted or concurrent.
struct ReferenceModel {
  /// What a call gave, or must give.
  enum Seen: Equatable {
    case begun(attempts: Int)
    case ended(Outcome)
    case answer(Answer)
    case enrolled(Enrolment.Status)
    case cancelled
    case outcome(Outcome?)
    case erased
    case error(ReVerificationError.Code)
  }

  struct Session {
    let id: SessionID
    let user: UserID
    let workflow: WorkflowID
    let approvedAt: Int64
    let face: Embedding
  }

  struct Terms {
    var attempts = 3
    var isActive = true
    var isOn = true
    var lockOut: LockOutPolicy?
  }

  /// What an attempt hands in.
  enum Content: Hashable {
    case face(Embedding)
    case spoof, poor
    case invalid
  }

  struct Use {
    let content: Content
    var answer: Answer?
  }

  struct Case {
    let id: ReVerificationID
    let user: UserID
    let workflow: WorkflowID
    let terms: Terms
    let begunAt: Int64
    var uses: [IdempotencyKey: Use] = [:]
    /// `nil` inside for a cancel.
    var end: Outcome??
    var closing: (key: IdempotencyKey, content: Content)?
  }

  static let life: Int64 = 600_000
  static let price: Int64 = 1

  /// The milliseconds that have passed.
  var now: Int64 = 0
  var terms: [WorkflowID: Terms] = [:]
  var keys: [String: Bool] = [:]
  var balance: Int64?
  var users: Set<UserID> = []
  var erased: Set<UserID> = []
  var sessions: [Session] = []
  var cases: [Case] = []
  var failures: [UserID: [Int64]] = [:]
  var lockOuts: [UserID: (until: Int64, cause: ReVerificationID)] = [:]
  var scorerFails = false
  /// Every decision, in order.
  var decisions: [DecisionRecord.Conclusion] = []

  func email(of user: UserID) -> String { "\(user)@example.com" }

  // MARK: enrolment

  mutating func approve(_ session: Session) -> Seen {
    guard let terms = terms[session.workflow] else { return .error(.unknownWorkflow) }
    guard terms.isOn else { return .enrolled(.notEnrolled) }
    guard users.contains(session.user) else { return .error(.unknownUser) }
    if let known = sessions.first(where: { $0.id == session.id }) {
      let isSame =
        known.user == session.user && known.workflow == session.workflow
        && known.face.values == session.face.values
        && known.approvedAt == session.approvedAt
      return isSame ? .enrolled(.alreadyEnrolled) : .error(.sessionConflict)
    }
    sessions.append(session)
    return .enrolled(.enrolled)
  }

  mutating func erase(_ user: UserID) -> Seen {
    users.remove(user)
    erased.insert(user)
    sessions.removeAll { $0.user == user }
    failures[user] = nil
    lockOuts[user] = nil
    return .erased
  }

  // MARK: begin

  mutating func begin(user: UserID, email: String, workflow: WorkflowID, key: String) -> Seen {
    guard email.contains("@") else { return .error(.invalidEmail) }
    func refused(_ reason: FailureReason) -> Seen {
      // A key that nobody has belongs to no organisation, which could keep a record.
      if keys[key] != nil { decisions.append(.ended(.failed(reason))) }
      return .ended(.failed(reason))
    }
    guard keys[key] == true else { return refused(.notEligible(.notAuthorized)) }
    guard let terms = terms[workflow] else { return refused(.notEligible(.notFound)) }
    guard terms.isActive, terms.isOn else { return refused(.notEligible(.disabled)) }
    if let balance, balance < Self.price { return refused(.notEligible(.insufficientBalance)) }
    guard users.contains(user) else { return refused(.notEligible(.userNotFound)) }
    guard sessions.contains(where: { $0.user == user && $0.workflow == workflow }) else {
      return refused(.notEligible(.notPreviouslyVerified))
    }
    if isLockedOut(user) { return refused(.attemptsExhausted) }
    return .begun(attempts: terms.attempts)
  }

  mutating func note(_ id: ReVerificationID, user: UserID, workflow: WorkflowID) {
    cases.append(Case(id: id, user: user, workflow: workflow, terms: terms[workflow]!, begunAt: now))
  }

  private func isLockedOut(_ user: UserID, except id: ReVerificationID? = nil) -> Bool {
    guard let lockOut = lockOuts[user] else { return false }
    return now < lockOut.until && lockOut.cause != id
  }

  // MARK: submit

  mutating func submit(_ content: Content, under key: IdempotencyKey, to index: Int) -> Seen {
    let now = now
    let isOver = now >= cases[index].begunAt + Self.life
    if let use = cases[index].uses[key] {
      if use.content != content { return .error(.keyReused) }
      if let answer = use.answer { return .answer(answer) }
      if let end = cases[index].end {
        return end == nil ? .error(.cancelled) : .answer(.ended(.failed(.expired)))
      }
      if isOver { return .answer(.ended(close(index, .failed(.expired)))) }
      return evaluate(content, under: key, of: index)
    }
    if let end = cases[index].end {
      guard let closing = cases[index].closing, closing.key == key, let outcome = end else {
        return .answer(.ended(.failed(.expired)))
      }
      return closing.content == content ? .answer(.ended(outcome)) : .error(.keyReused)
    }
    if isOver { return .answer(.ended(close(index, .failed(.expired), by: (key, content)))) }
    if content == .invalid { return .error(.invalidEmbedding) }
    if isLockedOut(cases[index].user, except: cases[index].id)
      || cases[index].uses.count >= cases[index].terms.attempts
    {
      return .answer(.ended(close(index, .failed(.attemptsExhausted), by: (key, content))))
    }
    if cases[index].uses.isEmpty, let balance { self.balance = balance - Self.price }
    cases[index].uses[key] = Use(content: content)
    return evaluate(content, under: key, of: index)
  }

  private mutating func close(
    _ index: Int, _ outcome: Outcome, by closing: (IdempotencyKey, Content)? = nil
  ) -> Outcome {
    cases[index].end = .some(outcome)
    cases[index].closing = closing.map { (key: $0.0, content: $0.1) }
    decisions.append(.ended(outcome))
    return outcome
  }

  private mutating func evaluate(_ content: Content, under key: IdempotencyKey, of index: Int) -> Seen {
    if scorerFails {
      scorerFails = false
      return .error(.evaluationFailed)
    }
    let subject = cases[index]
    let left = subject.terms.attempts - subject.uses.count
    func failure(_ reason: RetryReason) -> Answer {
      left > 0 ? .retry(reason, attemptsRemaining: left) : .ended(.failed(.attemptsExhausted))
    }
    let answer: Answer
    switch content {
    case .spoof: answer = failure(.livenessFailed)
    case .poor: answer = failure(.captureUnusable)
    case .face(let face): answer = verdict(face, subject) ?? failure(.faceNotMatched)
    case .invalid: preconditionFailure("what is invalid is not evaluated")
    }
    cases[index].uses[key]?.answer = answer
    count(answer, of: subject)
    switch answer {
    case .retry(let reason, let remaining): decisions.append(.retry(reason, attemptsRemaining: remaining))
    case .ended(let outcome):
      cases[index].end = .some(outcome)
      decisions.append(.ended(outcome))
    }
    return .answer(answer)
  }

  private func verdict(_ face: Embedding, _ subject: Case) -> Answer? {
    func score(_ session: Session) -> Float { try! session.face.score(with: face).value }
    let best = sessions.filter { $0.user == subject.user && $0.workflow == subject.workflow }
      .max { left, right in
        (score(left), left.approvedAt, right.id) < (score(right), right.approvedAt, left.id)
      }
    let elsewhere = sessions.filter { $0.user == subject.user && $0.workflow != subject.workflow }
    let others = sessions.filter { $0.user != subject.user }.map(score).max() ?? -1
    if let best, score(best) >= 0.5, others < 0.6 || others <= score(best) {
      return .ended(.verified(reVerificationID: subject.id, originalSessionID: best.id, userID: subject.user))
    }
    let isKnown =
      others >= 0.6 || (best == nil || score(best!) < 0.5) && elsewhere.contains { score($0) >= 0.6 }
    return isKnown ? .ended(.failed(.notReVerified)) : nil
  }

  private mutating func count(_ answer: Answer, of subject: Case) {
    guard !erased.contains(subject.user) else { return }
    if case .ended(.verified) = answer {
      failures[subject.user] = []
      return
    }
    failures[subject.user, default: []].append(now)
    guard let policy = subject.terms.lockOut else { return }
    let recent = failures[subject.user]!.count { now - $0 < policy.window.wholeMilliseconds }
    guard recent >= policy.failures else { return }
    failures[subject.user] = []
    lockOuts[subject.user] = (now + policy.duration.wholeMilliseconds, subject.id)
  }

  // MARK: the end

  mutating func cancel(_ index: Int) -> Seen {
    if let end = cases[index].end { return end.map { .outcome($0) } ?? .cancelled }
    if now >= cases[index].begunAt + Self.life { return .outcome(close(index, .failed(.expired))) }
    cases[index].end = .some(nil)
    decisions.append(.cancelled)
    return .cancelled
  }

  mutating func inquire(_ index: Int) -> Seen {
    if let end = cases[index].end { return end.map { .outcome($0) } ?? .error(.cancelled) }
    if now >= cases[index].begunAt + Self.life { return .outcome(close(index, .failed(.expired))) }
    return .outcome(nil)
  }
}
