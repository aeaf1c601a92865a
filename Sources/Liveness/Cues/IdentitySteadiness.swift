/// Whether the frames' embeddings are of one person throughout.
enum IdentitySteadiness {
  /// Absent unless at least five frames have an embedding, the first and the last frame among them.
  static func write(_ capture: Capture, to features: inout FeatureVector) {
    guard capture.frames.first?.embedding != nil, capture.frames.last?.embedding != nil else { return }
    var embeddings: [[Double]] = []
    for index in capture.frames.indices {
      if let embedding = capture.frames[index].embedding { embeddings.append(embedding.map { Double($0) }) }
    }
    guard embeddings.count >= 5, let dimension = embeddings.first?.count,
      embeddings.allSatisfy({ $0.count == dimension })
    else { return }
    // Sums of the first k embeddings, for k from 0 on.
    var sums = [[Double](repeating: 0, count: dimension)]
    for embedding in embeddings {
      var sum = sums[sums.count - 1]
      addScaled(embedding, by: 1, to: &sum, dimension)
      sums.append(sum)
    }
    let head = sums[max(3, embeddings.count / 5)]
    let towards = embeddings.map { cosine(head, $0) }.sorted()
    features[.identityLowest] = towards[1]
    var lowestStep = 1.0
    for (earlier, later) in zip(embeddings, embeddings.dropFirst()) {
      lowestStep = min(lowestStep, cosine(earlier, later))
    }
    features[.identityStep] = lowestStep
    var lowestChange = 1.0
    let all = sums[embeddings.count]
    var rest = all
    for cut in 2...embeddings.count - 2 {
      subtract(sums[cut], from: all, into: &rest, dimension)
      lowestChange = min(lowestChange, cosine(sums[cut], rest))
    }
    features[.identityChange] = lowestChange
  }

  private static func cosine(_ a: [Double], _ b: [Double]) -> Double {
    dot(a, b, a.count) / (dot(a, a, a.count) * dot(b, b, b.count) + 1e-30).squareRoot()
  }
}
