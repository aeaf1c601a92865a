import Biometrics
import Evaluation
import FoundationEssentials
import Liveness
import LivenessTraining
import Testing

@Suite("Model files")
struct ModelTests {
  private func model() throws -> LivenessModel { try Fixtures.model("simulated-ideal-68") }

  @Test(
    "the shipped models load, say that they are provisional, and are of one form",
    arguments: Fixtures.modelNames)
  func shipped(name: String) throws {
    let model = try Fixtures.model(name)
    #expect(model.provisional)
    #expect(model.validation.bpcer.trials >= 100)
    #expect(!model.provenance.command.isEmpty)
    #expect(
      try [UInt8](Data(contentsOf: URL(filePath: "\(Fixtures.models)/\(name).json"))) == model.encoded())
    #expect(try LivenessModel.load(model.encoded()) == model)
    let template = CanonicalFace.template(try #require(model.landmarker.layout))
    #expect(zip(model.template.relief, template.relief).allSatisfy { ($0 - $1).magnitude < 1e-12 })
  }

  private func expect(
    _ code: LivenessModelError.Code, at place: String? = nil, after change: (inout LivenessModel) -> Void
  ) throws {
    var model = try model()
    change(&model)
    let error = #expect(throws: LivenessModelError.self) { try LivenessDetector(models: [model]) }
    #expect(error?.code == code)
    if let place { #expect(error?.place == place) }
  }

  @Test("a model that training could not have made is refused")
  func refusals() throws {
    try expect(.unsupportedVersion) { $0.version = 3 }
    try expect(.unsupportedVersion) { $0.format = "other" }
    try expect(.unsupportedLandmarks) { $0.landmarker.points = 5 }
    try expect(.unsupportedLandmarks) { $0.landmarker.points = 69 }
    try expect(.badTemplate) { $0.template.x.removeLast() }
    try expect(.badTemplate) { $0.template.relief[3] = .nan }
    try expect(.badTemplate) { $0.template.y = $0.template.x }
    try expect(.unknownCue, at: "cues.smell") { $0.cues["smell"] = $0.cues["passive"] }
    try expect(.unknownFeature) { $0.cues["passive"]!.ranges["smell"] = .init(low: 0) }
    try expect(.notFinite) { $0.cues["passive"]!.terms[0].weight = .infinity }
    try expect(.notFinite) { $0.cues["passive"]!.bias = .nan }
    try expect(.notFinite) { $0.cues["passive"]!.floor = -.infinity }
    try expect(.notFinite) { $0.cues["challenge"]!.ranges["ovalSizeError"] = .init(high: .nan) }
    try expect(.badRange, at: "cues.passive.ranges.passiveMean") {
      $0.cues["passive"]!.ranges["passiveMean"] = .init(low: 0.6, high: 0.5)
    }
    try expect(.badScale) { $0.cues["passive"]!.terms[0].scale = 0 }
    try expect(.negativeWeight) { $0.cues["passive"]!.slope = -1 }
    try expect(.negativeWeight) { $0.fusion.weights["passive"] = -0.1 }
    try expect(.unknownCue) { $0.fusion.weights["smell"] = 1 }
    try expect(.noPolicy) { $0.policies = [:] }
    for threshold in [0, -1, 1.1, .nan] {
      try expect(.badThreshold) { $0.policies["standard"] = .init(pass: threshold, retry: threshold) }
    }
    try expect(.badThreshold) { $0.policies["standard"] = .init(pass: 0.5, retry: 0.6) }
    try expect(.badLimits) { $0.limits.minimumFrames = 1 }
    try expect(.badLimits) { $0.limits.maximumRepeats = .nan }
    try expect(.badValidation) { $0.validation.apcer = [:] }
    try expect(.badValidation, at: "validation.bpcer") { $0.validation.bpcer.trials = 0 }
    try expect(.badValidation, at: "validation.bpcer") { $0.validation.bpcer.low -= 0.01 }
    try expect(.badValidation, at: "validation.apcer.flat_photo") {
      $0.validation.apcer["flat_photo"]!.high = 0
    }
    try expect(.badValidation, at: "validation.apcer.frozen") {
      $0.validation.apcer["frozen"]!.errors = .max
    }
    try expect(.badValidation, at: "validation") { $0.validation.captures += 1 }
    try expect(.badValidation, at: "validation") { $0.validation.subjects = 0 }
    try expect(.badValidation) { $0.validation.policy = "other" }
    try expect(.missingWeight, at: "fusion.weights.geometry") { $0.fusion.weights["geometry"] = nil }
    try expect(.untunedCues) {
      for name in ["geometry", "texture"] { $0.cues[name]!.isEnabled = false }
    }
    try expect(.untunedCues) {
      $0.reductions = []
      $0.cues["geometry"]!.isEnabled = false
    }
    try expect(.missingSource, at: "passiveModel") { $0.passiveModel = nil }
    try expect(.missingSource, at: "embeddingModel") { $0.embeddingModel = nil }
    try expect(.negativeWeight, at: "reductions.0.fusion.weights.colour") {
      $0.reductions[0].fusion.weights["colour"] = -1
    }
    try expect(.badThreshold, at: "reductions.1.policies.strict") {
      $0.reductions[1].policies["strict"] = .init(pass: 0, retry: 0)
    }
    try expect(.badValidation, at: "reductions.2.validation.bpcer") {
      $0.reductions[2].validation.bpcer.high = 1
    }
    try expect(.noRequiredCue) { for name in $0.cues.keys { $0.cues[name]!.isRequired = false } }
    try expect(.noRequiredCue) { for name in $0.cues.keys { $0.cues[name]!.isEnabled = false } }
    try expect(.noRequiredCue) {
      for name in $0.cues.keys where name != "colour" { $0.cues[name]!.isRequired = false }
    }
    try expect(.outOfRange) { $0.fusion.weights["geometry"] = 1e308 }
    try expect(.outOfRange) { $0.fusion.bias = 1e6 }
    try expect(.outOfRange) { $0.cues["geometry"]!.floor = -1e300 }
    try expect(.badLimits) { $0.limits.maximumGap = 1e300 }
    try expect(.badLimits) { $0.limits.minimumJitter = -1e300 }
    try expect(.badLimits) { $0.limits.frozenRun = 1 << 60 }
  }

  @Test("a model whose own validation shows nothing, or too little for what it calls itself, is refused")
  func evidence() throws {
    func validation(
      subjects: Int, bpcer: ValidationReport.Rate, apcer: [String: ValidationReport.Rate]
    ) -> ValidationReport {
      ValidationReport(
        subjects: subjects, captures: bpcer.trials + apcer.values.reduce(0) { $0 + $1.trials },
        policy: "standard", bpcer: bpcer, apcer: apcer, note: "")
    }
    // One capture refused of one; and none of one, which shows no more.
    for errors in [0, 1] {
      try expect(.noDiscrimination, at: "validation") {
        $0.validation = validation(
          subjects: 1, bpcer: .init(errors: errors, of: 1), apcer: ["flat_photo": .init(errors: 0, of: 1)])
      }
    }
    // As many attacks as people pass.
    try expect(.noDiscrimination, at: "validation") {
      $0.validation = validation(
        subjects: 200, bpcer: .init(errors: 300, of: 600), apcer: ["flat_photo": .init(errors: 300, of: 600)])
    }
    let most = ValidationReport.Rate(errors: 0, of: 75)
    let people = ValidationReport.Rate(errors: 2, of: 45)
    var model = try model()
    model.provisional = false
    model.validation = validation(subjects: 15, bpcer: people, apcer: ["a": most, "b": most])
    model.provenance.captures = ["camera": 2000]
    #expect(throws: Never.self) { try LivenessDetector(models: [model]) }
    for others in [["camera": 2000, "simulated": 1], ["camera": 2000, "unstated": 3], ["camera": 0], [:]] {
      try expect(.insufficientValidation, at: "provenance.captures") {
        $0 = model
        $0.provenance.captures = others
      }
    }
    for short in [
      validation(subjects: 14, bpcer: people, apcer: ["a": most]),
      validation(subjects: 15, bpcer: .init(errors: 2, of: 44), apcer: ["a": most]),
      validation(subjects: 15, bpcer: people, apcer: ["a": most, "b": .init(errors: 0, of: 74)]),
    ] {
      try expect(.insufficientValidation, at: "validation") {
        $0.provisional = false
        $0.validation = short
      }
    }
  }

  @Test("a validation's bounds are Wilson's")
  func bounds() {
    for (errors, trials) in [(0, 1), (1, 1), (0, 500), (61, 1000), (500, 500), (3, 7)] {
      let (own, other) = (
        ValidationReport.Rate(errors: errors, of: trials), Proportion(errors, of: trials).wilson()
      )
      #expect((own.low - other.low).magnitude < 1e-12 && (own.high - other.high).magnitude < 1e-12)
    }
  }

  @Test("a file with a part missing, an unknown feature or no JSON is refused where it is")
  func files() throws {
    let text = String(decoding: try model().encoded(), as: UTF8.self)
    func error(_ text: String) -> LivenessModelError? {
      do throws(LivenessModelError) {
        _ = try LivenessModel.load(Array(text.utf8))
        return nil
      } catch {
        return error
      }
    }
    #expect(error(text) == nil)
    #expect(error(text.replacing("\"validation\"", with: "\"valid\""))?.place == "validation")
    #expect(error(text.replacing("\"passiveMean\"", with: "\"smell\""))?.code == .unknownFeature)
    #expect(error(String(text.dropLast(20)))?.code == .malformed)
    // Numbers that some programs write though JSON has none: their field is named.
    let clip = try #require(text.firstMatch(of: /"clip" : [0-9.]+/)).output
    let relief = try #require(text.firstMatch(of: /"relief" : \[\n +[-0-9.]+/)).output
    for word in ["NaN", "Infinity", "-Infinity"] {
      #expect(error(text.replacing(clip, with: "\"clip\" : \(word)")) == .init(.notFinite, at: "fusion.clip"))
      #expect(
        error(text.replacing(relief, with: "\"relief\" : [\n \(word)"))
          == .init(.notFinite, at: "template.relief.0"))
    }
    #expect(error(text.replacing(clip, with: "\"clip\" : \"NaN\""))?.place == "fusion.clip")
    #expect(error(text.replacing(clip, with: "\"clip\" : 1e999"))?.place == "fusion.clip")
    #expect(error("")?.code == .malformed)
    // What a decoder passes over, at any depth: a cue switched off by a mistyped key would stay on.
    let places = [
      ("\"provisional\" : true", "\"provisional\" : true, \"more\" : {\"a\" : [1]}", "more"),
      ("\"clip\" : ", "\"Clip\" : 4, \"clip\" : ", "fusion.Clip"),
      ("\"geometry\" : {\n", "\"geometry\" : {\n \"enable\" : false,", "cues.geometry.enable"),
    ]
    for (old, new, place) in places {
      let changed = text.replacing(old, with: new, maxReplacements: 1)
      #expect(changed != text && error(changed) == .init(.unknownKey, at: place))
    }
    let twice = text.replacing(
      "\"provisional\" : true", with: "\"provisional\" : true, \"provisional\" : true")
    #expect(error(twice) == .init(.repeatedKey, at: "provisional"))
    let off = text.replacing(
      "\"enabled\" : true", with: "\"enabled\" : true,\n\"enabled\" : true", maxReplacements: 1)
    #expect(error(off) == .init(.repeatedKey, at: "cues.challenge.enabled"))
    // Bug: behind a byte-order mark, or in another encoding, no key was looked at.
    func load(_ bytes: [UInt8]) -> LivenessModelError? {
      do throws(LivenessModelError) {
        _ = try LivenessModel.load(bytes)
        return nil
      } catch {
        return error
      }
    }
    let plain = Array(text.utf8)
    #expect(load(Array(" \r\n\t".utf8) + plain) == nil)
    let wide: [UInt8] = plain.flatMap { [$0, 0] }
    let swapped: [UInt8] = plain.flatMap { [0, $0] }
    let mark: [UInt8] = [0xef, 0xbb, 0xbf]
    let others: [[UInt8]] = [mark + plain, [0xff, 0xfe] + wide, wide, swapped]
    for other in others {
      #expect(load(other) == .init(.malformed, at: "file"))
    }
    #expect(throws: LivenessModelError(.unreadable, at: "file")) { try LivenessModel.load(path: "/nowhere") }
    for length in stride(from: 0, to: text.utf8.count, by: 997) {
      #expect(error(String(text.prefix(length))) != nil)
    }
  }
}
