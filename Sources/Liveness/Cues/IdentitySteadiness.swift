/// Whether the frames' embeddings are of one person throughout.
enum IdentitySteadiness {
  static let fewestEmbeddings = 5

  /// Absent unless the frames carry embeddings throughout, all of one dimension.
  static func write(_ capture: Capture, to features: inout FeatureVector) {
    guard capture.carriesEmbeddings, let dimension = capture.frames.first?.embedding?.count, dimension > 0
    else { return }
    var (embeddings, count) = ([Double](), 0)
    embeddings.reserveCapacity(dimension * capture.frames.count)
    for index in capture.frames.indices {
      guard let embedding = capture.frames[index].embedding else { continue }
      guard embedding.count == dimension else { return }
      count += 1
      for value in embedding { embeddings.append(Double(value)) }
    }
    embeddings.withUnsafeBufferPointer {
      Embeddings($0.baseAddress!, count: count, dimension: dimension).write(to: &features)
    }
  }

  private struct Embeddings {
    private let rows: UnsafePointer<Double>
    private let count: Int
    private let dimension: Int

    init(_ rows: UnsafePointer<Double>, count: Int, dimension: Int) {
      (self.rows, self.count, self.dimension) = (rows, count, dimension)
    }

    func write(to features: inout FeatureVector) {
      let squares = (0..<count).map { inner(row($0), row($0)) }
      let atHead = max(3, count / 5)
      var sum = [Double](repeating: 0, count: dimension)
      var all = sum
      for index in 0..<count { addScaled(row(index), by: 1, to: &all, dimension) }
      var rest = sum
      var lowestChange = 1.0
      for cut in 1...max(count - 2, atHead) {
        // The sum of the first `cut` embeddings, and of the others.
        addScaled(row(cut - 1), by: 1, to: &sum, dimension)
        if cut == atHead {
          let square = inner(sum, sum)
          features[.identityLowest] =
            (0..<count).map {
              cosine(inner(sum, row($0)), square, squares[$0])
            }.sorted()[1]
        }
        guard (2...count - 2).contains(cut) else { continue }
        subtract(sum, from: all, into: &rest, dimension)
        lowestChange = min(lowestChange, cosine(inner(sum, rest), inner(sum, sum), inner(rest, rest)))
      }
      features[.identityChange] = lowestChange
      features[.identityStep] = (1..<count).reduce(1) {
        min($0, cosine(inner(row($1 - 1), row($1)), squares[$1 - 1], squares[$1]))
      }
    }

    private func row(_ index: Int) -> UnsafePointer<Double> { rows + index * dimension }

    private func inner(_ a: UnsafePointer<Double>, _ b: UnsafePointer<Double>) -> Double {
      dot(a, b, dimension)
    }

    private func cosine(_ product: Double, _ left: Double, _ right: Double) -> Double {
      product / (left * right + 1e-30).squareRoot()
    }
  }
}

extension Capture {
  /// Whether at least five frames have an embedding, the first and the last frame among them.
  package var carriesEmbeddings: Bool {
    frames.first?.embedding != nil && frames.last?.embedding != nil
      && frames.count { $0.embedding != nil } >= IdentitySteadiness.fewestEmbeddings
  }
}
