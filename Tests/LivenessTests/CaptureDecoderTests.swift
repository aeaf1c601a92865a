import Biometrics
import Liveness
import LivenessTraining
import Testing

@Suite("Decoding captures")
struct CaptureDecoderTests {
  private static let capture = Fixtures.simulator.capture(.bonaFide, subject: 0, index: 0).capture
  private static let text = String(decoding: CaptureEncoder.encode(capture, landmarks: .u16), as: UTF8.self)

  private func error(_ text: String) -> CaptureDecodingError? {
    do {
      _ = try CaptureDecoder.decode(Array(text.utf8))
      return nil
    } catch {
      return error
    }
  }

  @Test("what was encoded exactly is decoded bit for bit, as a block and as numbers")
  func roundTrip() throws {
    for form in [CaptureEncoder.LandmarkForm.f32, .numbers] {
      let decoded = try CaptureDecoder.decode(CaptureEncoder.encode(Self.capture, landmarks: form))
      #expect(decoded == Self.capture)
      #expect(decoded.isChainIntact)
    }
  }

  @Test("the short block holds landmarks to half a step, and rounded ones exactly")
  func shortBlock() throws {
    let decoded = try CaptureDecoder.decode(CaptureEncoder.encode(Self.capture, landmarks: .u16))
    for (found, expected) in zip(decoded.landmarks, Self.capture.landmarks) {
      #expect((found - expected).magnitude <= 0.5 / 16384 + 2.5e-7)
    }
    let rounded = Self.capture.rounded()
    #expect(try CaptureDecoder.decode(CaptureEncoder.encode(rounded, landmarks: .u16)) == rounded)
    #expect(rounded.isChainIntact)
  }

  @Test("order of fields, white space and escaped slashes make no difference")
  func freedom() throws {
    let frames = Self.text.firstRange(of: "\"frames\":[")!
    let chain = Self.text.firstRange(of: "],\"chain\"")!
    let list = Self.text[frames.lowerBound..<chain.lowerBound] + "]"
    let rest = Self.text[..<frames.lowerBound] + Self.text[Self.text.index(chain.lowerBound, offsetBy: 2)...]
    let reordered = "{\(list),\(rest.dropFirst())"
    let expected = try CaptureDecoder.decode(Array(Self.text.utf8))
    #expect(try CaptureDecoder.decode(Array(reordered.utf8)) == expected)
    let spaced = Self.text.replacing(",\"", with: " ,\r\n\t\"").replacing("\":", with: "\" : ")
    #expect(try CaptureDecoder.decode(Array(" \(spaced)\n".utf8)) == expected)
    let escaped = Self.text.replacing("/", with: "\\/").replacing(
      "\"simulated\"", with: "\"\\u0073imulated\"")
    #expect(try CaptureDecoder.decode(Array(escaped.utf8)) == expected)
  }

  struct Damage: Sendable, CustomTestStringConvertible {
    let find, replace: String
    let code: CaptureDecodingError.Code
    var field: String?
    var frame: Int?

    var testDescription: String { "\(find) → \(replace)" }
  }

