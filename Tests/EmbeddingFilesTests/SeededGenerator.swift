import Foundation

/// SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, OOPSLA 2014).
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) {
    state = seed
  }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }
}

/// Where the mutations begin; REVERIFY_FUZZ_SEED chooses others.
let fuzzSeed =
  ProcessInfo.processInfo.environment["REVERIFY_FUZZ_SEED"].flatMap { UInt64($0) } ?? 2_024_061_100

/// How many mutations each decoder sees; REVERIFY_FUZZ_COUNT asks for more than the second's worth of an
/// ordinary run.
let fuzzCount = ProcessInfo.processInfo.environment["REVERIFY_FUZZ_COUNT"].flatMap { UInt64($0) } ?? 8_000
