import Biometrics
import Liveness
import LivenessTraining
import Testing

@Suite("Hard checks")
struct HardCheckTests {
  private func expect(
    _ reason: LivenessReason, _ verdict: LivenessDecision.Verdict = .fail,
    of simulator: CaptureSimulator = Fixtures.simulator, after change: (inout Capture) -> Void
  ) throws {
    let decision = try Fixtures.passing(simulator).assessed(by: Fixtures.detector(), changing: change)
    #expect(decision.reasons.contains(reason), "\(decision.reasons)")
    #expect(decision.verdict == verdict, "\(decision.reasons)")
  }

  @Test("frames out of order or misnumbered, times that stand still")
  func order() throws {
    try expect(.reorderedFrames) { $0.frames.swapAt(10, 11) }
    try expect(.reorderedFrames) { $0.frames[20].sequence += 1 }
    try expect(.reorderedFrames) { $0.frames[20].time = $0.frames[19].time }
  }

  @Test("gaps, slow or endless recordings, and ones longer than since the challenge")
  func times() throws {
    try expect(.staleTimestamps) { for index in 30..<$0.frames.count { $0.frames[index].time += 501 } }
    try expect(.staleTimestamps) { for index in $0.frames.indices { $0.frames[index].time *= 2.4 } }
    try expect(.staleTimestamps) { for index in $0.frames.indices { $0.frames[index].time += 100_000 } }
    try expect(.staleTimestamps) { for index in $0.frames.indices { $0.frames[index].time /= 4 } }
  }

  /// Bug: half of a camera's frames were times that can't be, and so an attack's sign.
  @Test("a slow device is to try again, and is told why")
  func slowDevice() throws {
    try expect(.lowFrameRate, .retry) { capture in
      let kept = Array(stride(from: 0, to: capture.frames.count, by: 3))
      capture.landmarks = kept.flatMap { capture.landmarks[$0 * 136..<($0 + 1) * 136] }
      let (first, last) = (capture.frames[0].embedding, capture.frames[capture.frames.count - 1].embedding)
      capture.frames = kept.enumerated().map { sequence, index in
        var frame = capture.frames[index]
        frame.sequence = sequence
        frame.embedding = frame.embedding ?? (sequence % 2 == 0 ? first : last)
        return frame
      }
    }
  }

  @Test("too few frames are to be tried again")
  func few() throws {
    // Colours that were shown for a second only are no answer either.
    try expect(.tooFewFrames, .retry, of: Fixtures.colourless) {
      $0.frames = Array($0.frames.prefix(23))
      $0.landmarks = Array($0.landmarks.prefix(23 * 136))
      $0.frames[22].embedding = $0.frames[0].embedding
      $0.shown = []
    }
  }

  @Test("several faces or none in more than a twentieth of the frames")
  func faces() throws {
    try expect(.multipleFaces) { for index in 0..<8 { $0.frames[index * 5].faceCount = 2 } }
    try expect(.multipleFaces) { for index in 0..<8 { $0.frames[index * 5].faceCount = 0 } }
  }

  @Test("the same pixels or the same landmarks in a row, and too often at all")
  func repeats() throws {
    try expect(.frozenFrames) { for index in 10..<13 { $0.frames[index].pixelHash = 5 } }
    try expect(.frozenFrames) { capture in
      for index in 11...12 {
        for offset in 0..<136 {
          capture.landmarks[index * 136 + offset] = capture.landmarks[10 * 136 + offset]
        }
      }
    }
    try expect(.duplicateFrames) {
      for index in $0.frames.indices { $0.frames[index].pixelHash = UInt64(index / 2) }
    }
  }

