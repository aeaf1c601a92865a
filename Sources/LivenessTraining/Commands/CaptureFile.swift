import Liveness

/// A file of captures, one JSON object a line; blank lines count for nothing but the numbers of lines.
public struct CaptureFile: Sendable {
  private let lines: DataLines

  /// Throws `DataFileError.Code.unreadable`.
  public init(_ path: String) throws(DataFileError) {
    lines = try DataLines(path)
  }

  public var path: String { lines.path }
  /// SHA-256 of the file, in hexadecimal.
  public var digest: String { lines.digest }
  /// How many captures there are.
  public var count: Int { lines.lines.count }

  /// The number, from 1, of the line that the capture number `index`, from 0, stands on.
  public func line(_ index: Int) -> Int { lines.lines[index].number }

  /// The capture number `index`, from 0.
  public func record(_ index: Int) throws(DataFileError) -> CaptureRecord {
    do throws(CaptureDecodingError) {
      return try CaptureRecord.decode(Array(lines.lines[index].bytes))
    } catch {
      throw DataFileError(.badLine, path: path, line: line(index), error.description)
    }
  }

  /// All captures as training and evaluation take them. Throws at the first line without truth, with a label that
  /// `vocabulary` doesn't hold, of another landmarker, or, where `isOneSource`, with passive scores or embeddings of another
  /// model than the lines before or of none.
  public func labelled(
    landmarker: Capture.Landmarker, extractor: FeatureExtractor, limits: CheckLimits,
    vocabulary: SpeciesVocabulary = .init(), isOneSource: Bool = false
  ) throws(DataFileError) -> [LabelledCapture] {
    var captures: [LabelledCapture] = []
    var (passiveModel, embeddingModel): (Capture.PassiveModel?, Capture.EmbeddingModel?)
    for index in 0..<count {
      let record = try record(index)
      func error(_ code: DataFileError.Code, _ reason: String) -> DataFileError {
        DataFileError(code, path: path, line: line(index), reason)
      }
      guard let label = record.label, let subject = record.subject else {
        throw error(.missingTruth, "expected a label and a subject")
      }
      guard vocabulary.contains(label) else {
        throw error(
          .unknownSpecies, "expected bona_fide or a known attack species as label, found '\(label)'")
      }
      guard record.capture.landmarker == landmarker else {
        throw error(.otherLandmarker, "expected the first line's landmarker")
      }
      if isOneSource {
        let capture = record.capture
        if capture.passiveModel == nil, capture.frames.contains(where: { $0.passiveScore != nil }) {
          throw error(.otherSource, "expected a passive_model for its pad_score")
        }
        guard capture.passiveModel == nil || passiveModel == nil || capture.passiveModel == passiveModel
        else {
          throw error(.otherSource, "expected the passive_model of the lines before")
        }
        guard
          capture.embeddingModel == nil || embeddingModel == nil || capture.embeddingModel == embeddingModel
        else { throw error(.otherSource, "expected the embedding_model of the lines before") }
        passiveModel = passiveModel ?? capture.passiveModel
        embeddingModel = embeddingModel ?? capture.embeddingModel
      }
      captures.append(LabelledCapture(record, label, subject, extractor: extractor, limits: limits))
    }
    return captures
  }
}

/// The labels that captures may have: a mistyped one would be a species of its own, that no bound is asked of.
public struct SpeciesVocabulary: Sendable {
  private let names: Set<String>

  /// `bona_fide`, the species of `AttackSpecies`, and `further` ones.
  public init(further: [String] = []) {
    names = Set(AttackSpecies.allCases.map(\.rawValue) + further)
  }

  public func contains(_ label: String) -> Bool { names.contains(label) }
}
