import Biometrics
import Testing

@testable import ReVerification

@Suite("Captures and the upstream passive scorer")
struct CaptureTests {
  private let scorer = UpstreamPassiveScorer(threshold: 0.5, minimumFrames: 3)
  private let challenge = Challenge(nonce: "00")

  @Test(
    "the mean of the passive scores decides, and an equal one is live",
    arguments: [
      ([0.5, 0.5, 0.5], .live), ([0.2, 0.3, 1.0], .live), ([0.5, 0.5, 0.4375], .notLive),
      ([0, 0, 0], .notLive),
      ([1, 1, 1], .live),
    ] as [([Double], LivenessAssessment.Verdict)])
  func mean(scores: [Double], verdict: LivenessAssessment.Verdict) {
    let assessment = scorer.assess(
      Capture(passiveScores: scores), for: challenge, at: Instant(millisecondsSince1970: 0))
    #expect(assessment.verdict == verdict)
    #expect(assessment.score == scores.reduce(0, +) / 3)
    #expect(assessment.threshold == 0.5)
    #expect(assessment.reasons == (verdict == .live ? [] : [.lowPassiveScore]))
  }

  @Test("too few frames, or too few with a score, can't be judged")
  func unusable() {
    let few = scorer.assess(
      Capture(passiveScores: [1, 1]), for: challenge, at: Instant(millisecondsSince1970: 0))
    #expect(few.verdict == .unusable && few.score == nil && few.reasons == [.tooFewFrames])
    let frames = (0..<9).map { Capture.Frame(time: .milliseconds($0), passiveScore: $0 < 2 ? 1 : nil) }
    let unscored = scorer.assess(
      Capture(frames: frames), for: challenge, at: Instant(millisecondsSince1970: 0))
    #expect(unscored.verdict == .unusable && unscored.reasons == [.missingPassiveScores])
  }

  @Test("frames without a score are left out of the mean")
  func missingScores() {
    let scores: [Double?] = [0.9, nil, 0.6, nil, 0.3]
    let frames = scores.enumerated().map { Capture.Frame(time: .milliseconds($0), passiveScore: $1) }
    #expect(
      scorer.assess(Capture(frames: frames), for: challenge, at: Instant(millisecondsSince1970: 0)).score
        == (0.9 + 0.6 + 0.3) / 3)
  }

  @Test("a capture's digest depends on every frame's time and score")
  func digest() {
    let base = Capture(passiveScores: [0.9, 0.8, 0.7])
    var digests: Set = [base.digest]
    for index in 0..<3 {
      for change in 0..<3 {
        var frames = base.frames
        let frame = frames[index]
        frames[index] =
          switch change {
          case 0: .init(time: frame.time + .nanoseconds(1), passiveScore: frame.passiveScore)
          case 1: .init(time: frame.time, passiveScore: frame.passiveScore?.nextUp)
          default: .init(time: frame.time, passiveScore: nil)
          }
        digests.insert(Capture(frames: frames).digest)
      }
    }
    digests.insert(Capture(frames: base.frames.dropLast()).digest)
    #expect(digests.count == 11)
    #expect(Capture(passiveScores: [0.9, 0.8, 0.7]).digest == base.digest)
  }

  @Test(
    "a malformed capture names the first bad frame",
    arguments: [
      ([], .frameCount, nil), ([(-1, 0.5)], .time, 0), ([(0, 0.5), (0, 0.5)], .time, 1),
      ([(0, 0.5), (1, 1.5), (1, 2)], .passiveScore, 1),
    ] as [([(Int, Double)], CaptureError.Code, Int?)])
  func malformed(frames: [(Int, Double)], code: CaptureError.Code, frame: Int?) {
    let capture = Capture(frames: frames.map { .init(time: .milliseconds($0), passiveScore: $1) })
    #expect(throws: CaptureError(code, frame: frame)) { try capture.check() }
  }

  @Test("a scorer's settings out of range are a programming error")
  func settings() async {
    await #expect(processExitsWith: .failure) { _ = UpstreamPassiveScorer(threshold: 1.1) }
    await #expect(processExitsWith: .failure) { _ = UpstreamPassiveScorer(minimumFrames: 0) }
  }
}
