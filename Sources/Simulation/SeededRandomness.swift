import Biometrics
import ReVerification

/// Identifiers that repeat with their seed: for simulations, never for a service, whose identifiers must not be
/// foretold.
final class SeededRandomness: RandomSource {
  private let generator: Guarded<SeededGenerator>

  init(seed: UInt64) {
    generator = Guarded(SeededGenerator(seed: seed))
  }

  /// Goes on as `place` decides, whatever was drawn before: so that what one scene draws changes no other.
  func restart(at place: Int, seed: UInt64) {
    let mixed = (seed ^ 0x9e37_79b9_7f4a_7c15) &+ UInt64(place) &* 0xbf58_476d_1ce4_e5b9
    generator.withLock { $0 = SeededGenerator(seed: mixed) }
  }

  func bytes(_ count: Int) -> [UInt8] {
    generator.withLock { generator in (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) } }
  }
}

/// A clock that stands until it is moved.
final class SimulationClock: WallClock {
  private static let start = Instant(millisecondsSince1970: 1_700_000_000_000)
  private let passed = Guarded(Duration.zero)

  func reading() -> ClockReading {
    let passed = passed.withLock { $0 }
    return ClockReading(
      wall: Self.start + passed, millisecondsSinceBoot: passed.wholeMilliseconds, boot: "simulation")
  }

  func advance(by duration: Duration) { passed.withLock { $0 += duration } }

  /// How long it has run.
  var time: Duration { passed.withLock { $0 } }

  func move(to time: Duration) { passed.withLock { $0 = time } }
}
