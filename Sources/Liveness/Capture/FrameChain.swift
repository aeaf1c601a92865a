import CSodium

/// The running SHA-256 over a capture, which ties its frames to their order and to one challenge.
///
/// It proves nothing against who can compute it, which is anybody who holds the capture; it makes a changed, dropped
/// or reordered frame of an honest client's capture show, and an old capture with a new nonce. Byte by byte in
/// `Documentation/Formats/Capture.md`.
public enum FrameChain {
  public static let digestBytes = 32
  private static let domain = Array("reverify-capture-1".utf8)

  /// The last link: of the capture's head, then of each frame in order. Hashes about as many bytes as the capture
  /// has; with 60 frames of 468 points 225 KB.
  public static func digest(of capture: Capture) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(16384)
    appendHead(of: capture, to: &bytes)
    var link = sha256(bytes)
    let width = 2 * capture.landmarker.points
    for (index, frame) in capture.frames.enumerated() {
      bytes.removeAll(keepingCapacity: true)
      bytes += link
      append(frame, to: &bytes)
      appendLandmarks(capture.landmarks, width * index, width, to: &bytes)
      link = sha256(bytes)
    }
    return link
  }

  static func sha256(_ bytes: [UInt8]) -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: digestBytes)
    crypto_hash_sha256(&digest, bytes, UInt64(bytes.count))
    return digest
  }

  private static func appendHead(of capture: Capture, to bytes: inout [UInt8]) {
    bytes += domain
    bytes += capture.challengeID
    bytes += capture.nonce
    let device = capture.device
    append([device.model, device.camera, device.attestation ?? ""], to: &bytes)
    append(device.fieldOfView, to: &bytes)
    append(UInt32(clamping: device.imageWidth), to: &bytes)
    append(UInt32(clamping: device.imageHeight), to: &bytes)
    bytes.append(device.isMirrored ? 1 : 0)
    append([capture.landmarker.id, capture.landmarker.version], to: &bytes)
    append(UInt32(clamping: capture.landmarker.points), to: &bytes)
    append([capture.passiveModel?.id ?? "", capture.passiveModel?.version ?? ""], to: &bytes)
    append([capture.embeddingModel?.id ?? ""], to: &bytes)
    append(UInt32(clamping: capture.embeddingModel?.dimension ?? 0), to: &bytes)
    append(UInt32(clamping: capture.shown.count), to: &bytes)
    for shown in capture.shown {
      append(UInt32(clamping: shown.stage), to: &bytes)
      append(shown.time, to: &bytes)
    }
  }

  private static func append(_ frame: Capture.Frame, to bytes: inout [UInt8]) {
    append(UInt32(clamping: frame.sequence), to: &bytes)
    append(UInt32(clamping: frame.faceCount), to: &bytes)
    for number in [
      frame.time, frame.box.x, frame.box.y, frame.box.width, frame.box.height, frame.sharpness,
      frame.brightness,
    ] {
      append(number, to: &bytes)
    }
    func optional(_ numbers: [Double]?) {
      bytes.append(numbers == nil ? 0 : 1)
      for number in numbers ?? [] { append(number, to: &bytes) }
    }
    optional(frame.landmarkConfidence.map { [$0] })
    optional(frame.pose.map { [$0.x, $0.y, $0.z] })
    optional(frame.passiveScore.map { [$0] })
    optional(frame.eyesOpen.map { [$0.x, $0.y] })
    optional(frame.faceColour.map { [$0.x, $0.y, $0.z] })
    optional(frame.backgroundColour.map { [$0.x, $0.y, $0.z] })
    optional(frame.exposure.map { [$0] })
    optional(frame.iso.map { [$0] })
    bytes.append(frame.pixelHash == nil ? 0 : 1)
    if let hash = frame.pixelHash { withUnsafeBytes(of: hash.littleEndian) { bytes.append(contentsOf: $0) } }
    append(UInt32(clamping: frame.embedding?.count ?? 0), to: &bytes)
    for value in frame.embedding ?? [] {
      withUnsafeBytes(of: value.bitPattern.littleEndian) { bytes.append(contentsOf: $0) }
    }
  }

  /// The points' x and y in turn, as in the block of the JSON form.
  private static func appendLandmarks(_ values: [Float], _ start: Int, _ width: Int, to bytes: inout [UInt8])
  {
    let half = width / 2
    let pairs = [UInt32](unsafeUninitializedCapacity: width) { pairs, count in
      for point in 0..<half {
        pairs[2 * point] = values[start + point].bitPattern.littleEndian
        pairs[2 * point + 1] = values[start + half + point].bitPattern.littleEndian
      }
      count = width
    }
    pairs.withUnsafeBytes { bytes.append(contentsOf: $0) }
  }

  private static func append(_ number: Double, to bytes: inout [UInt8]) {
    withUnsafeBytes(of: number.bitPattern.littleEndian) { bytes.append(contentsOf: $0) }
  }

  private static func append(_ number: UInt32, to bytes: inout [UInt8]) {
    withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
  }

  private static func append(_ texts: [String], to bytes: inout [UInt8]) {
    for text in texts {
      append(UInt32(clamping: text.utf8.count), to: &bytes)
      bytes += Array(text.utf8)
    }
  }
}

extension Capture {
  /// Whether `chain` is that of what the capture holds.
  public var isChainIntact: Bool { chain == FrameChain.digest(of: self) }

  /// The same capture with the chain that belongs to it.
  public func sealed() -> Capture {
    var capture = self
    capture.chain = FrameChain.digest(of: self)
    return capture
  }
}
