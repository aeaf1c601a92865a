/// A seeded generator whose sequence is the same on every machine and version: SplitMix64.
///
/// Steele, Lea & Flood, "Fast splittable pseudorandom number generators" (2014). Not for secrets.
struct SplitMix64: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) {
    state = seed
  }

  /// The generator of one of many independent streams of a seed.
  init(seed: UInt64, stream: Int) {
    var parent = SplitMix64(seed: seed ^ UInt64(truncatingIfNeeded: stream) &* 0xD134_2543_DE82_EF95)
    state = parent.next()
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  /// A number of 0..<`bound`, each equally likely: the multiplication of Lemire (2019) with rejection. The standard
  /// library's own way may change with its version.
  mutating func next(below bound: Int) -> Int {
    let bound = UInt64(bound)
    while true {
      let product = next().multipliedFullWidth(by: bound)
      if product.low >= (0 &- bound) % bound { return Int(product.high) }
    }
  }
}
