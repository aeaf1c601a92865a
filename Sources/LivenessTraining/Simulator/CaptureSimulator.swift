import Biometrics
import Liveness

/// A simulated capture with its ground truth and the challenge it answers.
public struct SimulatedCapture: Sendable {
  public var species: AttackSpecies
  /// The subject, or the attack's victim.
  public let subject: Int
  public let capture: Capture
  public let schedule: ChallengeSchedule
  public let received: Instant

  public init(
    species: AttackSpecies, subject: Int, capture: Capture, schedule: ChallengeSchedule, received: Instant
  ) {
    self.species = species
    self.subject = subject
    self.capture = capture
    self.schedule = schedule
    self.received = received
  }

  /// As a line of a file, with its truth.
  public var record: CaptureRecord {
    CaptureRecord(
      label: species.rawValue, subject: "simulated-\(subject)", provenance: .simulated, schedule: schedule,
      received: received, capture: capture)
  }
}

/// Makes captures of subjects and of attacks on them, reproducibly from a seed.
///
/// Assumptions, none of them measured on people: distances by the ovals, lag 0.15...0.4 s, a bias of 3 % in size, relief
/// that varies by 22 %, head turns of a few degrees, and passive scores and embeddings of made-up models.
public struct CaptureSimulator: Sendable {
  public let seed: UInt64
  public let profile: LandmarkerProfile
  /// The jitter as a part of the inter-ocular distance; `nil` for the profile's own range.
  public var noise: Double?
  public var withColours: Bool
  public var withEmbeddings = true
  public var withPassiveScores = true
  let issuer: ChallengeIssuer
  private let subjects = SubjectCache()

  /// The made-up models that frames have their passive scores and, where no face is given, their embeddings of.
  public static let passiveModel = Capture.PassiveModel(id: "simulated-passive", version: "1")
  public static let embeddingModel = Capture.EmbeddingModel(
    id: "simulated-embedding", dimension: SimulatedSubject.embeddingDimension)

  /// Issues challenges under `challengeKey`, of 32 bytes, or else under one made of the seed.
  public init(
    seed: UInt64, profile: LandmarkerProfile, noise: Double? = nil, withColours: Bool = true,
    challengeKey: [UInt8]? = nil
  ) {
    self.seed = seed
    self.profile = profile
    self.noise = noise
    self.withColours = withColours
    var random = SimulationRandom(seed, 0x6b6579)
    issuer = ChallengeIssuer(key: challengeKey ?? random.bytes(ChallengeIssuer.keyBytes))
  }

  /// The capture number `index` of `species` of `subject`.
  public func capture(_ species: AttackSpecies, subject: Int, index: Int) -> SimulatedCapture {
    let kind = UInt64(AttackSpecies.allCases.firstIndex(of: species)!)
    var random = SimulationRandom(seed, 2, kind, UInt64(subject), UInt64(index))
    let issued = Instant(millisecondsSince1970: 1_700_000_000_000 + Int64(random.index(below: 1_000_000_000)))
    let schedule = issuer.issue(
      nonce: random.bytes(ChallengeSchedule.nonceBytes), withColours: withColours, at: issued)
    return capture(species, subject: subject, answering: schedule, &random)
  }

  /// The capture number `index` of `species` of `subject` that answers, or pretends to answer, `schedule`, which need not
  /// be of this simulator's making. Its frames' embeddings are made about `face`, where one is given.
  public func capture(
    _ species: AttackSpecies, subject: Int, index: Int, answering schedule: ChallengeSchedule,
    face: SimulatedFace? = nil
  ) -> SimulatedCapture {
    let kind = UInt64(AttackSpecies.allCases.firstIndex(of: species)!)
    var random = SimulationRandom(seed, 3, kind, UInt64(subject), UInt64(index))
    return capture(species, subject: subject, answering: schedule, face: face, &random)
  }

  func capture(
    _ species: AttackSpecies, subject: Int, answering schedule: ChallengeSchedule, face: SimulatedFace? = nil,
    _ random: inout SimulationRandom
  ) -> SimulatedCapture {
    let face = face ?? SimulatedFace(model: Self.embeddingModel, self.subject(subject).embedding)
    var scene = Scene(simulator: self, subject: subject, face: face, schedule: schedule, &random)
    scene.play(species, &random)
    let device = Capture.Device(
      model: "simulated", camera: "front",
      // The client knows its camera to within 5 %.
      fieldOfView: scene.fieldOfView * (1 + random.uniform(-0.05, 0.05)), imageWidth: 480,
      imageHeight: Int((480 * scene.camera.aspect).rounded()))
    var capture = Capture(
      challengeID: schedule.id, nonce: schedule.nonce, device: device, landmarker: profile.landmarker,
      frames: scene.frames(species, &random), landmarks: scene.landmarks)
    capture.shown = schedule.stages.enumerated().map { index, stage in
      .init(stage: index, time: stage.start + (random.uniform(0, 30) * 10).rounded() / 10)
    }
    if withPassiveScores { capture.passiveModel = Self.passiveModel }
    if withEmbeddings { capture.embeddingModel = face.model }
    let duration = Int64(scene.times.last! * 1000) + 1
    let received = schedule.issuedAt + .milliseconds(duration + Int64(random.uniform(600, 4000)))
    return SimulatedCapture(
      species: species, subject: subject, capture: capture.sealed(), schedule: schedule, received: received)
  }

  /// The subject of that number.
  func subject(_ number: Int) -> SimulatedSubject {
    subjects.subject(number) {
      var random = SimulationRandom(seed, 1, UInt64(number))
      return SimulatedSubject(&random, layout: profile.layout)
    }
  }
}

/// Keeps the subjects met last, which cost more to make than a capture of theirs.
private final class SubjectCache: Sendable {
  private let subjects = Guarded<[Int: SimulatedSubject]>([:])

  func subject(_ number: Int, make: () -> SimulatedSubject) -> SimulatedSubject {
    if let known = subjects.withLock({ $0[number] }) { return known }
    let new = make()
    subjects.withLock {
      if $0.count >= 256 { $0.removeAll() }
      $0[number] = new
    }
    return new
  }
}
