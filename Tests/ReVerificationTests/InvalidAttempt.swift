import Biometrics
import EnrolmentStore
import ReVerification
import TestSupport
import Testing

/// An attempt that can't be evaluated, and what the engine says to it.
struct InvalidAttempt: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let code: ReVerificationError.Code
  let attempt: Attempt

  private init(_ name: String, _ code: ReVerificationError.Code, _ attempt: Attempt) {
    testDescription = name
    self.code = code
    self.attempt = attempt
  }

  private static func frames(_ frames: [(Duration, Double?)]) -> Attempt {
    .test("1", Face.anna, Capture(frames: frames.map { Capture.Frame(time: $0, passiveScore: $1) }))
  }

  private static func faces(_ embeddings: [UncheckedEmbedding]) -> Attempt {
    Attempt(key: "1", capture: .live, embeddings: embeddings)
  }

  private static let anna = UncheckedEmbedding(Face.anna, space: Bank.space)

  static let all: [InvalidAttempt] =
    embeddings + captures + [
      InvalidAttempt("an empty key", .invalidKey, .test("")),
      InvalidAttempt("a key of 129 bytes", .invalidKey, .test(.init(String(repeating: "k", count: 129)))),
    ]

  private static let embeddings = [
    InvalidAttempt("too few values", .invalidEmbedding, .test("1", [1, 0, 0])),
    InvalidAttempt("too many values", .invalidEmbedding, .test("1", [1, 0, 0, 0, 0])),
    InvalidAttempt("no values", .invalidEmbedding, .test("1", [])),
    InvalidAttempt("a NaN", .invalidEmbedding, .test("1", [1, 0, .nan, 0])),
    InvalidAttempt("an infinity", .invalidEmbedding, .test("1", [1, 0, 0, -.infinity])),
    InvalidAttempt("a zero vector", .invalidEmbedding, .test("1", [0, -0.0, 0, 0])),
    InvalidAttempt(
      "another space", .wrongSpace,
      faces([UncheckedEmbedding(Face.anna, space: .test(dimension: 4, model: "other"))])),
    InvalidAttempt(
      "another dimension's space", .wrongSpace,
      faces([UncheckedEmbedding([1, 0], space: .test(dimension: 2))])),
    InvalidAttempt("no embedding", .invalidEmbedding, faces([])),
    InvalidAttempt("65 embeddings", .invalidEmbedding, faces(Array(repeating: anna, count: 65))),
    InvalidAttempt(
      "a bad embedding after a good one", .invalidEmbedding,
      faces([anna, UncheckedEmbedding([0, 0, 0, 0], space: Bank.space)])),
    InvalidAttempt(
      "two embeddings that cancel out", .invalidEmbedding,
      faces([anna, UncheckedEmbedding([-1, 0, 0, 0], space: Bank.space)])),
  ]

  private static let captures = [
    InvalidAttempt("no frames", .malformedCapture, frames([])),
    InvalidAttempt(
      "1,001 frames", .malformedCapture, frames((0...1000).map { (.milliseconds($0), 0.9) })),
    InvalidAttempt("a negative time", .malformedCapture, frames([(.milliseconds(-1), 0.9)])),
    InvalidAttempt(
      "a time twice", .malformedCapture, frames([(.milliseconds(5), 0.9), (.milliseconds(5), 0.9)])),
    InvalidAttempt(
      "times in the wrong order", .malformedCapture, frames([(.milliseconds(5), 0.9), (.zero, 0.9)])),
    InvalidAttempt("a passive score above 1", .malformedCapture, frames([(.zero, 1.0.nextUp)])),
    InvalidAttempt("a passive score below 0", .malformedCapture, frames([(.zero, -0.1)])),
    InvalidAttempt("a passive score of NaN", .malformedCapture, frames([(.zero, .nan)])),
  ]
}
