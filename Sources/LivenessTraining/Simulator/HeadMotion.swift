import Liveness

/// A rotation by yaw, pitch and roll, in that order from the outside: roll · yaw · pitch.
struct Rotation {
  private let rows: (SIMD3<Double>, SIMD3<Double>, SIMD3<Double>)

  /// Radians.
  init(yaw: Double, pitch: Double, roll: Double) {
    let (sy, cy) = Elementary.sineCosine(yaw)
    let (sp, cp) = Elementary.sineCosine(pitch)
    let (sr, cr) = Elementary.sineCosine(roll)
    rows = (
      SIMD3(cr * cy, cr * sy * sp - sr * cp, cr * sy * cp + sr * sp),
      SIMD3(sr * cy, sr * sy * sp + cr * cp, sr * sy * cp - cr * sp),
      SIMD3(-sy, cy * sp, cy * cp)
    )
  }

  func callAsFunction(_ point: SIMD3<Double>) -> SIMD3<Double> {
    func product(_ row: SIMD3<Double>) -> Double { row.x * point.x + row.y * point.y + row.z * point.z }
    return SIMD3(product(rows.0), product(rows.1), product(rows.2))
  }

  /// Of a head that is held about straight and never quite still.
  static func ofHead(_ random: inout SimulationRandom, times: [Double], steadiness: Double = 1) -> [Rotation]
  {
    let degree = Double.pi / 180
    let still = (random.normal(3), random.normal(5), random.normal(2.5))
    let nod = random.normal(3)
    let (yaw, pitch, roll) = (
      random.smooth(times, tau: 0.8), random.smooth(times, tau: 0.8), random.smooth(times, tau: 0.9)
    )
    let last = max(1, Double(times.count - 1))
    return times.indices.map { index in
      Rotation(
        yaw: degree * (still.0 + 2.5 * steadiness * yaw[index]),
        pitch: degree * (still.1 + 2.5 * steadiness * pitch[index] + nod * (2 * Double(index) / last - 1)),
        roll: degree * (still.2 + 1.2 * steadiness * roll[index]))
    }
  }
}

/// A pinhole camera; `focalLength` in image widths.
struct SimulatedCamera {
  let focalLength: Double
  /// Image height over width.
  let aspect: Double

  /// The image of `points` (centimetres), turned by `rotation`, then moved to `place`, whose z is the distance.
  func image(_ points: [SIMD3<Double>], _ rotation: Rotation, at place: SIMD3<Double>) -> [SIMD2<Double>] {
    points.map { point in
      let turned = rotation(point)
      let depth = place.z - turned.z
      return SIMD2(
        focalLength * (turned.x + place.x) / depth + 0.5,
        focalLength * (turned.y + place.y) / depth + aspect / 2)
    }
  }

  /// Where an object is to be so that what is seen of it from the front fills that place of the image: its holder
  /// looks at the picture, not at the distance.
  func place(_ target: OvalFollower.Target, _ object: [SIMD3<Double>]) -> SIMD3<Double> {
    let first = object.reduce((object[0].x, object[0].x)) { (min($0.0, $1.x), max($0.1, $1.x)) }
    var place = SIMD3(0, 0, focalLength * (first.1 - first.0) / target.width)
    for _ in 0..<4 {
      var (left, right, top, bottom) = (Double.infinity, -Double.infinity, Double.infinity, -Double.infinity)
      for point in object {
        let scale = focalLength / (place.z - point.z)
        let (x, y) = ((point.x + place.x) * scale, (point.y + place.y) * scale)
        left = x < left ? x : left
        right = x > right ? x : right
        top = y < top ? y : top
        bottom = y > bottom ? y : bottom
      }
      place.z *= (right - left) / target.width
      place.x += (target.centreX - (left + right) / 2) * place.z / focalLength
      place.y += (target.centreY - (top + bottom) / 2) * place.z / focalLength
    }
    return place
  }
}

/// What a person does with the ovals: late, smoothly and not quite.
struct OvalFollower {
  struct Target {
    var width: Double
    var centreX: Double
    var centreY: Double

    fileprivate mutating func approach(_ other: Target, by share: Double) {
      width += share * (other.width - width)
      centreX += share * (other.centreX - centreX)
      centreY += share * (other.centreY - centreY)
    }
  }

  /// The place held at each of `times`, in seconds since the challenge was shown.
  static func path(
    _ random: inout SimulationRandom, _ schedule: ChallengeSchedule, times: [Double]
  ) -> [Target] {
    let (lag, tau) = (random.uniform(0.15, 0.4), random.uniform(0.16, 0.32))
    let bias = 1 + random.normal(0.03)
    let offset = (random.normal(0.012), random.normal(0.012))
    let sizeNoise = random.smooth(times, tau: 0.4)
    let (noiseX, noiseY) = (random.smooth(times, tau: 0.4), random.smooth(times, tau: 0.4))
    var held = target(schedule, at: 0)
    held.width *= 1 + random.normal(0.04)
    var intent = held
    return times.indices.map { index in
      if index > 0 {
        let aim = target(schedule, at: max(0, times[index] - lag))
        // Two lags in turn, so that the motion begins softly.
        let step = 1 - Elementary.exp(-(times[index] - times[index - 1]) / (0.6 * tau))
        intent.approach(aim, by: step)
        held.approach(intent, by: step)
      }
      return Target(
        width: held.width * bias * (1 + 0.012 * sizeNoise[index]),
        centreX: held.centreX + offset.0 + 0.006 * noiseX[index],
        centreY: held.centreY + offset.1 + 0.006 * noiseY[index])
    }
  }

  private static func target(_ schedule: ChallengeSchedule, at time: Double) -> Target {
    var current = schedule.stages[0]
    for stage in schedule.stages where time * 1000 >= stage.start { current = stage }
    return Target(width: current.width, centreX: current.centreX, centreY: current.centreY)
  }
}

/// What a face does of itself: it speaks, smiles, raises the brows and blinks.
struct Expression {
  let jaw, smile, brow, blink: [Double]

  init(_ random: inout SimulationRandom, times: [Double]) {
    func clip(_ value: Double, _ low: Double, _ high: Double) -> Double { min(max(value, low), high) }
    jaw = random.smooth(times, tau: 0.6).map { clip($0 * 0.25 + 0.05, 0, 1.5) }
    let mood = random.normal(0.2)
    smile = random.smooth(times, tau: 0.9).map { clip($0 * 0.4 + mood, -0.6, 1.5) }
    brow = random.smooth(times, tau: 0.8).map { $0 * 0.3 }
    let lids = random.smooth(times, tau: 0.3)
    let length = (times.last ?? 0) - (times.first ?? 0)
    var blinks: [Double] = []
    // About one blink in three seconds.
    for _ in 0..<6 where random.chance(min(1, (0.3 * length + 0.3) / 6)) {
      blinks.append(random.uniform(times.first ?? 0, times.last ?? 0))
    }
    blink = times.indices.map { index in
      let closed = blinks.reduce(0) { sum, at in
        let d = (times[index] - at) / 0.07
        return sum + Elementary.exp(-d * d)
      }
      return clip(closed + 0.03 * lids[index], 0, 1)
    }
  }

  /// How far a point's movements take it in a frame.
  func displacement(_ movements: FaceMovements, _ point: Int, _ frame: Int) -> SIMD3<Double> {
    movements.jaw[point] * jaw[frame] + movements.smile[point] * smile[frame] + movements.brow[point]
      * brow[frame]
      + movements.blink[point] * blink[frame]
  }
}
