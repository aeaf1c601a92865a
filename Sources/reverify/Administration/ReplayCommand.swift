import Biometrics
import EnrolmentStore
import EvaluationCommands
import ReVerification

enum ReplayCommand: Command {
  static let name = "replay"
  static let summary = "make recorded decisions again, and confirm them bit for bit"
  static let explanation = """
    Computes a decision anew from the stored references and the evidence of its attempt, by an exhaustive comparison, and
    holds every number against its record. Without --record it goes through all. Exit status 1 when one comes out otherwise.

      reverify replay --store bank.db --organisation bank --record 17
    """
  static let options =
    StoreAccess.options + EngineAccess.options + [
      StoreAccess.organisation, .option("record", "N", "the record's number (default: all)"),
    ]

  static func run(_ arguments: Arguments) async throws -> Int32 {
    let organisation = try StoreAccess.organisationID(arguments)
    let number = try arguments.optionalNumber("record", in: 1...Int64.max)
    return try await EngineAccess.with(arguments, of: organisation) { store, engine in
      var last = (number ?? 1) - 1
      var counts: [String: Int] = [:]
      var differs = false
      while true {
        let page = try await store.decisions(
          of: organisation, after: last, limit: number == nil ? 1000 : 1)
        for decision in page where number == nil || decision.sequence == number {
          let replay = try await engine.replay(decision.record)
          let text = text(replay)
          let isOther = if case .differs = replay { true } else { false }
          differs = differs || isOther
          if number != nil || isOther {
            Output.standard.write("record \(decision.sequence): \(text)\n")
          }
          counts[text, default: 0] += 1
        }
        guard number == nil, let end = page.last else { break }
        last = end.sequence
      }
      if number != nil, counts.isEmpty {
        throw InputError("\(organisation) has no record \(number!)")
      }
      if number == nil {
        for (text, count) in counts.sorted(by: { $0.key < $1.key }) {
          Output.standard.write("\(text): \(count)\n")
        }
      }
      return differs ? ExitStatus.partial : ExitStatus.success
    }
  }

  private static func text(_ replay: Replay) -> String {
    switch replay {
    case .confirmed: "confirmed"
    case .confirmedInPart(let erased): "confirmed but for \(erased.count) references erased since"
    case .differs(let parts): "DIFFERS in \(parts.map(\.rawValue).joined(separator: ", "))"
    case .impossible(.noAttempt): "rests on no attempt"
    case .impossible(.noEvidence): "evidence not kept, or erased"
    case .impossible(.otherLivenessModel): "judged by another liveness model; see --liveness"
    case .impossible(.otherSpace): "judged in another embedding space; see --space"
    }
  }
}
