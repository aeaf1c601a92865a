/// A reproducible sequence of random numbers, for simulation, resampling and tests; never for identifiers or keys.
///
/// SplitMix64 (Steele, Lea and Flood, *Fast splittable pseudorandom number generators*, OOPSLA 2014): whole-number
/// arithmetic only, so a seed gives the same sequence on every machine.
public struct SeededGenerator: RandomNumberGenerator, Sendable {
  private var state: UInt64

  public init(seed: UInt64) {
    state = seed
  }

  /// The generator of one of many independent streams of a seed.
  public init(seed: UInt64, stream: Int) {
    var parent = SeededGenerator(seed: seed ^ UInt64(truncatingIfNeeded: stream) &* 0xd134_2543_de82_ef95)
    state = parent.next()
  }

  public mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }

  /// A number of 0..<`bound`, each equally likely, `bound` at least 1: the multiplication of Lemire (*Fast random integer
  /// generation in an interval*, 2019) with rejection. The standard library's own way may change with its version.
  public mutating func next(below bound: Int) -> Int {
    let bound = UInt64(bound)
    while true {
      let product = next().multipliedFullWidth(by: bound)
      if product.low >= (0 &- bound) % bound { return Int(product.high) }
    }
  }

  /// A number that is nearly normal, of mean 0 and variance 1: the sum of eight uniform ones, scaled. It needs no
  /// logarithm, whose last bit differs between systems. Never beyond ±4.9.
  public mutating func nextNearlyNormal() -> Float {
    var sum: UInt64 = 0
    for _ in 0..<2 {
      let bits = next()
      sum += (bits & 0xffff) + (bits >> 16 & 0xffff) + (bits >> 32 & 0xffff) + (bits >> 48)
    }
    // Eight uniform numbers of 0..<65536 have the mean 262140 and the variance 8 · (65536² − 1) / 12.
    return (Float(sum) - 262_140) * (1 / 53_509.92)
  }
}
