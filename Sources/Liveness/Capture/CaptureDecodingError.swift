/// An encoded capture that can't be taken: what is wrong, and where. Holds nothing of the capture itself.
public struct CaptureDecodingError: Error, Hashable, Sendable, CustomStringConvertible {
  public enum Code: String, Hashable, Sendable, CaseIterable {
    /// More bytes than a capture may have.
    case tooLarge
    /// Not JSON, or something after its end.
    case malformed
    /// Objects or arrays too deep within each other.
    case tooDeep
    case unknownField
    case repeatedField
    case missingField
    case wrongType
    /// NaN or an infinity, which JSON has no numbers for.
    case notFinite
    /// A number or a text outside what the field allows.
    case outOfRange
    /// Too few or too many entries or bytes.
    case wrongLength
    /// Not base64 of the standard alphabet with its padding.
    case badBase64
    case unsupportedVersion
    /// A number of points of no known layout.
    case unsupportedLandmarks
    case tooManyFrames
    case noFrames
  }

  public let code: Code
  /// The frame, from 0; `nil` when it is about the whole.
  public let frame: Int?
  /// The field's name; `nil` for an unknown one that doesn't read like a name.
  public let field: String?
  /// Bytes from the start, where reading stopped.
  public let offset: Int

  public init(_ code: Code, frame: Int? = nil, field: String? = nil, offset: Int = 0) {
    self.code = code
    self.frame = frame
    self.field = field
    self.offset = offset
  }

  public var description: String {
    let place = [frame.map { "frame \($0)" }, field].compactMap { $0 }.joined(separator: ", ")
    return "capture\(place.isEmpty ? "" : ", \(place)"): \(expectation) (byte \(offset))"
  }

  private var expectation: String {
    switch code {
    case .tooLarge: "expected at most \(CaptureLimits.bytes) bytes"
    case .malformed: "expected one JSON object of the capture format"
    case .tooDeep: "expected at most \(CaptureLimits.depth) objects and arrays within each other"
    case .unknownField: "expected no such field"
    case .repeatedField: "expected each field once"
    case .missingField: "expected this field"
    case .wrongType: "expected a value of another type"
    case .notFinite: "expected a number, which NaN and infinities are not"
    case .outOfRange: "expected a value in the field's range"
    case .wrongLength: "expected another number of entries"
    case .badBase64: "expected base64 of the standard alphabet with its padding"
    case .unsupportedVersion: "expected format reverify-capture, version \(CaptureDecoder.version)"
    case .unsupportedLandmarks: "expected 5, 68 or 468 points"
    case .tooManyFrames: "expected at most \(CaptureLimits.frames) frames"
    case .noFrames: "expected at least one frame"
    }
  }
}
