import CSodium

/// Keyed codes of how a face moved, by which a copy of a capture is known again.
///
/// From each frame on, 0.8 s of the face's distance and place, freed of where, how large and how fast as a whole, are
/// reduced to the signs of secret projections and hashed under the key. Neither the face's shape nor its motion can be
/// had from the codes, and without the key not even whether two are of one capture. A copy that is shifted in time or
/// place, scaled, mirrored or made slightly noisy keeps most codes, in the same order; one that is played faster or slower has
/// them in stretches that are as much shorter or longer.
public struct ReplayFingerprint: Hashable, Sendable {
  /// A code and when its stretch begins, in milliseconds since the first frame; at another speed, as if it were played at the
  /// usual one.
  struct Code: Hashable, Sendable {
    let value: UInt64
    let time: Double
  }

  let codes: [Code]
  /// Those of the mirror image.
  let mirrored: [Code]

  /// How many stretches moved enough to have a code.
  public var count: Int { codes.count }
}

/// Makes fingerprints under one key.
public struct ReplayFingerprinter: Sendable {
  public static let keyBytes = 32
  static let stretch = 800.0
  private static let samples = 16
  /// Cosine coefficients of each channel that count.
  private static let frequencies = 2...7
  private static let signs = 26

  private let hashKey: [UInt8]
  /// For each sign a weight for every frequency of the three channels.
  private let projections: [[Double]]
  /// Cosines by frequency and sample.
  private let cosines: [[Double]]

  /// A `key` of 32 bytes; another length traps.
  public init(key: [UInt8]) {
    precondition(key.count == Self.keyBytes, "a fingerprint key has 32 bytes")
    let derived = Self.derive(key)
    hashKey = Array(derived.prefix(Int(crypto_shorthash_KEYBYTES)))
    var bytes = derived.dropFirst(Int(crypto_shorthash_KEYBYTES))
    let weights = 3 * Self.frequencies.count
    projections = (0..<Self.signs).map { _ in
      (0..<weights).map { _ in
        // The sum of four uniform numbers, near enough to normal for a direction.
        var sum = 0.0
        for _ in 0..<4 { sum += Double(bytes.removeFirst()) - 127.5 }
        return sum
      }
    }
    cosines = Self.frequencies.map { frequency in
      (0..<Self.samples).map { sample in
        Elementary.sineCosine(
          .pi * Double(frequency) * (Double(sample) + 0.5) / Double(Self.samples)
        ).cosine
      }
    }
  }

  private static func derive(_ key: [UInt8]) -> [UInt8] {
    let needed = Int(crypto_shorthash_KEYBYTES) + 4 * signs * 3 * frequencies.count
    var bytes: [UInt8] = []
    var block: UInt8 = 0
    while bytes.count < needed {
      let message = Array("reverify-replay-1".utf8) + [block]
      var part = [UInt8](repeating: 0, count: Int(crypto_auth_hmacsha256_BYTES))
      crypto_auth_hmacsha256(&part, message, UInt64(message.count), key)
      bytes += part
      block += 1
    }
    return bytes
  }

  /// The fingerprint of `capture`'s motion. Empty when nothing moves.
  public func fingerprint(of capture: Capture) -> ReplayFingerprint {
    guard let motion = motion(of: capture) else { return ReplayFingerprint(codes: [], mirrored: []) }
    return fingerprint(of: motion, at: 1, from: motion.times)
  }

  /// Fingerprints of `capture` as if it had been played at each of `speeds`, beginning between its frames too, since a copy that
  /// was sampled anew has other ones. Costs some hundred times as much as `fingerprint(of:)`.
  func fingerprints(of capture: Capture) -> [ReplayFingerprint] {
    guard let motion = motion(of: capture) else { return [] }
    let between = zip(motion.times, motion.times.dropFirst()).flatMap { earlier, later in
      (0..<Self.startsPerFrame).map { earlier + (later - earlier) * Double($0) / Double(Self.startsPerFrame) }
    }
    return Self.speeds.map { fingerprint(of: motion, at: $0, from: between) }
  }

  static let startsPerFrame = 3
  /// Lengths of a copy's stretches over those of the first, 0.8...1.25 in steps of 2.5 %.
  private static let speeds: [Double] = {
    var speeds = [1.0]
    while speeds[speeds.count - 1] * 1.025 <= 1.26 { speeds.append(speeds[speeds.count - 1] * 1.025) }
    return speeds + speeds.dropFirst().map { 1 / $0 }
  }()

  private func motion(of capture: Capture) -> Motion? {
    guard let layout = capture.landmarker.layout, capture.frames.count >= 8,
      capture.landmarks.count == 2 * layout.points * capture.frames.count,
      zip(capture.frames, capture.frames.dropFirst()).allSatisfy({ $0.time < $1.time })
    else { return nil }
    return Motion(capture.landmarkSequence(layout), times: capture.frames.map(\.time))
  }

