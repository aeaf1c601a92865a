import Liveness

/// Models made without real captures: from the simulator and, where there are any, recorded sequences of landmarks.
public enum SimulatedTuning {
  /// How many simulated captures a recorded sequence counts as.
  public static let recordedWeight = 10.0

  /// A provisional model of `profile`'s landmarker from `subjects` simulated subjects, and the sequences of `recorded`.
  public static func tune(
    profile: LandmarkerProfile, subjects: Int, seed: UInt64, recorded: [RecordedSequence] = [],
    plan: TrainingPlan = .standard, bounds: LivenessTuning.Bounds = .init(), provenance: Provenance
  ) throws -> LivenessTuning {
    let template = CanonicalFace.template(profile.layout)
    let extractor = FeatureExtractor(template: template)
    var cohort = SimulatedCohort(profile: profile, seed: seed, subjects: subjects)
    cohort.colours = .alternating
    let captures = cohort.labelled(extractor: extractor)
    let kinds: Set = ["rerendered_3d", "attack_flat", "attack_bent", "real_head_no_approach"]
    let extra = recorded.filter { kinds.contains($0.kind) }.compactMap { sequence -> LabelledCapture? in
      var capture = LabelledCapture(sequence, extractor: extractor)
      capture?.weight = recordedWeight
      return capture
    }
    let recordings =
      extra.isEmpty ? "" : ", with \(extra.count) recorded sequences of the landmarker's output in training"
    return try LivenessTuning(
      captures: captures, extra: extra, landmarker: profile.landmarker, template: template, plan: plan,
      bounds: bounds, seed: seed, provenance: provenance,
      note: "Simulated captures of simulated subjects that the model was not made from\(recordings). "
        + "Not evidence about people: no real capture stands behind it.")
  }
}
