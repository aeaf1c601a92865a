import Biometrics

/// A capture with the challenge it answered and, when it is known, the truth: one line of a `.jsonl` file that captures
/// are scored and models are tuned from. The format is in `Documentation/Formats/Capture.md`.
public struct CaptureRecord: Hashable, Sendable {
  /// `bona_fide` or an attack instrument's species; `nil` when the truth is unknown.
  public var label: String?
  /// The subject, or the attack's victim.
  public var subject: String?
  /// Device, age group and the like, by name.
  public var groups: [String: String]
  /// Where the capture comes from; `nil` when the record doesn't say, and then it is no evidence about people.
  public var provenance: CaptureProvenance?
  public var schedule: ChallengeSchedule
  public var received: Instant
  public var capture: Capture

  public init(
    label: String? = nil, subject: String? = nil, groups: [String: String] = [:],
    provenance: CaptureProvenance? = nil, schedule: ChallengeSchedule, received: Instant, capture: Capture
  ) {
    self.label = label
    self.subject = subject
    self.groups = groups
    self.provenance = provenance
    self.schedule = schedule
    self.received = received
    self.capture = capture
  }

  /// Reads one line. Throws `CaptureDecodingError`; the position of an error within the capture counts from its beginning.
  public static func decode(_ line: [UInt8]) throws(CaptureDecodingError) -> CaptureRecord {
    guard line.count <= CaptureLimits.bytes + 65536 else { throw CaptureDecodingError(.tooLarge) }
    return try line.withUnsafeBufferPointer { buffer -> Result<CaptureRecord, CaptureDecodingError> in
      guard let base = buffer.baseAddress else { return .failure(CaptureDecodingError(.malformed)) }
      do throws(CaptureDecodingError) {
        var decoder = RecordDecoder(reader: JSONReader(base, count: buffer.count))
        return .success(try decoder.record(line))
      } catch {
        return .failure(error)
      }
    }.get()
  }

  /// The line, without its end.
  public func encoded(landmarks form: CaptureEncoder.LandmarkForm = .f32) -> [UInt8] {
    func quoted(_ text: String) -> String {
      "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }
    var head: [String] = []
    if let label { head.append("\"label\":\(quoted(label))") }
    if let subject { head.append("\"subject\":\(quoted(subject))") }
    if !groups.isEmpty {
      let pairs = groups.sorted { $0.key < $1.key }.map { "\(quoted($0.key)):\(quoted($0.value))" }
      head.append("\"groups\":[\(pairs.map { "{\($0)}" }.joined(separator: ","))]")
    }
    if let provenance { head.append("\"provenance\":\"\(provenance.rawValue)\"") }
    let stages = schedule.stages.map { "[\($0.start),\($0.width),\($0.centreX),\($0.centreY)]" }
    let flashes = schedule.flashes.map { "[\($0.colour.rawValue),\($0.start),\($0.duration)]" }
    head.append("\"issued_ms\":\(schedule.issuedAt.millisecondsSince1970)")
    head.append("\"received_ms\":\(received.millisecondsSince1970)")
    head.append("\"stages\":[\(stages.joined(separator: ","))]")
    head.append("\"flashes\":[\(flashes.joined(separator: ","))]")
    return Array("{\(head.joined(separator: ",")),\"capture\":".utf8)
      + CaptureEncoder.encode(capture, landmarks: form) + [UInt8(ascii: "}")]
  }
}

/// Where a capture comes from.
public enum CaptureProvenance: String, Hashable, Sendable, CaseIterable {
  /// A person, or an attack instrument, in front of a camera. Only such captures are evidence about people.
  case camera
  /// Pictures of a scene that was computed, seen by a landmarker.
  case rendered
  /// Numbers made up by a simulator.
  case simulated
}

/// Reads the line's fields; the capture's place is remembered and read last.
private struct RecordDecoder {
  var reader: JSONReader

  private static let fields: [StaticString] = [
    "label", "subject", "groups", "issued_ms", "received_ms", "stages", "flashes", "capture", "provenance",
  ]
  /// `issued_ms`, `received_ms`, `stages` and `capture`.
  private static let required = 0b1011_1000
  private static let times = -9e15...9e15

