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

  /// All sequences of a file. Throws for a file that can't be read, and with its number for a line that is no sequence.
  public static func read(_ path: String) throws(DataFileError) -> [RecordedSequence] {
    try read(DataLines(path))
  }

  /// The same, with the file's SHA-256 in hexadecimal.
  public static func readWithDigest(
    _ path: String
  ) throws(DataFileError) -> (sequences: [RecordedSequence], digest: String) {
    let lines = try DataLines(path)
    return (try read(lines), lines.digest)
  }

  private static func read(_ lines: DataLines) throws(DataFileError) -> [RecordedSequence] {
    let decoder = JSONDecoder()
    var sequences: [RecordedSequence] = []
    for (number, bytes) in lines.lines {
      do {
        sequences.append(try decoder.decode(RecordedSequence.self, from: Data(bytes)))
      } catch {
        let place = (error as? DecodingError).map(\.keyPath) ?? ""
        throw DataFileError(
          .badLine, path: lines.path, line: number,
          "expected a recorded sequence of landmarks\(place.isEmpty ? "" : ", with \(place)")")
      }
      let (last, frames) = (sequences[sequences.count - 1], sequences[sequences.count - 1].frames)
      guard last.landmarks != nil, last.times.count == frames, last.imageSize.count == 2 else {
        throw DataFileError(
          .badLine, path: lines.path, line: number,
          "expected as many times and points as frames and points are stated")
      }
    }
    return sequences
  }
}

/// The focal length, in image widths, of a camera that sees `degrees` across.
public func focalLength(fieldOfView degrees: Double) -> Double {
  0.5 / Elementary.tangent(degrees * 0x1.1df46a2529d39p-7)
}
