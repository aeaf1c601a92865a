import Biometrics

/// Embeddings shaped like those of faces, from a seed: the same on every machine, of nobody.
///
/// A subject is a random direction; an image of it is that direction plus noise. Components have unequal spread, as
/// those of trained models do: with `decay` 3.4 at 512 dimensions non-mated cosines have a standard deviation of
/// about 0.06, as measured on public face embeddings, and mated ones lie about `matedCosine`.
public struct SyntheticCohort: Sendable {
  public let dimension: Int
  /// The expected cosine of two images of a subject, above 0 and below 1.
  public let matedCosine: Float
  private let seed: UInt64
  private let spreads: [Float]

  /// The seed of one sequence among the many of a cohort.
  private enum Stream {
    static let subject: UInt64 = 0x5355_424a
    static let image: UInt64 = 0x494d_4147
  }

  public init(seed: UInt64, dimension: Int, matedCosine: Float = 0.6, decay: Float = 3.4) {
    precondition(dimension > 0 && matedCosine > 0 && matedCosine < 1, "a cohort needs 1 or more dimensions")
    self.seed = seed
    self.dimension = dimension
    self.matedCosine = matedCosine
    // 1 / (1 + decay · i / n): by plain arithmetic, the same on every machine.
    spreads = (0..<dimension).map { 1 / (1 + decay * Float($0) / Float(dimension)) }
  }

  /// The raw (not normalised) embedding of an image of a subject. The same for the same numbers, in any order.
  public func embedding(subject: Int, image: Int) -> [Float] {
    var row = [Float](repeating: 0, count: dimension)
    row.withUnsafeMutableBufferPointer { write(subject: subject, image: image, to: $0) }
    return row
  }

  /// Writes the raw embedding of an image to `row`, which has `dimension` elements.
  public func write(subject: Int, image: Int, to row: UnsafeMutableBufferPointer<Float>) {
    var subjects = generator(Stream.subject, UInt64(subject), 0)
    var images = generator(Stream.image, UInt64(subject), UInt64(image))
    let common = matedCosine.squareRoot()
    let own = (1 - matedCosine).squareRoot()
    for index in 0..<dimension {
      let direction = subjects.nextNearlyNormal()
      row[index] = spreads[index] * (common * direction + own * images.nextNearlyNormal())
    }
  }

  private func generator(_ stream: UInt64, _ subject: UInt64, _ image: UInt64) -> SeededGenerator {
    var mixer = SeededGenerator(seed: seed ^ stream)
    var mixed = SeededGenerator(seed: mixer.next() ^ (subject &* 0xd6e8_feb8_6659_fd93))
    return SeededGenerator(seed: mixed.next() ^ (image &* 0xa076_1d64_78bd_642f))
  }
}