  static let damages: [Damage] = [
    .init(find: "reverify-capture\"", replace: "other\"", code: .unsupportedVersion, field: "format"),
    .init(
      find: "\"version\":1,\"challenge\"", replace: "\"version\":2,\"challenge\"", code: .unsupportedVersion,
      field: "version"),
    .init(find: "\"format\":\"reverify-capture\",", replace: "", code: .missingField, field: "format"),
    .init(find: "\"mirrored\":false", replace: "\"mirrored\":0", code: .wrongType, field: "mirrored"),
    .init(find: "\"mirrored\":false", replace: "\"mirrored\":fals", code: .malformed, field: "mirrored"),
    .init(find: "\"points\":68", replace: "\"points\":70", code: .unsupportedLandmarks, field: "points"),
    .init(find: "\"points\":68", replace: "\"points\":68.5", code: .outOfRange, field: "points"),
    .init(find: "\"points\":68", replace: "\"points\":5", code: .wrongLength, field: "landmarks", frame: 0),
    .init(find: "\"points\":68", replace: "\"points\":\"68\"", code: .wrongType, field: "points"),
    .init(find: "\"image_width\":480", replace: "\"image_width\":0", code: .outOfRange, field: "image_width"),
    .init(
      find: "\"image_width\":480", replace: "\"image_width\":0480", code: .malformed, field: "image_width"),
    .init(
      find: "\"image_width\":480", replace: "\"image_width\":1e999", code: .outOfRange, field: "image_width"),
    .init(
      find: "\"image_width\":480", replace: "\"image_width\":NaN", code: .notFinite, field: "image_width"),
    .init(
      find: "\"image_width\":480", replace: "\"image_width\":-Infinity", code: .notFinite,
      field: "image_width"),
    .init(
      find: "\"image_width\":480", replace: "\"image_width\":480,\"image_width\":480", code: .repeatedField,
      field: "image_width"),
    .init(find: "\"image_width\":480", replace: "\"width\":480", code: .unknownField, field: "width"),
    .init(find: "\"image_width\":480", replace: "\"image width\":480", code: .unknownField),
    .init(
      find: "\"image_width\":480", replace: "\"\(String(repeating: "a", count: 33))\":480",
      code: .unknownField),
    .init(find: "\"dimension\":128", replace: "\"dimension\":1000000", code: .outOfRange, field: "dimension"),
    .init(
      find: "\"dimension\":128", replace: "\"dimension\":64", code: .wrongLength, field: "embedding", frame: 0
    ),
    .init(find: "\"seq\":1,", replace: "", code: .missingField, field: "seq", frame: 1),
    .init(find: "\"seq\":2,", replace: "\"seq\":-2,", code: .outOfRange, field: "seq", frame: 2),
    .init(find: "\"seq\":3,", replace: "\"seq\":3,\"seq\":3,", code: .repeatedField, field: "seq", frame: 3),
    .init(find: "\"seq\":4,", replace: "\"seq\":4,\"more\":1,", code: .unknownField, field: "more", frame: 4),
    .init(find: "\"seq\":5,", replace: "\"seq\":null,", code: .wrongType, field: "seq", frame: 5),
    .init(find: "\"chain\":\"", replace: "\"chain\":\"00", code: .outOfRange, field: "chain"),
    .init(find: "\"nonce\":\"", replace: "\"nonce\":\"G", code: .outOfRange, field: "nonce"),
    .init(
      find: "\"face_count\":1", replace: "\"face_count\":[1]", code: .wrongType, field: "face_count", frame: 0
    ),
    .init(find: "\"box\":[", replace: "\"box\":[0,", code: .wrongLength, field: "box", frame: 0),
    .init(find: "\"box\":[", replace: "\"box\":[[[[", code: .tooDeep, field: "frames"),
    .init(
      find: "\"landmarks\":\"", replace: "\"landmarks\":\"!!!!", code: .badBase64, field: "landmarks",
      frame: 0),
    .init(find: "\"frames\":[", replace: "\"frames\":[],\"frame\":[", code: .unknownField, field: "frame"),
    .init(find: "\"frames\":[", replace: "\"frames\":{", code: .wrongType, field: "frames"),
    .init(
      find: "\"shown\":[", replace: "\"shown\":[{\"stage\":9,\"t_ms\":0},", code: .outOfRange, field: "stage"),
  ]

  @Test("damage is named with its frame and field", arguments: damages)
  func damage(_ damage: Damage) throws {
    let place = try #require(Self.text.firstRange(of: damage.find))
    let found = try #require(error(Self.text.replacingCharacters(place, damage.replace)))
    #expect(found.code == damage.code)
    #expect(found.field == damage.field)
    #expect(found.frame == damage.frame)
  }

  @Test("a capture that is cut short says in which frame and field it ends")
  func cutShort() throws {
    for (mark, frame, field) in [
      ("\"seq\":4,", 4, "seq"), ("\"seq\":4,\"t_ms\":", 4, "t_ms"), ("\"frames\":[{", 0, "frames"),
    ] as [(String, Int, String)] {
      let end = try #require(Self.text.firstRange(of: mark)).upperBound
      let cut = Array(Self.text[..<end].utf8)
      let found = try #require(error(String(decoding: cut, as: UTF8.self)))
      #expect(found == CaptureDecodingError(.malformed, frame: frame, field: field, offset: cut.count))
      // The same within a line of a file.
      let line = Array("{\"label\":\"a\",\"capture\":".utf8) + cut
      #expect(throws: found) { try CaptureRecord.decode(line) }
    }
  }

  @Test("names of fields may be escaped like any text")
  func escapedNames() throws {
    let escaped = Self.text.replacing("\"seq\":", with: "\"s\\u0065q\":")
      .replacing("\"device\":", with: "\"\\u0064evice\":")
    #expect(escaped != Self.text)
    #expect(try CaptureDecoder.decode(Array(escaped.utf8)) == CaptureDecoder.decode(Array(Self.text.utf8)))
    let twice = try #require(error(Self.text.replacing("\"seq\":3,", with: "\"seq\":3,\"\\u0073eq\":3,")))
    #expect(twice.code == .repeatedField && twice.frame == 3 && twice.field == "seq")
  }

