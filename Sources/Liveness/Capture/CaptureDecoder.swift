/// Reads captures from their JSON form, strictly and fast.
///
/// Unknown and repeated fields, numbers out of range, wrong lengths and anything after the end are refused with the
/// frame and the field. What is decoded is within `CaptureLimits`; nothing is looked at twice, so the time is
/// proportional to the length. The format is in `Documentation/Formats/Capture.md`.
public struct CaptureDecoder {
  public static let version = 1

  /// Decodes one capture. Throws `CaptureDecodingError`.
  public static func decode(_ bytes: [UInt8]) throws(CaptureDecodingError) -> Capture {
    guard bytes.count <= CaptureLimits.bytes else { throw CaptureDecodingError(.tooLarge) }
    // Typed throws do not pass through the pointer's closure, hence the result.
    return try bytes.withUnsafeBufferPointer { buffer -> Result<Capture, CaptureDecodingError> in
      guard let base = buffer.baseAddress else { return .failure(CaptureDecodingError(.malformed)) }
      do throws(CaptureDecodingError) {
        var decoder = CaptureDecoder(reader: JSONReader(base, count: buffer.count))
        return .success(try decoder.capture())
      } catch {
        return .failure(error)
      }
    }.get()
  }

  private var reader: JSONReader

  private static let fields: [StaticString] = [
    "format", "version", "challenge", "device", "landmarker", "passive_model", "embedding_model", "shown",
    "frames",
    "chain",
  ]

  private mutating func capture() throws(CaptureDecodingError) -> Capture {
    var capture = Capture(
      challengeID: [], nonce: [],
      device: .init(model: "", camera: "", fieldOfView: 1, imageWidth: 1, imageHeight: 1),
      landmarker: .init(id: "", version: "", layout: .five), frames: [], landmarks: [])
    var frames: Range<Int>?
    try object(Self.fields, required: 0b11_0001_1111) { (self, field) throws(CaptureDecodingError) in
      switch field {
      case 0:
        guard try self.reader.text(limit: 32) == "reverify-capture" else {
          throw self.reader.error(.unsupportedVersion)
        }
      case 1:
        guard try self.reader.number() == Double(Self.version) else {
          throw self.reader.error(.unsupportedVersion)
        }
      case 2: try self.challenge(&capture)
      case 3: capture.device = try self.device()
      case 4: capture.landmarker = try self.landmarker()
      case 5:
        let pair = try self.identity()
        capture.passiveModel = .init(id: pair.0, version: pair.1)
      case 6: capture.embeddingModel = try self.embeddingModel()
      case 7: capture.shown = try self.shown()
      case 8:
        // Until landmarker and embedding model are known, wherever they stand.
        guard self.reader.peek() == UInt8(ascii: "[") else { throw self.reader.error(.wrongType) }
        let start = self.reader.position
        do throws(CaptureDecodingError) {
          try self.reader.skipContainer(depth: 1)
        } catch {
          guard error.code == .malformed else { throw error }
          self.reader.locateEnd(from: start, among: FrameDecoder.fields)
          throw self.reader.error(.malformed)
        }
        frames = start..<self.reader.position
      default: capture.chain = try self.hexadecimal(FrameChain.digestBytes)
      }
    }
    guard reader.peek() == 0, reader.position == reader.count else { throw reader.error(.malformed) }
    reader.position = frames!.lowerBound
    var frameDecoder = FrameDecoder(
      reader: reader, points: capture.landmarker.points, embeddingDimension: capture.embeddingModel?.dimension
    )
    try frameDecoder.decode()
    guard frameDecoder.reader.position == frames!.upperBound else {
      throw frameDecoder.reader.error(.malformed)
    }
    capture.frames = frameDecoder.frames
    capture.landmarks = frameDecoder.landmarks
    return capture
  }

  /// Reads an object whose fields are `names`; `required` has a bit for each that must be there.
  private mutating func object(
    _ names: [StaticString], required: Int,
    value: (inout Self, Int) throws(CaptureDecodingError) -> Void
  ) throws(CaptureDecodingError) {
    try reader.expect(UInt8(ascii: "{"))
    var seen = 0
    if !reader.closes(UInt8(ascii: "}")) {
      repeat {
        let field = try reader.key(among: names)
        reader.field = "\(names[field])"
        guard seen & 1 << field == 0 else { throw reader.error(.repeatedField) }
        seen |= 1 << field
        try value(&self, field)
      } while try reader.continues(UInt8(ascii: "}"))
    }
    let missing = required & ~seen
    guard missing == 0 else {
      reader.field = "\(names[missing.trailingZeroBitCount])"
      throw reader.error(.missingField)
    }
    reader.field = nil
  }

