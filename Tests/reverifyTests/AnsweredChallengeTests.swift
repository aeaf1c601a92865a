import Biometrics
import Evaluation
import Foundation
import Liveness
import LivenessTraining
import TestSupport
import Testing

import struct Liveness.Capture

/// A client answers what `begin` printed, by the command alone.
@Suite("A challenge that is answered") struct AnsweredChallengeTests {
  private let folder: TemporaryFolder
  private let space: EmbeddingSpace
  private let ada: [Float]
  private let bob: [Float]

  init() throws {
    folder = try TemporaryFolder()
    let points = try JSONDecoder().decode(
      OperatingPoints.self,
      from: Data(contentsOf: CommandRun.package.appending(path: "models/embedding-spaces/edgeface-xs.json")))
    space = points.space
    let cohort = SyntheticCohort(seed: 3, dimension: space.dimension)
    ada = cohort.embedding(subject: 0, image: 0)
    bob = cohort.embedding(subject: 1, image: 0)
    _ = try folder.write("ada.fbin", Self.fbin(ada))
    var model = try LivenessModel.load(
      path: CommandRun.package.appending(path: "models/liveness/simulated-ideal-68.json").path)
    model.embeddingModel = .init(space)
    _ = try folder.write("model.json", model.encoded())
  }

  private static func fbin(_ row: [Float]) -> [UInt8] {
    ([1, UInt32(row.count)] + row.map(\.bitPattern)).flatMap { number in
      withUnsafeBytes(of: number.littleEndian) { Array($0) }
    }
  }

  private func run(_ lines: String) throws -> CommandRun {
    try CommandRun(
      shell: """
        cd '\(folder.path)'; export REVERIFY_MODELS='\(CommandRun.package.path)/models'
        binary=$0; reverify() { "$binary" "$@"; }
        \(lines)
        """)
  }

  /// What `begin` printed, as far as a client needs it.
  private struct Begun: Decodable {
    struct Schedule: Decodable {
      struct Oval: Decodable { let cx: Double, cy: Double, w: Double }
      struct Stage: Decodable { let t_ms: Double, oval: Oval }
      struct Colour: Decodable { let rgb: [Int], t_ms: Double, dur_ms: Double }
      let id: String, nonce: String, issued_ms: Int64
      let stages: [Stage], colors: [Colour]
    }
    let reVerification: String
    let schedule: Schedule
  }

  private func bytes(_ hexadecimal: String) -> [UInt8] {
    stride(from: 0, to: hexadecimal.count, by: 2).map { place in
      let start = hexadecimal.index(hexadecimal.startIndex, offsetBy: place)
      return UInt8(hexadecimal[start..<hexadecimal.index(start, offsetBy: 2)], radix: 16)!
    }
  }

  /// The capture of somebody who follows the schedule, with the face of `embedding`.
  private func capture(_ schedule: Begun.Schedule, _ species: AttackSpecies, _ embedding: [Float]) -> [UInt8]
  {
    let flashes = schedule.colors.map { flash in
      let colour = ChallengeSchedule.Colour.allCases.first {
        [Int($0.components.x), Int($0.components.y), Int($0.components.z)] == flash.rgb
      }
      return ChallengeSchedule.Flash(colour: colour!, start: flash.t_ms, duration: flash.dur_ms)
    }
    let shown = ChallengeSchedule(
      id: bytes(schedule.id), nonce: bytes(schedule.nonce),
      issuedAt: Instant(millisecondsSince1970: schedule.issued_ms),
      stages: schedule.stages.map {
        .init(start: $0.t_ms, width: $0.oval.w, centreX: $0.oval.cx, centreY: $0.oval.cy)
      }, flashes: flashes)
    let simulator = CaptureSimulator(seed: 5, profile: .ideal(.sixtyEight))
    let face = SimulatedFace(model: .init(space), embedding: embedding)
    return CaptureEncoder.encode(
      simulator.capture(species, subject: 0, index: 0, answering: shown, face: face).capture)
  }

  @Test("who answers it with the enrolled face is verified, and nobody else is")
  func answered() throws {
    let begun = try run(
      """
      set -e
      reverify init --store bank.db --master-key key.hex > /dev/null
      export REVERIFY_MASTER_KEY=$(cat key.hex)
      reverify org --store bank.db --organisation bank > /dev/null
      reverify workflow --store bank.db --organisation bank --workflow w --space edgeface-xs > /dev/null
      reverify user --store bank.db --organisation bank --user u --email ada@example.org > /dev/null
      reverify key --store bank.db --organisation bank --key k > api
      export REVERIFY_API_KEY=$(cat api)
      reverify enrol --store bank.db --organisation bank --workflow w --user u --session s --space edgeface-xs \
        --embeddings ada.fbin > /dev/null
      reverify begin --store bank.db --workflow w --email ada@example.org --liveness model.json
      """)
    let decoder = JSONDecoder()
    let first = try decoder.decode(Begun.self, from: Data(begun.output.utf8))
    let submit = """
      export REVERIFY_MASTER_KEY=$(cat key.hex) REVERIFY_API_KEY=$(cat api)
      challenge() { reverify challenge --store bank.db --re-verification \(first.reVerification) --liveness model.json; }
      submit() {
        reverify submit --store bank.db --re-verification \(first.reVerification) --key $1 --embeddings ada.fbin \
          --liveness model.json --capture $2; echo $?
      }

      """
    // Somebody else's face is live, but not the one that is handed in beside it.
    _ = try folder.write("bob.json", capture(first.schedule, .bonaFide, bob))
    let other = try run(submit + "sleep 6; submit 1 bob.json >&2; challenge")
    #expect(other.errors == "retry: livenessFailed, attempts remaining: 2\n1\n")
    let second = try decoder.decode(Begun.Schedule.self, from: Data(other.output.utf8))
    _ = try folder.write("flat.json", capture(second, .flatPhoto, ada))
    let flat = try run(submit + "sleep 6; submit 2 flat.json >&2; challenge")
    #expect(flat.errors == "retry: livenessFailed, attempts remaining: 1\n1\n")
    let third = try decoder.decode(Begun.Schedule.self, from: Data(flat.output.utf8))
    _ = try folder.write("ada.json", capture(third, .bonaFide, ada))
    // A capture takes its time: one that arrives before it can have been recorded is refused.
    let genuine = try run(submit + "sleep 6; submit 3 ada.json; submit 3 ada.json")
    #expect(genuine.lines.count == 4 && genuine.lines[0].hasPrefix("verified"), "\(genuine.output)")
    // The same key with the same content: the same answer.
    #expect(genuine.lines[1] == "0" && genuine.lines[2] == genuine.lines[0], "\(genuine.output)")
  }
}
