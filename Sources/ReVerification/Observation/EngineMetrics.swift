import Biometrics
import EnrolmentStore

/// Counts what an engine does, in the text form that Prometheus reads.
///
/// Labels are of closed sets: no identifier, so that neither a person nor a number of customers can be read from them.
public final class EngineMetrics: EngineObserver {
  private struct Counter: Hashable, Comparable {
    let name: String
    let label: String

    static func < (left: Self, right: Self) -> Bool {
      (left.name, left.label) < (right.name, right.label)
    }
  }

  private struct Histogram {
    var counts = [Int](repeating: 0, count: bounds.count + 1)
    var sum = 0.0

    /// Seconds; the last count is of what is longer.
    static let bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5]

    mutating func add(_ seconds: Double) {
      counts[Self.bounds.firstIndex { seconds <= $0 } ?? Self.bounds.count] += 1
      sum += seconds
    }
  }

  private struct State {
    var counters: [Counter: Int] = [:]
    var parts: [String: Histogram] = [:]
  }

  private static let help: [(name: String, text: String)] = [
    ("reverify_begins_total", "Calls of begin, by result."),
    ("reverify_attempts_total", "Judged attempts, by answer."),
    ("reverify_ends_total", "Re-verifications that ended, by outcome."),
    ("reverify_enrolments_total", "Approved sessions, by what became of them."),
    ("reverify_conspicuous_enrolments_total", "New references that a person should look at, by finding."),
    ("reverify_erasures_total", "Erasures, by subject."),
    ("reverify_galleries_opened_total", "Galleries loaded at opening, by where they came from, and if not why."),
    ("reverify_checkpoints_total", "Galleries to be written to their snapshots, by what came of it."),
    ("reverify_failures_total", "Calls without an answer, by kind of error."),
  ]

  private let state = Guarded(State())

  public init() {}

  public func observe(_ event: EngineEvent) {
    switch event {
    case .asked: break
    case .opened(_, let origin): count("reverify_galleries_opened_total", "origin", origin.name)
    case .checkpointed(_, let checkpoint): count("reverify_checkpoints_total", "result", checkpoint.name)
    case .begun: count("reverify_begins_total", "result", "begun")
    case .refused(let reason, _, _): count("reverify_begins_total", "result", name(of: reason))
    case .judged(_, _, let answer, let times):
      switch answer {
      case .retry(let reason, _): count("reverify_attempts_total", "answer", reason.rawValue)
      case .ended(let outcome):
        count("reverify_attempts_total", "answer", name(of: outcome))
        count("reverify_ends_total", "outcome", name(of: outcome))
      }
      add(times)
    case .ended(_, _, let outcome):
      count("reverify_ends_total", "outcome", outcome.map(name) ?? "cancelled")
    case .enrolled(_, _, let status): count("reverify_enrolments_total", "status", status.rawValue)
    case .conspicuous(_, _, let checks):
      if !checks.inconsistentWith.isEmpty {
        count("reverify_conspicuous_enrolments_total", "finding", "inconsistent")
      }
      if !checks.duplicates.isEmpty {
        count("reverify_conspicuous_enrolments_total", "finding", "duplicate")
      }
    case .erased(let erasure): count("reverify_erasures_total", "subject", erasure.subject.kind)
    case .failed(_, let error): count("reverify_failures_total", "kind", error.kind.rawValue)
    }
  }

  /// The metrics in Prometheus's text form, version 0.0.4.
  public var text: String {
    let state = state.withLock { $0 }
    var lines: [String] = []
    for (name, help) in Self.help {
      lines += ["# HELP \(name) \(help)", "# TYPE \(name) counter"]
      for (counter, value) in state.counters.sorted(by: { $0.key < $1.key }) where counter.name == name {
        lines.append("\(name){\(counter.label)} \(value)")
      }
    }
    let name = "reverify_attempt_seconds"
    lines += ["# HELP \(name) How long the parts of a judged attempt took.", "# TYPE \(name) histogram"]
    for (part, histogram) in state.parts.sorted(by: { $0.key < $1.key }) {
      var total = 0
      for (bound, count) in zip(Histogram.bounds.map { "\($0)" } + ["+Inf"], histogram.counts) {
        total += count
        lines.append("\(name)_bucket{part=\"\(part)\",le=\"\(bound)\"} \(total)")
      }
      lines += ["\(name)_sum{part=\"\(part)\"} \(histogram.sum)", "\(name)_count{part=\"\(part)\"} \(total)"]
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private func count(_ name: String, _ label: String, _ value: String) {
    state.withLock { $0.counters[Counter(name: name, label: "\(label)=\"\(value)\""), default: 0] += 1 }
  }

  private func add(_ times: AttemptTimes) {
    let parts = [
      ("decode", times.decode), ("liveness", times.liveness), ("search", times.search),
      ("durability", times.durability),
    ]
    state.withLock { state in
      for (name, duration) in parts { state.parts[name, default: Histogram()].add(duration / .seconds(1)) }
    }
  }
}

/// An outcome's name without what it carries.
func name(of outcome: Outcome) -> String {
  switch outcome {
  case .verified: "verified"
  case .failed(let reason): name(of: reason)
  }
}

func name(of reason: FailureReason) -> String {
  switch reason {
  case .notReVerified: "notReVerified"
  case .attemptsExhausted: "attemptsExhausted"
  case .notEligible(let reason): reason.rawValue
  case .expired: "expired"
  }
}

extension Erasure.Subject {
  /// What kind of thing it is.
  var kind: String {
    switch self {
    case .organisation: "organisation"
    case .user: "user"
    case .session: "session"
    case .evidence: "evidence"
    }
  }
}
