import FoundationEssentials
import Liveness

/// A recorded sequence of landmarks with ground truth, one line of a `.jsonl` file of `shared/data/liveness`.
public struct RecordedSequence: Sendable, Decodable {
  public let id: String
  public let landmarker: String
  public let points: Int
  public let frames: Int
  /// `attack_flat`, `attack_bent`, `rerendered_3d`, `real_head_no_approach` or `screen_recording_mixed`.
  public let kind: String
  public let subject: String
  /// Milliseconds, by frame.
  public let times: [Double]
  /// x, y by point and frame, in image widths.
  public let pairs: [Double]
  /// Degrees across; `nil` when the camera is unknown.
  public let fieldOfView: Double?
  /// In pixels.
  public let imageSize: [Int]

  enum CodingKeys: String, CodingKey {
    case id, landmarker, points, frames, kind, subject
    case times = "t_ms"
    case pairs = "xy"
    case fieldOfView = "fov_deg_horizontal"
    case imageSize = "image_wh"
  }

  /// The landmarks; `nil` when the line is not consistent with itself.
  public var landmarks: LandmarkSequence? {
    guard let layout = LandmarkLayout(rawValue: points), pairs.count == 2 * points * frames else {
      return nil
    }
    return LandmarkSequence(layout: layout, pairs: pairs)
  }

  /// All sequences of a file. Throws for a file that can't be read or a line that is no sequence.
  public static func read(_ path: String) throws -> [RecordedSequence] {
    let data = try Data(contentsOf: URL(filePath: path))
    let decoder = JSONDecoder()
    return try data.split(separator: UInt8(ascii: "\n")).map {
      try decoder.decode(RecordedSequence.self, from: Data($0))
    }
  }
}

/// The focal length, in image widths, of a camera that sees `degrees` across.
public func focalLength(fieldOfView degrees: Double) -> Double {
  0.5 / Elementary.tangent(degrees * 0x1.1df46a2529d39p-7)
}
