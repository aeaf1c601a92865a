import Biometrics
import Liveness

/// Reproducible random numbers for the simulator, the same on every machine.
struct SimulationRandom {
  private var generator: SeededGenerator

  /// A sequence of its own for every list of `parts`.
  init(_ parts: UInt64...) {
    var seed: UInt64 = 0x243f_6a88_85a3_08d3
    for part in parts {
      var mixer = SeededGenerator(seed: seed ^ part)
      seed = mixer.next() &+ mixer.next()
    }
    generator = SeededGenerator(seed: seed)
  }

  mutating func uniform(_ low: Double, _ high: Double) -> Double {
    low + (high - low) * Double(generator.next() >> 11) * 0x1p-53
  }

  mutating func uniform(_ range: ClosedRange<Double>) -> Double {
    uniform(range.lowerBound, range.upperBound)
  }

  /// Nearly normal, never beyond 4.9 standard deviations.
  mutating func normal(_ deviation: Double = 1) -> Double { Double(generator.nextNearlyNormal()) * deviation }

  mutating func chance(_ probability: Double) -> Bool { uniform(0, 1) < probability }

  mutating func index(below count: Int) -> Int { Int(generator.next() % UInt64(count)) }

  mutating func bytes(_ count: Int) -> [UInt8] {
    (0..<count).map { _ in UInt8(truncatingIfNeeded: generator.next() >> 32) }
  }

  /// `count` different indices below `limit`, ascending.
  mutating func indices(_ count: Int, below limit: Int) -> [Int] {
    var all = Array(0..<limit)
    for i in 0..<count { all.swapAt(i, i + index(below: limit - i)) }
    return all.prefix(count).sorted()
  }

  /// Low-pass noise of variance 1 with time constant `tau`, at `times` in seconds (an Ornstein-Uhlenbeck process).
  mutating func smooth(_ times: [Double], tau: Double) -> [Double] {
    var value = normal()
    return times.indices.map { index in
      if index > 0 {
        let kept = Elementary.exp(-max(1e-3, times[index] - times[index - 1]) / tau)
        value = kept * value + (1 - kept * kept).squareRoot() * normal()
      }
      return value
    }
  }
}
