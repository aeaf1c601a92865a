/// How well the face's path follows the challenge's ovals.
struct ChallengeFollowing {
  let path: FacePath
  let schedule: ChallengeSchedule
  /// When each stage was shown, in milliseconds.
  let starts: [Double]

  func write(to features: inout FeatureVector) {
    writeErrors(to: &features)
    writeLag(to: &features)
    OvalTracking(path: path, schedule: schedule, starts: starts)?.write(to: &features)
  }

  /// At the last 35 % of each stage the face should have reached its oval.
  private func writeErrors(to features: inout FeatureVector) {
    var (sizeError, centreError) = (0.0, 0.0)
    var misses: [SIMD3<Double>] = []
    let end = max(path.times.last ?? 0, (starts.last ?? 0) + 1) + 1e-6
    for (index, stage) in schedule.stages.enumerated() {
      let (start, next) = (starts[index], index + 1 < starts.count ? starts[index + 1] : end)
      let from = next - 0.35 * (next - start)
      let inside = path.times.indices.filter { path.times[$0] >= from && path.times[$0] < next }
      // A stage that no frame shows was not followed.
      guard !inside.isEmpty else { return }
      let width = inside.map { path.widths[$0] }.median
      let dx = inside.map { path.centresX[$0] }.median - stage.centreX
      let dy = inside.map { path.centresY[$0] }.median - stage.centreY
      let size = Elementary.log(width / stage.width)
      misses.append(SIMD3(dx, dy, size))
      sizeError = max(sizeError, size.magnitude)
      centreError = max(centreError, (dx * dx + dy * dy).squareRoot())
    }
    features[.ovalSizeError] = sizeError
    features[.ovalCentreError] = centreError
    let count = Double(misses.count)
    let mean = misses.reduce(SIMD3<Double>.zero, +) / count
    var squares = SIMD3<Double>.zero
    for miss in misses { squares += (miss - mean) * (miss - mean) }
    features[.ovalSizeSpread] = (squares.z / count).squareRoot()
    features[.ovalCentreSpread] = ((squares.x + squares.y) / count).squareRoot()
  }

  /// The best correlation of the face's size with the ovals' over lags of 0...0.8 s.
  private func writeLag(to features: inout FeatureVector) {
    let sizes = path.widths.map { Elementary.log($0) }
    let targets = schedule.stages.map { Elementary.log($0.width) }
    let mean = sizes.mean
    let spread = sizes.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
    var best = (correlation: -1.0, lag: 0.0)
    // Σ (size − mean) over the first k frames.
    var before = [0.0]
    before.reserveCapacity(sizes.count + 1)
    for size in sizes { before.append(before[before.count - 1] + (size - mean)) }
    // For each stage but the first the frame that begins it, which moves on with the lag.
    var first = [Int](repeating: 0, count: starts.count)
    for step in 0...16 {
      let lag = 50 * Double(step)
      for stage in 1..<starts.count {
        while first[stage] < sizes.count, path.times[first[stage]] - lag < starts[stage] { first[stage] += 1 }
      }
      var (cross, sum, squares) = (0.0, 0.0, 0.0)
      for stage in starts.indices {
        let end = stage + 1 < starts.count ? max(first[stage + 1], first[stage]) : sizes.count
        let count = Double(end - first[stage])
        cross += targets[stage] * (before[end] - before[first[stage]])
        sum += targets[stage] * count
        squares += targets[stage] * targets[stage] * count
      }
      let variance = squares - sum * sum / Double(sizes.count)
      let correlation = cross / (spread * max(variance, 0) + 1e-12).squareRoot()
      if correlation > best.correlation { best = (correlation, lag) }
    }
    features[.ovalCorrelation] = best.correlation
    features[.responseLag] = best.lag / 1000
  }
}
