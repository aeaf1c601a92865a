import Biometrics
import EnrolmentStore
import Testing

@testable import ReVerification

/// Rule 5 of the contract, with scores given.
@Suite("The claimed user's question and the organisation's")
struct VerdictTests {
  private static let policy = try! Bank.policy(verify: 0.5, recognise: 0.6)

  private func reference(
    _ score: Float, _ session: SessionID = "s", user: UserID = "anna", approvedAt: Int64 = 0
  ) -> ScoredReference {
    ScoredReference(
      session: session, user: user, workflow: "w", approvedAt: Instant(millisecondsSince1970: approvedAt),
      score: SimilarityScore(score))
  }

  private func verdict(
    claimed: Float?, otherPerson: Float? = nil, otherWorkflow: Float? = nil,
    policy: ReVerificationPolicy = policy
  ) -> Verdict {
    MatchScores(
      claimed: claimed.map { [reference($0)] } ?? [],
      otherWorkflow: otherWorkflow.map { reference($0, "elsewhere") },
      otherPerson: otherPerson.map { reference($0, "other", user: "bert") }
    ).verdict(by: policy)
  }

  @Test(
    "the decision table",
    arguments: [
      // claimed, other person, this user on another workflow, verdict
      (0.7, nil, nil, .verified("s")),
      (0.5, nil, nil, .verified("s")),
      (Float(0.5).nextDown, nil, nil, .notMatched),
      (nil, nil, nil, .notMatched),
      (-1, -1, -1, .notMatched),
      // Another person, less close, equally close, closer; recognised or not.
      (0.7, 0.65, nil, .verified("s")),
      (0.7, 0.7, nil, .verified("s")),
      (0.7, Float(0.7).nextUp, nil, .notReVerified),
      (0.5, 0.6, nil, .notReVerified),
      (0.5, Float(0.6).nextDown, nil, .verified("s")),
      (0.4, 0.6, nil, .notReVerified),
      (0.4, Float(0.6).nextDown, nil, .notMatched),
      (nil, 1, nil, .notReVerified),
      // This user on another workflow is no other person.
      (0.7, nil, 1, .verified("s")),
      (0.4, nil, 0.6, .notReVerified),
      (0.4, nil, Float(0.6).nextDown, .notMatched),
      (0.4, 0.55, 0.55, .notMatched),
    ] as [(Float?, Float?, Float?, Verdict)])
  func table(claimed: Float?, otherPerson: Float?, otherWorkflow: Float?, expected: Verdict) {
    #expect(verdict(claimed: claimed, otherPerson: otherPerson, otherWorkflow: otherWorkflow) == expected)
  }

  @Test(
    "with the frames' scores only who is verified by both is, and whom either recognises as another is not re-verified",
    arguments: [
      // the probe's verdict by (claimed, other person), the frames' likewise, verdict
      ((0.7, nil), (0.5, nil), .verified("s")), ((0.7, nil), (Float(0.5).nextDown, nil), .notMatched),
      ((0.7, nil), (nil, nil), .notMatched), ((0.7, nil), (0.7, 0.65), .verified("s")),
      ((0.7, nil), (0.1, 0.6), .notReVerified), ((0.7, nil), (0.65, 0.7), .notReVerified),
      ((0.4, nil), (0.7, nil), .notMatched), ((0.4, nil), (0.1, 0.6), .notReVerified),
      ((0.1, 0.6), (0.7, nil), .notReVerified), ((0.7, nil), (0.1, Float(0.6).nextDown), .notMatched),
    ] as [((Float?, Float?), (Float?, Float?), Verdict)])
  func frames(probe: (Float?, Float?), frames: (Float?, Float?), expected: Verdict) {
    func scores(_ pair: (Float?, Float?)) -> ([ScoredReference], ScoredReference?) {
      // Another session of the frames' would be named, were it asked.
      (pair.0.map { [reference($0)] } ?? [], pair.1.map { reference($0, "other", user: "bert") })
    }
    let ((claimed, other), (shown, otherShown)) = (scores(probe), scores(frames))
    let both = MatchScores(
      claimed: claimed, otherPerson: other, frames: FrameScores(claimed: shown, otherPerson: otherShown))
    #expect(both.verdict(by: Self.policy) == expected)
  }

  @Test("a threshold of 0.0 is honoured, not taken for none")
  func zeroThreshold() throws {
    let policy = try Bank.policy(verify: 0, recognise: 0)
    #expect(verdict(claimed: 0, policy: policy) == .verified("s"))
    #expect(verdict(claimed: -0.0, policy: policy) == .verified("s"))
    #expect(verdict(claimed: -.leastNonzeroMagnitude, policy: policy) == .notMatched)
    #expect(verdict(claimed: -0.1, otherPerson: 0, policy: policy) == .notReVerified)
    #expect(verdict(claimed: 0, otherPerson: .leastNonzeroMagnitude, policy: policy) == .notReVerified)
  }

  @Test("the best score wins over the first enrolled, the latest and the smallest id")
  func bestScore() {
    let scores = MatchScores(claimed: [
      reference(0.6, "a", approvedAt: 9), reference(0.8, "z", approvedAt: 1),
      reference(0.7, "b", approvedAt: 10),
    ])
    #expect(scores.verdict(by: Self.policy) == .verified("z"))
  }

  @Test("equal scores: the latest approval, then the smaller id, in whatever order they come")
  func ties() {
    let later = [
      reference(0.8, "c", approvedAt: 2), reference(0.8, "b", approvedAt: 2),
      reference(0.8, "a", approvedAt: 1),
    ]
    for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
      #expect(MatchScores(claimed: order.map { later[$0] }).verdict(by: Self.policy) == .verified("b"))
    }
  }
}
