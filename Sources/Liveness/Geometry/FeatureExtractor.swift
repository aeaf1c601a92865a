/// Judges the geometry and the jitter of a sequence of landmarks: does it have the relief of a head?
///
/// Near a camera a head's parts grow by unequal shares as it approaches, a sheet's do not, flat or bent. Each frame is
/// mapped to the sequence's mean shape M by the best affine map. What remains, in units of the inter-ocular distance,
/// is for a head of relief D about q (M∘D) + a D eₓ + b D e_y + u M∘x + v M∘y: parallax with the apparent size q,
/// turning, and tilting as a plane.
///
/// Sums run in a fixed order in double precision, so the same sequence gives the same bits on every run and machine.
/// The cost is a few passes over the points; the spectrum costs more than all the rest.
public struct FeatureExtractor: Sendable {
  public let template: FaceTemplate
  /// Whether `spectrum1`...`spectrum3` are formed too.
  public let withSpectrum: Bool
  private let eyesAndMouth: [Int]

  public init(template: FaceTemplate, withSpectrum: Bool = false) {
    self.template = template
    self.withSpectrum = withSpectrum
    eyesAndMouth = template.layout.eyesAndMouth
  }

  /// What was measured, and how the shape lies in each frame.
  public struct Measurement: Sendable {
    public var features = FeatureVector()
    /// Empty when nothing could be measured.
    var fits: [AffineFit] = []
  }

  /// Measures `sequence`, taken with `focalLength` (in image widths, above zero).
  ///
  /// A sequence of another layout than the template's is a programming error and traps. Without at least four frames,
  /// or when the points of a frame lie on a line, no feature is formed.
  public func measure(_ sequence: LandmarkSequence, focalLength: Double) -> Measurement {
    precondition(sequence.layout == template.layout, "landmarks and template have one layout")
    precondition(focalLength > 0, "a focal length is above zero")
    guard sequence.frames >= 4 else { return Measurement() }
    return sequence.coordinates.withUnsafeBufferPointer { points in
      guard let shape = ReferenceShape(points.baseAddress!, frames: sequence.frames, template: template)
      else {
        return Measurement()
      }
      let fits = shape.affineFits(points.baseAddress!, frames: sequence.frames)
      guard fits.allSatisfy({ $0.isUsable }) else { return Measurement() }
      var residuals = ResidualSums(
        basis: ResidualBasis(shape), fits: fits, focalLength: focalLength,
        kept: withSpectrum ? Array(0..<template.layout.points) : eyesAndMouth)
      residuals.accumulate(points.baseAddress!, neighbours: template.neighbours)
      var result = Measurement()
      result.fits = fits
      GeometryFeatures(residuals, moving: withSpectrum ? eyesAndMouth : Array(eyesAndMouth.indices)).write(
        to: &result.features)
      writeJitter(of: residuals, to: &result.features)
      PoseSteps(fits, coefficients: residuals.coefficients).write(to: &result.features)
      if withSpectrum { writeSpectrum(of: residuals, to: &result.features) }
      return result
    }
  }

  private func writeJitter(of sums: ResidualSums, to features: inout FeatureVector) {
    let floor = sums.noiseFloor
    features[.jitter] = Elementary.log(floor + 1e-6)
    features[.jitterAutocorrelation] = sums.stepProducts / (sums.stepEnergy + 1e-18)
    features[.smallestStep] = Elementary.log10(sums.steps.min()! + 1e-9)
    features[.curvatureToStep] = Elementary.log10(
      (sums.curvatures.median + 1e-9) / (sums.steps.median + 1e-9))
    guard template.layout.carriesRelief else { return }
    let (products, energy) = sums.neighbourProducts(template.neighbours)
    features[.jitterSpatialCorrelation] = products / (energy + 1e-18)
  }

  private func writeSpectrum(of sums: ResidualSums, to features: inout FeatureVector) {
    let singular = symmetricEigenvalues(sums.frameProducts, size: sums.frames)
      .map { max($0, 0).squareRoot() }.sorted(by: >)
    let total = singular.reduce(0, +) + 1e-12
    for (feature, value) in zip([Feature.spectrum1, .spectrum2, .spectrum3], singular) {
      features[feature] = value / total
    }
  }
}
