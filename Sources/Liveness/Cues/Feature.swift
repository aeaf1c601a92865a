/// The numbers that a capture is judged by. A model file names them by `name`; raw values are never stored.
public enum Feature: UInt8, Sendable, CaseIterable {
  // Geometry. q is the face's apparent inter-ocular distance over the focal length: inter-ocular / camera distance.
  /// The 90 % quantile of q over its 10 % quantile; how much the face came closer.
  case sizeRatio
  /// The 90 % quantile of q.
  case nearSize
  /// The share of the residual's energy that a tilting plane explains, 0...1.
  case planarEnergy
  /// The share that a tilting plane and the template's relief explain, 0...1.
  case templateEnergy
  /// The slope of the parallax coefficient on q: about 1 for a head, 0 for a plane.
  case parallaxGain
  /// asinh of that slope over its standard error.
  case parallaxSignificance
  /// The correlation of the parallax coefficient with q, −1...1.
  case parallaxCorrelation
  /// What changed from far to near that no plane's motion explains, in inter-ocular distances.
  case planeResidual
  /// The logarithm of that over the jitter.
  case planeSignal
  /// How well the residual's slope on q agrees with the template's relief beyond cylinders, −1...1.
  case slopeCosine
  /// The size of that slope against the template's.
  case slopeGain
  /// The share of the slope's energy that planes and cylinders explain, 0...1.
  case slopeCylinder
  /// The correlation with the template of the relief that the approach itself shows, −1...1.
  case reliefCorrelation
  /// The same after the best quadratic surface is taken from both: a bent sheet is one.
  case reliefCorrelationBeyondQuadratic
  /// The size of that relief against the template's.
  case reliefGain
  case reliefGainBeyondQuadratic
  /// The relief's root mean square, in inter-ocular distances.
  case reliefAmplitude
  case reliefAmplitudeBeyondQuadratic
  /// The three greatest singular values of the residual, as shares of their sum. Costly: see `FeatureExtractor`.
  case spectrum1
  case spectrum2
  case spectrum3

  // Texture of the jitter.
  /// The logarithm of the motion of eyes and mouth over the jitter.
  case nonRigidMotion
  /// The logarithm of the jitter, from second differences in time.
  case jitter
  /// The correlation of successive changes of the residual, −1...1.
  case jitterAutocorrelation
  /// The decimal logarithm of the smallest change between frames.
  case smallestStep
  /// The decimal logarithm of the second over the first differences.
  case curvatureToStep
  /// The correlation of a point's change with its neighbour's, −1...1.
  case jitterSpatialCorrelation
  /// The logarithm of the eight greatest reversals of the pose's path, summed, in its usual bends. See `PoseSteps`.
  case pathReversals
  /// That, and how much shorter the path gets when frames change places: frames out of their order show.
  case pathDisorder

  // Following the challenge.
  /// The greatest |log| of the face's width over the oval's, at the end of each stage.
  case ovalSizeError
  /// The greatest distance of the face's centre from the oval's, in image widths.
  case ovalCentreError
  /// The root mean square of the sizes' and of the centres' differences from the ovals once a constant one is taken
  /// away, which a person has who sits askew.
  case ovalSizeSpread
  case ovalCentreSpread
  /// The correlation of the logarithms of the face's and the ovals' widths at the best lag, −1...1.
  case ovalCorrelation
  /// The lag of that correlation in seconds.
  case responseLag
  /// The logarithm of how far the whole path is from a person's answer to the ovals, in tremors; and of its parts: width,
  /// relative, and x and y, in image widths. See `OvalTracking`.
  case trackingError
  case trackingWidthError
  case trackingXError
  case trackingYError
  /// The lag of that answer in seconds.
  case trackingLag

  // Response to colours.
  /// The correlation of the face's colour, less the background's, with what the screen showed, at the best lag.
  case colourCorrelation

  // The upstream passive check.
  /// The mean of the passive scores without the highest and the lowest tenth, 0...1.
  case passiveMean
  /// The mean of the lowest tenth, 0...1.
  case passiveWorst

  // Steadiness of the identity.
  /// The lowest but one cosine of a frame's embedding with the first ones' mean.
  case identityLowest
  /// The lowest cosine of successive embeddings.
  case identityStep
  /// The cosine of the means before and after the frame that parts the embeddings best.
  case identityChange
}

extension Feature: Codable {
  private static let names = allCases.map { "\($0)" }
  private static let byName = Dictionary(uniqueKeysWithValues: zip(names, allCases))

  /// The case's name.
  public var name: String { Self.names[Int(rawValue)] }

  /// The feature of that name; `nil` when there is none.
  public init?(name: String) {
    guard let feature = Self.byName[name] else { return nil }
    self = feature
  }

  public init(from decoder: any Decoder) throws {
    let name = try decoder.singleValueContainer().decode(String.self)
    guard let feature = Self(name: name) else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: decoder.codingPath, debugDescription: "an unknown feature"))
    }
    self = feature
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(name)
  }
}

/// The features of one capture; those that could not be formed are absent.
public struct FeatureVector: Hashable, Sendable {
  /// By raw value; 0 for an absent one, so that equal vectors have equal values.
  private var values = [Double](repeating: 0, count: Feature.allCases.count)
  private var present: UInt64 = 0

  public init() {}

  /// `nil` when it could not be formed; setting a number that is not finite removes it.
  public subscript(feature: Feature) -> Double? {
    get { present >> feature.rawValue & 1 == 1 ? values[Int(feature.rawValue)] : nil }
    set {
      let value = newValue.flatMap { $0.isFinite ? $0 : nil }
      values[Int(feature.rawValue)] = value ?? 0
      present = present & ~(1 << feature.rawValue) | (value == nil ? 0 : 1) << feature.rawValue
    }
  }

  /// What is present, by name.
  public var named: [String: Double] {
    Dictionary(
      uniqueKeysWithValues: Feature.allCases.compactMap { feature in self[feature].map { (feature.name, $0) }
      })
  }
}
