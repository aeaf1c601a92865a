import Biometrics
import FaceMatching
import Foundation
import TestSupport
import Testing

/// A folder of its own that is gone at the end.
final class TemporaryFolder {
  let path = NSTemporaryDirectory() + "reverify-\(UUID().uuidString)"

  init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func file(_ name: String) -> String { "\(path)/\(name)" }
}

enum SnapshotFixture {
  static let organisation: OrganisationID = "organisation"
  static let generation = [UInt8](repeating: 7, count: Gallery.generationBytes)
  static let key = SnapshotKey((0..<32).map { UInt8($0) })

  /// Several segments, one of them rewritten, with rows beyond the last whole block.
  static func gallery(_ references: [Reference], removing removed: Range<Int> = 0..<0) throws -> Gallery {
    let gallery = try SearchTests.gallery(references, .smallSegments(threadCount: 2))
    for row in removed { gallery.remove(session: SessionID("session-\(row)"), from: organisation) }
    return gallery
  }

  static func empty(dimension: Int, threadCount: Int = 2) throws -> Gallery {
    try Gallery(space: .test(dimension: dimension), configuration: .smallSegments(threadCount: threadCount))
  }

  static func answers(_ gallery: Gallery, _ probes: [Embedding]) throws -> [[Hit]] {
    try gallery.snapshot(of: organisation).candidates(for: probes, limit: 20).map { $0.map(Hit.init) }
  }

  static func bytes(_ path: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(filePath: path))) }
}

extension Gallery {
  /// The code that reading this file fails with; nil when it is read.
  func failure(
    reading path: String, generation: [UInt8]? = nil, key: SnapshotKey? = nil
  ) -> SnapshotFileError.Code? {
    do throws(SnapshotFileError) {
      try readSnapshot(from: path, generation: generation, key: key)
      return nil
    } catch {
      return error.code
    }
  }
}

@Suite struct SnapshotFileTests {
  @Test(arguments: [3, 128], [false, true])
  func `a gallery read from a snapshot answers as the one that wrote it, and goes on`(
    dimension: Int, isSealed: Bool
  )
    throws
  {
    let folder = try TemporaryFolder()
    let references = try SearchTests.references(2600, dimension: dimension)
    let key = isSealed ? SnapshotFixture.key : nil
    let written = try SnapshotFixture.gallery(references, removing: 100..<700)
    let path = folder.file("gallery")
    try written.writeSnapshot(of: "organisation", to: path, generation: SnapshotFixture.generation, key: key)
    let read = try SnapshotFixture.empty(dimension: dimension)
    let information = try read.readSnapshot(from: path, generation: SnapshotFixture.generation, key: key)
    #expect(information.count == 2000 && information.organisation == "organisation")
    #expect(try Gallery.information(ofSnapshot: path, key: key) == information)
    let probes = try SearchTests.probes(dimension: dimension)
    #expect(try SnapshotFixture.answers(read, probes) == SnapshotFixture.answers(written, probes))
    let user = references[900].user
    let byUser = try [read, written].map {
      try $0.snapshot(of: "organisation").candidates(for: probes[0], filter: .user(user))
    }
    #expect(byUser[0] == byUser[1] && byUser[0].count == 2)
    // Numbers go on, sessions are known, and what was removed can be enrolled anew.
    for gallery in [read, written] {
      #expect(try gallery.enrol(references[0]) == 0)
      #expect(try gallery.enrol(references[200]) == 2600)
      #expect(gallery.remove(session: "session-1000", from: "organisation"))
      for row in 300..<350 { try gallery.enrol(references[row]) }
    }
    #expect(try SnapshotFixture.answers(read, probes) == SnapshotFixture.answers(written, probes))
    try read.writeSnapshot(of: "organisation", to: path, generation: SnapshotFixture.generation, key: key)
    let again = try SnapshotFixture.empty(dimension: dimension, threadCount: 1)
    try again.readSnapshot(from: path, key: key)
    #expect(try SnapshotFixture.answers(again, probes) == SnapshotFixture.answers(written, probes))
  }

  @Test(arguments: [false, true])
  func `what rows have along their common direction is in the snapshot`(isSealed: Bool) throws {
    let folder = try TemporaryFolder()
    let references = try SearchTests.nearlyEqual(2600, spread: 0.1)
    let key = isSealed ? SnapshotFixture.key : nil
    let written = try SnapshotFixture.gallery(references)
    try written.writeSnapshot(
      of: "organisation", to: folder.file("gallery"), generation: SnapshotFixture.generation, key: key)
    let read = try SnapshotFixture.empty(dimension: 64)
    try read.readSnapshot(from: folder.file("gallery"), key: key)
    let exhaustive = Exhaustive(references: references)
    let probes = references[100..<112].map(\.embedding)
    let expected = try probes.map { try exhaustive.search($0, limit: 20) }
    #expect(try SnapshotFixture.answers(read, probes) == expected)
    let single = try read.snapshot(of: "organisation").candidates(for: probes[3], limit: 20)
    #expect(single.map(Hit.init) == expected[3])
  }

  @Test func `a snapshot of an organisation without references is read as one`() throws {
    let folder = try TemporaryFolder()
    let gallery = try SnapshotFixture.empty(dimension: 8)
    try gallery.writeSnapshot(of: "nobody", to: folder.file("empty"), generation: SnapshotFixture.generation)
    #expect(try gallery.readSnapshot(from: folder.file("empty")).count == 0)
    #expect(gallery.snapshot(of: "nobody").count == 0)
    #expect(try gallery.enrol(.test(1, syntheticEmbeddings(1, dimension: 8)[0], organisation: "nobody")) == 0)
  }

