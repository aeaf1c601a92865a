import Biometrics
import EvaluationCommands
import Foundation
import Liveness
import LivenessTraining

enum ScoreLivenessCommand: Command {
  static let name = "score-liveness"
  static let summary = "decide about captures: pass, fail or retry, with reasons"
  static let explanation = """
    Reads capture records, one a line, and writes one decision a line: verdict, liveness score (0...1, higher is live),
    reasons, cues and features, and the model's digest. A line that can't be read, or of a landmarker without a model, is an
    error on stderr.

    What a capture had to follow is what the server of --challenge-key issued under its identifier and nonce; another
    challenge, and the second answer to one, are refused. Without that key the challenge is the record's own word, and each
    decision says "challenge":"unchecked". With --replay-key, the same capture again and copies of earlier ones are flagged.

      reverify score-liveness --captures captures.jsonl --model models/liveness/simulated-ideal-68.json
    """
  static let options: [CommandOption] = [
    .option("captures", "FILE", "capture records, one a line"),
    .option("model", "FILES", "with commas, one for each landmarker"),
    .option("policy", "NAME", "the model's policy (default: standard)"),
    .option("challenge-key", "HEX", "the issuing server's key, 64 hexadecimal digits: check challenges"),
    .option("replay-key", "HEX", "64 hexadecimal digits: flag copies of earlier captures"),
  ]

  static func run(_ arguments: Arguments) throws -> Int32 {
    guard let path = arguments["captures"] else { throw UsageError("which captures? Give --captures FILE") }
    let models = try readModels(arguments)
    let detector = try LivenessDetector(models: models, policy: arguments["policy"] ?? "standard")
    let digests = try Dictionary(uniqueKeysWithValues: models.map { ($0.landmarker, try $0.digest()) })
    let memory = Memory(
      issuer: try key("challenge-key", arguments).map(ChallengeIssuer.init(key:)),
      replays: try key("replay-key", arguments).map { ReplayGuard(key: $0) })
    let file = try CaptureFile(path)
    guard file.count > 0 else { throw InputError("\(path): no captures") }
    var failures = 0
    for index in 0..<file.count {
      do {
        let record = try file.record(index)
        let (schedule, findings) = memory.findings(record, line: file.line(index))
        let decision = try detector.assess(
          record.capture, answering: schedule, received: record.received, otherFindings: findings)
        Output.standard.write(
          LivenessReport.json(
            decision, line: file.line(index), model: digests[record.capture.landmarker] ?? "",
            isChallengeChecked: memory.issuer != nil) + "\n")
      } catch let error as LivenessError {
        failures += 1
        complain("\(path), line \(file.line(index)): \(error)")
      } catch {
        failures += 1
        complain("\(error)")
      }
    }
    return failures == 0 ? ExitStatus.success : ExitStatus.partial
  }

  /// What a server knows beside the capture: its challenges, and what it saw before.
  private struct Memory {
    let issuer: ChallengeIssuer?
    let replays: ReplayGuard?
    private let used = UsedChallenges()

    init(issuer: ChallengeIssuer?, replays: ReplayGuard?) {
      self.issuer = issuer
      self.replays = replays
    }

    /// The challenge that the record's capture had to answer, and what is wrong with it before it is looked at.
    func findings(
      _ record: CaptureRecord, line: Int
    ) -> (ChallengeSchedule, [LivenessReason]) {
      let capture = record.capture
      let submission = Array("line \(line)".utf8)
      var (schedule, findings) = (record.schedule, [LivenessReason]())
      if let issuer {
        if let issued = issuer.challenge(id: capture.challengeID, nonce: capture.nonce) {
          schedule = issued
          if !used.use(issued, answer: submission, at: record.received) { findings.append(.usedChallenge) }
        } else {
          findings.append(.otherChallenge)
        }
      }
      if let replays, !replays.admit(capture, as: submission, at: record.received) {
        findings.append(.replayedCapture)
      }
      return (schedule, findings)
    }
  }

  static func key(_ name: String, _ arguments: Arguments) throws -> [UInt8]? {
    try arguments[name].map { text in
      guard let key = decodeHexadecimal(text), key.count == ChallengeIssuer.keyBytes else {
        throw UsageError("--\(name) takes 64 lower-case hexadecimal digits")
      }
      return key
    }
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
