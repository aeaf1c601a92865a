import Liveness

/// The mean head that captures are simulated from.
public enum CanonicalFace {
  /// Points in centimetres: x to the right of the image, y down, z toward the camera; centred in x (at the nose), y and z.
  public static let points: [SIMD3<Double>] = {
    var points = (0..<468).map { index in
      let entry = canonicalFaceTable[3 * index..<3 * index + 3].map { Double($0) / 1e6 }
      return SIMD3(entry[0], -entry[1], entry[2])
    }
    let count = Double(points.count)
    var (y, z) = (0.0, 0.0)
    for point in points {
      y += point.y
      z += point.z
    }
    for index in points.indices {
      points[index].y -= y / count
      points[index].z -= z / count
    }
    return points
  }()

  /// The points of `layout` among `mesh`, the 468 of a face.
  public static func select(_ mesh: [SIMD3<Double>], _ layout: LandmarkLayout) -> [SIMD3<Double>] {
    switch layout {
    case .mesh: mesh
    case .sixtyEight: LandmarkLayout.sixtyEightOfMesh.map { mesh[$0] }
    case .five: [(mesh[33] + mesh[133]) / 2, (mesh[362] + mesh[263]) / 2, mesh[4], mesh[61], mesh[291]]
    }
  }

  /// The mean head as a template, in inter-ocular distances.
  public static func template(_ layout: LandmarkLayout) -> FaceTemplate {
    let eyes = select(points, .five)
    let (dx, dy) = (eyes[0].x - eyes[1].x, eyes[0].y - eyes[1].y)
    let interOcular = (dx * dx + dy * dy).squareRoot()
    let chosen = select(points, layout).map { $0 / interOcular }
    return FaceTemplate(layout: layout, x: chosen.map(\.x), y: chosen.map(\.y), relief: chosen.map(\.z))!
  }
}
