/// Writes captures in their JSON form, on one line.
public enum CaptureEncoder {
  /// How landmarks are written.
  public enum LandmarkForm: String, Sendable, CaseIterable {
    /// A block of 32-bit floating point numbers, exact.
    case f32
    /// A block of 16-bit numbers in steps of 1/16384 image widths: half the size, rounded.
    case u16
    /// An array of JSON numbers.
    case numbers
  }

  /// The bytes that `CaptureDecoder` reads back. With `u16` the capture decoded has rounded landmarks, and a chain made
  /// of the exact ones doesn't fit it any more: round first, see `Capture.rounded()`.
  public static func encode(_ capture: Capture, landmarks form: LandmarkForm = .f32) -> [UInt8] {
    var out = Writer()
    out.raw("{\"format\":\"reverify-capture\",\"version\":\(CaptureDecoder.version),\"challenge\":{\"id\":\"")
    out.raw(encodeHexadecimal(capture.challengeID) + "\",\"nonce\":\"" + encodeHexadecimal(capture.nonce))
    out.raw("\"},\"device\":{\"model\":")
    out.text(capture.device.model)
    out.raw(",\"camera\":")
    out.text(capture.device.camera)
    out.raw(
      ",\"field_of_view_deg\":\(capture.device.fieldOfView),\"image_width\":\(capture.device.imageWidth)")
    out.raw(",\"image_height\":\(capture.device.imageHeight),\"mirrored\":\(capture.device.isMirrored)")
    if let attestation = capture.device.attestation {
      out.raw(",\"attestation\":")
      out.text(attestation)
    }
    out.raw("},\"landmarker\":{\"id\":")
    out.text(capture.landmarker.id)
    out.raw(",\"version\":")
    out.text(capture.landmarker.version)
    out.raw(",\"points\":\(capture.landmarker.points)}")
    if let model = capture.passiveModel {
      out.raw(",\"passive_model\":{\"id\":")
      out.text(model.id)
      out.raw(",\"version\":")
      out.text(model.version)
      out.raw("}")
    }
    if let model = capture.embeddingModel {
      out.raw(",\"embedding_model\":{\"id\":")
      out.text(model.id)
      out.raw(",\"dimension\":\(model.dimension)}")
    }
    out.raw(",\"shown\":[")
    out.raw(capture.shown.map { "{\"stage\":\($0.stage),\"t_ms\":\($0.time)}" }.joined(separator: ","))
    out.raw("],\"frames\":[")
    let width = 2 * capture.landmarker.points
    for (index, frame) in capture.frames.enumerated() {
      if index > 0 { out.raw(",") }
      out.frame(frame, capture.landmarks[index * width..<(index + 1) * width], form)
    }
    out.raw("],\"chain\":\"\(encodeHexadecimal(capture.chain))\"}")
    return out.bytes
  }
}

extension Capture {
  /// The capture with landmarks rounded to what the 16-bit form holds, and its chain accordingly.
  public func rounded() -> Capture {
    var capture = self
    capture.landmarks = landmarks.map { Float(CaptureEncoder.step($0)) * (1 / 16384) - 1 }
    return capture.sealed()
  }
}

extension CaptureEncoder {
  fileprivate static func step(_ value: Float) -> UInt16 {
    UInt16(min(max(((value + 1) * 16384).rounded(), 0), 65535))
  }

  fileprivate struct Writer {
    var bytes: [UInt8] = []

    mutating func raw(_ text: String) { bytes += Array(text.utf8) }

    mutating func text(_ text: String) {
      raw("\"")
      for byte in text.utf8 {
        if byte == 0x22 || byte == 0x5c { bytes.append(0x5c) }
        bytes.append(byte)
      }
      raw("\"")
    }

    mutating func frame(_ frame: Capture.Frame, _ landmarks: ArraySlice<Float>, _ form: LandmarkForm) {
      let box = frame.box
      raw("{\"seq\":\(frame.sequence),\"t_ms\":\(frame.time),\"face_count\":\(frame.faceCount)")
      raw(",\"box\":[\(box.x),\(box.y),\(box.width),\(box.height)],\"landmarks\":")
      self.landmarks(landmarks, form)
      raw(",\"sharpness\":\(frame.sharpness),\"brightness\":\(frame.brightness)")
      number("landmark_conf", frame.landmarkConfidence)
      numbers("pose", frame.pose.map { [$0.x, $0.y, $0.z] })
      number("pad_score", frame.passiveScore)
      numbers("eye_open", frame.eyesOpen.map { [$0.x, $0.y] })
      if let embedding = frame.embedding {
        raw(",\"embedding\":\"")
        bytes += Base64.encode(littleEndian(embedding.map(\.bitPattern)))
        raw("\"")
      }
      numbers("rgb_face", frame.faceColour.map { [$0.x, $0.y, $0.z] })
      numbers("rgb_background", frame.backgroundColour.map { [$0.x, $0.y, $0.z] })
      number("exposure_ms", frame.exposure)
      number("iso", frame.iso)
      if let hash = frame.pixelHash {
        raw(
          ",\"frame_hash\":\"\(encodeHexadecimal((0..<8).map { UInt8(truncatingIfNeeded: hash >> UInt64(56 - 8 * $0)) }))\""
        )
      }
      raw("}")
    }

    private mutating func landmarks(_ planes: ArraySlice<Float>, _ form: LandmarkForm) {
      let (start, half) = (planes.startIndex, planes.count / 2)
      let pairs = (0..<planes.count).map { planes[start + $0 / 2 + $0 % 2 * half] }
      switch form {
      case .numbers: raw("[\(pairs.map { "\($0)" }.joined(separator: ","))]")
      case .f32:
        raw("\"")
        bytes += Base64.encode(littleEndian(pairs.map(\.bitPattern)))
        raw("\"")
      case .u16:
        raw("\"")
        bytes += Base64.encode(littleEndian(pairs.map(CaptureEncoder.step)))
        raw("\"")
      }
    }

    private mutating func number(_ name: String, _ value: Double?) {
      if let value { raw(",\"\(name)\":\(value)") }
    }

    private mutating func numbers(_ name: String, _ values: [Double]?) {
      if let values { raw(",\"\(name)\":[\(values.map { "\($0)" }.joined(separator: ","))]") }
    }

    private func littleEndian<Number: FixedWidthInteger>(_ numbers: [Number]) -> [UInt8] {
      numbers.flatMap { number in
        (0..<Number.bitWidth / 8).map { UInt8(truncatingIfNeeded: number >> Number(8 * $0)) }
      }
    }
  }
}
