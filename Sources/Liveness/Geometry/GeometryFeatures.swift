/// The geometric features of a sequence, from the sums over its residuals.
struct GeometryFeatures {
  private let sums: ResidualSums
  private let basis: ResidualBasis
  private let shape: ReferenceShape
  /// Where the points about eyes and mouth stand among the kept ones.
  private let moving: [Int]
  private let width: Int

  init(_ sums: ResidualSums, moving: [Int]) {
    self.sums = sums
    self.moving = moving
    basis = sums.basis
    shape = sums.basis.shape
    width = 2 * shape.points
  }

  func write(to features: inout FeatureVector) {
    let ascending = sums.ascending
    let near = ascending.quantileOfSorted(0.9)
    features[.sizeRatio] = near / ascending.quantileOfSorted(0.1)
    features[.nearSize] = near
    writeEnergies(to: &features)
    writeParallax(to: &features)
    writePlane(to: &features)
    guard shape.points >= 20 else {
      writeMotion(nil, relief: [], to: &features)
      return
    }
    writeSlope(to: &features)
    writeRelief(to: &features)
  }

  private func writeEnergies(to features: inout FeatureVector) {
    let total = sums.energy + 1e-18
    var (planar, all) = (0.0, 0.0)
    for product in sums.products {
      planar += basis.planar.explained(product)
      all += basis.all.explained(basis.own(product))
    }
    features[.planarEnergy] = planar / total
    features[.templateEnergy] = all / total
  }

  /// The regression of the parallax coefficient on q.
  private func writeParallax(to features: inout FeatureVector) {
    let coefficient = sums.coefficients.map { $0[basis.parallax] }
    let mean = coefficient.mean
    var (cross, spread) = (0.0, 0.0)
    for (value, q) in zip(coefficient, sums.q) {
      cross += value * (q - sums.qMean)
      spread += (value - mean) * (value - mean)
    }
    let gain = cross / (sums.qSpread + 1e-12)
    var rest = 0.0
    for (value, q) in zip(coefficient, sums.q) {
      let error = value - mean - gain * (q - sums.qMean)
      rest += error * error
    }
    let error = (rest / Double(max(1, sums.frames - 2)) / (sums.qSpread + 1e-12)).squareRoot()
    features[.parallaxGain] = gain
    features[.parallaxSignificance] = Elementary.asinh(gain / (error + 1e-9))
    features[.parallaxCorrelation] = cross / ((spread + 1e-18) * (sums.qSpread + 1e-18)).squareRoot()
  }

  /// What changed from far to near beyond any plane's motion.
  private func writePlane(to features: inout FeatureVector) {
    let rest = basis.planar.remainder(of: sums.nearLessFar, columns: basis.planarColumns)
    let residual = (dot(rest, rest, width) / Double(width)).squareRoot()
    features[.planeResidual] = residual
    let jitter = sums.noiseFloor / Double(sums.endFrames).squareRoot()
    features[.planeSignal] = Elementary.log(residual / (jitter + 1e-6) + 1e-6)
  }

  /// The slope of the residual on q against the template's, both beyond planes and cylinders.
  private func writeSlope(to features: inout FeatureVector) {
    let sheets = basis.planarColumns + cylinders()
    let normal = NormalEquations(gramMatrix(sheets), size: sheets.count)
    let slope = sums.qWeighted.map { $0 / (sums.qSpread + 1e-12) }
    let template = normal.remainder(of: basis.columns[2], columns: sheets)
    let beyond = normal.remainder(of: slope, columns: sheets)
    let (cross, tt) = (dot(beyond, template, width), dot(template, template, width))
    features[.slopeCosine] = cross / (dot(beyond, beyond, width) * tt + 1e-18).squareRoot()
    features[.slopeGain] = cross / (tt + 1e-12)
    let explained = normal.explained(normal.products(of: slope, with: sheets))
    features[.slopeCylinder] = explained / (dot(slope, slope, width) + 1e-18)
  }