  mutating func record(_ line: [UInt8]) throws(CaptureDecodingError) -> CaptureRecord {
    var (label, subject): (String?, String?)
    var groups: [String: String] = [:]
    var provenance: CaptureProvenance?
    var (issued, received): (Double?, Double?)
    var (stages, flashes) = ([ChallengeSchedule.Stage](), [ChallengeSchedule.Flash]())
    var place: Range<Int>?
    var seen = 0
    try reader.expect(UInt8(ascii: "{"))
    if !reader.closes(UInt8(ascii: "}")) {
      repeat {
        let field = try reader.key(among: Self.fields)
        reader.field = "\(Self.fields[field])"
        guard seen & 1 << field == 0 else { throw reader.error(.repeatedField) }
        seen |= 1 << field
        switch field {
        case 0: label = try reader.text(limit: CaptureLimits.textLength)
        case 1: subject = try reader.text(limit: CaptureLimits.textLength)
        case 2: groups = try self.groups()
        case 3: issued = try reader.number(in: Self.times)
        case 4: received = try reader.number(in: Self.times)
        case 5:
          stages = try rows(4).map { .init(start: $0[0], width: $0[1], centreX: $0[2], centreY: $0[3]) }
          guard !stages.isEmpty, stages.allSatisfy({ $0.width > 0 }) else { throw reader.error(.outOfRange) }
        case 6:
          let rows = try rows(3)
          flashes = rows.compactMap { row in
            Int(exactly: row[0]).flatMap(ChallengeSchedule.Colour.init(rawValue:)).map {
              .init(colour: $0, start: row[1], duration: row[2])
            }
          }
          // A colour that isn't one would be a colour that nobody need answer.
          guard flashes.count == rows.count else { throw reader.error(.outOfRange) }
        case 8:
          provenance = CaptureProvenance(rawValue: try reader.text(limit: CaptureLimits.textLength))
          guard provenance != nil else { throw reader.error(.outOfRange) }
        default:
          guard reader.peek() == UInt8(ascii: "{") else { throw reader.error(.wrongType) }
          let start = reader.position
          do throws(CaptureDecodingError) {
            try reader.skipContainer(depth: 0)
          } catch {
            // Cut short: the capture says where.
            if error.code == .malformed { _ = try CaptureDecoder.decode(Array(line[start...])) }
            throw error
          }
          place = start..<reader.position
        }
      } while try reader.continues(UInt8(ascii: "}"))
    }
    guard reader.peek() == 0, reader.position == reader.count else { throw reader.error(.malformed) }
    let missing = Self.required & ~seen
    reader.field = missing == 0 ? "capture" : "\(Self.fields[missing.trailingZeroBitCount])"
    guard missing == 0, let place, let issued, let received else { throw reader.error(.missingField) }
    let capture = try CaptureDecoder.decode(Array(line[place]))
    return CaptureRecord(
      label: label, subject: subject, groups: groups, provenance: provenance,
      schedule: .init(
        id: capture.challengeID, nonce: capture.nonce, attempt: Int(capture.challengeID[6]),
        issuedAt: .init(millisecondsSince1970: Int64(issued)),
        stages: stages, flashes: flashes), received: .init(millisecondsSince1970: Int64(received)),
      capture: capture)
  }

  /// An array of arrays of `count` numbers.
  private mutating func rows(_ count: Int) throws(CaptureDecodingError) -> [[Double]] {
    try reader.expect(UInt8(ascii: "["))
    var rows: [[Double]] = []
    guard !reader.closes(UInt8(ascii: "]")) else { return rows }
    repeat {
      guard rows.count < 64 else { throw reader.error(.wrongLength) }
      rows.append(try reader.numbers(count, in: -1e6...1e6))
    } while try reader.continues(UInt8(ascii: "]"))
    return rows
  }

  /// An array of objects of one pair of texts each.
  private mutating func groups() throws(CaptureDecodingError) -> [String: String] {
    try reader.expect(UInt8(ascii: "["))
    var groups: [String: String] = [:]
    guard !reader.closes(UInt8(ascii: "]")) else { return groups }
    repeat {
      guard groups.count < 64 else { throw reader.error(.wrongLength) }
      try reader.expect(UInt8(ascii: "{"))
      let name = try reader.text(limit: CaptureLimits.textLength)
      try reader.expect(UInt8(ascii: ":"))
      guard groups.updateValue(try reader.text(limit: CaptureLimits.textLength), forKey: name) == nil else {
        throw reader.error(.repeatedField)
      }
      try reader.expect(UInt8(ascii: "}"))
    } while try reader.continues(UInt8(ascii: "]"))
    return groups
  }
}
