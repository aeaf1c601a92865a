import Biometrics
import FaceMatching
import Foundation
import TestSupport
import Testing

/// Damage of every kind: it is found and named, or it changes no answer.
@Suite(.serialized) struct SnapshotFileFuzzTests {
  private struct Sample {
    let folder = Result { try TemporaryFolder() }
    let bytes: [UInt8]
    let answers: [[Hit]]
    let probes: [Embedding]
    let key: SnapshotKey?

    init(isSealed: Bool) throws {
      let references = try SearchTests.references(700, dimension: 24)
      let gallery = try Gallery(space: .test(dimension: 24), configuration: .smallSegments(threadCount: 1))
      for reference in references { try gallery.enrol(reference) }
      key = isSealed ? SnapshotFixture.key : nil
      let path = try folder.get().file("gallery")
      try gallery.writeSnapshot(
        of: "organisation", to: path, generation: SnapshotFixture.generation, key: key)
      bytes = try SnapshotFixture.bytes(path)
      probes = Array(try SearchTests.probes(dimension: 24).prefix(3))
      answers = try SnapshotFixture.answers(gallery, probes)
    }

    /// Whether damaged bytes are refused; when they are read, the answers must be what they were.
    func isRefused(_ damaged: some DataProtocol, _ what: @autoclosure () -> String) throws -> Bool {
      let path = try folder.get().file("damaged")
      try Data(damaged).write(to: URL(filePath: path))
      let gallery = try SnapshotFixture.empty(dimension: 24, threadCount: 1)
      if gallery.failure(reading: path, key: key) != nil {
        #expect(gallery.snapshot(of: "organisation").count == 0, "\(what())")
        return true
      }
      #expect(try SnapshotFixture.answers(gallery, probes) == answers, "\(what())")
      return false
    }
  }

  @Test(arguments: [false, true])
  func `a truncated snapshot is refused, wherever it is cut`(isSealed: Bool) throws {
    let sample = try Sample(isSealed: isSealed)
    var cuts = Array(stride(from: 0, to: sample.bytes.count, by: 4096))
    let seed = UInt64.random(in: .min ... .max)
    var random = SeededGenerator(seed: seed)
    for _ in 0..<(LongRuns.areEnabled ? 10_000 : 200) {
      cuts.append(.random(in: 0..<sample.bytes.count, using: &random))
    }
    for cut in cuts {
      #expect(try sample.isRefused(sample.bytes.prefix(cut), "cut at \(cut), seed \(seed)"), "cut at \(cut)")
    }
    #expect(try !sample.isRefused(sample.bytes, "whole"))
  }

  @Test(arguments: [false, true])
  func `a flipped bit is found, or no answer depends on it`(isSealed: Bool) throws {
    let sample = try Sample(isSealed: isSealed)
    let seed = UInt64.random(in: .min ... .max)
    var random = SeededGenerator(seed: seed)
    var places = (0..<(LongRuns.areEnabled ? 4096 : 160)).map { $0 * (LongRuns.areEnabled ? 1 : 25) }
    for _ in 0..<(LongRuns.areEnabled ? 10_000 : 300) {
      places.append(.random(in: 4096..<sample.bytes.count, using: &random))
    }
    var (refused, harmless) = (0, 0)
    for place in places {
      var damaged = sample.bytes
      damaged[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      if try sample.isRefused(damaged, "byte \(place), seed \(seed)") { refused += 1 } else { harmless += 1 }
    }
    if LongRuns.areEnabled {
      print("flipped bits, sealed \(isSealed): \(refused) refused, \(harmless) in gaps")
    }
    // Only the gaps between sections are covered by no mark: under a page for each of the sections.
    #expect(Double(harmless) < 0.5 * Double(places.count))
  }

  @Test(arguments: [false, true])
  func `a snapshot of random bytes after a right beginning is refused`(isSealed: Bool) throws {
    let sample = try Sample(isSealed: isSealed)
    let seed = UInt64.random(in: .min ... .max)
    var random = SeededGenerator(seed: seed)
    for _ in 0..<(LongRuns.areEnabled ? 2000 : 50) {
      let kept = Int.random(in: 0..<6000, using: &random)
      let noise = (kept..<sample.bytes.count).map { _ in UInt8.random(in: .min ... .max, using: &random) }
      #expect(try sample.isRefused(sample.bytes.prefix(kept) + noise, "kept \(kept), seed \(seed)"))
    }
  }
}
