/// A mean face seen from the front: where a landmarker's points lie, and how far they stand out.
///
/// In inter-ocular distances, the centroid at the origin, x to the right of the image, y down, relief toward the
/// camera.
public struct FaceTemplate: Hashable, Sendable {
  public let layout: LandmarkLayout
  public let x: [Double]
  public let y: [Double]
  public let relief: [Double]
  /// The nearest other point of each, by which neighbouring jitter is compared.
  let neighbours: [Int]

  /// A template of finite numbers, one of each for every point of `layout`; `nil` for anything else, or for points
  /// that all lie on a line.
  public init?(layout: LandmarkLayout, x: [Double], y: [Double], relief: [Double]) {
    let count = layout.points
    guard x.count == count, y.count == count, relief.count == count else { return nil }
    guard (x + y + relief).allSatisfy({ $0.magnitude < 100 }) else { return nil }
    func centred(_ values: [Double]) -> [Double] {
      let mean = values.mean
      return values.map { $0 - mean }
    }
    self.layout = layout
    self.x = centred(x)
    self.y = centred(y)
    self.relief = centred(relief)
    var (xx, xy, yy) = (0.0, 0.0, 0.0)
    for i in 0..<count {
      xx += self.x[i] * self.x[i]
      xy += self.x[i] * self.y[i]
      yy += self.y[i] * self.y[i]
    }
    guard xx * yy - xy * xy > 1e-6 else { return nil }
    neighbours = Self.neighbours(self.x, self.y)
  }

  private static func neighbours(_ x: [Double], _ y: [Double]) -> [Int] {
    x.indices.map { i in
      var (nearest, least) = (i, Double.infinity)
      for j in x.indices where j != i {
        let (dx, dy) = (x[j] - x[i], y[j] - y[i])
        let squared = dx * dx + dy * dy
        if squared < least { (nearest, least) = (j, squared) }
      }
      return nearest
    }
  }
}
