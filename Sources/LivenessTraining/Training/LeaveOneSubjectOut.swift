import Liveness

/// Recorded sequences judged by geometry that was fitted without their subject.
public struct LeaveOneSubjectOut: Sendable {
  public struct Judgement: Sendable {
    public let id: String
    public let kind: String
    public let subject: String
    /// The geometry's log-likelihood ratio, and the floor it must reach.
    public let ratio: Double
    public let floor: Double

    public var isAccepted: Bool { ratio >= floor }
  }

  public let judgements: [Judgement]

  /// For each subject of `recorded`, fits the geometry to `simulated` and the other subjects' sequences, each counted as
  /// `weight` captures, and judges that subject's. The floor comes from calibration captures and those others as well.
  public init(
    trainer: ModelTrainer, simulated: SubjectSplit, recorded: [RecordedSequence], weight: Double
  ) throws(SubjectSplit.Failure) {
    let extractor = FeatureExtractor(template: trainer.template)
    let labelled = recorded.compactMap { sequence -> (RecordedSequence, LabelledCapture)? in
      guard var capture = LabelledCapture(sequence, extractor: extractor) else { return nil }
      capture.weight = weight
      return (sequence, capture)
    }
    var judgements: [Judgement] = []
    for subject in Set(recorded.map(\.subject)).sorted() {
      let others = labelled.filter { $0.0.subject != subject }.map(\.1)
      let split = try SubjectSplit(
        train: simulated.train + others, calibrate: simulated.calibrate, test: simulated.test)
      guard let plan = trainer.plan.cues[.geometry] else { continue }
      let model = trainer.fit(.geometry, plan, split)
      for (sequence, capture) in labelled where sequence.subject == subject {
        guard let ratio = model.ratio(capture.features) else { continue }
        judgements.append(
          Judgement(
            id: sequence.id, kind: sequence.kind, subject: subject, ratio: ratio, floor: model.floor))
      }
    }
    self.judgements = judgements
  }
}
