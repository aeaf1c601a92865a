import Liveness

/// One capture in the making: a camera, a subject, a challenge, and what the landmarker says of every frame.
struct Scene {
  let simulator: CaptureSimulator
  let number: Int
  let subject: SimulatedSubject
  let face: SimulatedFace
  let schedule: ChallengeSchedule
  let fieldOfView: Double
  let camera: SimulatedCamera
  /// Seconds since the challenge was shown, as the client states them.
  var times: [Double]
  let noise: Double
  /// What the landmarker reports.
  var seen: [[SIMD2<Double>]] = []
  /// The embedding of each frame's person, before its own noise.
  var people: [[Double]]
  /// The challenge whose colours the face reflects, and how strongly.
  var lit: (schedule: ChallengeSchedule, strength: Double)

  private var layout: LandmarkLayout { simulator.profile.layout }

  init(
    simulator: CaptureSimulator, subject number: Int, face: SimulatedFace, schedule: ChallengeSchedule,
    _ random: inout SimulationRandom
  ) {
    self.simulator = simulator
    self.number = number
    self.face = face
    self.schedule = schedule
    let subject = simulator.subject(number)
    self.subject = subject
    let fieldOfView = random.uniform(60, 80)
    self.fieldOfView = fieldOfView
    camera = SimulatedCamera(
      focalLength: focalLength(fieldOfView: fieldOfView), aspect: random.chance(0.5) ? 4.0 / 3 : 16.0 / 9)
    times = Self.times(&random)
    noise = simulator.noise ?? random.uniform(simulator.profile.noise)
    people = [[Double]](repeating: face.direction, count: times.count)
    lit = (schedule, random.uniform(0.5, 1.2))
  }

  private static func times(_ random: inout SimulationRandom) -> [Double] {
    let interval = 1 / random.uniform(14, 28)
    let length = random.uniform(4.0, 4.5)
    var times: [Double] = [random.uniform(0, interval)]
    while times.last! < length {
      var step = interval + random.normal(0.002).magnitude
      if random.chance(0.03) { step += random.uniform(0, interval) }
      times.append(times.last! + step)
    }
    return times
  }

  mutating func play(_ species: AttackSpecies, _ random: inout SimulationRandom) {
    switch species {
    case .flatPhoto, .tiltedPhoto, .bentPhoto, .flexedPhoto, .cutOutPhoto, .movedScreen:
      seen = report(sheet(species, &random), &random)
    case .digitalZoom: playZoom(&random)
    case .interpolated, .interpolatedNoisy: playInterpolated(noisy: species == .interpolatedNoisy, &random)
    case .replayInjected, .replayOnScreen, .replayTracking: playReplay(species, &random)
    case .rigidMask: seen = report(head(subject, moving: false, &random), &random)
    case .personChange: playChange(&random)
    default:
      seen = report(head(subject, moving: true, &random), &random)
      if species == .colourlessRender { lit.strength = 0 }
      disturb(species, &random)
    }
  }

  /// What the landmarker makes of true points.
  func report(
    _ points: [[SIMD2<Double>]], withJitter: Bool = true, _ random: inout SimulationRandom
  ) -> [[SIMD2<Double>]] {
    simulator.profile.see(points, noise: noise, withJitter: withJitter, &random)
  }

  /// True points of a head that follows the challenge.
  func head(
    _ subject: SimulatedSubject, moving: Bool, answering other: ChallengeSchedule? = nil,
    _ random: inout SimulationRandom
  ) -> [[SIMD2<Double>]] {
    let path = OvalFollower.path(&random, other ?? schedule, times: times)
    let rotations = Rotation.ofHead(&random, times: times)
    let expression = Expression(&random, times: times)
    let shake = (random.smooth(times, tau: 0.35), random.smooth(times, tau: 0.35))
    return times.indices.map { frame in
      var points = subject.points
      if moving {
        for index in points.indices {
          points[index] += expression.displacement(subject.movements, index, frame)
        }
      }
      var place = camera.place(path[frame], subject.points)
      place += SIMD3(0.12 * shake.0[frame], 0.12 * shake.1[frame], 0)
      return camera.image(points, rotations[frame], at: place)
    }
  }

  /// Frames repeated, out of order or at times that can't be.
  private mutating func disturb(_ species: AttackSpecies, _ random: inout SimulationRandom) {
    switch species {
    case .frozen, .frozenNoisy:
      let length = 3 + random.index(below: 10)
      take(times.indices.map { $0 / length * length })
      if species == .frozenNoisy { addNoise(noise * random.uniform(0.5, 1), &random) }
    case .duplicated:
      let share = random.uniform(0.2, 0.4)
      var sources = Array(times.indices)
      for index in sources.indices.dropFirst() where random.chance(share) {
        sources[index] = sources[index - 1]
      }
      take(sources)
    case .reordered:
      var sources = Array(times.indices)
      let chosen = random.indices(6, below: times.count)
      // A cycle by one to five places: none keeps its own.
      let shift = 1 + random.index(below: 5)
      for (place, index) in chosen.enumerated() { sources[index] = chosen[(place + shift) % chosen.count] }
      take(sources)
    case .staleTimes:
      let pause = times.count / 4 + random.index(below: times.count / 2)
      let gap = random.uniform(0.55, 2)
      for index in times.indices where index >= pause { times[index] += gap }
    default: break
    }
  }

  mutating func take(_ sources: [Int]) {
    (seen, people) = (sources.map { seen[$0] }, sources.map { people[$0] })
  }

  /// White noise as a part of the inter-ocular distance, which is taken as 0.44 of the width.
  mutating func addNoise(_ part: Double, _ random: inout SimulationRandom) {
    for frame in seen.indices {
      let width = seen[frame].map(\.x).max()! - seen[frame].map(\.x).min()!
      for index in seen[frame].indices {
        seen[frame][index] += SIMD2(random.normal(part), random.normal(part)) * (0.44 * width)
      }
    }
  }
}
