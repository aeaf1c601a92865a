import Biometrics
import TestSupport
import Testing

@testable import EnrolmentStore

@Suite("A tampered SQLite store")
struct SQLiteTamperTests {
  /// A change that somebody with the file, and no key, could make, and a read that has to notice.
  struct Tampering: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let statements: [String]
    let read: @Sendable (SQLiteStore) async throws -> Void

    init(
      _ description: String, _ statements: [String],
      _ read: @escaping @Sendable (SQLiteStore) async throws -> Void
    ) {
      testDescription = description
      self.statements = statements
      self.read = read
    }
  }

  static let tamperings = [
    Tampering(
      "embeddings of two sessions swapped", swap("session_embeddings", "sequence = 1", "sequence = 2")
    ) {
      _ = try await $0.session("s1", in: Sample.bank)
    },
    Tampering(
      "embeddings copied from another organisation",
      [copy("session_embeddings", "organisation = 'airline'", to: "organisation = 'bank' AND sequence = 1")]
    ) { _ = try await $0.sessions(in: Sample.bank, after: 0, limit: 9) },
    Tampering(
      "a session given to another user",
      ["UPDATE sessions SET user = 'bert' WHERE organisation = 'bank' AND id = 's1'"]
    ) { _ = try await $0.sessions(of: "bert", in: Sample.bank) },
    Tampering(
      "a session moved to another workflow",
      ["UPDATE sessions SET workflow = 'payout' WHERE id = 's1' AND organisation = 'bank'"]
    ) {
      _ = try await $0.session("s1", in: Sample.bank)
    },
    Tampering("a session called ready", ["UPDATE sessions SET preparation = 'ready'"]) {
      _ = try await $0.session("s1", in: Sample.bank)
    },
    Tampering(
      "two users' addresses swapped",
      [
        "UPDATE users SET email_hash = x'00' WHERE organisation = 'bank' AND id = 'anna'",
        "UPDATE users SET email_hash = (SELECT email_hash FROM users WHERE id = 'bert') WHERE organisation = 'airline'",
      ]
    ) { _ = try await $0.user("anna", in: Sample.bank) },
    Tampering(
      "a user copied over another", swap("users", "organisation = 'bank' AND id = 'anna'", "id = 'bert'")
    ) {
      _ = try await $0.user("anna", in: Sample.bank)
    },
    Tampering(
      "a re-verification's state copied over another's", swap("re_verifications", "id = 'r1'", "id = 'r2'")
    ) {
      _ = try await $0.reVerification("r1")
    },
    Tampering("a revision set back", ["UPDATE re_verifications SET revision = 0"]) {
      _ = try await $0.reVerification("r1")
    },
    Tampering("an attempt's evidence copied over another's", swap("evidence", "attempt = 1", "attempt = 2")) {
      _ = try await $0.evidence(of: "r1", attempt: 1)
    },
    Tampering(
      "an API key under another secret",
      [
        "CREATE TEMP TABLE kept AS SELECT digest FROM api_keys WHERE id = 'key-1'",
        "UPDATE api_keys SET digest = x'00' WHERE id = 'key-1'",
        "UPDATE api_keys SET digest = (SELECT digest FROM kept) WHERE id = 'key-2'",
      ]
    ) {
      _ = try await $0.apiKey(APIKey.digest(of: "one"))
    },
    Tampering("a balance cut short", ["UPDATE balances SET sealed = substr(sealed, 1, 30)"]) {
      _ = try await $0.balance(of: Sample.bank)
    },
    Tampering("a balance of another type", ["UPDATE balances SET sealed = zeroblob(0)"]) {
      _ = try await $0.balance(of: Sample.bank)
    },
    Tampering(
      "a workflow copied over another",
      swap("workflows", "organisation = 'bank' AND id = 'onboarding'", "id = 'payout'")
    ) {
      _ = try await $0.workflow("onboarding", in: Sample.bank)
    },
    Tampering("a failure counter set back", ["UPDATE failures SET revision = 7"]) {
      _ = try await $0.failures(of: "anna", in: Sample.bank)
    },
    Tampering(
      "a decision moved",
      [
        "UPDATE decisions SET sequence = 9 WHERE organisation = 'bank' AND sequence = 1"
      ]
    ) { _ = try await $0.decisions(of: Sample.bank, after: 0, limit: 9) },
    Tampering(
      "the head of the decisions copied from another organisation",
      [
        copy(
          "registers", "organisation = 'airline' AND name = 'chain'",
          to: "organisation = 'bank' AND name = 'chain'")
      ]
    ) { _ = try await $0.chainHead(of: Sample.bank) },
    Tampering("the gallery's version gone from its row", ["UPDATE gallery SET sealed = zeroblob(80)"]) {
      _ = try await $0.galleryVersion()
    },
  ]

  @Test("a row that was swapped, copied or edited is damaged, never another's", arguments: tamperings)
  func tampering(_ tampering: Tampering) async throws {
    let place = try StorePlace()
    let store = try await place.open()
    try await Sample.fill(store)
    await store.close()
    try place.execute(tampering.statements)
    let again = try await place.open()
    await expect(.damaged) { try await tampering.read(again) }
  }

  static let chainBreaks: [(String, [String], ChainFault.Code, Int64)] = [
    ("removed", ["DELETE FROM decisions WHERE organisation = 'bank' AND sequence = 2"], .removed, 2),
    (
      "removed and closed up",
      [
        "DELETE FROM decisions WHERE organisation = 'bank' AND sequence = 2",
        "UPDATE decisions SET sequence = sequence - 1 WHERE organisation = 'bank' AND sequence > 2",
      ], .removed, 2
    ),
    (
      "edited", ["UPDATE decisions SET sealed = zeroblob(99) WHERE organisation = 'bank' AND sequence = 3"],
      .edited, 3
    ),
    (
      "another organisation's",
      [
        copy("decisions", "organisation = 'airline'", to: "organisation = 'bank' AND sequence = 3")
      ], .edited, 3
    ),
    (
      "swapped",
      swap("decisions", "organisation = 'bank' AND sequence = 2", "organisation = 'bank' AND sequence = 4"),
      .reordered, 2
    ),
    ("truncated", ["DELETE FROM decisions WHERE organisation = 'bank' AND sequence >= 4"], .truncated, 4),
    ("all gone", ["DELETE FROM decisions WHERE organisation = 'bank'"], .truncated, 1),
    ("head gone", ["DELETE FROM registers WHERE name = 'chain'"], .head, 5),
  ]

  @Test("an audit finds which decision was removed, edited or reordered", arguments: chainBreaks)
  func audit(_ name: String, _ statements: [String], _ code: ChainFault.Code, _ sequence: Int64) async throws
  {
    let place = try StorePlace()
    let store = try await place.open()
    try await Sample.people(of: store)
    for number in 1...5 { try await store.commit([.decision(Sample.decision(.init("r\(number)")))]) }
    try await store.commit([.decision(Sample.decision("r", of: Sample.airline))])
    await store.close()
    try place.execute(statements)
    let again = try await place.open()
    #expect(try await again.audit(of: Sample.bank, noted: nil) == .broken(ChainFault(code, at: sequence)))
    if name != "head gone" {
      #expect(
        try await again.audit(of: Sample.airline, noted: nil) == .intact(again.chainHead(of: Sample.airline)))
    }
  }

  private static func swap(_ table: String, _ first: String, _ second: String) -> [String] {
    [
      "CREATE TEMP TABLE kept AS SELECT sealed FROM \(table) WHERE \(first)",
      copy(table, second, to: first),
      "UPDATE \(table) SET sealed = (SELECT sealed FROM kept) WHERE \(second)",
    ]
  }

  private static func copy(_ table: String, _ from: String, to: String) -> String {
    "UPDATE \(table) SET sealed = (SELECT sealed FROM \(table) WHERE \(from)) WHERE \(to)"
  }
}

extension StorePlace {
  /// Runs statements on the database itself, as somebody would who has the file and no key.
  func execute(_ statements: [String]) throws {
    let database = try Database(path, access: .readWrite, files: nil)
    for statement in statements { try database.run(statement) }
    try database.checkpoint()
  }
}