  /// M∘x², M∘xy and M∘y², freed of their affine parts: what the slope of a bent sheet is made of.
  private func cylinders() -> [[Double]] {
    let count = shape.points
    return basis.withSquares { xx, xy, yy in
      [xx, xy, yy].map { factor in
        withUnsafeTemporaryAllocation(of: Double.self, capacity: 2 * count) { scaled in
          let base = scaled.baseAddress!
          multiply(shape.x, factor, into: base, count)
          multiply(shape.y, factor, into: base + count, count)
          return shape.affineFree(base, base + count)
        }
      }
    }
  }

  /// The relief of each point that the approach itself shows, by the parallax that its apparent size q must give.
  private func writeRelief(to features: inout FeatureVector) {
    let motion = Motion(sums)
    let relief = freeRelief(motion)
    let own = shape.affineFree(shape.relief)
    let (beyond, ownBeyond) = beyondQuadratic(relief, own)
    let count = shape.points
    func compare(_ found: [Double], _ known: [Double]) -> (
      correlation: Double, gain: Double, amplitude: Double
    ) {
      let (cross, ff, kk) = (dot(found, known, count), dot(found, found, count), dot(known, known, count))
      return (cross / (ff * kk + 1e-18).squareRoot(), cross / kk, (ff / Double(count)).squareRoot())
    }
    let whole = compare(relief, own)
    features[.reliefCorrelation] = whole.correlation
    features[.reliefGain] = whole.gain
    features[.reliefAmplitude] = whole.amplitude
    let rest = compare(beyond, ownBeyond)
    features[.reliefCorrelationBeyondQuadratic] = rest.correlation
    features[.reliefGainBeyondQuadratic] = rest.gain
    features[.reliefAmplitudeBeyondQuadratic] = rest.amplitude
    writeMotion(motion, relief: relief, to: &features)
  }

  /// Least squares for every point: Σ over frames of (gx, gy) · residual, over Σ |(gx, gy)|².
  ///
  /// The residual is linear in sums that the pass has formed, so no further pass over the frames is needed.
  private func freeRelief(_ motion: Motion) -> [Double] {
    let count = shape.points
    var (numerator, denominator) = (
      [Double](repeating: 0, count: count), [Double](repeating: 0, count: count)
    )
    let (tiltX, tiltY) = (basis.columns[0], basis.columns[1])
    for i in 0..<count {
      let (x, y) = (shape.x[i], shape.y[i])
      // Σ q·R and Σ a·R of the residual less its mean and its tilt.
      let qx = sums.qWeighted[i] - motion.qTilt.0 * tiltX[i] - motion.qTilt.1 * tiltY[i]
      let j = count + i
      let qy = sums.qWeighted[j] - motion.qTilt.0 * tiltX[j] - motion.qTilt.1 * tiltY[j]
      let ax =
        sums.turned[i] - motion.turnMean.0 * sums.total[i]
        - motion.xTilt.0 * tiltX[i] - motion.xTilt.1 * tiltY[i]
      let by =
        sums.turned[j] - motion.turnMean.1 * sums.total[j]
        - motion.yTilt.0 * tiltX[j] - motion.yTilt.1 * tiltY[j]
      numerator[i] = x * qx + ax + y * qy + by
      denominator[i] =
        sums.qSpread * (x * x + y * y) + 2 * (motion.qTurn.0 * x + motion.qTurn.1 * y)
        + motion.turnSpread.0 + motion.turnSpread.1
    }
    let ridge = 0.05 * (sum(denominator, count) / Double(count)) + 1e-9
    for i in 0..<count { numerator[i] /= denominator[i] + ridge }
    return shape.affineFree(numerator)
  }

  /// What is left of two reliefs, already affine-free, after the best quadratic surface of each.
  private func beyondQuadratic(_ relief: [Double], _ other: [Double]) -> ([Double], [Double]) {
    let surfaces = basis.withSquares { xx, xy, yy in
      [shape.affineFree(xx), shape.affineFree(xy), shape.affineFree(yy)]
    }
    let normal = NormalEquations(gramMatrix(surfaces), size: 3)
    return (
      normal.remainder(of: relief, columns: surfaces), normal.remainder(of: other, columns: surfaces)
    )
  }