  @Test("equal embeddings of unequal frames in a row, which no embedder gives")
  func copiedEmbeddings() throws {
    try expect(.duplicateFrames) { capture in
      let first = capture.frames[0].embedding
      for index in capture.frames.indices where capture.frames[index].embedding != nil {
        capture.frames[index].embedding = first
      }
    }
    try expect(.duplicateFrames) { capture in
      let last = capture.frames.indices.last!
      let before = capture.frames.indices.last { $0 < last && capture.frames[$0].embedding != nil }!
      capture.frames[last].embedding = capture.frames[before].embedding
    }
    // The very same picture twice has one embedding, and is what `maximumRepeats` is for.
    let live = try Fixtures.passing()
    let repeated = try live.assessed(by: Fixtures.detector()) { capture in
      for offset in 0..<136 { capture.landmarks[136 + offset] = capture.landmarks[offset] }
      capture.frames[1].embedding = capture.frames[0].embedding
    }
    #expect(!repeated.reasons.contains(.duplicateFrames), "\(repeated.reasons)")
  }

  @Test("too dark, too bright or blurred is to be tried again")
  func quality() throws {
    try expect(.poorQuality, .retry) { for index in $0.frames.indices { $0.frames[index].brightness = 0.01 } }
    try expect(.poorQuality, .retry) { for index in $0.frames.indices { $0.frames[index].brightness = 1 } }
    try expect(.poorQuality, .retry) { for index in $0.frames.indices { $0.frames[index].sharpness = 0.1 } }
  }

  @Test("an answer to another challenge, too late, or before it was asked")
  func challenge() throws {
    let (live, detector) = (try Fixtures.passing(), try Fixtures.detector())
    let other = Fixtures.simulator.capture(.bonaFide, subject: 11, index: 3).schedule
    let crossed = try detector.assess(live.capture, answering: other, received: live.received)
    #expect(crossed.reasons.contains(.otherChallenge))
    #expect(crossed.verdict == .fail)
    for instant in [live.schedule.expiry, live.schedule.issuedAt - .milliseconds(1)] {
      let late = try detector.assess(live.capture, answering: live.schedule, received: instant)
      #expect(late.reasons.contains(.expiredChallenge))
      #expect(late.verdict == .fail)
    }
    let last = try detector.assess(
      live.capture, answering: live.schedule, received: live.schedule.expiry - .milliseconds(1))
    #expect(last.verdict == .pass)
  }

  @Test("any change that is not chained anew breaks the chain")
  func chain() throws {
    let (live, detector) = (try Fixtures.passing(), try Fixtures.detector())
    let changes: [(inout Capture) -> Void] = [
      { $0.landmarks[777] += 1e-6 }, { $0.frames[3].time += 0.01 }, { $0.frames[3].brightness += 1e-9 },
      { $0.frames[5].passiveScore = 1 }, { $0.frames[0].embedding![5] += 1e-6 },
      { $0.device.fieldOfView += 1e-9 },
      { $0.device.model += "x" }, { $0.shown[1].time += 0.1 }, { $0.frames[7].pixelHash = 1 },
      { $0.passiveModel!.version = "2" }, { $0.device.attestation = "a" }, { $0.frames[9].pose = .zero },
      { $0.chain[31] ^= 1 },
    ]
    for (index, change) in changes.enumerated() {
      var capture = live.capture
      change(&capture)
      let decision = try detector.assess(capture, answering: live.schedule, received: live.received)
      #expect(decision.reasons.contains(.brokenChain), "change \(index)")
      #expect(decision.verdict == .fail)
    }
  }

  @Test("the chain of a small capture is the known one")
  func knownChain() {
    var frame = Capture.Frame(
      sequence: 0, time: 1.5, box: .init(x: 0.25, y: 0.5, width: 0.5, height: 0.75), sharpness: 100,
      brightness: 0.5)
    frame.passiveScore = 0.875
    let capture = Capture(
      challengeID: [UInt8](repeating: 1, count: 16), nonce: [UInt8](repeating: 2, count: 32),
      device: .init(model: "m", camera: "c", fieldOfView: 70, imageWidth: 480, imageHeight: 640),
      landmarker: .init(id: "l", version: "1", layout: .five), frames: [frame],
      landmarks: [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1])
    #expect(encodeHexadecimal(FrameChain.digest(of: capture)) == Self.known)
  }

  // Computed by Python's hashlib and struct from Documentation/Formats/Capture.md.
  private static let known = "f8a1b983ec96d1f5786e1e7a247154b5a6e9b6ddded7a6b6b544cabbdfcbdca1"
}
