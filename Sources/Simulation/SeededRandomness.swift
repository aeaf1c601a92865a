import Biometrics
import ReVerification

/// Identifiers that repeat with their seed: for simulations, never for a service, whose identifiers must not be
/// foretold.
final class SeededRandomness: RandomSource {
  private let generator: Guarded<SeededGenerator>

  init(seed: UInt64) {
    generator = Guarded(SeededGenerator(seed: seed))
  }

  func bytes(_ count: Int) -> [UInt8] {
    generator.withLock { generator in (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) } }
  }
}

/// A clock that stands until it is moved.
final class SimulationClock: WallClock {
  private let instant = Guarded(Instant(millisecondsSince1970: 1_700_000_000_000))

  func now() -> Instant { instant.withLock { $0 } }

  func advance(by duration: Duration) { instant.withLock { $0 = $0 + duration } }
}
