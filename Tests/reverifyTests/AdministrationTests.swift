import Biometrics
import EmbeddingFiles
import Foundation
import TestSupport
import Testing

/// The commands that a bank works with, run as its people would.
@Suite("A bank's commands")
struct AdministrationTests {
  private let folder: TemporaryFolder

  init() throws { folder = try Self.folder() }

  /// A folder with embeddings of two people.
  static func folder() throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    var random = SeededGenerator(seed: 7)
    let ada = (0..<512).map { _ in Float.random(in: -1...1, using: &random) }
    let near = ada.map { $0 + Float.random(in: -0.1...0.1, using: &random) }
    let bob = (0..<512).map { _ in Float.random(in: -1...1, using: &random) }
    for (name, rows) in [
      ("approved.fbin", [ada, near]), ("probe.fbin", [near]), ("bob.fbin", [bob]),
    ] {
      _ = try folder.write(name, fbin(rows))
    }
    return folder
  }

  static func fbin(_ rows: [[Float]]) -> [UInt8] {
    var bytes: [UInt8] = []
    func append(_ number: UInt32) {
      withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
    }
    append(UInt32(rows.count))
    append(UInt32(rows[0].count))
    for value in rows.joined() { append(value.bitPattern) }
    return bytes
  }

  private func run(_ lines: String) throws -> CommandRun { try folder.run(lines) }

  /// The README's block, word for word.
  private static func readme() throws -> String {
    let text = try String(
      contentsOf: CommandRun.package.appending(path: "README.md"), encoding: .utf8)
    let section = try #require(text.range(of: "## A bank's first steps"))
    let start = try #require(text[section.upperBound...].range(of: "```sh\n"))
    let end = try #require(text[start.upperBound...].range(of: "```"))
    return String(text[start.upperBound..<end.lowerBound])
  }

  @Test("the README's first steps work as they are printed there, to their end")
  func firstSteps() throws {
    let done = try run(Self.readme())
    #expect(done.status == 0, "\(done.errors)")
    for text in [
      "made the store bank.db", "s-42: enrolled", "verified: user u-17, session s-42",
      "confirmed: 1",
      "intact: 1 records", "erased", "nothing of the erased was found", "nothing wrong was found",
    ] {
      #expect(done.output.contains(text), "\(text)")
    }
  }

  /// A store with an organisation and its workflow, and the master key in the environment.
  static let setUp = """
    reverify init --store bank.db --master-key key.hex > /dev/null
    export REVERIFY_MASTER_KEY=$(cat key.hex)
    reverify org --store bank.db --organisation bank > /dev/null
    reverify workflow --store bank.db --organisation bank --workflow w --space edgeface-xs \
      --face-binding whereGiven > /dev/null
    """

  @Test("a master key is made unreadable to others, and another key opens nothing")
  func masterKey() throws {
    let made = try run(Self.setUp + "\nstat -c %a key.hex; wc -c < key.hex")
    #expect(made.lines == ["600", "65"])
    let other = try run(
      "REVERIFY_MASTER_KEY=\(String(repeating: "ab", count: 32)) reverify doctor --store bank.db")
    #expect(other.status == 65 && other.errors.contains("wrongKey"))
    let none = try run("reverify init --store bank.db --master-key key.hex")
    #expect(none.status == 65 && none.errors.contains("there is a file already"))
  }

  @Test(
    "somebody else, a lost key and a wrong workflow are told apart, and the exit status says which")
  func refusals() throws {
    let done = try run(
      Self.setUp + """

        reverify user --store bank.db --organisation bank --user u --email ada@example.org > /dev/null
        export REVERIFY_API_KEY=$(reverify key --store bank.db --organisation bank --key k)
        reverify enrol --store bank.db --organisation bank --workflow w --user u --session s --space edgeface-xs \
          --embeddings approved.fbin
        set +e
        reverify begin --store bank.db --workflow none --email ada@example.org --liveness passive; echo $?
        REVERIFY_API_KEY=guess reverify begin --store bank.db --workflow w --email ada@example.org --liveness passive; echo $?
        reverify begin --store bank.db --workflow w --email nobody --liveness passive; echo $?
        reverify begin --store bank.db --workflow w --email ada@example.org --liveness passive > begun.json
        id=$(sed -n 's/.*"reVerification" : "\\(.*\\)".*/\\1/p' begun.json)
        submit() { reverify submit --store bank.db --re-verification $id --liveness passive --passive 0.9,0.9,0.9 "$@"; echo $?; }
        submit --key 1 --embeddings bob.fbin
        submit --key 1 --embeddings bob.fbin
        submit --key 1 --embeddings probe.fbin
        reverify key --store bank.db --organisation bank --revoke
        reverify begin --store bank.db --workflow w --email ada@example.org --liveness passive; echo $?
        """)
    #expect(
      done.lines == [
        "s: enrolled", "failed: notEligible, notFound", "1", "failed: notEligible, notAuthorized",
        "1", "65",
        "retry: faceNotMatched, attempts remaining: 2", "1",
        "retry: faceNotMatched, attempts remaining: 2", "1",
        "65", "revoked k", "failed: notEligible, notAuthorized", "1",
      ])
    #expect(
      done.errors.contains("validation.invalidEmail")
        && done.errors.contains("validation.keyReused"))
    #expect(!done.errors.contains("ada@"))
  }

  @Test("a workflow's thresholds come from error rates, and more than the evidence supports is refused")
  func targets() throws {
    let done = try run(
      Self.setUp + """

        show() { sed -n 's/.*Threshold" : //p' | tr -d ',' | tr '\\n' ' '; echo; }
        workflow() { reverify workflow --store bank.db --organisation bank --workflow w "$@"; }
        workflow | show
        workflow --space edgeface-xs --target-fmr 1e-4 --target-fpir 1e-2 --enrolled 1000 | show
        workflow --recognise-threshold 0.9 --attempts 5 | show
        set +e
        workflow --space edgeface-xs --target-fmr 1e-9; echo $?
        workflow --space edgeface-xs --target-fpir 1e-3 --enrolled 1000000; echo $?
        workflow --target-fmr 1e-4; echo $?
        workflow | show
        reverify org --store bank.db --organisation bank --lock-out 20/86400/7200
        reverify org --store bank.db --organisation bank --balance 5
        reverify org --store bank.db --organisation bank --lock-out none
        reverify org --store bank.db --organisation bank --lock-out 20/1; echo $?
        """)
    let rows = done.lines.map { $0.split(separator: " ").compactMap { Float($0) } }
    // The usual rates are FMR 1e-5, and FPIR 1e-3 over a thousand, which FMR 1e-6 keeps.
    let points = try JSONDecoder().decode(
      OperatingPoints.self,
      from: Data(
        contentsOf: CommandRun.package.appending(path: "models/embedding-spaces/edgeface-xs.json")))
    let verify = try #require(points.point(forTarget: "1e-5")).threshold.value
    let recognise = try #require(points.point(forTarget: "1e-6")).threshold.value
    try #require(rows.count == 11, "\(done.lines) \(done.errors)")
    #expect(Set(rows[0]) == [verify, recognise])
    let looser = try points.verifyThreshold(atFalseMatchRate: 1e-4).value
    let over = try points.recogniseThreshold(atFalsePositiveRate: 1e-2, enrolled: 1000).value
    #expect(Set(rows[1]) == [looser, max(looser, over)] && looser < verify)
    #expect(Set(rows[2]) == [looser, 0.9])
    #expect(done.lines[3...5].elementsEqual(["64", "64", "64"]) && rows[6] == rows[2])
    #expect(
      done.lines[7...].elementsEqual([
        "bank  balance none  lock-out 20/86400/7200", "bank  balance 5  lock-out 20/86400/7200",
        "bank  balance 5", "64",
      ]), "\(done.lines)")
    for text in [
      "FMR 1e-09 is not supported", "FPIR 0.001 over 1000000 enrolled is not supported",
      "--target-fmr needs --space",
    ] {
      #expect(done.errors.contains(text), "\(done.errors)")
    }
  }

  @Test("begin prints what to show, the same when asked again, and who says nothing of liveness is refused")
  func challenge() throws {
    let done = try run(
      Self.setUp + """

        reverify user --store bank.db --organisation bank --user u --email ada@example.org > /dev/null
        export REVERIFY_API_KEY=$(reverify key --store bank.db --organisation bank --key k)
        reverify enrol --store bank.db --organisation bank --workflow w --user u --session s --space edgeface-xs \
          --embeddings approved.fbin > /dev/null
        model=$REVERIFY_MODELS/liveness/simulated-ideal-68.json
        begin() { reverify begin --store bank.db --workflow w --email ada@example.org "$@"; }
        set +e
        begin; echo $?
        begin --liveness passive | grep -c schedule
        begin --liveness $model > begun.json
        id=$(sed -n 's/.*"reVerification" : "\\(.*\\)".*/\\1/p' begun.json)
        challenge() { reverify challenge --store bank.db --re-verification $id --liveness $model; }
        challenge > first.json; grep -c nonce first.json
        sed -n '/"schedule"/,/^  }/p' begun.json | grep -A99 '"stages" :' | tr -d ' ,\\n}' > a
        grep -A99 '"stages" :' first.json | tr -d ' ,\\n}' > b
        grep -c oval b; cmp a b && echo same
        reverify submit --store bank.db --re-verification $id --key 1 --embeddings probe.fbin --liveness $model \
          --passive 0.9,0.9,0.9; echo $?
        """)
    #expect(
      done.lines.elementsEqual(["64", "0", "1", "1", "same", "65"]), "\(done.lines) \(done.errors)")
    #expect(done.errors.contains("liveness by what?") && done.errors.contains("taken at their word"))
    #expect(done.errors.contains("capture.unsupportedCapture"))
  }

  @Test(
    "commands leave the gallery's snapshot behind, doctor says what became of it, and erase takes it away")
  func snapshots() throws {
    let done = try run(
      Self.setUp + """

        reverify user --store bank.db --organisation bank --user u --email ada@example.org > /dev/null
        reverify doctor --store bank.db --space edgeface-xs | grep gallery:
        enrol() {
          reverify enrol --store bank.db --organisation bank --workflow w --user u --session $1 --space edgeface-xs \
            --embeddings approved.fbin
        }
        enrol s1
        reverify doctor --store bank.db | grep gallery:
        reverify checkpoint --store bank.db
        stat -c %a bank.db-snapshots bank.db-snapshots/*
        cp bank.db-snapshots/*.gallery old
        enrol s2
        cp old bank.db-snapshots/*.gallery
        reverify checkpoint --store bank.db
        printf x | dd of=$(ls bank.db-snapshots/*.gallery) bs=1 seek=8200 conv=notrunc status=none
        set +e
        reverify doctor --store bank.db | grep -e gallery: -e WRONG -e nothing
        reverify checkpoint --store bank.db
        reverify erase --store bank.db --organisation bank --session s1
        ls bank.db-snapshots | wc -l
        """)
    let damage = "damaged (damaged, or under another key: directory 0 at byte 8192)"
    #expect(
      done.lines.map { String($0.prefix(100)) }
        == [
          "bank: gallery: from the store, 0 sessions: missing", "s1: enrolled",
          "bank: gallery: from its snapshot, 1 references",
          "bank: current, read from its snapshot, 1 references", "700", "600", "s2: enrolled",
          "bank: written, read from the store, 2 sessions: otherGeneration",
          "bank: gallery: from the store, 2 sessions: \(damage)",
          "WRONG      snapshot of bank: from the store, 2 sessions: \(damage)",
          "bank: written, read from the store, 2 sessions: missing", "erased", "0",
        ].map { String($0.prefix(100)) })
  }

  @Test("an import goes on where it stopped, and names what it could not use")
  func bulk() throws {
    var random = SeededGenerator(seed: 1)
    var rows = (0..<30).map { _ in (0..<512).map { _ in Float.random(in: -1...1, using: &random) } }
    rows[7] = [Float](repeating: 0, count: 512)
    let data = "\(folder.path)/data"
    try FileManager.default.createDirectory(atPath: data, withIntermediateDirectories: true)
    _ = try folder.write("data/embeddings.fbin", Self.fbin(rows))
    let index = "subject,image\n" + (0..<30).map { "person-\($0 / 2),image-\($0)\n" }.joined()
    _ = try folder.write("data/index.csv", Array(index.utf8))
    let command = """
      reverify import --store bank.db --organisation bank --workflow w --space edgeface-xs --data data \
        --email-domain example.org --approved-at 1767225600000 --batch 8
      """
    let done = try run(
      Self.setUp
        + "\nset +e\n\(command); echo $?\n\(command); echo $?\nreverify doctor --store bank.db")
    #expect(
      Array(done.lines.prefix(6)) == [
        "enrolled 29", "failed 1", "1", "alreadyEnrolled 29", "failed 1", "1",
      ])
    #expect(
      done.errors.contains("session person-3/image-7") && done.output.contains("sessions: 29 ready")
    )
  }

  @Test("the flow's demonstration shows every state of the contract and one result a scene")
  func flow() throws {
    let run = try CommandRun(["flow-demo"])
    #expect(run.status == 0)
    for state in [
      "starting", "faceCheck(banner: nil)", "sending", "deciding", "error(", "cannotContinue",
    ] {
      #expect(run.output.contains("state: \(state)"), "\(state)")
    }
    #expect(run.output.contains("2 attempts left"))
    #expect(
      run.lines.filter { $0.hasPrefix("onResult") }.map(String.init).map {
        $0.split(separator: ",")[0]
      } == [
        "onResult: success", "onResult: success", "onResult: success", "onResult: failure",
      ])
  }
}

extension TemporaryFolder {
  /// Runs lines of shell in the folder, in which `reverify` is the command.
  func run(_ lines: String) throws -> CommandRun {
    try CommandRun(
      shell: """
        cd '\(path)'; export REVERIFY_MODELS='\(CommandRun.package.path)/models'
        binary=$0; reverify() { "$binary" "$@"; }
        set -e
        \(lines)
        """)
  }
}
