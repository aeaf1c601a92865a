import Biometrics
import EnrolmentStore
import FoundationEssentials
import ReVerification
import TestSupport
import Testing

/// Keeps the lines of a log.
private final class Lines: LogSink {
  private let lines = Guarded<[String]>([])

  var all: [String] { lines.withLock { $0 } }

  func write(_ line: String) {
    lines.withLock { $0.append(line) }
  }
}

@Suite("Metrics and logs")
struct ObservationTests {
  /// A bank's day with every kind of event, seen by metrics and a log.
  private func day(_ level: EngineLog.Level) async throws -> (metrics: EngineMetrics, lines: [String]) {
    let bank = try await Bank()
    let (metrics, lines) = (EngineMetrics(), Lines())
    let log = EngineLog(lines, level: level, clock: bank.clock)
    try await bank.enrol("s1", of: "anna", Face.anna)
    try await bank.addUser("bert")
    let engine = try await Bank.engine(
      on: bank.store, bank.clock, bank.scorer, seed: 2, observer: EngineObservers([metrics, log]))
    try await engine.sessionApproved(
      SessionApproval(
        id: "s2", organisation: Bank.organisation, workflow: Bank.onboarding, user: "bert",
        approvedAt: bank.clock.now(),
        embeddings: [UncheckedEmbedding([0.9875, 0.0125, 0, 0], space: Bank.space)]))
    while !metrics.text.contains("duplicate") { await Task.yield() }
    let begun = try await engine.begin(
      workflowID: Bank.onboarding, email: "anna@example.com", apiKey: Bank.secret)
    guard case .begun(let begun) = begun else { throw Unexpected("\(begun)") }
    _ = try await engine.submit(.test("1"), to: begun.id)
    _ = try? await engine.submit(.test("2", [0, 0, 0, 0]), to: begun.id)
    _ = try await engine.submit(.test("3", Face.anna), to: begun.id)
    _ = try await engine.begin(workflowID: "none", email: "anna@example.com", apiKey: Bank.secret)
    try await engine.erase(.user("bert"), of: Bank.organisation, reason: .request)
    return (metrics, lines.all)
  }

  @Test("metrics count what happened, in Prometheus's form, without an identifier")
  func metrics() async throws {
    let text = try await day(.info).metrics.text
    for line in [
      "reverify_begins_total{result=\"begun\"} 1", "reverify_begins_total{result=\"notFound\"} 1",
      "reverify_attempts_total{answer=\"faceNotMatched\"} 1", "reverify_ends_total{outcome=\"verified\"} 1",
      "reverify_enrolments_total{status=\"enrolled\"} 1",
      "reverify_conspicuous_enrolments_total{finding=\"duplicate\"} 1",
      "reverify_erasures_total{subject=\"user\"} 1", "reverify_failures_total{kind=\"validation\"} 1",
      "reverify_attempt_seconds_bucket{part=\"search\",le=\"+Inf\"} 2",
      "reverify_attempt_seconds_count{part=\"durability\"} 2",
    ] {
      #expect(text.contains(line + "\n"), "\(line)")
    }
    for line in text.split(separator: "\n") where !line.hasPrefix("#") {
      #expect(
        line.wholeMatch(of: #/[a-z_]+\{[a-z]+="[A-Za-z]+"(,le="[0-9.+Inf]+")?\} [0-9.e-]+/#) != nil, "\(line)"
      )
    }
    #expect(!text.contains("anna") && !text.contains("bank"))
  }

  @Test("a log's lines are JSON objects with time, level and event, and hold no embedding, e-mail or secret")
  func log() async throws {
    let lines = try await day(.info).lines
    let events = try lines.map { line in
      let object = try JSONDecoder().decode([String: Value].self, from: Data(line.utf8))
      #expect(object["at"]?.text == "2025-06-15T15:06:40.000Z" && object["level"] != nil)
      return try #require(object["event"]?.text)
    }
    #expect(
      events == [
        "gallery.opened", "session.approved", "session.conspicuous", "begin.begun", "attempt.judged", "submit.failed",
        "attempt.judged", "begin.refused", "erased",
      ])
    let all = lines.joined()
    for secret in ["@", "0.98", "0.0125", Bank.secret] { #expect(!all.contains(secret), "\(secret)") }
  }

  @Test("an e-mail address is in a log of level debug alone")
  func debug() async throws {
    let lines = try await day(.debug).lines
    #expect(lines.count { $0.contains("anna@example.com") } == 2)
    #expect(lines.filter { $0.contains("@") }.allSatisfy { $0.contains("\"level\":\"debug\"") })
    #expect(try await day(.error).lines.isEmpty)
  }

  /// Text, number or list.
  private enum Value: Decodable {
    case text(String)
    case number(Double)
    case list([String])

    var text: String? { if case .text(let text) = self { text } else { nil } }

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if let text = try? container.decode(String.self) {
        self = .text(text)
      } else if let number = try? container.decode(Double.self) {
        self = .number(number)
      } else {
        self = .list(try container.decode([String].self))
      }
    }
  }
}
