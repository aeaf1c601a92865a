import Biometrics
import Foundation
import Liveness
import LivenessTraining

enum ScoreLivenessCommand: Command {
  static let name = "score-liveness"
  static let summary = "decide about captures: pass, fail or retry, with reasons"
  static let explanation = """
    Reads capture records, one a line, and writes one decision a line: verdict, liveness score (0...1, higher is live),
    reasons, cues and features, and the model's digest. With --replay-key, copies of earlier captures of the file are
    flagged as well. A line that can't be read, or of a landmarker without a model, is an error on stderr.

      reverify score-liveness --captures captures.jsonl --model models/liveness/simulated-ideal-68.json
    """
  static let options: [CommandOption] = [
    .option("captures", "FILE", "capture records, one a line"),
    .option("model", "FILES", "with commas, one for each landmarker"),
    .option("policy", "NAME", "the model's policy (default: standard)"),
    .option("replay-key", "HEX", "64 hexadecimal digits: flag copies of earlier captures"),
  ]

  static func run(_ arguments: Arguments) throws -> Int32 {
    guard let path = arguments["captures"] else { throw UsageError("which captures? Give --captures FILE") }
    let models = try readModels(arguments)
    let detector = try LivenessDetector(models: models, policy: arguments["policy"] ?? "standard")
    let digests = try Dictionary(uniqueKeysWithValues: models.map { ($0.landmarker, try $0.digest()) })
    let replays = try arguments["replay-key"].map { text in
      guard let key = decodeHexadecimal(text), key.count == ReplayFingerprinter.keyBytes else {
        throw UsageError("--replay-key takes 64 lower-case hexadecimal digits")
      }
      return ReplayGuard(key: key)
    }
    let file = try CaptureFile(path)
    var failures = 0
    for index in 0..<file.count {
      do {
        let record = try file.record(index)
        let isCopy = replays.map { !$0.admit(record.capture, at: record.received) } ?? false
        let decision = try detector.assess(
          record.capture, answering: record.schedule, received: record.received,
          otherFindings: isCopy ? [.replayedCapture] : [])
        Output.standard.write(
          LivenessReport.json(decision, line: index + 1, model: digests[record.capture.landmarker] ?? "")
            + "\n")
      } catch {
        failures += 1
        complain(error is CaptureFile.LineError ? "\(error)" : "\(path), line \(index + 1): \(error)")
      }
    }
    return failures == 0 ? ExitStatus.success : ExitStatus.partial
  }

  static func readModels(_ arguments: Arguments) throws -> [LivenessModel] {
    guard let paths = arguments["model"] else { throw UsageError("by which model? Give --model FILE") }
    return try paths.split(separator: ",").map { path in
      do {
        return try LivenessModel.load(path: String(path))
      } catch {
        throw InputError("\(path): \(error)")
      }
    }
  }
}
