import FoundationEssentials

/// A model file that can't be used.
public struct LivenessModelError: Error, Hashable, Sendable, CustomStringConvertible {
  public enum Code: String, Hashable, Sendable, CaseIterable {
    case unreadable
    /// Not the JSON of a model, or a part is missing: `validation` too.
    case malformed
    case unsupportedVersion
    case unknownKey
    /// A key that stands twice, of which a reader would take one.
    case repeatedKey
    case unknownFeature
    case unknownCue
    case unsupportedLandmarks
    case badTemplate
    case notFinite
    /// A number so large that no training makes it, and sums of it could be no number.
    case outOfRange
    case badScale
    /// A range whose low end lies above its high one: nobody would pass.
    case badRange
    case negativeWeight
    case noPolicy
    /// A threshold that would pass everything, or an order of thresholds that makes no sense.
    case badThreshold
    case badLimits
    case badValidation
    /// By its validation's own counts attacks may pass as often as people: nothing is shown, or too few were tried.
    case noDiscrimination
    /// Not provisional, on fewer subjects or captures than that takes (`ValidationReport.Minimum`), or on captures that no
    /// camera took.
    case insufficientValidation
    /// No cue is both on and required, so nothing would have to speak for a live person.
    case noRequiredCue
    /// A cue is on that the fusion has no weight for.
    case missingWeight
    /// Cues are off, and the model has no weights and thresholds for those that are left: see `tune-liveness --without`.
    case untunedCues
    /// The passive scores or the embeddings that a cue goes by are of no named model.
    case missingSource
  }

  public let code: Code
  /// The part of the file, by its path of keys.
  public let place: String

  public init(_ code: Code, at place: String) {
    self.code = code
    self.place = place
  }

  public var description: String { "liveness model, \(place): \(code.rawValue)" }
}

extension LivenessModel {
  /// Reads a model, and refuses one that can't be what training made.
  public static func load(_ bytes: [UInt8]) throws(LivenessModelError) -> LivenessModel {
    // The decoder takes other encodings too, whose keys nobody here would read.
    guard bytes.first(where: { !" \n\r\t".utf8.contains($0) }) == UInt8(ascii: "{"), !bytes.contains(0) else {
      throw LivenessModelError(.malformed, at: "file")
    }
    let model: LivenessModel
    do {
      model = try JSONDecoder().decode(LivenessModel.self, from: Data(bytes))
    } catch {
      throw notFinite(in: bytes) ?? (error as? DecodingError)?.modelError
        ?? LivenessModelError(.malformed, at: "file")
    }
    try model.check()
    let keys = JSONKeys(bytes)
    if let repeated = keys.firstRepeated { throw LivenessModelError(.repeatedKey, at: repeated) }
    let known = Set(JSONKeys((try? model.encoded()) ?? []).paths)
    if let unknown = keys.paths.first(where: { !known.contains($0) }) {
      throw LivenessModelError(.unknownKey, at: unknown)
    }
    return model
  }

  /// Where the first NaN or infinity stands, which some programs write though JSON has none; `nil` when there is none.
  private static func notFinite(in bytes: [UInt8]) -> LivenessModelError? {
    guard let quoted = bytes.quotingNumbersThatAreNone else { return nil }
    do {
      _ = try JSONDecoder().decode(LivenessModel.self, from: Data(quoted))
      return nil
    } catch DecodingError.typeMismatch(_, let context) {
      return LivenessModelError(.notFinite, at: context.keyPath)
    } catch {
      return nil
    }
  }

  /// Reads the model in the file at `path`.
  public static func load(path: String) throws(LivenessModelError) -> LivenessModel {
    guard let data = try? Data(contentsOf: URL(filePath: path)) else {
      throw LivenessModelError(.unreadable, at: "file")
    }
    return try load([UInt8](data))
  }

  /// The file's bytes: keys sorted, one form for each model.
  public func encoded() throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
    return [UInt8](try encoder.encode(self)) + [0x0a]
  }

  /// The SHA-256 of the encoded form, in hexadecimal: names the model in records.
  public func digest() throws -> String { encodeHexadecimal(FrameChain.sha256(try encoded())) }

  func check() throws(LivenessModelError) {
    guard format == Self.format, version == Self.version else {
      throw LivenessModelError(.unsupportedVersion, at: "version")
    }
    guard let layout = landmarker.layout, layout.carriesRelief else {
      throw LivenessModelError(.unsupportedLandmarks, at: "landmarker.points")
    }
    guard FaceTemplate(layout: layout, x: template.x, y: template.y, relief: template.relief) != nil else {
      throw LivenessModelError(.badTemplate, at: "template")
    }
    for (name, cue) in cues {
      guard Cue(rawValue: name) != nil else { throw LivenessModelError(.unknownCue, at: "cues.\(name)") }
      try cue.check(at: "cues.\(name)")
    }
    guard asksForAlways else { throw LivenessModelError(.noRequiredCue, at: "cues") }
    try limits.check()
    try tuning.check(cues, isProvisional: provisional, at: "")
    for (index, reduction) in reductions.enumerated() {
      try reduction.check(cues, isProvisional: provisional, at: "reductions.\(index).")
    }
    try checkCuesInForce()
    guard provenance.captures.values.allSatisfy({ $0 >= 0 }), provisional || provenance.isOfCameras else {
      throw LivenessModelError(.insufficientValidation, at: "provenance.captures")
    }
  }

  /// Whether a cue is both on and required. Colours are not always shown, so theirs alone is not enough.
  package var asksForAlways: Bool {
    cues.contains { $0.key != Cue.colour.rawValue && $0.value.isEnabled && $0.value.isRequired }
  }

  /// That the model was tuned for the cues that are on, and knows whose numbers they are made of.
  private func checkCuesInForce() throws(LivenessModelError) {
    for (name, cue) in cues.sorted(by: { $0.key < $1.key }) where cue.isEnabled {
      guard fusion.weights[name] != nil else {
        throw LivenessModelError(.missingWeight, at: "fusion.weights.\(name)")
      }
    }
    guard tuningInForce != nil else { throw LivenessModelError(.untunedCues, at: "reductions") }
    if self[.passive]?.isEnabled == true, passiveModel == nil {
      throw LivenessModelError(.missingSource, at: "passiveModel")
    }
    if self[.identity]?.isEnabled == true, embeddingModel == nil {
      throw LivenessModelError(.missingSource, at: "embeddingModel")
    }
  }

  /// No bias, weight, slope, offset or floor is greater: those of shipped models are below 30.
  fileprivate static var greatest: Double { 1e4 }
}

