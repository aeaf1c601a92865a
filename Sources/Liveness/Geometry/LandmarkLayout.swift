/// Which points a landmarker gives, told apart by their number.
public enum LandmarkLayout: Int, Hashable, Sendable, CaseIterable {
  /// Centres of the eyes, tip of the nose, corners of the mouth. Enough for framing and hard checks only.
  case five = 5
  /// The 68 points of iBUG 300-W, in its order.
  case sixtyEight = 68
  /// The 468 points of a face mesh, in the order of MediaPipe's canonical face.
  case mesh = 468

  public var points: Int { rawValue }

  /// Whether relief can be judged from these points.
  public var carriesRelief: Bool { self != .five }

  /// The points whose mean is the centre of each eye.
  public var eyes: (first: [Int], second: [Int]) {
    switch self {
    case .five: ([0], [1])
    case .sixtyEight: ([36, 39], [42, 45])
    case .mesh: ([33, 133], [362, 263])
    }
  }

  /// Points about the eyes and the mouth, which move by themselves.
  public var eyesAndMouth: [Int] {
    switch self {
    case .five: [3, 4]
    case .sixtyEight: Array(36..<68)
    case .mesh:
      [
        33, 160, 158, 133, 153, 144, 362, 385, 387, 263, 373, 380, 159, 145, 386, 374, 61, 291, 13, 14, 0, 17,
        78,
        308,
      ]
    }
  }

  /// The usual correspondence of the 68 points among the mesh's.
  public static let sixtyEightOfMesh = [
    162, 234, 93, 58, 172, 136, 149, 148, 152, 377, 378, 365, 397, 288, 323, 454, 389, 71, 63, 105, 66, 107,
    336,
    296, 334, 293, 301, 168, 197, 5, 4, 75, 97, 2, 326, 305, 33, 160, 158, 133, 153, 144, 362, 385, 387, 263,
    373,
    380, 61, 39, 37, 0, 267, 269, 291, 405, 314, 17, 84, 181, 78, 82, 13, 312, 308, 317, 14, 87,
  ]
}
