/// The numbers that a capture is judged by. A model names them by their raw values.
public enum Feature: String, Hashable, Sendable, CaseIterable, Codable {
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
  /// The logarithm of the greatest turning back of the path, in face sizes; frames out of their order show.
  case pathReversal
  /// The logarithm of that over the path's usual bend between frames.
  case pathIrregularity

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

/// The features of one capture; those that could not be formed are absent.
public struct FeatureVector: Hashable, Sendable {
  private var values: [Feature: Double] = [:]

  public init() {}

  /// `nil` when it could not be formed; setting a number that is not finite removes it.
  public subscript(feature: Feature) -> Double? {
    get { values[feature] }
    set { values[feature] = newValue.flatMap { $0.isFinite ? $0 : nil } }
  }

  /// What is present, by name.
  public var named: [String: Double] {
    Dictionary(uniqueKeysWithValues: values.map { ($0.key.rawValue, $0.value) })
  }
}