extension LivenessModel.Tuning {
  /// `place` is that of its parts, with a point after it where it has one.
  fileprivate func check(
    _ cues: [String: LivenessModel.CueModel], isProvisional: Bool, at place: String
  ) throws(LivenessModelError) {
    try checkFusion(cues, at: "\(place)fusion")
    guard !policies.isEmpty else { throw LivenessModelError(.noPolicy, at: "\(place)policies") }
    for (name, policy) in policies.sorted(by: { $0.key < $1.key }) {
      // A threshold of zero would pass captures that a veto refused.
      guard policy.pass > 0, policy.pass <= 1, policy.retry > 0, policy.retry <= policy.pass else {
        throw LivenessModelError(.badThreshold, at: "\(place)policies.\(name)")
      }
    }
    try validation.check(policies: policies, isProvisional: isProvisional, at: "\(place)validation")
  }

  private func checkFusion(
    _ cues: [String: LivenessModel.CueModel], at place: String
  ) throws(LivenessModelError) {
    guard fusion.bias.isFinite, fusion.clip.isFinite, fusion.clip > 0 else {
      throw LivenessModelError(.notFinite, at: place)
    }
    guard fusion.bias.magnitude <= LivenessModel.greatest, fusion.clip <= LivenessModel.greatest else {
      throw LivenessModelError(.outOfRange, at: place)
    }
    for (name, weight) in fusion.weights.sorted(by: { $0.key < $1.key }) {
      let place = "\(place).weights.\(name)"
      guard cues[name] != nil else { throw LivenessModelError(.unknownCue, at: place) }
      guard weight.isFinite else { throw LivenessModelError(.notFinite, at: place) }
      guard weight >= 0 else { throw LivenessModelError(.negativeWeight, at: place) }
      guard weight <= LivenessModel.greatest else { throw LivenessModelError(.outOfRange, at: place) }
    }
  }
}

extension LivenessModel.CueModel {
  func check(at place: String) throws(LivenessModelError) {
    guard !terms.isEmpty || !isEnabled else { throw LivenessModelError(.malformed, at: "\(place).terms") }
    for term in terms {
      guard term.mean.isFinite, term.weight.isFinite else {
        throw LivenessModelError(.notFinite, at: "\(place).terms.\(term.feature.name)")
      }
      guard term.scale.isFinite, term.scale > 0 else {
        throw LivenessModelError(.badScale, at: "\(place).terms.\(term.feature.name)")
      }
    }
    guard bias.isFinite, slope.isFinite, offset.isFinite, floor.isFinite else {
      throw LivenessModelError(.notFinite, at: place)
    }
    guard slope >= 0 else { throw LivenessModelError(.negativeWeight, at: "\(place).slope") }
    let numbers = [bias, slope, offset, floor] + terms.map(\.weight)
    guard numbers.allSatisfy({ $0.magnitude <= LivenessModel.greatest }) else {
      throw LivenessModelError(.outOfRange, at: place)
    }
    for (name, range) in ranges {
      guard Feature(name: name) != nil else {
        throw LivenessModelError(.unknownFeature, at: "\(place).ranges.\(name)")
      }
      guard range.low?.isFinite ?? true, range.high?.isFinite ?? true else {
        throw LivenessModelError(.notFinite, at: "\(place).ranges.\(name)")
      }
      guard range.low ?? -.infinity <= range.high ?? .infinity else {
        throw LivenessModelError(.badRange, at: "\(place).ranges.\(name)")
      }
    }
  }
}

extension CheckLimits {
  func check() throws(LivenessModelError) {
    let positive = [
      minimumFrameRate, maximumGap, minimumDuration, maximumDuration, minimumSizeRatio, minimumSharpness,
      maximumStageDelay,
    ]
    let shares = [maximumFaceCountErrors, maximumRepeats]
    // Times in milliseconds: nothing of a capture is longer than a minute.
    guard (4...CaptureLimits.frames).contains(minimumFrames), (2...CaptureLimits.frames).contains(frozenRun),
      (-20...0).contains(minimumJitter), positive.allSatisfy({ $0 > 0 && $0 <= 60_000 }),
      shares.allSatisfy({ (0...0.5).contains($0) }),
      minimumDuration < maximumDuration
    else { throw LivenessModelError(.badLimits, at: "limits") }
  }
}
