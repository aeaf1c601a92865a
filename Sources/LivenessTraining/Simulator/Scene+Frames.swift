import Liveness

extension Scene {
  /// The landmarks as a capture holds them.
  var landmarks: [Float] {
    seen.flatMap { points in points.map { Float($0.x) } + points.map { Float($0.y) } }
  }

  /// Everything else of the frames.
  func frames(_ species: AttackSpecies, _ random: inout SimulationRandom) -> [Capture.Frame] {
    let mean = Self.passiveLogit(species, &random)
    let light = (0..<3).map { _ in random.smooth(times, tau: 0.5) }
    // The same angles in every dimension.
    let spread = (Double(SimulatedSubject.embeddingDimension) / Double(face.model.dimension)).squareRoot()
    let drift = (0..<face.model.dimension).map { _ in random.normal(0.25 / 11 * spread) }
    let every = max(1, times.count / 11)
    return times.indices.map { index in
      let (low, high) = seen[index].reduce((seen[index][0], seen[index][0])) {
        (pointwiseMin($0.0, $1), pointwiseMax($0.1, $1))
      }
      var frame = Capture.Frame(
        sequence: index, time: (times[index] * 10_000).rounded() / 10,
        box: .init(x: low.x, y: low.y, width: max(1e-3, high.x - low.x), height: max(1e-3, high.y - low.y)),
        sharpness: random.uniform(80, 300), brightness: 0.5 + random.normal(0.02))
      if simulator.withPassiveScores {
        frame.passiveScore = rounded(Elementary.logistic(mean + random.normal(0.6)))
      }
      if simulator.withEmbeddings, index % every == 0 || index == times.count - 1 {
        frame.embedding = embedding(index, species, drift, spread, &random)
      }
      if simulator.withColours {
        let components = SIMD3(light[0][index], light[1][index], light[2][index]) * 0.012
        let noise = SIMD3(random.normal(0.004), random.normal(0.004), random.normal(0.004))
        let ambient = SIMD3(repeating: 0.45)
        let response = 0.04 * lit.strength * (colour(at: times[index] * 1000) - SIMD3(repeating: 1 / 3))
        frame.faceColour = (ambient + components + noise + response).clamped(
          lowerBound: .zero, upperBound: .one)
        frame.backgroundColour = (ambient * 0.8 + components * 0.5).clamped(
          lowerBound: .zero, upperBound: .one)
      }
      return frame
    }
  }

  private func colour(at time: Double) -> SIMD3<Double> {
    for flash in lit.schedule.flashes where time >= flash.start && time < flash.start + flash.duration {
      return flash.colour.components
    }
    return SIMD3(repeating: 1 / 3)
  }

  private func embedding(
    _ frame: Int, _ species: AttackSpecies, _ drift: [Double], _ spread: Double,
    _ random: inout SimulationRandom
  ) -> [Float] {
    let noise = (species == .digitalZoom || species == .interpolated ? 0.01 : 0.035) * spread
    let values = zip(people[frame], drift).map { $0 + $1 + random.normal(noise) }
    let norm = values.reduce(0) { $0 + $1 * $1 }.squareRoot()
    return values.map { Float($0 / norm) }
  }

  /// An assumed upstream network: good on what it was made for, weak on what looks real.
  private static func passiveLogit(_ species: AttackSpecies, _ random: inout SimulationRandom) -> Double {
    switch species {
    case .bonaFide, .personChange, .frozen, .frozenNoisy, .duplicated, .reordered, .staleTimes,
      .replayInjected:
      // Pictures of a living person, whatever was done with the numbers.
      2.5 + random.normal(0.8)
    case .digitalZoom, .interpolated, .interpolatedNoisy, .followingRender, .colourlessRender:
      1.5 + random.normal(1.2)
    default: -0.5 + random.normal(1.5)
    }
  }

  private func rounded(_ value: Double) -> Double { (value * 1e4).rounded() / 1e4 }
}