  @Test func `nothing of a removed reference is in the file, and nothing of any in a sealed one`() throws {
    let folder = try TemporaryFolder()
    let references = try SearchTests.references(1500, dimension: 64)
    let gallery = try SnapshotFixture.gallery(references, removing: 40..<43)
    func contains(_ path: String, _ row: Int) throws -> (template: Bool, session: Bool) {
      let file = try Data(contentsOf: URL(filePath: path))
      let template = references[row].embedding.values.withUnsafeBytes { Data($0.prefix(64)) }
      let name = Data("session-\(row)".utf8)
      let session = Data([UInt8(name.count), 0, 0, 0]) + name
      return (file.range(of: template) != nil, file.range(of: session) != nil)
    }
    try gallery.writeSnapshot(
      of: "organisation", to: folder.file("plain"), generation: SnapshotFixture.generation)
    for row in 40..<43 { #expect(try contains(folder.file("plain"), row) == (false, false)) }
    #expect(try contains(folder.file("plain"), 39) == (true, true))
    try gallery.writeSnapshot(
      of: "organisation", to: folder.file("sealed"), generation: SnapshotFixture.generation,
      key: SnapshotFixture.key)
    for row in [0, 39, 1400] { #expect(try contains(folder.file("sealed"), row) == (false, false)) }
  }

  @Test func `a foreign snapshot is refused by what is wrong with it, and changes nothing`() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("gallery")
    let references = try SearchTests.references(100, dimension: 16)
    let gallery = try SnapshotFixture.gallery(references)
    let (generation, key) = (SnapshotFixture.generation, SnapshotFixture.key)
    try gallery.writeSnapshot(of: "organisation", to: path, generation: generation)
    #expect(gallery.failure(reading: path) == .organisationPresent("organisation"))
    let other = try SnapshotFixture.empty(dimension: 3)
    #expect(
      other.failure(reading: path) == .otherSpace(expected: .test(dimension: 3), found: .test(dimension: 16)))
    let empty = try SnapshotFixture.empty(dimension: 16)
    #expect(empty.failure(reading: path, generation: [UInt8](repeating: 8, count: 32)) == .otherGeneration)
    #expect(empty.failure(reading: path, key: key) == .sealing(isSealed: false))
    #expect(empty.failure(reading: folder.file("nothing")) == .system(SystemFailure(2)))
    #expect(empty.failure(reading: folder.path) == .notASnapshot)
    try Data("RVGALLERY".utf8).write(to: URL(filePath: folder.file("text")))
    #expect(empty.failure(reading: folder.file("text")) == .notASnapshot)
    var newer = try SnapshotFixture.bytes(path)
    newer[8] = 4
    try Data(newer).write(to: URL(filePath: folder.file("newer")))
    #expect(empty.failure(reading: folder.file("newer")) == .version(found: 4, expected: 3))
    try gallery.writeSnapshot(of: "organisation", to: path, generation: generation, key: key)
    #expect(empty.failure(reading: path) == .sealing(isSealed: true))
    let wrong = SnapshotKey([UInt8](repeating: 1, count: 32))
    #expect(empty.failure(reading: path, key: wrong) == .damaged(section: "header", offset: 0))
    #expect(empty.snapshot(of: "organisation").count == 0)
    #expect(empty.failure(reading: path, key: key) == nil)
  }

  @Test func `a snapshot that can't be written leaves the one before`() throws {
    let folder = try TemporaryFolder()
    let gallery = try SnapshotFixture.gallery(try SearchTests.references(50, dimension: 8))
    #expect(throws: SnapshotFileError.self) {
      try gallery.writeSnapshot(
        of: "organisation", to: folder.file("missing/gallery"), generation: SnapshotFixture.generation)
    }
    // A folder in its place: the file is written beside it and can't take it.
    try FileManager.default.createDirectory(
      atPath: folder.file("taken/inside"), withIntermediateDirectories: true)
    #expect(throws: SnapshotFileError.self) {
      try gallery.writeSnapshot(
        of: "organisation", to: folder.file("taken"), generation: SnapshotFixture.generation)
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["taken"])
  }

  @Test func `rows kept in a folder answer as rows in memory do`() throws {
    let folder = try TemporaryFolder()
    let references = try SearchTests.references(3000, dimension: 128)
    let gallery = try SearchTests.gallery(references, .smallSegments(threadCount: 2, rowFolder: folder.path))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    for row in 0..<900 { gallery.remove(session: SessionID("session-\(row)"), from: "organisation") }
    let probes = try SearchTests.probes(dimension: 128)
    let inMemory = try SnapshotFixture.gallery(references, removing: 0..<900)
    #expect(try SnapshotFixture.answers(gallery, probes) == SnapshotFixture.answers(inMemory, probes))
    let nowhere = try Gallery(
      space: .test(dimension: 128), configuration: .smallSegments(rowFolder: folder.file("missing")))
    do throws(GalleryError) {
      try nowhere.enrol(references[0])
      Issue.record("a row was kept nowhere")
    } catch { #expect(error.code == .rowFolder(folder.file("missing"), SystemFailure(2))) }
  }
}
