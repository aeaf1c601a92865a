import Biometrics
import FaceMatching
import Foundation
import TestSupport
import Testing

@testable import EnrolmentStore

@Suite("What the files of a store give away")
struct SQLiteLeakTests {
  private static let dimension = 512
  private static let count = 40

  private static func embeddings() throws -> [[Float]] {
    try syntheticEmbeddings(count, dimension: dimension, seed: 5).map { embedding in
      // Unnormalised, so that the stored and the normalised form differ.
      embedding.values.map { $0 * 3.5 }
    }
  }

  private static func session(_ number: Int, _ values: [Float]) -> EnrolledSession {
    let space = EmbeddingSpace.test(dimension: dimension)
    return EnrolledSession(
      ApprovedSession(
        id: "s\(number)", organisation: Sample.bank, workflow: "onboarding", user: "u\(number)",
        approvedAt: Sample.noon, space: space, preparation: .preparing),
      embeddings: [UncheckedEmbedding(values, space: space)])
  }

  private static func email(_ number: Int) -> String { "person.number\(number)@example.org" }

  /// The files with what is in them, the log and the file of shared memory among them.
  private static func contents(of place: StorePlace) throws -> [String: Data] {
    let names = try FileManager.default.contentsOfDirectory(atPath: place.folder.path)
    return try Dictionary(
      uniqueKeysWithValues: names.map {
        ($0, try Data(contentsOf: URL(filePath: "\(place.folder.path)/\($0)")))
      })
  }

  @Test(
    "no file holds an embedding in any form, or an e-mail address, while open, after closing, after erasing")
  func plain() async throws {
    let embeddings = try Self.embeddings()
    let traces = embeddings.enumerated().flatMap { number, values in
      [ErasureTrace(embedding: values), ErasureTrace(email: Self.email(number))]
    }
    // The search does find what is there.
    let plain = Data(embeddings[0].flatMap { withUnsafeBytes(of: $0.bitPattern.littleEndian) { Array($0) } })
    let search = TraceSearch(traces)
    #expect(search.firstOffsets(in: Data(count: 100) + plain) == [0: 100])
    #expect(search.firstOffsets(in: Data("<\(Self.email(0))>".utf8)) == [1: 1])

    let place = try StorePlace()
    let store = try await place.open()
    try await Sample.people(of: store)
    for (number, values) in embeddings.enumerated() {
      try await store.commit([
        .user(Sample.user("u\(number)", Self.email(number))), .enrol(Self.session(number, values)),
        .reVerification(Sample.reVerification("r\(number)", state: [1], revision: 0)),
      ])
    }
    try await store.commit([
      .evidence(
        AttemptEvidence(
          reVerification: "r0", organisation: Sample.bank, workflow: "onboarding", user: "anna", attempt: 1,
          judgedAt: Sample.noon,
          probe: embeddings.map { UncheckedEmbedding($0, space: .test(dimension: Self.dimension)) },
          capture: embeddings[1].flatMap { withUnsafeBytes(of: $0.bitPattern.littleEndian) { Array($0) } }))
    ])
    func look(_ moment: String) throws {
      for (name, content) in try Self.contents(of: place) {
        #expect(search.firstOffsets(in: content) == [:], "\(name) \(moment)")
      }
    }
    try look("while open")
    for number in 0..<10 { try await store.commit([Sample.erasure(.user("u\(number)"))]) }
    try look("after erasing")
    await store.close()
    try look("after closing")
  }

  @Test("after an erasure no file holds the encrypted row, nor anything in space that belongs to no row")
  func ciphertext() async throws {
    let embeddings = try Self.embeddings()
    let place = try StorePlace()
    let store = try await place.open()
    try await Sample.people(of: store)
    for (number, values) in embeddings.enumerated() {
      try await store.commit([
        .user(Sample.user("u\(number)", Self.email(number))), .enrol(Self.session(number, values)),
      ])
      if number % 3 == 0 { try await store.commit([.ready("s\(number)", in: Sample.bank)]) }
    }
    let erased = Array(stride(from: 0, to: Self.count, by: 2))
    let rows = try await store.sealedRows()
    #expect(rows.count == 2 * Self.count + Self.count + 2)
    for number in erased {
      let subject: Erasure.Subject = number % 4 == 0 ? .user("u\(number)") : .session("s\(number)")
      try await store.commit([Sample.erasure(subject)])
    }
    let left = Set(try await store.sealedRows())
    let gone = rows.filter { !left.contains($0) }
    #expect(gone.count == 2 * erased.count + erased.count / 2)
    let scan = try await store.verifyErased()
    #expect(scan.findings == [] && scan.erasures == erased.count && scan.files.count >= 2)
    for moment in ["while open", "after closing"] {
      for (name, content) in try Self.contents(of: place) {
        for row in gone {
          // Any 32 bytes of it, at each third of its length.
          for start in stride(from: 0, through: row.count - 32, by: max(32, row.count / 3)) {
            #expect(content.range(of: Data(row[start..<(start + 32)])) == nil, "\(name) \(moment)")
          }
        }
      }
      await store.close()
    }
  }

  @Test(
    "the scan finds a row that is left, remains in free space, a trace, and a log that is not written back")
  func scanFinds() async throws {
    let place = try StorePlace()
    let store = try await place.open()
    try await Sample.fill(store)
    try await store.commit([Sample.erasure(.user("bert"))])
    await store.close()
    // A user of that name put back past the store, and an e-mail in a log file.
    try place.execute([
      "INSERT INTO users (organisation, id, email_hash, sealed) VALUES ('bank', 'bert', x'00', zeroblob(80))"
    ])
    let log = try place.folder.write("engine.log", Array("sent to Bert@Example.com\n".utf8))
    let again = try await place.open()
    try await again.commit([.balance(Credits(1), of: Sample.bank)])
    let scan = try await again.verifyErased(
      traces: [ErasureTrace(email: "Bert@Example.com")], others: [log, "/no/such"])
    #expect(Set(scan.findings.map(\.code)) == [.row, .log, .trace, .unreadable])
    #expect(scan.findings.allSatisfy { !"\($0)".contains("@") })
    await again.close()
  }

  @Test("the scan finds bytes in unused space of a page and in a free page")
  func remains() async throws {
    let place = try StorePlace()
    let store = try await place.open()
    try await Sample.fill(store)
    await store.close()
    #expect(try UnusedSpace(of: place.path).remains().isEmpty)
    var file = try Data(contentsOf: URL(filePath: place.path))
    // The gap of page 1 begins behind its cell pointers: 100 + header + 2 a cell.
    let cells = Int(file[103]) << 8 | Int(file[104])
    file[100 + 12 + 2 * cells + 8] = 7
    try file.write(to: URL(filePath: place.path))
    let remains = try UnusedSpace(of: place.path).remains()
    #expect(remains.count == 1 && remains.first?.page == 1 && remains.first?.bytes == 1)
  }
}

extension SQLiteStore {
  /// The sealed values of the tables that hold personal data.
  func sealedRows() throws(StoreError) -> [[UInt8]] {
    var rows: [[UInt8]] = []
    for table in ["users", "sessions", "session_embeddings"] {
      rows += try database.all("SELECT sealed FROM \(table)") { (row: Row) throws(StoreError) in
        try row.bytes(0)
      }
    }
    return rows
  }
}
