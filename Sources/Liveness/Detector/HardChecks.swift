import Biometrics

/// Checks that need no score: is this a camera's recording, made for this challenge?
struct HardChecks {
  let capture: Capture
  let schedule: ChallengeSchedule
  let limits: CheckLimits

  /// What is wrong, in no order; empty when nothing is. `received` is when the server had the capture.
  func findings(received: Instant) -> [LivenessReason] {
    challengeFindings(received: received) + timeFindings(received: received) + frameFindings()
      + qualityFindings()
  }

  private func challengeFindings(received: Instant) -> [LivenessReason] {
    var findings: [LivenessReason] = []
    if capture.challengeID != schedule.id || capture.nonce != schedule.nonce {
      findings.append(.otherChallenge)
    }
    if received >= schedule.expiry || received < schedule.issuedAt { findings.append(.expiredChallenge) }
    if !capture.isChainIntact { findings.append(.brokenChain) }
    return findings
  }

  private func timeFindings(received: Instant) -> [LivenessReason] {
    let frames = capture.frames
    guard frames.count >= limits.minimumFrames else { return [.tooFewFrames] }
    let isOrdered = zip(frames, frames.dropFirst()).allSatisfy { $0.time < $1.time }
    let isNumbered = frames.enumerated().allSatisfy { $0.offset == $0.element.sequence }
    guard isOrdered, isNumbered else { return [.reorderedFrames] }
    let (first, last) = (frames[0].time, frames[frames.count - 1].time)
    let duration = last - first
    let gap = zip(frames, frames.dropFirst()).reduce(0) { max($0, $1.1.time - $1.0.time) }
    let sinceIssue = Double((received - schedule.issuedAt).wholeMilliseconds)
    let isPossible =
      gap <= limits.maximumGap && duration >= limits.minimumDuration && duration <= limits.maximumDuration
      && last <= sinceIssue && last <= limits.maximumDuration
    guard isPossible else { return [.staleTimestamps] }
    let isFast = Double(frames.count - 1) * 1000 >= limits.minimumFrameRate * duration
    return isFast ? [] : [.lowFrameRate]
  }

  private func frameFindings() -> [LivenessReason] {
    let frames = capture.frames
    var findings: [LivenessReason] = []
    let wrongCount = frames.count { $0.faceCount != 1 }
    if Double(wrongCount) > limits.maximumFaceCountErrors * Double(frames.count) {
      findings.append(.multipleFaces)
    }
    var seen: Set<UInt64> = []
    var hashes: Set<UInt64> = []
    var (repeats, run, longest) = (0, 1, 1)
    var (previous, previousHash): (UInt64?, UInt64?)
    for (index, frame) in frames.enumerated() {
      let digest = landmarkDigest(index)
      let isSame = digest == previous || (frame.pixelHash != nil && frame.pixelHash == previousHash)
      run = isSame ? run + 1 : 1
      longest = max(longest, run)
      let isNew = seen.insert(digest).inserted
      let isNewPicture = frame.pixelHash.map { hashes.insert($0).inserted } ?? true
      if !isNew || !isNewPicture { repeats += 1 }
      (previous, previousHash) = (digest, frame.pixelHash)
    }
    if longest >= limits.frozenRun { findings.append(.frozenFrames) }
    if hasCopiedEmbedding { findings.append(.duplicateFrames) }
    if Double(repeats) > limits.maximumRepeats * Double(frames.count) { findings.append(.duplicateFrames) }
    return findings
  }

  /// Whether two successive embeddings are equal bit for bit though their frames aren't: no embedder gives that for pictures
  /// that differ.
  private var hasCopiedEmbedding: Bool {
    var previous: Int?
    for index in capture.frames.indices where capture.frames[index].embedding != nil {
      defer { previous = index }
      guard let previous, capture.frames[previous].embedding == capture.frames[index].embedding else {
        continue
      }
      let (hash, other) = (capture.frames[previous].pixelHash, capture.frames[index].pixelHash)
      if landmarkDigest(previous) != landmarkDigest(index), hash == nil || hash != other { return true }
    }
    return false
  }

  /// A number that equal landmarks have in common. Whoever makes unequal ones collide only has his own frames refused.
  private func landmarkDigest(_ frame: Int) -> UInt64 {
    let width = 2 * capture.landmarker.points
    return capture.landmarks.withUnsafeBufferPointer { values in
      var (low, high): (UInt64, UInt64) = (0x9e37_79b9_7f4a_7c15, 0xc2b2_ae3d_27d4_eb4f)
      for index in stride(from: frame * width, to: (frame + 1) * width, by: 2) {
        low = (low ^ UInt64(values[index].bitPattern)) &* 0xff51_afd7_ed55_8ccd
        high = (high ^ UInt64(values[index &+ 1].bitPattern)) &* 0xc4ce_b9fe_1a85_ec53
        low ^= low &>> 29
        high ^= high &>> 31
      }
      return low ^ (high &<< 1 | high &>> 63)
    }
  }

  private func qualityFindings() -> [LivenessReason] {
    guard !capture.frames.isEmpty else { return [] }
    let brightness = capture.frames.map(\.brightness).median
    let sharpness = capture.frames.map(\.sharpness).median
    return limits.brightness.contains(brightness) && sharpness >= limits.minimumSharpness
      ? [] : [.poorQuality]
  }
}