  private func fingerprint(of motion: Motion, at speed: Double, from starts: [Double]) -> ReplayFingerprint {
    let length = Self.stretch * speed
    var (codes, mirrored) = ([ReplayFingerprint.Code](), [ReplayFingerprint.Code]())
    var frame = 0
    var samples = [Double](repeating: 0, count: Self.samples)
    var spectrum = [Double](repeating: 0, count: 3 * Self.frequencies.count)
    for start in starts {
      guard start + length <= motion.times[motion.times.count - 1] else { break }
      while frame + 2 < motion.times.count, motion.times[frame + 1] <= start { frame += 1 }
      for channel in 0..<3 {
        sample(motion.times, motion.channels[channel], from: frame, start, length, into: &samples)
        transform(&samples, into: &spectrum, at: channel * Self.frequencies.count)
      }
      guard spectrum.reduce(0, { $0 + $1 * $1 }) > 4e-5 else { continue }
      let (value, flipped) = hashes(spectrum)
      let time = (start - motion.times[0]) / speed
      codes.append(.init(value: value, time: time))
      mirrored.append(.init(value: flipped, time: time))
    }
    return ReplayFingerprint(codes: codes, mirrored: mirrored)
  }

  /// A channel at equal steps over the stretch of that `length` that begins at `start`, not before `frame`.
  private func sample(
    _ times: [Double], _ values: [Double], from frame: Int, _ start: Double, _ length: Double,
    into samples: inout [Double]
  ) {
    var index = frame
    for sample in 0..<Self.samples {
      let at = start + length * Double(sample) / Double(Self.samples - 1)
      while index + 2 < times.count, times[index + 1] < at { index += 1 }
      let share = (at - times[index]) / (times[index + 1] - times[index])
      samples[sample] = values[index] + (values[index + 1] - values[index]) * share
    }
  }

  /// Weighted cosine coefficients of `samples` less the straight line through them.
  private func transform(_ samples: inout [Double], into spectrum: inout [Double], at place: Int) {
    let n = Double(Self.samples)
    let mean = samples.reduce(0, +) / n
    var (cross, spread) = (0.0, 0.0)
    for index in samples.indices {
      let x = Double(index) - (n - 1) / 2
      cross += x * (samples[index] - mean)
      spread += x * x
    }
    for index in samples.indices { samples[index] -= mean + cross / spread * (Double(index) - (n - 1) / 2) }
    for (index, frequency) in Self.frequencies.enumerated() {
      // A body's motion falls off with the square of the frequency; so each counts alike.
      spectrum[place + index] =
        dot(samples, cosines[index], Self.samples) * Double(frequency * frequency) / n
    }
  }

  /// The code of a stretch, and that of its mirror image, in which x runs the other way.
  private func hashes(_ spectrum: [Double]) -> (UInt64, UInt64) {
    let width = Self.frequencies.count
    var (bits, mirrored) = (UInt32(0), UInt32(0))
    spectrum.withUnsafeBufferPointer { spectrum in
      for projection in projections {
        projection.withUnsafeBufferPointer { projection in
          let across = dot(projection.baseAddress!, spectrum.baseAddress!, width)
          let rest = dot(projection.baseAddress! + width, spectrum.baseAddress! + width, 2 * width)
          bits = bits << 1 | (rest + across > 0 ? 1 : 0)
          mirrored = mirrored << 1 | (rest - across > 0 ? 1 : 0)
        }
      }
    }
    return (hash(bits), hash(mirrored))
  }

  private func hash(_ bits: UInt32) -> UInt64 {
    let message = (0..<4).map { UInt8(truncatingIfNeeded: bits >> UInt32(8 * $0)) }
    var digest = [UInt8](repeating: 0, count: Int(crypto_shorthash_BYTES))
    crypto_shorthash(&digest, message, UInt64(message.count), hashKey)
    return digest.reduce(0) { $0 << 8 | UInt64($1) }
  }
}

/// The face's place and the logarithm of its size, frame by frame, in face sizes.
private struct Motion {
  let times: [Double]
  /// x, y, log size.
  let channels: [[Double]]

  init(_ sequence: LandmarkSequence, times: [Double]) {
    self.times = times
    let count = sequence.layout.points
    var (xs, ys, sizes) = ([Double](), [Double](), [Double]())
    sequence.coordinates.withUnsafeBufferPointer { points in
      for frame in 0..<sequence.frames {
        let x = points.baseAddress! + frame * 2 * count
        let (sumX, sumY) = (sum(x, count), sum(x + count, count))
        let energy = dot(x, x, 2 * count) - (sumX * sumX + sumY * sumY) / Double(count)
        xs.append(sumX / Double(count))
        ys.append(sumY / Double(count))
        sizes.append((max(energy, 1e-12) / Double(count)).squareRoot())
      }
    }
    let size = sizes.median
    channels = [xs.map { $0 / size }, ys.map { $0 / size }, sizes.map { Elementary.log($0) }]
  }
}
