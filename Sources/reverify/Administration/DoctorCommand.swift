import Biometrics
import EnrolmentStore
import EvaluationCommands
import FaceMatching
import ReVerification

enum DoctorCommand: Command {
  static let name = "doctor"
  static let summary = "look a store over: keys, sessions, gallery, snapshots, chains, erasures"
  static let explanation = """
    Opens the store, reads all of it that is in use and opens every encrypted row, loads the gallery, from its snapshot where that is of
    the store's present state, and checks every chain. A store whose own keys or ledger can't be read doesn't open: exit status
    65. Says what it found, and what is wrong, line by line; exit status 1 when something is.

      reverify doctor --store bank.db
    """
  static let options = StoreAccess.options + EngineAccess.options

  static func run(_ arguments: Arguments) async throws -> Int32 {
    // What can't be followed is said before the work.
    _ = try EngineAccess.observers(arguments)
    _ = try EngineAccess.scorer(arguments)
    return try await StoreAccess.with(arguments) { store in
      var faults: [String] = []
      Output.standard.write(
        "engine     \(EngineVersion.current), \(try Kernels.fromEnvironment.get().level.rawValue)\n"
      )
      Output.standard.write("keys       unwrapped\n")
      for damage in await store.inspect() { faults.append("\(damage)") }
      try await noting("organisations", &faults) {
        var found: [String] = []
        for organisation in try await store.organisations() {
          found += try await look(at: organisation.id, in: store)
        }
        return found
      }
      try await noting("erasures", &faults) {
        var erasures: Int64 = 0
        while let last = try await store.erasures(after: erasures, limit: 1000).last {
          erasures = last.sequence
        }
        Output.standard.write("erasures   \(erasures) in the ledger\n")
        return []
      }
      try await noting("engine", &faults) { try await openEngine(on: store, arguments) }
      for fault in faults { Output.standard.write("WRONG      \(fault)\n") }
      Output.standard.write(faults.isEmpty ? "nothing wrong was found\n" : "")
      return faults.isEmpty ? ExitStatus.success : ExitStatus.partial
    }
  }

  /// Does `work`, and notes what is wrong with the store; what is wrong with the command line or a model is thrown.
  private static func noting(
    _ what: String, _ faults: inout [String], _ work: () async throws -> [String]
  ) async throws {
    do {
      faults += try await work()
    } catch let error as StoreError {
      faults.append("\(what): \(error)")
    } catch let error as ReVerificationError {
      faults.append("\(what): \(error)")
    }
  }

  /// What is wrong with the gallery's snapshots.
  private static func openEngine(
    on store: SQLiteStore, _ arguments: Arguments
  ) async throws -> [String] {
    guard try await EngineAccess.knownSpace(of: store, arguments) != nil else {
      Output.standard.write("engine     not opened: there is no session yet to tell its space\n")
      return []
    }
    var faults: [String] = []
    let engine = try await EngineAccess.open(store, arguments)
    for (organisation, origin) in await engine.origins.sorted(by: { $0.key < $1.key }) {
      Output.standard.write("\(organisation): gallery: \(origin)\n")
      if origin.isConspicuous { faults.append("snapshot of \(organisation): \(origin)") }
    }
    Output.standard.write("engine     opened, its gallery loaded\n")
    return faults
  }

  /// What is wrong with an organisation's sessions and decisions.
  private static func look(
    at id: OrganisationID, in store: SQLiteStore
  ) async throws -> [String] {
    var faults: [String] = []
    var counts: [String: Int] = [:]
    var spaces: Set<String> = []
    var last: Int64 = 0
    try await noting("sessions of \(id)", &faults) {
      while let end = try await store.sessions(in: id, after: last, limit: 1000).last(
        counting: &counts, &spaces)
      {
        last = end
      }
      return []
    }
    let text = counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(
      separator: ", ")
    Output.standard.write("\(id): sessions: \(text.isEmpty ? "none" : text)\n")
    for space in spaces.sorted() { Output.standard.write("\(id): space \(space)\n") }
    try await noting("decisions of \(id)", &faults) {
      switch try await store.audit(of: id, noted: nil) {
      case .intact(let head):
        Output.standard.write("\(id): decisions: \(head.sequence), chain intact\n")
        return []
      case .broken(let fault): return ["decisions of \(id): \(fault)"]
      }
    }
    return faults
  }
}

extension [NumberedSession] {
  /// The last one's number, when there is one, after counting all by how far they are.
  fileprivate func last(counting counts: inout [String: Int], _ spaces: inout Set<String>) -> Int64? {
    for numbered in self {
      counts[numbered.enrolled.session.preparation.rawValue, default: 0] += 1
      spaces.insert(numbered.enrolled.session.space.description)
    }
    return last?.sequence
  }
}
