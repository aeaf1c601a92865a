import CSodium

/// Keyed codes of how a face moved, by which a copy of a capture is known again.
///
/// From each frame on, 0.8 s of the face's distance and place, freed of where, how large and how fast as a whole, are
/// reduced to the signs of secret projections and hashed under the key. Neither the face's shape nor its motion can be
/// had from the codes, and without the key not even whether two are of one capture. A copy that is shifted in time or
/// place, scaled, mirrored or made slightly noisy keeps most codes, in the same order.
public struct ReplayFingerprint: Hashable, Sendable {
  /// A code and when its stretch begins, in milliseconds since the first frame.
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
    guard let layout = capture.landmarker.layout, capture.frames.count >= 8,
      capture.landmarks.count == 2 * layout.points * capture.frames.count
    else { return ReplayFingerprint(codes: [], mirrored: []) }
    let motion = Motion(capture.landmarkSequence(layout), times: capture.frames.map(\.time))
    var (codes, mirrored) = ([ReplayFingerprint.Code](), [ReplayFingerprint.Code]())
    for frame in motion.times.indices {
      guard let spectrum = spectrum(of: motion, from: frame) else { break }
      let time = motion.times[frame] - motion.times[0]
      guard spectrum.reduce(0, { $0 + $1 * $1 }) > 4e-5 else { continue }
      codes.append(.init(value: hash(spectrum), time: time))
      let flipped = spectrum.enumerated().map { index, value in
        index / Self.frequencies.count == 0 ? -value : value
      }
      mirrored.append(.init(value: hash(flipped), time: time))
    }
    return ReplayFingerprint(codes: codes, mirrored: mirrored)
  }

  /// Weighted cosine coefficients of the channels over the stretch that begins with `frame`; `nil` beyond the end.
  private func spectrum(of motion: Motion, from frame: Int) -> [Double]? {
    let start = motion.times[frame]
    guard start + Self.stretch <= motion.times[motion.times.count - 1] else { return nil }
    var resampled = [[Double]](repeating: [], count: 3)
    var index = frame
    for sample in 0..<Self.samples {
      let at = start + Self.stretch * Double(sample) / Double(Self.samples - 1)
      while index + 2 < motion.times.count, motion.times[index + 1] < at { index += 1 }
      let share = (at - motion.times[index]) / (motion.times[index + 1] - motion.times[index])
      for channel in 0..<3 {
        let values = motion.channels[channel]
        resampled[channel].append(values[index] + (values[index + 1] - values[index]) * share)
      }
    }
    return resampled.flatMap { values in
      let rest = detrended(values)
      return zip(Self.frequencies, cosines).map { frequency, cosines in
        // A body's motion falls off with the square of the frequency; so each counts alike.
        dot(rest, cosines, rest.count) * Double(frequency * frequency) / Double(Self.samples)
      }
    }
  }

  /// Less the straight line between the ends' means.
  private func detrended(_ values: [Double]) -> [Double] {
    let n = Double(values.count)
    let mean = values.mean
    var (cross, spread) = (0.0, 0.0)
    for (index, value) in values.enumerated() {
      let x = Double(index) - (n - 1) / 2
      cross += x * (value - mean)
      spread += x * x
    }
    return values.enumerated().map { $1 - mean - cross / spread * (Double($0) - (n - 1) / 2) }
  }

  private func hash(_ spectrum: [Double]) -> UInt64 {
    var bits: UInt32 = 0
    for projection in projections {
      bits = bits << 1 | (dot(projection, spectrum, spectrum.count) > 0 ? 1 : 0)
    }
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
