import Biometrics
import Liveness
import LivenessTraining
import Testing

/// Mutated captures through decoder and detector. A million of them with REVERIFY_LONG=1, best under a sanitizer.
@Suite("Mutated captures")
struct CaptureFuzzTests {
  /// How many captures to mutate, in as many parts as run side by side.
  private static let (parts, countEach) = Fixtures.isLong ? (8, 125_000) : (2, 200)

  /// What is mutated: of a person, whose copies may pass only unchanged, and of attacks, none of whose may.
  private struct Seed {
    let bytes: [UInt8]
    let simulated: SimulatedCapture
    let isLive: Bool
  }

  private static func seeds() throws -> [Seed] {
    let live = try [Fixtures.passing(), Fixtures.passing(Fixtures.colourless)]
    let species: [AttackSpecies] = [
      .flatPhoto, .bentPhoto, .cutOutPhoto, .digitalZoom, .frozen, .duplicated, .reordered, .staleTimes,
      .replayInjected, .personChange,
    ]
    let attacks = species.map { Fixtures.simulator.capture($0, subject: 3, index: 0) }
    return (live + attacks).map { simulated in
      let rounded = simulated.capture.rounded()
      return Seed(
        bytes: CaptureEncoder.encode(rounded, landmarks: .u16), simulated: simulated,
        isLive: simulated.species == .bonaFide)
    }
  }

  /// Changes a few bytes: anywhere, digits and punctuation, or whole pieces moved, doubled or cut.
  private static func mutate(_ bytes: [UInt8], _ generator: inout SeededGenerator) -> [UInt8] {
    var bytes = bytes
    for _ in 0..<Int.random(in: 1...4, using: &generator) where !bytes.isEmpty {
      // Half of the changes go to the beginning, where the structure is.
      let reach = Bool.random(using: &generator) ? min(bytes.count, 3000) : bytes.count
      let at = Int.random(in: 0..<reach, using: &generator)
      switch Int.random(in: 0..<7, using: &generator) {
      case 0: bytes[at] = UInt8.random(in: 0...255, using: &generator)
      case 1: bytes[at] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
      case 2: bytes[at] = Array("0123456789.-+eE,:{}[]\"\\ ".utf8).randomElement(using: &generator)!
      case 3: bytes.remove(at: at)
      case 4: bytes.insert(UInt8.random(in: 32...126, using: &generator), at: at)
      case 5:
        let end = min(bytes.count, at + Int.random(in: 1...400, using: &generator))
        let piece = bytes[at..<end]
        bytes.insert(contentsOf: piece, at: Int.random(in: 0...bytes.count, using: &generator))
      default:
        bytes.removeSubrange(at..<min(bytes.count, at + Int.random(in: 1...400, using: &generator)))
      }
    }
    return bytes
  }

  /// Changes numbers of a decoded capture and chains it anew, as an attacker can.
  private static func disturb(_ capture: Capture, _ generator: inout SeededGenerator) -> Capture {
    var capture = capture
    for _ in 0..<Int.random(in: 1...8, using: &generator) {
      let frame = Int.random(in: capture.frames.indices, using: &generator)
      switch Int.random(in: 0..<8, using: &generator) {
      case 0:
        capture.landmarks[Int.random(in: capture.landmarks.indices, using: &generator)] = .random(
          in: -1...4, using: &generator)
      case 1: capture.frames[frame].time = .random(in: 0...600_000, using: &generator)
      case 2: capture.frames[frame].passiveScore = .random(in: 0...1, using: &generator)
      case 3: capture.frames[frame].pixelHash = .random(in: 0...3, using: &generator)
      case 4: capture.device.fieldOfView = .random(in: 20...150, using: &generator)
      case 5: capture.frames.swapAt(frame, Int.random(in: capture.frames.indices, using: &generator))
      case 6: capture.frames[frame].embedding = nil
      default:
        let value = Float.random(in: -1...4, using: &generator)
        for index in frame * 136..<(frame + 1) * 136 { capture.landmarks[index] = value }
      }
    }
    return capture.sealed()
  }

  @Test(
    "no mutation crashes, and none passes that isn't a live person's capture as it was",
    arguments: 0..<parts)
  func mutations(part: Int) throws {
    let detector = try Fixtures.detector()
    let seeds = try Self.seeds()
    let originals = try seeds.map { try CaptureDecoder.decode($0.bytes) }
    var generator = SeededGenerator(seed: 20_261_130 + UInt64(part))
    var (decoded, scored, passed) = (0, 0, 0)
    for _ in 0..<Self.countEach {
      let index = Int.random(in: seeds.indices, using: &generator)
      let (seed, original) = (seeds[index], originals[index])
      var capture: Capture?
      if !seed.isLive, Int.random(in: 0..<4, using: &generator) == 0 {
        capture = Self.disturb(original, &generator)
      } else {
        capture = try? CaptureDecoder.decode(Self.mutate(seed.bytes, &generator))
        // An attacker chains what he has changed anew.
        if !seed.isLive, let changed = capture { capture = changed.sealed() }
      }
      guard let capture else { continue }
      decoded += 1
      guard
        let decision = try? detector.assess(
          capture, answering: seed.simulated.schedule, received: seed.simulated.received)
      else { continue }
      scored += 1
      if decision.verdict == .pass {
        passed += 1
        #expect(seed.isLive && capture == original, "a mutated \(seed.simulated.species) passed")
      }
      #expect(decision.score.map { (0...1).contains($0) } ?? true)
    }
    print(
      "\(Self.countEach) mutated captures: \(decoded) decoded, \(scored) scored, \(passed) passed unchanged in content"
    )
    #expect(scored > Self.countEach / 10)
  }

  @Test("random bytes are refused")
  func noise() {
    var generator = SeededGenerator(seed: 9)
    for _ in 0..<2000 {
      let bytes = (0..<Int.random(in: 0...300, using: &generator)).map { _ in
        UInt8.random(in: 0...255, using: &generator)
      }
      #expect(throws: CaptureDecodingError.self) { try CaptureDecoder.decode(bytes) }
    }
  }
}
