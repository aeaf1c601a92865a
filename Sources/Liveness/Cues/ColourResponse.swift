/// How the face's colour follows what the screen showed.
enum ColourResponse {
  /// What an unlit screen is taken to show.
  private static let idle = SIMD3<Double>(repeating: 1 / 3)

  /// The correlation at the best lag of 0...200 ms; absent when colours were not shown or fewer than half of the frames
  /// tell them.
  static func write(_ capture: Capture, schedule: ChallengeSchedule, to features: inout FeatureVector) {
    guard !schedule.flashes.isEmpty else { return }
    var (times, response) = ([Double](), [SIMD3<Double>]())
    times.reserveCapacity(capture.frames.count)
    response.reserveCapacity(capture.frames.count)
    for index in capture.frames.indices {
      guard let face = capture.frames[index].faceColour,
        let background = capture.frames[index].backgroundColour
      else { continue }
      times.append(capture.frames[index].time)
      response.append(chroma(face - background))
    }
    guard times.count * 2 >= capture.frames.count, times.count >= 12 else { return }
    centre(&response)
    var best = -1.0
    for lag in stride(from: 0.0, through: 200, by: 40) {
      var shown = times.map { chroma(colour(at: $0 - lag, schedule)) }
      centre(&shown)
      best = max(best, correlation(response, shown))
    }
    features[.colourCorrelation] = best
  }

  private static func colour(at time: Double, _ schedule: ChallengeSchedule) -> SIMD3<Double> {
    for flash in schedule.flashes where time >= flash.start && time < flash.start + flash.duration {
      return flash.colour.components
    }
    return idle
  }

  /// A colour less its grey.
  private static func chroma(_ colour: SIMD3<Double>) -> SIMD3<Double> {
    colour - SIMD3(repeating: (colour.x + colour.y + colour.z) / 3)
  }

  private static func centre(_ values: inout [SIMD3<Double>]) {
    var sum = SIMD3<Double>()
    for value in values { sum += value }
    sum /= Double(values.count)
    for index in values.indices { values[index] -= sum }
  }

  private static func correlation(_ left: [SIMD3<Double>], _ right: [SIMD3<Double>]) -> Double {
    var (cross, ll, rr) = (0.0, 0.0, 0.0)
    for (l, r) in zip(left, right) {
      cross += l.x * r.x + l.y * r.y + l.z * r.z
      ll += l.x * l.x + l.y * l.y + l.z * l.z
      rr += r.x * r.x + r.y * r.y + r.z * r.z
    }
    return cross / (ll * rr + 1e-18).squareRoot()
  }
}
