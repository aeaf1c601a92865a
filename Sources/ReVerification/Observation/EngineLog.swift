import Biometrics
import EnrolmentStore
import FoundationEssentials

/// Where lines of a log go. Called from many threads.
public protocol LogSink: Sendable {
  /// Takes one line, without its end.
  func write(_ line: String)
}

/// Writes what an engine does as JSON, an object a line: `at` (UTC), `level`, `event`, and what it concerns by identifiers.
///
/// No embedding, score or secret; e-mail addresses at level `debug` alone.
public struct EngineLog: EngineObserver {
  public enum Level: String, Hashable, Sendable, CaseIterable, Comparable {
    case debug, info, warning, error

    public static func < (left: Level, right: Level) -> Bool {
      allCases.firstIndex(of: left)! < allCases.firstIndex(of: right)!
    }
  }

  private struct Line: Encodable {
    var at = ""
    let level: String
    let event: String
    var organisation: String?
    var workflow: String?
    var reVerification: String?
    var session: String?
    var result: String?
    var attemptsRemaining: Int?
    var milliseconds: Int64?
    var sessions: [String]?
    var users: [String]?
    var error: String?
    var email: String?
  }

  private let sink: any LogSink
  private let level: Level
  private let clock: any WallClock

  /// A log of events at `level` and above.
  public init(_ sink: any LogSink, level: Level = .info, clock: any WallClock = SystemClock()) {
    self.sink = sink
    self.level = level
    self.clock = clock
  }

  public func observe(_ event: EngineEvent) {
    switch event {
    case .opened(let organisation, let origin):
      write(origin.isConspicuous ? .warning : .info, "gallery.opened") { line in
        line.organisation = organisation.rawValue
        line.result = origin.description
      }
    case .checkpointed(let organisation, let checkpoint):
      write(.info, "gallery.checkpointed") { line in
        line.organisation = organisation.rawValue
        line.result = checkpoint.name
      }
    case .asked(let workflow, let email):
      write(
        .debug, "begin.asked"
      ) { line in
        line.workflow = workflow.rawValue
        line.email = email.debugDescription
      }
    case .begun(let id, let organisation, let workflow):
      write(.info, "begin.begun") { line in
        line.reVerification = id.rawValue
        line.organisation = organisation.rawValue
        line.workflow = workflow.rawValue
      }
    case .refused(let reason, let organisation, let workflow):
      write(.info, "begin.refused") { line in
        line.organisation = organisation?.rawValue
        line.workflow = workflow.rawValue
        line.result = name(of: reason)
      }
    case .judged(let id, let organisation, let answer, let times):
      write(.info, "attempt.judged") { line in
        line.reVerification = id.rawValue
        line.organisation = organisation.rawValue
        line.milliseconds = times.total.wholeMilliseconds
        switch answer {
        case .retry(let reason, let remaining):
          line.result = reason.rawValue
          line.attemptsRemaining = remaining
        case .ended(let outcome): line.result = name(of: outcome)
        }
      }
    case .ended(let id, let organisation, let outcome):
      write(.info, "reVerification.ended") { line in
        line.reVerification = id.rawValue
        line.organisation = organisation.rawValue
        line.result = outcome.map(name) ?? "cancelled"
      }
    case .enrolled(let session, let organisation, let status):
      write(.info, "session.approved") { line in
        line.session = session.rawValue
        line.organisation = organisation.rawValue
        line.result = status.rawValue
      }
    case .conspicuous(let session, let organisation, let checks):
      write(.warning, "session.conspicuous") { line in
        line.session = session.rawValue
        line.organisation = organisation.rawValue
        line.sessions = checks.inconsistentWith.map(\.rawValue) + checks.duplicates.map(\.session.rawValue)
        line.users = checks.duplicates.map(\.user.rawValue)
      }
    case .erased(let erasure):
      write(.info, "erased") { line in
        line.organisation = erasure.organisation.rawValue
        line.result = erasure.subject.kind
      }
    case .failed(let call, let error):
      write(error.kind == .storage || error.kind == .internal ? .error : .info, "\(call).failed") { line in
        line.error = error.description
      }
    }
  }

  private func write(_ level: Level, _ event: String, _ fill: (inout Line) -> Void) {
    guard level >= self.level else { return }
    var line = Line(level: level.rawValue, event: event)
    line.at = Date(timeIntervalSince1970: Double(clock.now().millisecondsSince1970) / 1000)
      .formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    fill(&line)
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    guard let bytes = try? encoder.encode(line) else {
      preconditionFailure("a line of texts and whole numbers has a JSON form")
    }
    sink.write(String(decoding: bytes, as: UTF8.self))
  }
}

/// Tells several observers, in order.
public struct EngineObservers: EngineObserver {
  private let observers: [any EngineObserver]

  public init(_ observers: [any EngineObserver]) {
    self.observers = observers
  }

  public func observe(_ event: EngineEvent) {
    for observer in observers { observer.observe(event) }
  }
}
