import Biometrics

/// What a client recorded in front of the camera, answering one challenge: numbers per frame, no pictures.
///
/// Times are milliseconds since the challenge was shown, places are fractions of the image's width, x right and y
/// down. A capture is well formed by construction of the decoder; whether it shows a live person is the detector's
/// question.
public struct Capture: Hashable, Sendable {
  /// The client's camera, as the client states it.
  public struct Device: Hashable, Sendable {
    public var model: String
    public var camera: String
    /// Degrees across the image's width, 20...150.
    public var fieldOfView: Double
    /// Pixels.
    public var imageWidth: Int
    public var imageHeight: Int
    /// Whether x runs to the left, as in a preview that acts like a mirror.
    public var isMirrored: Bool
    /// What the platform attests of the app, for the integrator to check; not looked at here.
    public var attestation: String?

    public init(
      model: String, camera: String, fieldOfView: Double, imageWidth: Int, imageHeight: Int,
      isMirrored: Bool = false, attestation: String? = nil
    ) {
      self.model = model
      self.camera = camera
      self.fieldOfView = fieldOfView
      self.imageWidth = imageWidth
      self.imageHeight = imageHeight
      self.isMirrored = isMirrored
      self.attestation = attestation
    }

    /// In image widths.
    public var focalLength: Double { 0.5 / Elementary.tangent(fieldOfView * 0x1.1df46a2529d39p-7) }
  }

  /// Which program found the landmarks.
  public struct Landmarker: Hashable, Sendable, Codable {
    public var id: String
    public var version: String
    public var points: Int

    public init(id: String, version: String, layout: LandmarkLayout) {
      self.id = id
      self.version = version
      points = layout.points
    }

    /// `nil` for a number of points of no known layout.
    public var layout: LandmarkLayout? { LandmarkLayout(rawValue: points) }
  }

  /// Which model gave the passive scores.
  public struct PassiveModel: Hashable, Sendable, Codable {
    public var id: String
    public var version: String

    public init(id: String, version: String) {
      self.id = id
      self.version = version
    }
  }

  /// Which model gave the embeddings.
  public struct EmbeddingModel: Hashable, Sendable, Codable {
    /// For embeddings that can be compared with references, the fingerprint of their space.
    public var id: String
    public var dimension: Int

    public init(id: String, dimension: Int) {
      self.id = id
      self.dimension = dimension
    }

    /// As captures name a space: by the whole of its fingerprint.
    public init(_ space: EmbeddingSpace) {
      self.init(id: space.description, dimension: space.dimension)
    }
  }

  /// When the client showed a stage of the challenge.
  public struct ShownStage: Hashable, Sendable {
    public var stage: Int
    public var time: Double

    public init(stage: Int, time: Double) {
      self.stage = stage
      self.time = time
    }
  }

  public struct Box: Hashable, Sendable {
    public var x, y, width, height: Double

    public init(x: Double, y: Double, width: Double, height: Double) {
      self.x = x
      self.y = y
      self.width = width
      self.height = height
    }
  }

  /// Everything of one frame but its landmarks.
  public struct Frame: Hashable, Sendable {
    /// From 0, one more in each frame.
    public var sequence: Int
    public var time: Double
    public var faceCount: Int
    public var box: Box
    /// Variance of the Laplacian, above zero.
    public var sharpness: Double
    /// Mean luma, 0...1.
    public var brightness: Double
    /// 0...1.
    public var landmarkConfidence: Double?
    /// Yaw, pitch and roll in degrees.
    public var pose: SIMD3<Double>?
    /// From the upstream passive model, 0...1; higher means a live person.
    public var passiveScore: Double?
    /// How far the left and the right eye are open, 0...1.
    public var eyesOpen: SIMD2<Double>?
    /// Of the embedding model's dimension and unit length.
    public var embedding: [Float]?
    /// Mean linear red, green and blue of the face and of what is behind it, 0...1.
    public var faceColour: SIMD3<Double>?
    public var backgroundColour: SIMD3<Double>?
    /// Milliseconds.
    public var exposure: Double?
    public var iso: Double?
    /// A digest of the frame's pixels; equal pixels have equal ones.
    public var pixelHash: UInt64?

    public init(
      sequence: Int, time: Double, faceCount: Int = 1, box: Box, sharpness: Double, brightness: Double
    ) {
      self.sequence = sequence
      self.time = time
      self.faceCount = faceCount
      self.box = box
      self.sharpness = sharpness
      self.brightness = brightness
    }
  }

  /// 128 bits that name the challenge.
  public var challengeID: [UInt8]
  /// The challenge's 256 random bits.
  public var nonce: [UInt8]
  public var device: Device
  public var landmarker: Landmarker
  public var passiveModel: PassiveModel?
  public var embeddingModel: EmbeddingModel?
  public var shown: [ShownStage]
  public var frames: [Frame]
  /// Frame by frame: all x of the landmarker's points, then all y.
  public var landmarks: [Float]
  /// The running SHA-256 over all that the client recorded; see `FrameChain`.
  public var chain: [UInt8]

  public init(
    challengeID: [UInt8], nonce: [UInt8], device: Device, landmarker: Landmarker, frames: [Frame],
    landmarks: [Float]
  ) {
    self.challengeID = challengeID
    self.nonce = nonce
    self.device = device
    self.landmarker = landmarker
    self.frames = frames
    self.landmarks = landmarks
    shown = []
    chain = []
  }

  /// The landmarks in double precision, of an image that is no mirror's.
  public func landmarkSequence(_ layout: LandmarkLayout) -> LandmarkSequence {
    let count = layout.points
    precondition(landmarks.count == 2 * count * frames.count, "landmarks are whole frames")
    let planes = [Double](unsafeUninitializedCapacity: landmarks.count) { planes, filled in
      landmarks.withUnsafeBufferPointer { source in
        for index in 0..<source.count { planes[index] = Double(source[index]) }
      }
      if device.isMirrored {
        for frame in 0..<frames.count {
          for index in frame * 2 * count..<frame * 2 * count + count { planes[index] = 1 - planes[index] }
        }
      }
      filled = landmarks.count
    }
    return LandmarkSequence(layout: layout, planes: planes)
  }
}

/// What a capture may hold at most.
public enum CaptureLimits {
  /// Of the encoded form.
  public static let bytes = 4 << 20
  public static let frames = 240
  public static let embeddingDimension = 1024
  public static let textLength = 128
  /// Of an embedding model's name, which may be a space's whole fingerprint.
  public static let embeddingModelLength = 512
  /// Of a field's name; a longer one is not repeated in errors.
  public static let keyLength = 32
  public static let attestationLength = 16384
  public static let stages = 8
  /// Objects and arrays within each other.
  public static let depth = 4
  /// Landmarks, in image widths.
  public static let coordinates: ClosedRange<Float> = -1...4
  public static let milliseconds: ClosedRange<Double> = 0...600_000
}
