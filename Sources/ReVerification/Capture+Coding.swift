import Biometrics
import Liveness

// The form in which a capture is kept as evidence: it gives the same capture back, bit for bit.
//
// One byte of kind. 1: passive scores alone, a frame after the other: seconds and attoseconds of its time (little-endian i64
// each) and the bits of its score (u64, all ones for none). 2: a recording as `CaptureEncoder` writes it.

extension Capture {
  private enum Kind {
    static let passive: UInt8 = 1
    static let recording: UInt8 = 2
  }

  private static let frameBytes = 24

  /// The capture as bytes; `nil` for a recording that its format can't hold exactly.
  func encoded() -> [UInt8]? {
    if let recording {
      for form in [CaptureEncoder.LandmarkForm.f32, .numbers] {
        let bytes = CaptureEncoder.encode(recording, landmarks: form)
        if (try? CaptureDecoder.decode(bytes)) == recording { return [Kind.recording] + bytes }
      }
      return nil
    }
    var bytes = [Kind.passive]
    for frame in frames {
      bytes.append(littleEndian: frame.time.components.seconds)
      bytes.append(littleEndian: frame.time.components.attoseconds)
      bytes.append(littleEndian: frame.passiveScore?.bitPattern ?? .max)
    }
    return bytes
  }

  /// The capture in `bytes`; `nil` for what `encoded()` doesn't make.
  init?(encoded bytes: [UInt8]) {
    switch bytes.first {
    case Kind.recording:
      guard let recording = try? CaptureDecoder.decode(Array(bytes.dropFirst())) else { return nil }
      self.init(recording)
    case Kind.passive:
      let body = bytes.dropFirst()
      guard body.count % Self.frameBytes == 0 else { return nil }
      self.init(
        frames: stride(from: body.startIndex, to: body.endIndex, by: Self.frameBytes).map { place in
          let score = UInt64(bitPattern: body.littleEndian(at: place + 16))
          return Frame(
            time: Duration(
              secondsComponent: body.littleEndian(at: place),
              attosecondsComponent: body.littleEndian(at: place + 8)),
            passiveScore: score == .max ? nil : Double(bitPattern: score))
        })
    default: return nil
    }
  }
}

extension [UInt8] {
  fileprivate mutating func append(littleEndian number: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: number.littleEndian) { append(contentsOf: $0) }
  }
}

extension ArraySlice<UInt8> {
  /// The eight bytes from `place` on as a number.
  fileprivate func littleEndian(at place: Int) -> Int64 {
    Int64(bitPattern: (0..<8).reduce(0) { $0 | UInt64(self[place + $1]) << UInt64(8 * $1) })
  }
}
