import FoundationEssentials
import Liveness
import LivenessTraining
import TestSupport
import Testing

/// The features of `shared/data/liveness/parity_features.json`, computed by the Python reference in double precision.
@Suite(
  "Parity with the reference", .enabled(if: SharedData.has("liveness"), "shared/data/liveness is not here"))
struct ParityTests {
  private struct Expected: Decodable {
    let id: String
    let f: Double
    let features: [Int: [String: Double]]

    private struct Key: CodingKey {
      let stringValue: String
      var intValue: Int? { nil }
      init(stringValue: String) { self.stringValue = stringValue }
      init?(intValue: Int) { nil }
    }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: Key.self)
      id = try container.decode(String.self, forKey: Key(stringValue: "id"))
      f = try container.decode(Double.self, forKey: Key(stringValue: "f"))
      var features: [Int: [String: Double]] = [:]
      for points in [5, 68, 468] {
        features[points] = try container.decode(
          [String: Double].self, forKey: Key(stringValue: String(points)))
      }
      self.features = features
    }
  }

  static let names: [String: Feature] = [
    "size_ratio": .sizeRatio, "q_near": .nearSize, "ev_planar": .planarEnergy, "ev_tmpl": .templateEnergy,
    "gain_q": .parallaxGain, "t_q": .parallaxSignificance, "r_q": .parallaxCorrelation,
    "plane_res": .planeResidual, "plane_snr": .planeSignal, "noise": .jitter, "slope_cos": .slopeCosine,
    "slope_gain": .slopeGain, "slope_cyl": .slopeCylinder, "relief_corr": .reliefCorrelation,
    "relief_corr_bq": .reliefCorrelationBeyondQuadratic, "relief_gain": .reliefGain,
    "relief_gain_bq": .reliefGainBeyondQuadratic, "relief_rms_bq": .reliefAmplitudeBeyondQuadratic,
    "relief_rms": .reliefAmplitude, "sv1": .spectrum1, "sv2": .spectrum2, "sv3": .spectrum3,
    "nonrigid": .nonRigidMotion, "ac1": .jitterAutocorrelation, "min_d1": .smallestStep,
    "d2_over_d1": .curvatureToStep, "sp_corr": .jitterSpatialCorrelation,
  ]

  @Test(
    "every feature of every sequence is within 1e-4 of the reference's", arguments: LandmarkLayout.allCases)
  func parity(layout: LandmarkLayout) throws {
    let folder = SharedData.folder("liveness")
    let sequences = try RecordedSequence.read("\(folder)/facemesh_468.jsonl")
    let expected = try JSONDecoder().decode(
      [Expected].self, from: Data(contentsOf: URL(filePath: "\(folder)/parity_features.json")))
    #expect(expected.count == 9)
    let extractor = FeatureExtractor(template: CanonicalFace.template(layout), withSpectrum: true)
    var worst = (0.0, "")
    for case let each in expected {
      let sequence = try #require(sequences.first { $0.id == each.id }?.landmarks)
      let found = extractor.measure(sequence.selecting(layout), focalLength: each.f)
      for (name, value) in try #require(each.features[layout.points]) {
        let feature = try #require(Self.names[name], "unknown \(name)")
        let own = try #require(found.features[feature], "\(name) of \(each.id) is absent")
        let error = (own - value).magnitude / value.magnitude
        if error > worst.0 { worst = (error, "\(name) of \(each.id)") }
        #expect(error <= 1e-4, "\(name) of \(each.id), \(layout.points) points: \(own), expected \(value)")
      }
    }
    print("parity at \(layout.points) points: worst relative difference \(worst.0), \(worst.1)")
  }
}

extension LandmarkSequence {
  /// The points of `layout` among the mesh's.
  func selecting(_ layout: LandmarkLayout) -> LandmarkSequence {
    let count = self.layout.points
    let planes = (0..<frames).flatMap { frame in
      [0, 1].flatMap { axis in
        let base = frame * 2 * count + axis * count
        let mesh = (0..<count).map { SIMD3(coordinates[base + $0], 0, 0) }
        return CanonicalFace.select(mesh, layout).map(\.x)
      }
    }
    return LandmarkSequence(layout: layout, planes: planes)
  }
}
