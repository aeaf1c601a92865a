/// Reads the frames of a capture, once the number of landmarks and the embeddings' dimension are known.
struct FrameDecoder {
  var reader: JSONReader
  private(set) var frames: [Capture.Frame] = []
  private(set) var landmarks: [Float] = []
  private let points: Int
  private let embeddingDimension: Int?
  private var scratch: [UInt8]
  private var planes: [Float]

  static let fields: [StaticString] = [
    "seq", "t_ms", "face_count", "box", "landmarks", "sharpness", "brightness", "landmark_conf", "pose",
    "pad_score", "eye_open", "embedding", "rgb_face", "rgb_background", "exposure_ms", "iso", "frame_hash",
  ]
  /// The first seven.
  private static let required = 0b111_1111

  init(reader: JSONReader, points: Int, embeddingDimension: Int?) {
    self.reader = reader
    self.points = points
    self.embeddingDimension = embeddingDimension
    planes = [Float](repeating: 0, count: 2 * points)
    scratch = [UInt8](repeating: 0, count: max(8 * points, 4 * (embeddingDimension ?? 0)) + 4)
  }

  mutating func decode() throws(CaptureDecodingError) {
    reader.field = "frames"
    try reader.expect(UInt8(ascii: "["))
    guard !reader.closes(UInt8(ascii: "]")) else { throw reader.error(.noFrames) }
    landmarks.reserveCapacity(64 * 2 * points)
    repeat {
      guard frames.count < CaptureLimits.frames else { throw reader.error(.tooManyFrames) }
      reader.frame = frames.count
      frames.append(try frame())
      landmarks.append(contentsOf: planes)
      reader.frame = nil
      reader.field = "frames"
    } while try reader.continues(UInt8(ascii: "]"))
  }

  private mutating func frame() throws(CaptureDecodingError) -> Capture.Frame {
    var frame = Capture.Frame(
      sequence: 0, time: 0, box: .init(x: 0, y: 0, width: 0, height: 0), sharpness: 0, brightness: 0)
    try reader.expect(UInt8(ascii: "{"))
    var seen = 0
    if !reader.closes(UInt8(ascii: "}")) {
      repeat {
        let field = try reader.key(among: Self.fields)
        reader.field = Self.names[field]
        guard seen & 1 << field == 0 else { throw reader.error(.repeatedField) }
        seen |= 1 << field
        if field < 7 {
          try requiredValue(field, &frame)
        } else {
          try optionalValue(field, &frame)
        }
      } while try reader.continues(UInt8(ascii: "}"))
    }
    let missing = Self.required & ~seen
    guard missing == 0 else {
      reader.field = Self.names[missing.trailingZeroBitCount]
      throw reader.error(.missingField)
    }
    return frame
  }

  private static let names = fields.map { "\($0)" }

  private mutating func requiredValue(_ field: Int, _ frame: inout Capture.Frame) throws(CaptureDecodingError)
  {
    switch field {
    case 0: frame.sequence = try reader.integer(in: 0...1_000_000)
    case 1: frame.time = try reader.number(in: CaptureLimits.milliseconds)
    case 2: frame.faceCount = try reader.integer(in: 0...100)
    case 3:
      let box = try reader.numbers(4, in: -1...4)
      frame.box = .init(x: box[0], y: box[1], width: box[2], height: box[3])
      guard box[2] > 0, box[3] > 0 else { throw reader.error(.outOfRange) }
    case 4: try landmarkBlock()
    case 5:
      frame.sharpness = try reader.number(in: 0...1e9)
      guard frame.sharpness > 0 else { throw reader.error(.outOfRange) }
    default: frame.brightness = try reader.number(in: 0...1)
    }
  }

  private mutating func optionalValue(_ field: Int, _ frame: inout Capture.Frame) throws(CaptureDecodingError)
  {
    switch field {
    case 7: frame.landmarkConfidence = try reader.number(in: 0...1)
    case 8: frame.pose = try triple(-180...180)
    case 9: frame.passiveScore = try reader.number(in: 0...1)
    case 10:
      let pair = try reader.numbers(2, in: 0...1)
      frame.eyesOpen = SIMD2(pair[0], pair[1])
    case 11: frame.embedding = try embedding()
    case 12: frame.faceColour = try triple(0...1)
    case 13: frame.backgroundColour = try triple(0...1)
    case 14: frame.exposure = try reader.number(in: 0...10_000)
    case 15: frame.iso = try reader.number(in: 0...1e7)
    default:
      let text = try reader.text(limit: 16)
      guard let bytes = decodeHexadecimal(text), bytes.count == 8 else { throw reader.error(.outOfRange) }
      frame.pixelHash = bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }
  }

