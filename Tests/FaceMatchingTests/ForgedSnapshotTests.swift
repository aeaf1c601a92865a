import Biometrics
import Foundation
import TestSupport
import Testing

@testable import FaceMatching

/// Plain snapshot files of which every mark is right, but not what they hold.
@Suite struct ForgedSnapshotTests {
  /// `file` with the content of its first section of `kind` changed, and marked anew.
  private func forge(
    _ file: [UInt8], _ kind: SnapshotSection.Kind, _ change: (inout [UInt8]) -> Void
  ) throws -> [UInt8] {
    var file = file
    let header = try SnapshotHeader(page: Array(file.prefix(SnapshotHeader.pageBytes)))
    let start = SnapshotHeader.pageBytes
    let range = start..<(start + Int(header.sectionCount) * SnapshotSection.entryBytes)
    var reader = ByteReader(file[range])
    let seal = SnapshotSeal(key: nil, nonce: header.nonce)
    var table: [UInt8] = []
    for number in 0..<Int(header.sectionCount) {
      var section = try SnapshotSection(number: number, &reader, within: start..<file.count)
      let place = section.offset..<(section.offset + section.byteCount)
      if section.kind == kind, section.index == 0 {
        var content = Array(file[place])
        change(&content)
        file.replaceSubrange(place, with: content)
        section.mark = seal.seal(&content, count: content.count, as: section)
      }
      table += section.identity + section.mark
    }
    let forged = SnapshotHeader(
      isSealed: false, fileBytes: header.fileBytes, sectionCount: header.sectionCount,
      generation: header.generation, nonce: header.nonce, digest: seal.digest(of: header.content + table))
    file.replaceSubrange(0..<start, with: forged.page)
    file.replaceSubrange(range, with: table)
    return file
  }

  @Test(arguments: [1.1, 1e3, 1e30, .infinity, .nan] as [Float])
  func `a centre that rows of norm 1 can't have is refused`(value: Float) throws {
    let folder = try TemporaryFolder()
    let references = try SearchTests.references(1200, dimension: 16)
    let gallery = try SnapshotFixture.gallery(references)
    let path = folder.file("gallery")
    try gallery.writeSnapshot(of: "organisation", to: path, generation: SnapshotFixture.generation)
    let bytes = try SnapshotFixture.bytes(path)
    // The way of forging is right: unchanged, the file is read.
    try Data(forge(bytes, .frame) { _ in }).write(to: URL(filePath: path))
    #expect(try SnapshotFixture.empty(dimension: 16).failure(reading: path) == nil)
    let forged = try forge(bytes, .frame) { content in
      withUnsafeBytes(of: value.bitPattern.littleEndian) { content.replaceSubrange(0..<4, with: $0) }
    }
    try Data(forged).write(to: URL(filePath: path))
    let failure = try SnapshotFixture.empty(dimension: 16).failure(reading: path)
    guard case .malformed("frame 0", _, "a centre no longer than 1") = failure else {
      Issue.record("\(String(describing: failure))")
      return
    }
  }
}
