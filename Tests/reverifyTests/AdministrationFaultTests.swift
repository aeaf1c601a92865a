import Biometrics
import EnrolmentStore
import Foundation
import TestSupport
import Testing

/// What a bank's people could do to their store with a command that said nothing of it.
@Suite("A bank's commands, given what they must not take")
struct AdministrationFaultTests {
  private let folder: TemporaryFolder

  init() throws { folder = try AdministrationTests.folder() }

  private static func milliseconds(days: Double) -> Int64 {
    Int64((Date().timeIntervalSince1970 + days * 86_400) * 1000)
  }

  @Test(
    "an import says when its sessions were approved, so that retention counts from then and not from 1970")
  func importedRetention() throws {
    var random = SeededGenerator(seed: 3)
    let rows = (0..<3).map { _ in (0..<512).map { _ in Float.random(in: -1...1, using: &random) } }
    for (name, lines) in [
      ("a", ["subject,image", "p0,i", "p1,i", "p2,i"]),
      (
        "b",
        ["subject,image,approved_at"]
          + [-20.0, -8, -1].enumerated().map { "q\($0),i,\(Self.milliseconds(days: $1))" }
      ),
      ("c", ["subject,image,approved_at", "r0,i,1", "r1,i,2026-01-01", "r2,i,3"]),
    ] {
      try FileManager.default.createDirectory(
        atPath: "\(folder.path)/\(name)", withIntermediateDirectories: true)
      _ = try folder.write("\(name)/embeddings.fbin", AdministrationTests.fbin(rows))
      _ = try folder.write("\(name)/index.csv", Array(lines.joined(separator: "\n").utf8))
    }
    let approved = Self.milliseconds(days: -10)
    let done = try folder.run(
      AdministrationTests.setUp + """

        import() {
          reverify import --store bank.db --organisation bank --workflow w --space edgeface-xs --email-domain example.org "$@"
          echo $?
        }
        past() {
          reverify workflow --store bank.db --organisation bank --workflow w --retention-days $1 > /dev/null
          reverify erase --store bank.db --organisation bank --past-retention
        }
        set +e
        import --data a; import --data b --approved-at \(approved); import --data c
        import --data a --approved-at \(approved); import --data a --approved-at \(approved); import --data b
        past 30; past 9; past 2
        """)
    #expect(
      done.lines == [
        "64", "64", "65", "enrolled 3", "0", "alreadyEnrolled 3", "0", "enrolled 3", "0",
        "erased 0", "erased 4", "erased 1",
      ], "\(done.errors)")
    #expect(done.errors.contains("approved when?") && done.errors.contains("c/index.csv: line 3"))
  }

  @Test("numbers out of range are wrong usage, and never wrap around")
  func ranges() throws {
    let refused = [
      "workflow --workflow w --retention-days 0", "workflow --workflow w --retention-days 36601",
      "workflow --workflow w --retention-days 213503982334602",
      "workflow --workflow w --lock-out 0/180/1800", "org --balance -5",
      "org --lock-out 5/180/9223372036854775807",
    ]
    let times = ["-1", "9223372036854775807", "\(Self.milliseconds(days: 2))"].map {
      "enrol --workflow w --user u --session s --space edgeface-xs --embeddings approved.fbin --approved-at \($0)"
    }
    let taken = ["workflow --workflow w --retention-days 1", "workflow --workflow w --retention-days 36600"]
    let lines = (refused + times + taken).map {
      let words = $0.split(separator: " ", maxSplits: 1)
      return "reverify \(words[0]) --store bank.db --organisation bank \(words[1]) > /dev/null; echo $?"
    }
    let done = try folder.run(
      AdministrationTests.setUp + "\nset +e\n" + lines.joined(separator: "\n"))
    #expect(done.lines == Array(repeating: "64", count: 9) + ["0", "0"], "\(done.errors)")
  }

  @Test("a key's secret is replaced on demand alone, and a revoked id stays revoked")
  func keys() throws {
    let done = try folder.run(
      AdministrationTests.setUp + """

        reverify user --store bank.db --organisation bank --user u --email ada@example.org > /dev/null
        reverify enrol --store bank.db --organisation bank --workflow w --user u --session s --space edgeface-xs \
          --embeddings approved.fbin > /dev/null
        key() { reverify key --store bank.db --organisation bank "$@"; }
        begin() {
          REVERIFY_API_KEY=$1 reverify begin --store bank.db --workflow w --email ada@example.org --liveness passive > /dev/null
          echo begin $?
        }
        set +e
        one=$(key --key k); key --key k; echo $?; begin $one
        two=$(key --key k --replace); begin $one; begin $two
        key --key k --revoke; begin $two
        key --key k --replace; echo $?; key --key k; echo $?; begin $two
        key --key other --replace; echo $?; key --key other --revoke; echo $?
        """)
    #expect(
      done.lines == [
        "65", "begin 0", "begin 1", "begin 0", "revoked k", "begin 1", "65", "65", "begin 1", "65",
        "65",
      ], "\(done.errors)")
    #expect(done.errors.contains("--replace") && done.errors.contains("was revoked"))
  }

  @Test("an organisation that never was is told from one that was erased")
  func unknownOrganisation() throws {
    let done = try folder.run(
      AdministrationTests.setUp + """

        set +e
        all() {
          reverify replay --store bank.db --organisation $1 --space edgeface-xs; echo $?
          reverify erase --store bank.db --organisation $1 --past-retention; echo $?
          reverify audit --store bank.db --organisation $1; echo $?
        }
        all nobody
        reverify erase --store bank.db --organisation bank --whole-organisation
        all bank
        """)
    #expect(
      done.lines == ["65", "65", "65", "erased", "0", "erased 0", "0", "intact: 0 records", "0"],
      "\(done.errors)")
    #expect(done.errors.contains("store: missing: organisation nobody"))
  }

  @Test("a replay names the records that come out otherwise, and no confirmed one after them")
  func replay() async throws {
    let done = try folder.run(
      AdministrationTests.setUp + """

        reverify user --store bank.db --organisation bank --user u --email ada@example.org > /dev/null
        reverify enrol --store bank.db --organisation bank --workflow w --user u --session s --space edgeface-xs \
          --embeddings approved.fbin > /dev/null
        export REVERIFY_API_KEY=$(reverify key --store bank.db --organisation bank --key k)
        for n in 1 2; do
          reverify begin --store bank.db --workflow w --email ada@example.org --liveness passive > begun.json
          id=$(sed -n 's/.*"reVerification" : "\\(.*\\)".*/\\1/p' begun.json)
          reverify submit --store bank.db --re-verification $id --key 1 --embeddings probe.fbin --liveness passive \
            --passive 0.9,0.9,0.9 > /dev/null
          echo $id
        done
        """)
    let first = ReVerificationID(String(try #require(done.lines.first, "\(done.errors)")))
    let store = try await SQLiteStore.open(
      .init(path: "\(folder.path)/bank.db"), masterKey: MasterKey.file("\(folder.path)/key.hex"))
    let kept = try #require(try await store.evidence(of: first, attempt: 1))
    let other = kept.probe.map {
      UncheckedEmbedding($0.values.map { -$0 }, space: $0.space, quality: $0.quality)
    }
    try await store.commit([
      .evidence(
        AttemptEvidence(
          reVerification: first, organisation: kept.organisation, workflow: kept.workflow,
          user: kept.user, attempt: 1, judgedAt: kept.judgedAt, probe: other, capture: kept.capture))
    ])
    await store.close()
    let replay = try folder.run(
      "export REVERIFY_MASTER_KEY=$(cat key.hex); reverify replay --store bank.db --organisation bank")
    #expect(replay.status == 1)
    #expect(replay.lines.filter { $0.hasPrefix("record") }.count == 1, "\(replay.output)")
    #expect(replay.lines.first?.hasPrefix("record 1: DIFFERS in") == true)
    #expect(replay.lines.contains("confirmed: 1"))
  }

  @Test("doctor tells wrong usage from a store that has no session yet")
  func doctorUsage() throws {
    let done = try folder.run(
      AdministrationTests.setUp + """

        set +e
        doctor() { reverify doctor --store bank.db "$@" | grep -c "nothing wrong"; }
        doctor; doctor --log nonsense; doctor --space nonexistent; doctor --liveness none.json
        for option in "--log nonsense" "--space nonexistent" "--liveness none.json"; do
          reverify doctor --store bank.db $option > /dev/null; echo $?
        done
        """)
    #expect(done.lines == ["1", "0", "0", "0", "64", "64", "65"], "\(done.errors)")
  }

  @Test("doctor finds a flipped byte in any page, and so in every table and index")
  func doctorPages() throws {
    let made = try folder.run(
      AdministrationTests.setUp + """

        reverify user --store bank.db --organisation bank --user u --email ada@example.org > /dev/null
        reverify enrol --store bank.db --organisation bank --workflow w --user u --session s --space edgeface-xs \
          --embeddings approved.fbin
        """)
    try #require(made.status == 0, "\(made.errors)")
    let path = "\(folder.path)/bank.db"
    let whole = try Data(contentsOf: URL(filePath: path))
    var random = SeededGenerator(seed: 11)
    for page in 0..<whole.count / 4096 {
      var damaged = whole
      damaged[page * 4096 + Int.random(in: 0..<4080, using: &random)] ^= 1
      try damaged.write(to: URL(filePath: path))
      for end in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + end) }
      let found = try folder.run(
        "REVERIFY_MASTER_KEY=$(cat key.hex) reverify doctor --store bank.db")
      #expect([1, 65].contains(found.status), "page \(page): \(found.output)")
      #expect(!found.output.contains("nothing wrong"))
    }
  }

  @Test("a note that can't be written is told before the audit")
  func note() throws {
    let done = try folder.run(
      AdministrationTests.setUp + """

        set +e
        reverify audit --store bank.db --organisation bank --note nowhere/head.json; echo $?
        reverify audit --store bank.db --organisation bank --note bank.db; echo $?
        """)
    #expect(done.lines == ["74", "64"])
  }

  @Test("each command's exit status is documented")
  func exitStatuses() throws {
    let text = try String(
      contentsOf: CommandRun.package.appending(path: "Documentation/Formats/ExitStatus.md"),
      encoding: .utf8)
    let help = try CommandRun(["--help"])
    let names = help.lines.filter { $0.hasPrefix("  ") }.compactMap { $0.split(separator: " ").first }
    try #require(names.count > 25, "\(help.output)")
    for name in names { #expect(text.contains("`\(name)`"), "\(name)") }
  }
}