  private mutating func triple(_ range: ClosedRange<Double>) throws(CaptureDecodingError) -> SIMD3<Double> {
    let values = try reader.numbers(3, in: range)
    return SIMD3(values[0], values[1], values[2])
  }

  /// Decodes a base64 string into `scratch` and returns the number of its bytes, at most `limit`.
  private mutating func block(limit: Int) throws(CaptureDecodingError) -> Int {
    let (range, hasEscapes) = try reader.rawString()
    // JSON writers may put a backslash before a slash, which is a letter of base64.
    let plain = hasEscapes ? try reader.unescaped(range) : []
    let length = hasEscapes ? plain.count : range.count
    guard let capacity = Base64.capacity(length) else { throw reader.error(.badBase64) }
    guard capacity <= limit + 2 else { throw reader.error(.wrongLength) }
    let source = reader.bytes + range.lowerBound
    let decoded = scratch.withUnsafeMutableBufferPointer { scratch in
      hasEscapes
        ? plain.withUnsafeBufferPointer {
          $0.isEmpty ? 0 : Base64.decode($0.baseAddress!, count: length, into: scratch.baseAddress!)
        } : Base64.decode(source, count: length, into: scratch.baseAddress!)
    }
    guard let decoded else { throw reader.error(.badBase64) }
    return decoded
  }

  /// Fills `planes`: from a block of f32 or u16 (told by its length), or from an array of numbers.
  private mutating func landmarkBlock() throws(CaptureDecodingError) {
    let (count, limits) = (points, CaptureLimits.coordinates)
    if reader.peek() == UInt8(ascii: "[") {
      let range = Double(limits.lowerBound)...Double(limits.upperBound)
      let numbers = try reader.numbers(2 * count, in: range)
      for point in 0..<count {
        planes[point] = Float(numbers[2 * point])
        planes[count + point] = Float(numbers[2 * point + 1])
      }
      return
    }
    let length = try block(limit: 8 * count)
    guard length == 8 * count || length == 4 * count else { throw reader.error(.wrongLength) }
    let isWithin = planes.withUnsafeMutableBufferPointer { planes in
      scratch.withUnsafeBytes { bytes in
        length == 8 * count
          ? Self.readFloats(bytes, count, planes.baseAddress!, limits)
          : Self.readShorts(bytes, count, planes.baseAddress!)
      }
    }
    guard isWithin else { throw reader.error(.outOfRange) }
  }

  /// False when a number is not within `limits`; one that isn't a number is not.
  private static func readFloats(
    _ bytes: UnsafeRawBufferPointer, _ count: Int, _ planes: UnsafeMutablePointer<Float>,
    _ limits: ClosedRange<Float>
  ) -> Bool {
    var outside = 0
    let (low, high) = (limits.lowerBound, limits.upperBound)
    for point in 0..<count {
      let pair = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 8 &* point, as: UInt64.self))
      let x = Float(bitPattern: UInt32(truncatingIfNeeded: pair))
      let y = Float(bitPattern: UInt32(truncatingIfNeeded: pair &>> 32))
      outside |= (x >= low ? 0 : 1) | (x <= high ? 0 : 1) | (y >= low ? 0 : 1) | (y <= high ? 0 : 1)
      planes[point] = x
      planes[count &+ point] = y
    }
    return outside == 0
  }

  /// Steps of 1/16384 from −1 on, exact in f32.
  private static func readShorts(
    _ bytes: UnsafeRawBufferPointer, _ count: Int, _ planes: UnsafeMutablePointer<Float>
  ) -> Bool {
    for point in 0..<count {
      let pair = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: 4 &* point, as: UInt32.self))
      planes[point] = Float(pair & 0xffff) * (1 / 16384) - 1
      planes[count &+ point] = Float(pair &>> 16) * (1 / 16384) - 1
    }
    return true
  }

  /// A block of f32 of the embedding model's dimension and of length 1 to within 1 %.
  private mutating func embedding() throws(CaptureDecodingError) -> [Float] {
    guard let dimension = embeddingDimension else { throw reader.error(.unknownField) }
    guard try block(limit: 4 * dimension) == 4 * dimension else { throw reader.error(.wrongLength) }
    let values = scratch.withUnsafeBytes { bytes in
      (0..<dimension).map {
        Float(bitPattern: UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: 4 * $0, as: UInt32.self)))
      }
    }
    var squared = 0.0
    for value in values { squared += Double(value) * Double(value) }
    guard (0.98...1.02).contains(squared) else { throw reader.error(.outOfRange) }
    return values
  }
}
