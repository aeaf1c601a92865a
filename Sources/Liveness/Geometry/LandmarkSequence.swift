/// The points of a face in every frame, in image widths, x right and y down.
public struct LandmarkSequence: Sendable {
  public let layout: LandmarkLayout
  public let frames: Int
  /// Frame by frame: all x of its points, then all y.
  public let coordinates: [Double]

  /// From pairs x, y, point by point and frame by frame, as landmarkers give them.
  ///
  /// A number of coordinates that is no whole number of frames is a programming error and traps.
  public init(layout: LandmarkLayout, pairs: [Double]) {
    let width = 2 * layout.points
    precondition(pairs.count % width == 0, "landmarks are whole frames of \(layout.points) points")
    self.layout = layout
    frames = pairs.count / width
    coordinates = [Double](unsafeUninitializedCapacity: pairs.count) { planes, count in
      for frame in 0..<pairs.count / width {
        let base = frame * width
        for point in 0..<width / 2 {
          planes[base + point] = pairs[base + 2 * point]
          planes[base + width / 2 + point] = pairs[base + 2 * point + 1]
        }
      }
      count = pairs.count
    }
  }

  /// From planes as in `coordinates`. A number of coordinates that is no whole number of frames traps.
  public init(layout: LandmarkLayout, planes: [Double]) {
    precondition(
      planes.count % (2 * layout.points) == 0, "landmarks are whole frames of \(layout.points) points")
    self.layout = layout
    frames = planes.count / (2 * layout.points)
    coordinates = planes
  }
}