  /// How much the points about eyes and mouth move beyond what `motion` of a rigid head of `relief` explains; without
  /// it, beyond their mean.
  private func writeMotion(_ motion: Motion?, relief: [Double], to features: inout FeatureVector) {
    let (count, kept) = (shape.points, sums.kept.count)
    struct Point {
      let index: Int
      let mean, place, tiltX, tiltY: SIMD2<Double>
      let relief: Double
    }
    let points = moving.map { k in
      let point = sums.kept[k]
      func pair(_ column: [Double]) -> SIMD2<Double> { SIMD2(column[point], column[count + point]) }
      return Point(
        index: k, mean: pair(sums.total) / Double(sums.frames), place: SIMD2(shape.x[point], shape.y[point]),
        tiltX: motion == nil ? .zero : pair(basis.columns[0]),
        tiltY: motion == nil ? .zero : pair(basis.columns[1]), relief: motion == nil ? 0 : relief[point])
    }
    var energy = 0.0
    sums.keptResiduals.withUnsafeBufferPointer { residuals in
      for frame in 0..<sums.frames {
        let base = frame * 2 * kept
        let (u, v) = motion?.tilt[frame] ?? (0, 0)
        let (q, turn) = motion?.parallax(frame) ?? (0, .zero)
        for point in points {
          var d = SIMD2(residuals[base + point.index], residuals[base + kept + point.index]) - point.mean
          d -= u * point.tiltX + v * point.tiltY + (q * point.place + turn) * point.relief
          energy += d.x * d.x + d.y * d.y
        }
      }
    }
    let amplitude = (energy / Double(2 * sums.frames * moving.count)).squareRoot()
    features[.nonRigidMotion] = Elementary.log(amplitude / (sums.noiseFloor + 1e-6) + 1e-6)
  }
}

/// How a head moved by frames: q and its turning, centred, and the tilt that a plane would have.
private struct Motion {
  private let q: [Double]
  private let turnX: [Double]
  private let turnY: [Double]
  let turnMean: (Double, Double)
  /// Coefficients of the two planar columns in each frame, centred.
  let tilt: [(Double, Double)]
  /// Σ q·turn, Σ turn², and the tilt's coefficients summed with the weights q, turnX and turnY.
  let qTurn, turnSpread, qTilt, xTilt, yTilt: (Double, Double)

  init(_ sums: ResidualSums) {
    let count = Double(sums.frames)
    let q = sums.q.map { $0 - sums.qMean }
    let (a, b) = (sums.coefficients.map { $0[3] }, sums.coefficients.map { $0[4] })
    let (meanA, meanB) = (a.mean, b.mean)
    let (turnX, turnY) = (a.map { $0 - meanA }, b.map { $0 - meanB })
    let meanProducts = sums.products.reduce(SIMD8<Double>.zero, +) / count
    let tilt = sums.products.map { product in
      let solved = sums.basis.planar.solve(product - meanProducts)
      return (solved[0], solved[1])
    }
    func weighted(_ weights: [Double]) -> (Double, Double) {
      var (u, v) = (0.0, 0.0)
      for (weight, each) in zip(weights, tilt) {
        u += weight * each.0
        v += weight * each.1
      }
      return (u, v)
    }
    func product(_ left: [Double], _ right: [Double]) -> Double { dot(left, right, left.count) }
    self.q = q
    self.turnX = turnX
    self.turnY = turnY
    self.tilt = tilt
    turnMean = (meanA, meanB)
    qTurn = (product(q, turnX), product(q, turnY))
    turnSpread = (product(turnX, turnX), product(turnY, turnY))
    qTilt = weighted(q)
    xTilt = weighted(turnX)
    yTilt = weighted(turnY)
  }

  /// A point of the shape at M moves by q M + turn per unit of relief.
  func parallax(_ frame: Int) -> (q: Double, turn: SIMD2<Double>) {
    (q[frame], SIMD2(turnX[frame], turnY[frame]))
  }
}