  private mutating func challenge(_ capture: inout Capture) throws(CaptureDecodingError) {
    var (id, nonce): ([UInt8], [UInt8]) = ([], [])
    try object(["id", "nonce"], required: 0b11) { (self, field) throws(CaptureDecodingError) in
      if field == 0 {
        id = try self.hexadecimal(ChallengeSchedule.idBytes)
      } else {
        nonce = try self.hexadecimal(ChallengeSchedule.nonceBytes)
      }
    }
    capture.challengeID = id
    capture.nonce = nonce
  }

  private mutating func device() throws(CaptureDecodingError) -> Capture.Device {
    var device = Capture.Device(model: "", camera: "", fieldOfView: 1, imageWidth: 1, imageHeight: 1)
    let names: [StaticString] = [
      "model", "camera", "field_of_view_deg", "image_width", "image_height", "mirrored", "attestation",
    ]
    try object(names, required: 0b11_1111) { (self, field) throws(CaptureDecodingError) in
      switch field {
      case 0: device.model = try self.reader.text(limit: CaptureLimits.textLength)
      case 1: device.camera = try self.reader.text(limit: CaptureLimits.textLength)
      case 2: device.fieldOfView = try self.reader.number(in: 20...150)
      case 3: device.imageWidth = try self.reader.integer(in: 1...65535)
      case 4: device.imageHeight = try self.reader.integer(in: 1...65535)
      case 5: device.isMirrored = try self.reader.boolean()
      default: device.attestation = try self.reader.text(limit: CaptureLimits.attestationLength)
      }
    }
    return device
  }

  private mutating func landmarker() throws(CaptureDecodingError) -> Capture.Landmarker {
    var (id, version, layout) = ("", "", LandmarkLayout.five)
    try object(["id", "version", "points"], required: 0b111) { (self, field) throws(CaptureDecodingError) in
      switch field {
      case 0: id = try self.reader.text(limit: CaptureLimits.textLength)
      case 1: version = try self.reader.text(limit: CaptureLimits.textLength)
      default:
        let points = try self.reader.integer(in: 0...65535)
        guard let known = LandmarkLayout(rawValue: points) else {
          throw self.reader.error(.unsupportedLandmarks)
        }
        layout = known
      }
    }
    return .init(id: id, version: version, layout: layout)
  }

  private mutating func identity() throws(CaptureDecodingError) -> (String, String) {
    var (id, version) = ("", "")
    try object(["id", "version"], required: 0b11) { (self, field) throws(CaptureDecodingError) in
      if field == 0 {
        id = try self.reader.text(limit: CaptureLimits.textLength)
      } else {
        version = try self.reader.text(limit: CaptureLimits.textLength)
      }
    }
    return (id, version)
  }

  private mutating func embeddingModel() throws(CaptureDecodingError) -> Capture.EmbeddingModel {
    var (id, dimension) = ("", 0)
    try object(["id", "dimension"], required: 0b11) { (self, field) throws(CaptureDecodingError) in
      if field == 0 {
        id = try self.reader.text(limit: CaptureLimits.embeddingModelLength)
      } else {
        dimension = try self.reader.integer(in: 1...CaptureLimits.embeddingDimension)
      }
    }
    return .init(id: id, dimension: dimension)
  }

  private mutating func shown() throws(CaptureDecodingError) -> [Capture.ShownStage] {
    try reader.expect(UInt8(ascii: "["))
    var shown: [Capture.ShownStage] = []
    guard !reader.closes(UInt8(ascii: "]")) else { return shown }
    repeat {
      guard shown.count < CaptureLimits.stages else { throw reader.error(.wrongLength) }
      var (stage, time) = (0, 0.0)
      try object(["stage", "t_ms"], required: 0b11) { (self, field) throws(CaptureDecodingError) in
        if field == 0 {
          stage = try self.reader.integer(in: 0...CaptureLimits.stages - 1)
        } else {
          time = try self.reader.number(in: CaptureLimits.milliseconds)
        }
      }
      shown.append(.init(stage: stage, time: time))
    } while try reader.continues(UInt8(ascii: "]"))
    return shown
  }

  /// `count` bytes in lower-case hexadecimal.
  private mutating func hexadecimal(_ count: Int) throws(CaptureDecodingError) -> [UInt8] {
    let text = try reader.text(limit: 2 * count)
    guard let bytes = decodeHexadecimal(text), bytes.count == count else { throw reader.error(.outOfRange) }
    return bytes
  }
}

/// The bytes that lower-case hexadecimal `text` stands for, or `nil`.
public func decodeHexadecimal(_ text: String) -> [UInt8]? {
  let digits = Array(text.utf8)
  guard digits.count % 2 == 0 else { return nil }
  func value(_ digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    default: nil
    }
  }
  var bytes: [UInt8] = []
  for index in stride(from: 0, to: digits.count, by: 2) {
    guard let high = value(digits[index]), let low = value(digits[index + 1]) else { return nil }
    bytes.append(high << 4 | low)
  }
  return bytes
}

/// `bytes` in lower-case hexadecimal.
public func encodeHexadecimal(_ bytes: [UInt8]) -> String {
  let digits = Array("0123456789abcdef".utf8)
  return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
}
