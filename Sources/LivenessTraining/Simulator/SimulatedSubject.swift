import Liveness

/// The face that a recogniser sees in the frames: where its model puts it, but for what moves it from frame to frame.
public struct SimulatedFace: Sendable {
  public let model: Capture.EmbeddingModel
  /// Of unit length.
  let direction: [Double]

  /// About `embedding`, which has the model's dimension and any length but zero; another one traps.
  public init(model: Capture.EmbeddingModel, embedding: [Float]) {
    self.init(model: model, embedding.map(Double.init))
  }

  init(model: Capture.EmbeddingModel, _ embedding: [Double]) {
    let norm = embedding.reduce(0) { $0 + $1 * $1 }.squareRoot()
    precondition(
      embedding.count == model.dimension && norm > 0, "a face has the model's dimension, and a direction")
    self.model = model
    direction = (norm - 1).magnitude < 1e-9 ? embedding : embedding.map { $0 / norm }
  }

  /// A face of nobody else, in the same model.
  static func another(_ model: Capture.EmbeddingModel, _ random: inout SimulationRandom) -> SimulatedFace {
    SimulatedFace(model: model, (0..<model.dimension).map { _ in random.normal() })
  }
}

/// A head of its own shape, with an embedding of its own.
struct SimulatedSubject {
  static let embeddingDimension = 128

  /// The points of one layout in centimetres: x right, y down, z toward the camera.
  let points: [SIMD3<Double>]
  let embedding: [Double]
  let movements: FaceMovements

  init(_ random: inout SimulationRandom, layout: LandmarkLayout) {
    let mean = CanonicalFace.points
    var points = mean
    let scale = SIMD3(1 + random.normal(0.05), 1 + random.normal(0.05), 1 + random.uniform(-0.22, 0.22))
    for index in points.indices { points[index] *= scale }
    // Bumps of 3.2 cm about random points, mostly alike on both sides.
    for _ in 0..<24 {
      let centre = mean[random.index(below: mean.count)]
      let shift = SIMD3(random.normal(0.22), random.normal(0.22), random.normal(0.22))
      let mirror = SIMD3<Double>(-1, 1, 1)
      for index in points.indices {
        let own = bump(mean[index], centre, 3.2)
        let other = bump(mean[index], centre * mirror, 3.2)
        points[index] += shift * (0.65 * own) + shift * mirror * (0.35 * other)
      }
    }
    self.points = CanonicalFace.select(points, layout)
    var embedding = (0..<Self.embeddingDimension).map { _ in random.normal() }
    let norm = embedding.reduce(0) { $0 + $1 * $1 }.squareRoot()
    for index in embedding.indices { embedding[index] /= norm }
    self.embedding = embedding
    movements = FaceMovements.of(layout)
  }
}

/// How points move with the jaw, a smile, the brows and a blink, in centimetres for a whole movement.
struct FaceMovements {
  let jaw, smile, brow, blink: [SIMD3<Double>]

  private static let all = Dictionary(
    uniqueKeysWithValues: LandmarkLayout.allCases.map { ($0, FaceMovements($0)) })

  static func of(_ layout: LandmarkLayout) -> FaceMovements { all[layout]! }

  private init(_ layout: LandmarkLayout) {
    let mean = CanonicalFace.points
    let none = SIMD3<Double>()
    func select(_ field: [SIMD3<Double>]) -> [SIMD3<Double>] { CanonicalFace.select(field, layout) }
    let (upperLip, lowerLip) = (mean[13].y, mean[14].y)
    jaw = select(
      mean.map { point in
        guard point.y > upperLip, point.x.magnitude < 6 else { return none }
        let above = max(0, lowerLip - point.y) / 1.2
        return SIMD3(0, 0.6, -0.15) * Elementary.exp(-above * above)
      })
    smile = select(
      mean.map { point in
        [(61, -1.0), (291, 1.0)].reduce(none) { sum, corner in
          sum + SIMD3(corner.1 * 0.8, -0.5, -0.4) * bump(point, mean[corner.0], 1.6)
        }
      })
    brow = select(
      mean.map { point in
        SIMD3(0, -0.6, 0.1) * (bump(point, mean[105], 1.8) + bump(point, mean[334], 1.8))
      })
    var lids = [SIMD3<Double>](repeating: none, count: mean.count)
    for (upper, lower) in zip(Self.upperLids, Self.lowerLids) {
      lids[upper] = (mean[lower] - mean[upper]) * 0.9
    }
    blink = select(lids)
  }

  private static let upperLids = [159, 158, 157, 160, 161, 246, 173, 386, 385, 384, 387, 388, 466, 398]
  private static let lowerLids = [145, 153, 154, 144, 163, 7, 155, 374, 380, 381, 373, 390, 249, 382]
}

/// A Gaussian bump of that `width` about `centre`.
private func bump(_ point: SIMD3<Double>, _ centre: SIMD3<Double>, _ width: Double) -> Double {
  let d = point - centre
  return Elementary.exp(-(d.x * d.x + d.y * d.y + d.z * d.z) / (2 * width * width))
}
