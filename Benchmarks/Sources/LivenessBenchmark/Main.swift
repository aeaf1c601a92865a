import BenchmarkOptions
import Foundation
import Liveness
import LivenessTraining

/// How long a capture takes to decode, to check by its chain and to score, beside the C cost model of the same arithmetic.
///
///     LivenessBenchmark [--runs N] [--models FOLDER] [--cost-model FILE.c] [--only WORD]
///
/// `--only` runs the lines whose name holds the word, for profiling.
@main
struct Main {
  private nonisolated(unsafe) static var only: String?  // Set once, before anything runs.

  static func main() throws {
    do {
      try measure(
        Options(CommandLine.arguments.dropFirst(), known: ["runs", "models", "cost-model", "only"]))
    } catch let error as BenchmarkError {
      FileHandle.standardError.write(Data("LivenessBenchmark: \(error)\n".utf8))
      exit(64)
    }
  }

  private static func measure(_ options: Options) throws {
    only = options.optional("only")
    let runs = try options.number("runs", or: 400)
    guard runs > 0 else { throw BenchmarkError("--runs: a number above 0 was expected") }
    let models = options.optional("models") ?? "models/liveness"
    print("each: median and 99 % quantile of \(runs) runs, one thread")
    let cost = costModel(options.optional("cost-model") ?? "../shared/reference/liveness/cost_model.c")
    for layout in [LandmarkLayout.sixtyEight, .mesh] {
      let model = try LivenessModel.load(path: "\(models)/simulated-ideal-\(layout.points).json")
      try measure(layout, model, runs: runs, cost: layout == .mesh ? cost : nil)
    }
  }

  private static func measure(_ layout: LandmarkLayout, _ model: LivenessModel, runs: Int, cost: Double?)
    throws
  {
    let simulator = CaptureSimulator(seed: 1, profile: .ideal(layout))
    let simulated = simulator.capture(.bonaFide, subject: 0, index: 0)
    let capture = sixtyFrames(simulated.capture, layout).rounded()
    let detector = try LivenessDetector(models: [model])
    let extractor = FeatureExtractor(template: CanonicalFace.template(layout))
    let sequence = capture.landmarkSequence(layout)
    print("60 × \(layout.points), \(capture.frames.count { $0.embedding != nil }) embeddings of 128")
    for form in [CaptureEncoder.LandmarkForm.f32, .u16, .numbers] {
      let bytes = CaptureEncoder.encode(capture, landmarks: form)
      try time("  decode \(form.rawValue), \(bytes.count / 1024) KiB", runs) {
        try CaptureDecoder.decode(bytes).frames.count
      }
    }
    time("  chain (SHA-256 by libsodium)", runs) { capture.isChainIntact ? 1 : 0 }
    try time("  assess, chain and all", runs) {
      try detector.assess(capture, answering: simulated.schedule, received: simulated.received).reasons.count
    }
    let rule = DecisionRule(model)
    let score = time("  score (features, cues, fusion)", runs) {
      let features = LivenessDetector.features(
        of: capture, answering: simulated.schedule, limits: model.limits, extractor: extractor)
      return rule.decide(
        features, findings: model.findings(features), policy: model.policies["standard"]!, coloursShown: true
      ).reasons.count
    }
    time("  geometry and jitter alone", runs) {
      Int(extractor.measure(sequence, focalLength: 0.7).features[.sizeRatio] ?? 0)
    }
    if let cost {
      print(
        "  C cost model: \(milliseconds(cost)), score / cost model: \(((score / cost) * 100).rounded() / 100)"
      )
    }
  }

  /// The first sixty frames.
  private static func sixtyFrames(_ capture: Capture, _ layout: LandmarkLayout) -> Capture {
    var capture = capture
    capture.frames = Array(capture.frames.prefix(60))
    capture.landmarks = Array(capture.landmarks.prefix(60 * 2 * layout.points))
    capture.frames[capture.frames.count - 1].embedding = capture.frames[0].embedding
    return capture
  }

  @discardableResult
  private static func time(_ name: String, _ runs: Int, _ body: () throws -> Int) rethrows -> Double {
    if let only, !name.contains(only) { return .nan }
    var (seconds, sink) = ([Double](), 0)
    let clock = ContinuousClock()
    for _ in 0..<runs {
      let start = clock.now
      sink &+= try body()
      let elapsed = (clock.now - start).components
      seconds.append(Double(elapsed.seconds) + Double(elapsed.attoseconds) * 1e-18)
    }
    let (median, high) = (seconds.median, seconds.quantile(0.99))
    let label = name.padding(toLength: 36, withPad: " ", startingAt: 0)
    print(
      "\(label) \(milliseconds(median))  99 %: \(milliseconds(high))  least: \(milliseconds(seconds.min()!))  [\(sink)]"
    )
    return median
  }

  private static func milliseconds(_ seconds: Double) -> String { "\((seconds * 1e6).rounded() / 1e3) ms" }

  /// The best time that the C cost model reports, built with -O2; `nil` where it, or a compiler, is missing.
  private static func costModel(_ source: String) -> Double? {
    guard FileManager.default.isReadableFile(atPath: source) else { return nil }
    let program = NSTemporaryDirectory() + "reverify-cost-model"
    func run(_ path: String, _ arguments: [String]) -> String? {
      let (process, pipe) = (Process(), Pipe())
      process.executableURL = URL(filePath: path)
      process.arguments = arguments
      process.standardOutput = pipe
      guard (try? process.run()) != nil else { return nil }
      let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      process.waitUntilExit()
      return process.terminationStatus == 0 ? text : nil
    }
    guard run("/usr/bin/env", ["cc", "-O2", source, "-o", program, "-lm"]) != nil, let text = run(program, [])
    else {
      return nil
    }
    let words = text.split(separator: " ")
    return words.count > 1 ? Double(words[1]).map { $0 / 1000 } : nil
  }
}
