import Liveness

extension Scene {
  /// Points of a photograph of the subject in centimetres, printed near life size, its middle at the origin.
  private func photograph(_ random: inout SimulationRandom) -> [SIMD3<Double>] {
    let moment = [0.0, 0.03]
    let expression = Expression(&random, times: moment)
    let rotation = Rotation.ofHead(&random, times: moment)[0]
    let distance = random.uniform(35, 150)
    let points = subject.points.enumerated().map { index, point in
      point + expression.displacement(subject.movements, index, 0)
    }
    let taken = SimulatedCamera(focalLength: 1, aspect: 1)
      .image(points, rotation, at: SIMD3(0, 0, distance))
      .map { ($0 - SIMD2(0.5, 0.5)) * distance * 1.0 }
    let (low, high) = bounds(taken)
    let scale = random.uniform(0.75, 1.15)
    return taken.map { point in
      let d = (point - (low + high) / 2) * scale
      return SIMD3(d.x, d.y, 0)
    }
  }

  /// True points of a sheet that is brought closer to follow the challenge.
  func sheet(_ species: AttackSpecies, _ random: inout SimulationRandom) -> [[SIMD2<Double>]] {
    let flat = photograph(&random)
    let path = OvalFollower.path(&random, schedule, times: times)
    let shake = (random.smooth(times, tau: 0.35), random.smooth(times, tau: 0.35))
    let rotations =
      species == .tiltedPhoto ? tilts(&random) : Rotation.ofHead(&random, times: times)
    let expression = Expression(&random, times: times)
    var shapes = [flat]
    switch species {
    case .bentPhoto, .cutOutPhoto:
      let isCutOut = species == .cutOutPhoto
      var radius = isCutOut ? random.uniform(6, 12) : 1 / random.uniform(1.0 / 25, 1.0 / 6)
      var angle = random.normal(0.1)
      if !isCutOut {
        if random.chance(0.2) { radius = -radius }
        if random.chance(0.2) { angle += .pi / 2 }
      }
      shapes = [bent(flat, radius: radius, angle: angle)]
    case .flexedPhoto:
      let (from, to) = (random.uniform(0, 1.0 / 25), random.uniform(1.0 / 14, 1.0 / 6))
      let wobble = random.smooth(times, tau: 0.5)
      let angle = random.normal(0.1)
      shapes = times.indices.map { frame in
        let curvature = from + (to - from) * Double(frame) / Double(times.count - 1) + 0.01 * wobble[frame]
        return bent(flat, radius: 1 / max(curvature, 1e-3), angle: angle)
      }
    default: break
    }
    return times.indices.map { frame in
      var points = shapes[shapes.count == 1 ? 0 : frame]
      for index in points.indices {
        if species == .cutOutPhoto {
          points[index] += subject.movements.blink[index] * expression.blink[frame]
        }
        if species == .movedScreen {
          let d = expression.displacement(subject.movements, index, frame)
          points[index] += SIMD3(d.x, d.y, 0)
        }
      }
      var place = camera.place(path[frame], shapes[shapes.count == 1 ? 0 : frame])
      place += SIMD3(0.12 * shake.0[frame], 0.12 * shake.1[frame], 0)
      return camera.image(points, rotations[frame], at: place)
    }
  }

  private func tilts(_ random: inout SimulationRandom) -> [Rotation] {
    let degree = Double.pi / 180
    let (yaw, pitch) = (degree * random.uniform(12, 35), degree * random.uniform(8, 25))
    let (yawRate, pitchRate) = (random.uniform(0, 5), random.uniform(0, 5))
    let (yawPhase, pitchPhase) = (random.uniform(0, 6), random.uniform(0, 6))
    let roll = random.smooth(times, tau: 0.8)
    return times.indices.map { frame in
      let share = Double(frame) / Double(times.count - 1)
      return Rotation(
        yaw: yaw * Elementary.sineCosine(yawRate * share + yawPhase).sine,
        pitch: pitch * Elementary.sineCosine(pitchRate * share + pitchPhase).sine,
        roll: 3 * degree * roll[frame])
    }
  }

  /// A sheet wrapped on a cylinder, its axis at `angle` from upright; a negative radius bends it the other way.
  private func bent(_ points: [SIMD3<Double>], radius: Double, angle: Double) -> [SIMD3<Double>] {
    let (s, c) = Elementary.sineCosine(angle)
    return points.map { point in
      let (u, v) = (c * point.x + s * point.y, -s * point.x + c * point.y)
      let (sine, cosine) = Elementary.sineCosine(u / radius)
      let (x, z) = (radius * sine, radius * (cosine - 1))
      return SIMD3(c * x - s * v, s * x + c * v, z)
    }
  }

