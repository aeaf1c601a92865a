import Biometrics
import Glibc
import Liveness
import LivenessTraining

/// What the tests of this target share: the shipped models, and simulated captures.
enum Fixtures {
  /// Whether long runs were asked for.
  static let isLong = getenv("REVERIFY_LONG").map { String(cString: $0) } == "1"

  static let models: String = {
    // This file is Tests/LivenessTests/Fixtures.swift of the package.
    let package = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3)
    return package.joined(separator: "/") + "/models/liveness"
  }()

  static func model(_ name: String) throws -> LivenessModel { try .load(path: "\(models)/\(name).json") }

  static let modelNames = [
    "simulated-ideal-68", "simulated-ideal-468", "mediapipe-facemesh-68of468", "mediapipe-facemesh-468",
  ]

  /// Of the simulated ideal landmarker with 68 points.
  static func detector(policy: String = "standard") throws -> LivenessDetector {
    try LivenessDetector(models: [model("simulated-ideal-68")], policy: policy)
  }

  static let profile = LandmarkerProfile.ideal(.sixtyEight)
  /// A seed that no shipped model was made with.
  static let simulator = CaptureSimulator(seed: 4711, profile: profile)
  static let colourless = CaptureSimulator(seed: 4711, profile: profile, withColours: false)
  static let extractor = FeatureExtractor(template: CanonicalFace.template(.sixtyEight))

  /// A bona fide capture that the standard policy passes, the first of those simulated.
  static func passing(_ simulator: CaptureSimulator = simulator) throws -> SimulatedCapture {
    let detector = try detector()
    for subject in 0..<20 {
      let capture = simulator.capture(.bonaFide, subject: subject, index: 0)
      if try detector.assess(capture).verdict == .pass { return capture }
    }
    throw NonePassed()
  }

  struct NonePassed: Error {}
}

extension LivenessDetector {
  func assess(_ simulated: SimulatedCapture) throws(LivenessError) -> LivenessDecision {
    try assess(simulated.capture, answering: simulated.schedule, received: simulated.received)
  }
}

extension SimulatedCapture {
  /// The decision after `change`, with a chain that fits the changed capture.
  func assessed(
    by detector: LivenessDetector, changing change: (inout Capture) -> Void
  ) throws -> LivenessDecision {
    var capture = capture
    change(&capture)
    return try detector.assess(capture.sealed(), answering: schedule, received: received)
  }
}
