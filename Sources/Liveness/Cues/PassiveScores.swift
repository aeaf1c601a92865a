/// What an upstream passive check said of the frames.
enum PassiveScores {
  /// The trimmed mean and the worst tenth; absent when fewer than every fifth frame has a score.
  static func write(_ capture: Capture, to features: inout FeatureVector) {
    var scores: [Double] = []
    scores.reserveCapacity(capture.frames.count)
    for index in capture.frames.indices {
      if let score = capture.frames[index].passiveScore { scores.append(score) }
    }
    scores.sort()
    guard scores.count >= 5, scores.count * 5 >= capture.frames.count else { return }
    let tenth = scores.count / 10
    features[.passiveMean] = Array(scores[tenth..<scores.count - tenth]).mean
    features[.passiveWorst] = Array(scores[..<max(1, tenth)]).mean
  }
}
