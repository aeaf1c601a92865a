import Biometrics
import EmbeddingFiles
import EnrolmentStore
import FaceMatching
import Foundation
import Liveness
import TestSupport
import Testing

@testable import ReVerification

/// How often an attacker's own frames and one embedding mixed of his face and a victim's picture are verified.
@Suite(
  "Mixed embeddings of real faces",
  .enabled(if: SharedData.has("lfw-edgeface"), "shared/data/lfw-edgeface is not here"))
struct MixedFaceTests {
  private static let folder = SharedData.folder("lfw-edgeface")
  /// The verify threshold of `edgeface-xs` at FMR 1e-5.
  private static let policy = try! Bank.policy(verify: 0.3964812, recognise: 0.6828)
  /// The attacker's part of the mixture.
  private static let share: Float = 0.4

  private let matrix: EmbeddingMatrix
  private let space: EmbeddingSpace
  private let people: [[Int]]

  init() throws {
    matrix = try EmbeddingFile.read("\(Self.folder)/embeddings.npy")
    space = .test(dimension: matrix.dimension)
    var rows: [Substring: [Int]] = [:]
    let text = try String(contentsOfFile: "\(Self.folder)/index.csv", encoding: .utf8)
    for line in text.split(whereSeparator: \.isNewline).dropFirst() {
      let fields = line.split(separator: ",")
      rows[fields[1], default: []].append(Int(fields[0])!)
    }
    people = rows.filter { $0.value.count >= 4 }.sorted { $0.value[0] < $1.value[0] }.map(\.value)
  }

  private func embedding(_ row: Int) throws -> Embedding { try Embedding(Array(matrix[row]), space: space) }

  /// Six frames of one face, each at a cosine of about 0.9 with it.
  private func frames(_ face: Embedding, _ generator: inout SeededGenerator) -> [[Float]] {
    let spread = 0.48 * (3 / Float(face.values.count)).squareRoot()
    return (0..<6).map { _ in
      face.values.map { $0 + spread * (Float(generator.next(below: 1 << 20)) / Float(1 << 19) - 1) }
    }
  }

  @Test("the mixture reaches the threshold with frames and reference; the frames with the reference do not")
  func mixtures() throws {
    var generator = SeededGenerator(seed: 1)
    let pairs = LongRuns.areEnabled ? 2000 : 200
    var (byProbe, byBoth) = (0, 0)
    for _ in 0..<pairs {
      let attacker = people[generator.next(below: people.count)]
      let victim = people[generator.next(below: people.count)].shuffled(using: &generator)
      guard attacker[0] != victim.min() else { continue }
      let (own, stolen) = (try embedding(attacker[0]), try embedding(victim[0]))
      let mixture = zip(own.values, stolen.values).map { Self.share * $0 + (1 - Self.share) * $1 }
      let attempt = Attempt(
        key: "k", capture: SubmittedCapture(BoundFaceTests.recording(frames(own, &generator), of: space)),
        embeddings: [UncheckedEmbedding(mixture, space: space)])
      let probe = try fused(attempt.embeddings, in: space)
      let live = LivenessAssessment(.live, score: 0.9, threshold: 0.5)
      guard BoundFace.held(live, of: attempt, probe: probe, by: Self.policy).verdict == .live else {
        continue
      }
      let shown = try #require(BoundFace.shown(in: attempt, space: space))
      let reference = try embedding(victim[1])
      func scores(_ face: Embedding) throws -> MatchScores {
        MatchScores(claimed: [
          ScoredReference(
            session: "s", user: "u", workflow: "w", approvedAt: Instant(millisecondsSince1970: 0),
            score: try reference.score(with: face))
        ])
      }
      let alone = try scores(probe)
      byProbe += alone.verdict(by: Self.policy) == .verified("s") ? 1 : 0
      byBoth += alone.beside(try scores(shown)).verdict(by: Self.policy) == .verified("s") ? 1 : 0
    }
    print("mixtures verified of \(pairs): \(byProbe) by the probe, \(byBoth) with the face in the frames")
    #expect(byProbe > pairs / 2 && byBoth == 0)
  }
}