  @Test("a record without a part says which")
  func emptyRecord() {
    for (text, field) in [
      ("{}", "issued_ms"), ("{\"issued_ms\":0}", "received_ms"),
      ("{\"issued_ms\":0,\"received_ms\":0}", "stages"),
      ("{\"issued_ms\":0,\"received_ms\":0,\"stages\":[[0,0.3,0,0]]}", "capture"),
    ] {
      #expect(throws: CaptureDecodingError(.missingField, field: field, offset: text.utf8.count)) {
        try CaptureRecord.decode(Array(text.utf8))
      }
    }
  }

  @Test("bytes of a block that are no base64, no numbers or out of range are refused")
  func blocks() throws {
    let text = String(decoding: CaptureEncoder.encode(Self.capture), as: UTF8.self)
    let start = try #require(text.firstRange(of: "\"landmarks\":\"")).upperBound
    func replacing(_ characters: String) -> String {
      let end = text.index(start, offsetBy: characters.count)
      return text.replacingCharacters(start..<end, characters)
    }
    #expect(error(replacing("-"))?.code == .badBase64)
    #expect(error(replacing("="))?.code == .badBase64)
    // The first number becomes a NaN, infinity, and 1e10.
    for block in ["AADAfw", "AACAfw", "+QIVUA"] {
      #expect(error(replacing(block))?.code == .outOfRange, "\(block)")
    }
  }

  @Test("every prefix of a capture is refused, and so is anything after it")
  func prefixes() throws {
    let bytes = Array(Self.text.utf8)
    for length in Array(0..<600) + stride(from: 600, to: bytes.count, by: 97) {
      #expect(throws: CaptureDecodingError.self) { try CaptureDecoder.decode(Array(bytes[..<length])) }
    }
    #expect(error(Self.text + "0")?.code == .malformed)
    #expect(error(Self.text + "\0")?.code == .malformed)
  }

  @Test("limits on bytes, frames and nesting hold")
  func limits() throws {
    #expect(error(String(repeating: " ", count: CaptureLimits.bytes + 1))?.code == .tooLarge)
    #expect(error(String(repeating: "[", count: 100_000))?.code == .wrongType)
    var capture = Self.capture
    capture.frames = (0..<241).map { index in
      var frame = Self.capture.frames[0]
      frame.sequence = index
      return frame
    }
    capture.landmarks = (0..<241).flatMap { _ in Self.capture.landmarks[..<136] }
    let encoded = String(decoding: CaptureEncoder.encode(capture, landmarks: .u16), as: UTF8.self)
    #expect(error(encoded)?.code == .tooManyFrames)
    let place = try #require(Self.text.firstRange(of: "\"frames\":["))
    let chain = try #require(Self.text.firstRange(of: "],\"chain\""))
    #expect(
      error(String(Self.text[..<place.upperBound]) + String(Self.text[chain.lowerBound...]))?.code
        == .noFrames)
  }

  @Test("numbers are read as the standard library reads them")
  func numbers() throws {
    var generator = SeededGenerator(seed: 5)
    let short = Self.short(Self.text)
    for _ in 0..<100 {
      let value = Double.random(in: 20...150, using: &generator)
      let exponent = Int.random(in: 0...4, using: &generator)
      for written in [
        "\(value)", "\(value * 1e-3)e3", "\(Int(value))", "\(Int(value))E0", "\(value)e-\(exponent)",
      ] {
        let place = try #require(
          short.firstRange(of: "\"field_of_view_deg\":\(Self.capture.device.fieldOfView)"))
        let text = short.replacingCharacters(place, "\"field_of_view_deg\":\(written)")
        let expected = try #require(Double(written))
        guard (20...150).contains(expected) else { continue }
        let decoded = try CaptureDecoder.decode(Array(text.utf8))
        #expect(decoded.device.fieldOfView == expected, "\(written)")
      }
    }
  }

  /// The capture with its first frame only.
  private static func short(_ text: String) -> String {
    let second = text.firstRange(of: ",{\"seq\":1,")!
    let end = text.firstRange(of: "],\"chain\"")!
    return String(text[..<second.lowerBound] + text[end.lowerBound...])
  }

  @Test("records with truth and challenge come back as they were")
  func records() throws {
    let simulated = Fixtures.simulator.capture(.bentPhoto, subject: 1, index: 0)
    var record = CaptureRecord(
      label: "bent_photo", subject: "s \"1\"", groups: ["device": "a\\b", "age": "20"], provenance: .rendered,
      schedule: simulated.schedule,
      received: simulated.received, capture: simulated.capture)
    #expect(try CaptureRecord.decode(record.encoded()) == record)
    for provenance in CaptureProvenance.allCases {
      record.provenance = provenance
      #expect(try CaptureRecord.decode(record.encoded()).provenance == provenance)
    }
    record.provenance = nil
    #expect(try CaptureRecord.decode(record.encoded()).provenance == nil)
    record.provenance = .camera
    let text = String(decoding: record.encoded(), as: UTF8.self).replacing("\"camera\"", with: "\"cam\"")
    let error = #expect(throws: CaptureDecodingError.self) { try CaptureRecord.decode(Array(text.utf8)) }
    #expect(error?.code == .outOfRange && error?.field == "provenance")
  }
}

extension String {
  func replacingCharacters(_ range: Range<String.Index>, _ text: String) -> String {
    String(self[..<range.lowerBound]) + text + String(self[range.upperBound...])
  }
}
