import EvaluationCommands
import Foundation
import Liveness
import LivenessTraining

enum SimulateCapturesCommand: Command {
  static let name = "simulate-captures"
  static let summary = "make captures of simulated people and attacks, with their truth"
  static let explanation = """
    Writes one capture record a line: every subject live several times, and as the victim of every attack species. The
    same options give the same bytes. Simulated: no evidence about people.

    Landmarkers: \(LandmarkerProfile.named.keys.sorted().joined(separator: ", "))
    Species: \(AttackSpecies.allCases.map(\.rawValue).joined(separator: ", "))

      reverify simulate-captures --landmarker simulated-ideal-68 --subjects 40 --out captures.jsonl
    """
  static let options: [CommandOption] = [
    .option("landmarker", "NAME", "how landmarks are seen (default: simulated-ideal-68)"),
    .option("subjects", "N", "how many people (default: 8)"),
    .option("first-subject", "N", "the first one's number, to keep cohorts apart (default: 0)"),
    .option("bona-fide", "N", "live captures of each (default: 3)"),
    .option("attacks", "N", "attacks of each species on each (default: 1)"),
    .option("species", "NAMES", "with commas (default: all)"),
    .option("seed", "N", "default: 1"),
    .option(
      "challenge-key", "HEX", "issue under this key, 64 hexadecimal digits (default: made of the seed)"),
    .flag("without-colours", "challenges without colours, which are weaker"),
    .option("out", "FILE", "where to write (default: standard output)"),
  ]

  static func run(_ arguments: Arguments) throws -> Int32 {
    var outputs = OutputFiles()
    try outputs.announce("out", at: arguments["out"])
    var cohort = SimulatedCohort(
      profile: try profile(arguments["landmarker"] ?? "simulated-ideal-68"),
      seed: try arguments.number("seed", in: 0...UInt64.max, default: 1),
      subjects: try arguments.number("subjects", in: 1...100_000, default: 8))
    cohort.firstSubject = try arguments.number("first-subject", in: 0...500_000, default: 0)
    cohort.bonaFideEach = try arguments.number("bona-fide", in: 0...1000, default: 3)
    cohort.attacksEach = try arguments.number("attacks", in: 0...1000, default: 1)
    cohort.challengeKey = try ScoreLivenessCommand.key("challenge-key", arguments)
    if arguments.has("without-colours") { cohort.colours = .absent }
    if let names = arguments["species"] {
      cohort.species = try names.split(separator: ",").map { name in
        guard let species = AttackSpecies(rawValue: String(name)) else {
          throw UsageError("--species: there is no '\(name)'")
        }
        return species
      }
    }
    guard let path = arguments["out"] else {
      cohort.forEach { Output.standard.write(String(decoding: $0.record.encoded(), as: UTF8.self) + "\n") }
      return ExitStatus.success
    }
    try writeFile(to: path) { write in
      try cohort.forEach { try write(Data($0.record.encoded()) + Data("\n".utf8)) }
    }
    return ExitStatus.success
  }

  static func profile(_ name: String) throws(UsageError) -> LandmarkerProfile {
    guard let profile = LandmarkerProfile.named[name] else {
      throw UsageError("there is no landmarker '\(name)' to simulate")
    }
    return profile
  }
}
