import Biometrics
import EnrolmentStore
import EvaluationCommands
import FaceMatching
import ReVerification

enum DoctorCommand: Command {
  static let name = "doctor"
  static let summary = "look a store over: keys, sessions, gallery, snapshots, chains, erasures"
  static let explanation = """
    Opens the store, reads everything in it once, loads the gallery, from its snapshot where that is of the store's present
    state, and checks every chain. Says what it found, and what is wrong, line by line; exit status 1 when something is.

      reverify doctor --store bank.db
    """
  static let options = StoreAccess.options + EngineAccess.options

  static func run(_ arguments: Arguments) async throws -> Int32 {
    try await StoreAccess.with(arguments) { store in
      var faults: [String] = []
      Output.standard.write(
        "engine     \(EngineVersion.current), \(try Kernels.fromEnvironment.get().level.rawValue)\n"
      )
      Output.standard.write("keys       unwrapped\n")
      for organisation in try await store.organisations() {
        try await look(at: organisation.id, in: store, &faults)
      }
      var erasures: Int64 = 0
      while let last = try await store.erasures(after: erasures, limit: 1000).last {
        erasures = last.sequence
      }
      Output.standard.write("erasures   \(erasures) in the ledger\n")
      do {
        let engine = try await EngineAccess.open(store, arguments)
        for (organisation, origin) in await engine.origins.sorted(by: { $0.key < $1.key }) {
          Output.standard.write("\(organisation): gallery: \(origin)\n")
          if origin.isConspicuous { faults.append("snapshot of \(organisation): \(origin)") }
        }
        Output.standard.write("engine     opened, its gallery loaded\n")
      } catch let error as UsageError {
        Output.standard.write("engine     not opened: \(error)\n")
      } catch {
        faults.append("engine: \(error)")
      }
      for fault in faults { Output.standard.write("WRONG      \(fault)\n") }
      Output.standard.write(faults.isEmpty ? "nothing wrong was found\n" : "")
      return faults.isEmpty ? ExitStatus.success : ExitStatus.partial
    }
  }

  private static func look(
    at id: OrganisationID, in store: SQLiteStore, _ faults: inout [String]
  ) async throws {
    var counts: [String: Int] = [:]
    var spaces: Set<String> = []
    var last: Int64 = 0
    do {
      while let end = try await store.sessions(in: id, after: last, limit: 1000).last(
        counting: &counts, &spaces)
      {
        last = end
      }
    } catch {
      faults.append("sessions of \(id) after number \(last): \(error)")
    }
    let text = counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(
      separator: ", ")
    Output.standard.write("\(id): sessions: \(text.isEmpty ? "none" : text)\n")
    for space in spaces.sorted() { Output.standard.write("\(id): space \(space)\n") }
    switch try await store.audit(of: id, noted: nil) {
    case .intact(let head):
      Output.standard.write("\(id): decisions: \(head.sequence), chain intact\n")
    case .broken(let fault): faults.append("decisions of \(id): \(fault)")
    }
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
