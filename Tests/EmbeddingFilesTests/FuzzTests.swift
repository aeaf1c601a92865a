import Biometrics
import Foundation
import Testing

@testable import EmbeddingFiles

/// Where the mutations begin; REVERIFY_FUZZ_SEED chooses others.
let fuzzSeed =
  ProcessInfo.processInfo.environment["REVERIFY_FUZZ_SEED"].flatMap { UInt64($0) } ?? 2_024_061_100

/// How many mutations each decoder sees; REVERIFY_FUZZ_COUNT asks for more than the second's worth of an
/// ordinary run.
let fuzzCount = ProcessInfo.processInfo.environment["REVERIFY_FUZZ_COUNT"].flatMap { UInt64($0) } ?? 8_000

@Suite("Mutated files")
struct FuzzTests {
  @Test(
    "a mutated file of embeddings is refused or read within its size",
    arguments: EmbeddingFile.Format.allCases)
  func mutatedEmbeddings(format: EmbeddingFile.Format) throws {
    let vectors = try Vectors.names(".\(format)").map { try Vectors.bytes($0) }
    for seed in fuzzSeed..<fuzzSeed + fuzzCount {
      let bytes = mutation(of: vectors, isText: format == .csv, seed: seed)
      let source = ByteSource(bytes, origin: Origin(file: "x.\(format)"))
      do {
        let matrix = try EmbeddingFile.decode(source, as: format)
        #expect(matrix.rowCount > 0 && matrix.dimension > 0, "seed \(seed)")
        #expect(matrix.values.count == matrix.rowCount * matrix.dimension, "seed \(seed)")
        // Two bytes a component are the least in every format; archives are bounded by their ratio.
        let limit =
          format == .npz ? max(ZIPArchive.smallSize, bytes.count * ZIPArchive.greatestRatio) : bytes.count + 1
        #expect(matrix.values.count * 2 <= limit, "seed \(seed)")
      } catch {
        check(error, bytes.count, seed)
      }
    }
  }

  @Test("a mutated index or pairs file is refused or read whole")
  func mutatedTables() throws {
    let texts = [
      "row,subject,image,detected\n0,ann,1,1\n1,\"b, ob\",2,0\n2,ann,\"3\"\"\",1\n",
      "fold,row_a,row_b,same\r\n0,0,1,1\r\n1,2,2,0\r\n2,1,0,0\r\n",
    ].map { Array($0.utf8) }
    for seed in fuzzSeed..<fuzzSeed + fuzzCount {
      let bytes = mutation(of: texts, isText: true, seed: seed)
      do {
        let table = try CSVTable(ByteSource(bytes, origin: Origin(file: "x.csv")))
        #expect((0..<table.rowCount).allSatisfy { table[$0].count == table.columns.count }, "seed \(seed)")
        if let index = try? IndexFile(table, rowCount: 3) {
          #expect(
            index.entries.count == 3 && index.entries.allSatisfy { !$0.subject.isEmpty }, "seed \(seed)")
        }
        if let pairs = try? PairsFile(table, rowCount: 3) {
          #expect(
            pairs.pairs.allSatisfy { (0..<3).contains($0.rowA) && (0..<3).contains($0.rowB) }, "seed \(seed)")
        }
      } catch {
        check(error, bytes.count, seed)
      }
    }
  }

  private func check(_ error: EmbeddingFileError, _ size: Int, _ seed: UInt64) {
    #expect(error.file.hasPrefix("x.") && !error.expected.isEmpty && !error.found.isEmpty, "seed \(seed)")
    #expect(
      error.description.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7f }, "seed \(seed)")
    switch error.position {
    case .byte(let offset):
      #expect(offset >= 0 && (error.member != nil || offset <= Int.max / 2), "seed \(seed)")
    case .line(let line): #expect(line >= 1 && line <= size + 1, "seed \(seed)")
    case nil: break
    }
  }

  /// One of `originals` after one to four changes: bits, bytes, pieces cut out, doubled, moved in or cut off.
  private func mutation(of originals: [[UInt8]], isText: Bool, seed: UInt64) -> [UInt8] {
    var random = SeededGenerator(seed: seed)
    var bytes = originals.randomElement(using: &random)!
    for _ in 0..<Int.random(in: 1...4, using: &random) where !bytes.isEmpty {
      let place = Int.random(in: 0..<bytes.count, using: &random)
      let end = min(bytes.count, place + Int.random(in: 1...16, using: &random))
      switch Int.random(in: 0..<7, using: &random) {
      case 0: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      case 1: bytes[place] = replacement(isText, &random)
      case 2: for index in place..<end { bytes[index] = replacement(isText, &random) }
      case 3: bytes.removeSubrange(place..<end)
      case 4: bytes.insert(contentsOf: bytes[place..<end], at: place)
      case 5: bytes.insert(contentsOf: originals.randomElement(using: &random)!.prefix(64), at: place)
      default: bytes.removeSubrange(place...)
      }
    }
    return bytes
  }

  private func replacement(_ isText: Bool, _ random: inout SeededGenerator) -> UInt8 {
    let telling: [UInt8] = isText ? Array(",\"\n\r0123456789-+.eE nai".utf8) : [0, 1, 0x7f, 0x80, 0xfe, 0xff]
    return Bool.random(using: &random)
      ? telling.randomElement(using: &random)! : .random(in: .min ... .max, using: &random)
  }
}
