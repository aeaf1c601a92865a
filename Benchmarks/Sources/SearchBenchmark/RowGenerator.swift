import ReVerify

/// The gallery and the probes of one benchmark, from a seed.
struct RowGenerator {
  enum Population: String, CaseIterable {
    /// The engine's synthetic cohort, five images of a subject spread over the gallery; half of the probes are new
    /// images of enrolled subjects, half of unknown ones.
    case cohort
    /// Real embeddings (of Labeled Faces in the Wild), repeated with noise; the first copy is as it is.
    case lfw
    /// One direction with a tenth of noise: scores closer to each other than the error of 8-bit codes of whole rows.
    case nearEqual = "near-equal"
    /// Directions spread evenly: no structure to use.
    case iid
  }

  static let probeCount = 1024
  private static let imagesPerSubject = 5
  private static let probeImage = 1000

  private let population: Population
  private let count: Int
  private let seed: UInt64
  private let cohort: SyntheticCohort
  private let base: RowFile?
  private let noise: Float
  private let common: [Float]
  private let space: EmbeddingSpace

  init(_ options: Options) throws {
    let name = try options.text("population")
    guard let population = Population(rawValue: name) else {
      throw BenchmarkError("--population: no population is called '\(name)'")
    }
    let dimension = try options.number("dimension")
    self.population = population
    count = try options.number("count")
    seed = try options.number("seed", UInt64.self)
    guard count > 0, dimension > 0 else { throw BenchmarkError("a gallery needs rows and dimensions") }
    cohort = SyntheticCohort(seed: seed, dimension: dimension)
    base = population == .lfw ? try RowFile(options.text("base")) : nil
    noise = population == .lfw ? try options.number("noise", Float.self) : 0.1
    if let base, base.dimension != dimension {
      throw BenchmarkError("--base has \(base.dimension) dimensions, \(dimension) were expected")
    }
    space = .benchmark(dimension: dimension)
    common = Self.direction(seed: seed, stream: .common, index: 0, dimension: dimension)
  }

  /// Writes both files, rows of unit length as the engine normalises them.
  func write(rows: String, probes: String) throws {
    try RowFile.write(rows, count: count, dimension: space.dimension) { try unit(row($0)) }
    try RowFile.write(probes, count: Self.probeCount, dimension: space.dimension) { try unit(probe($0)) }
  }

  private func row(_ index: Int) -> [Float] {
    switch population {
    case .cohort:
      let subjects = max(1, count / Self.imagesPerSubject)
      return cohort.embedding(subject: index % subjects, image: index / subjects)
    case .lfw:
      return base.map { index < $0.count ? Array($0[index]) : noisy($0[index % $0.count], .row, index) } ?? []
    case .nearEqual: return common.withUnsafeBufferPointer { noisy($0, .row, index) }
    case .iid: return direction(.row, index)
    }
  }

  private func probe(_ index: Int) -> [Float] {
    switch population {
    case .cohort:
      let subjects = max(1, count / Self.imagesPerSubject)
      return index % 2 == 0
        ? cohort.embedding(subject: index &* 7919 % subjects, image: Self.probeImage)
        : cohort.embedding(subject: subjects + index, image: 0)
    case .lfw: return base.map { noisy($0[index &* 7919 % $0.count], .probe, index) } ?? []
    case .nearEqual: return common.withUnsafeBufferPointer { noisy($0, .probe, index) }
    case .iid: return direction(.probe, index)
    }
  }

  /// `source` at unit length plus noise whose length is about `noise`.
  private func noisy(_ source: UnsafeBufferPointer<Float>, _ stream: Stream, _ index: Int) -> [Float] {
    let length = source.reduce(0) { $0 + $1 * $1 }.squareRoot()
    let scale = noise / Float(source.count).squareRoot()
    return zip(source, direction(stream, index)).map { $0 / length + scale * $1 }
  }

  private func unit(_ raw: [Float]) throws -> [Float] { try Embedding(raw, space: space).values }

  private enum Stream: UInt64 {
    case common = 0x434f_4d4d
    case row = 0x524f_5753
    case probe = 0x5052_4f42
  }

  private func direction(_ stream: Stream, _ index: Int) -> [Float] {
    Self.direction(seed: seed, stream: stream, index: index, dimension: space.dimension)
  }

  private static func direction(seed: UInt64, stream: Stream, index: Int, dimension: Int) -> [Float] {
    var mixer = SeededGenerator(seed: seed ^ stream.rawValue)
    var generator = SeededGenerator(seed: mixer.next() ^ (UInt64(index) &* 0xd6e8_feb8_6659_fd93))
    return (0..<dimension).map { _ in generator.nextNearlyNormal() }
  }
}

extension EmbeddingSpace {
  /// The space of everything that is measured here.
  static func benchmark(dimension: Int) -> EmbeddingSpace {
    EmbeddingSpace(model: "benchmark", weightsDigest: "none", dimension: dimension, preprocessing: "none")
  }
}
