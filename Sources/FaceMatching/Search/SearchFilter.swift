import Biometrics

/// Which references of an organisation a search looks at.
public enum SearchFilter: Hashable, Sendable {
  case all
  case user(UserID)
  case userOnWorkflow(UserID, WorkflowID)
  case workflow(WorkflowID)
  /// Everybody but this user.
  case excludingUser(UserID)

  func includes(_ reference: EnrolledReference) -> Bool {
    switch self {
    case .all: true
    case .user(let user): reference.user == user
    case .userOnWorkflow(let user, let workflow): reference.user == user && reference.workflow == workflow
    case .workflow(let workflow): reference.workflow == workflow
    case .excludingUser(let user): reference.user != user
    }
  }

  /// The only user whose references it includes: they are few and found by index, without a scan.
  var onlyUser: UserID? {
    switch self {
    case .user(let user), .userOnWorkflow(let user, _): user
    case .all, .workflow, .excludingUser: nil
    }
  }
}

/// What a search is to return.
struct SearchRequest: Sendable {
  /// At most this many candidates; `Int.max` for all.
  let limit: Int
  /// The lowest score of a candidate; −2, below every score, for any.
  let floor: Float
  let filter: SearchFilter

  init(limit: Int?, threshold: SimilarityThreshold?, filter: SearchFilter) {
    self.limit = limit ?? .max
    floor = threshold?.value ?? -2
    self.filter = filter
  }
}
