import Biometrics
import ReVerification

/// Identifiers and challenges that a seed foretells, so that a run can be repeated.
public final class SeededRandomness: RandomSource {
  private let generator: Guarded<SeededGenerator>

  public init(seed: UInt64) {
    generator = Guarded(SeededGenerator(seed: seed))
  }

  public func bytes(_ count: Int) -> [UInt8] {
    generator.withLock { generator in
      (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }
  }
}