  /// One photograph's points scaled and shifted to the ovals.
  mutating func playZoom(_ random: inout SimulationRandom) {
    let flat = photograph(&random)
    let width = flat.map(\.x).max()! - flat.map(\.x).min()!
    let path = OvalFollower.path(&random, schedule, times: times)
    let middle = SIMD2(0.5, camera.aspect / 2)
    let frames = path.map { target in
      flat.map {
        SIMD2($0.x, $0.y) * (target.width / width) + SIMD2(target.centreX, target.centreY) + middle
      }
    }
    seen = report(frames, &random)
    lit.strength = 0
  }

  /// A few frames of a following head, and straight lines between them.
  mutating func playInterpolated(noisy: Bool, _ random: inout SimulationRandom) {
    let all = report(head(subject, moving: true, &random), &random)
    let count = 2 + random.index(below: 4)
    let last = times.count - 1
    let keys = (0..<count).map { Int((Double(last * $0) / Double(count - 1)).rounded()) }
    seen = times.indices.map { frame in
      let left = min(keys.lastIndex { $0 <= frame }!, count - 2)
      let share = Double(frame - keys[left]) / Double(keys[left + 1] - keys[left])
      return all[keys[left]].indices.map {
        all[keys[left]][$0] * (1 - share) + all[keys[left + 1]][$0] * share
      }
    }
    if noisy { addNoise(noise, &random) }
    lit.strength = 0
  }

  /// An earlier capture of the subject, under this challenge.
  mutating func playReplay(_ species: AttackSpecies, _ random: inout SimulationRandom) {
    let old = simulator.issuer.issue(
      nonce: random.bytes(ChallengeSchedule.nonceBytes), withColours: simulator.withColours,
      at: schedule.issuedAt)
    lit.schedule = old
    let recorded = head(subject, moving: true, answering: old, &random)
    let middle = SIMD2(0.5, camera.aspect / 2)
    switch species {
    case .replayInjected: seen = report(recorded, &random)
    case .replayOnScreen:
      let scale = random.uniform(0.85, 1.1)
      seen = report(shown(recorded.map { $0.map { ($0 - middle) * scale } }, &random), &random)
    default:
      let path = OvalFollower.path(&random, schedule, times: times)
      let scaled = zip(recorded, path).map { points, target in
        let (low, high) = bounds(points)
        let scale = target.width / (high.x - low.x)
        return points.map {
          ($0 - (low + high) / 2) * scale + SIMD2(target.centreX, target.centreY)
        }
      }
      seen = report(shown(scaled, &random), &random)
    }
  }

  /// True points of pictures (in image widths from the middle) on a screen 30 cm before the camera, nearly still.
  private func shown(_ pictures: [[SIMD2<Double>]], _ random: inout SimulationRandom) -> [[SIMD2<Double>]] {
    let rotations = Rotation.ofHead(&random, times: times, steadiness: 0.3)
    let shake = (0..<3).map { _ in random.smooth(times, tau: 0.4) }
    return pictures.indices.map { frame in
      let sheet = pictures[frame].map { SIMD3($0.x, $0.y, 0) * (30 / camera.focalLength) }
      let place = SIMD3(0.1 * shake[0][frame], 0.1 * shake[1][frame], 30 + 0.15 * shake[2][frame])
      return camera.image(sheet, rotations[frame], at: place)
    }
  }

  /// From some frame of the middle half on, another person.
  mutating func playChange(_ random: inout SimulationRandom) {
    let other = simulator.subject(number + 1_000_000)
    let first = head(subject, moving: true, &random)
    let second = head(other, moving: true, &random)
    let change = times.count / 4 + random.index(below: times.count / 2)
    seen = report(Array(first[..<change] + second[change...]), &random)
    var otherFace = other.embedding
    if face.model != CaptureSimulator.embeddingModel {
      var faces = SimulationRandom(simulator.seed, 4, UInt64(number))
      otherFace = SimulatedFace.another(face.model, &faces).direction
    }
    for frame in change..<times.count { people[frame] = otherFace }
  }

  private func bounds(_ points: [SIMD2<Double>]) -> (low: SIMD2<Double>, high: SIMD2<Double>) {
    points.reduce((points[0], points[0])) { (pointwiseMin($0.0, $1), pointwiseMax($0.1, $1)) }
  }
}
