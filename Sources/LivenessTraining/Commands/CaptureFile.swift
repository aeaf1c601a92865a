import CSodium
import FoundationEssentials
import Liveness

/// A file of captures, one JSON object a line.
public struct CaptureFile: Sendable {
  public let path: String
  /// SHA-256 of the file, in hexadecimal.
  public let digest: String
  private let lines: [ArraySlice<UInt8>]

  /// A line that can't be taken.
  public struct LineError: Error, Sendable, CustomStringConvertible {
    public let path: String
    /// From 1.
    public let line: Int
    public let reason: String

    public var description: String { "\(path), line \(line): \(reason)" }
  }

  /// Throws when the file can't be read.
  public init(_ path: String) throws {
    let bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
    var hash = [UInt8](repeating: 0, count: Int(crypto_hash_sha256_BYTES))
    crypto_hash_sha256(&hash, bytes, UInt64(bytes.count))
    self.path = path
    digest = encodeHexadecimal(hash)
    lines = bytes.split(separator: UInt8(ascii: "\n"))
  }

  public var count: Int { lines.count }

  /// The capture on a line, counted from 0.
  public func record(_ index: Int) throws(LineError) -> CaptureRecord {
    do throws(CaptureDecodingError) {
      return try CaptureRecord.decode(Array(lines[index]))
    } catch {
      throw LineError(path: path, line: index + 1, reason: error.description)
    }
  }

  /// All captures as training and evaluation take them. Throws at the first line without truth or of another landmarker.
  public func labelled(
    landmarker: Capture.Landmarker, extractor: FeatureExtractor, limits: CheckLimits
  ) throws(LineError) -> [LabelledCapture] {
    var captures: [LabelledCapture] = []
    for index in 0..<count {
      let record = try record(index)
      func fail(_ reason: String) -> LineError { LineError(path: path, line: index + 1, reason: reason) }
      guard let label = record.label, let subject = record.subject else {
        throw fail("expected a label and a subject")
      }
      guard record.capture.landmarker == landmarker else {
        throw fail("expected the first line's landmarker")
      }
      captures.append(
        LabelledCapture(
          species: label, subject: subject,
          features: LivenessDetector.features(
            of: record.capture, answering: record.schedule, limits: limits, extractor: extractor),
          findings: LivenessDetector.findings(
            in: record.capture, answering: record.schedule, received: record.received, limits: limits),
          coloursShown: !record.schedule.flashes.isEmpty, groups: record.groups))
    }
    return captures
  }
}
