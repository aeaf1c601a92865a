import Testing

@testable import EmbeddingFiles

@Suite("Flat vector files")
struct FlatVectorTests {
  @Test("fvecs and fbin files read as numpy reads them", arguments: ["plain.fvecs", "plain.fbin"])
  func flatFilesRead(name: String) throws {
    let matrix = try EmbeddingFile.read(Vectors.path(name))
    #expect(matrix.equals(try #require(Vectors.expected[name])))
  }

  @Test("a dimension that changes is refused where it does")
  func changingDimension() {
    let error = refusal {
      try EmbeddingFile.read(Vectors.path("changing.fvecs"))
    }
    #expect(error?.code == .malformed)
    #expect(error?.position == .byte(24))
    #expect(error?.found == "4 in row 1")
  }

  @Test("a dimension of no sense is refused", arguments: [0, -1, Int32.min, Int32.max])
  func senselessDimension(dimension: Int32) {
    let bytes = words([UInt32(bitPattern: dimension), 1, 2, 3])
    let error = refusal { try EmbeddingFile.decode(bytes, name: "x.fvecs") }
    #expect(error?.code == (dimension == .max ? .truncated : .malformed))
    #expect(error?.position == .byte(0))
  }

  @Test(
    "a count and dimension that the file does not bear out are refused",
    arguments: [
      ([0xffff_ffff, 0xffff_ffff, 1], EmbeddingFileError.Code.truncated),
      ([0x8000_0000, 0x8000_0000, 1], .truncated),
      ([1, 0xffff_ffff, 1], .truncated),
      ([1, 2, 1], .truncated),
      ([1, 1, 1, 1], .malformed),
      ([0, 4], .empty),
      ([4, 0], .empty),
      ([1], .truncated),
      ([], .truncated),
    ] as [([UInt32], EmbeddingFileError.Code)])
  func claimedShape(content: [UInt32], code: EmbeddingFileError.Code) {
    let error = refusal {
      try EmbeddingFile.decode(words(content), name: "x.fbin")
    }
    #expect(error?.code == code)
  }

  @Test("the vector whose count times dimension overflows is refused")
  func overflow() {
    let error = refusal {
      try EmbeddingFile.read(Vectors.path("overflow.fbin"))
    }
    #expect(error?.code == .truncated)
  }

  @Test("an fbin file cut short at any byte is refused")
  func truncatedFbin() throws {
    let bytes = try Vectors.bytes("plain.fbin")
    for count in 0..<bytes.count {
      let error = refusal {
        try EmbeddingFile.decode(Array(bytes[..<count]), name: "x.fbin")
      }
      #expect(error?.code == .truncated, "cut at \(count)")
    }
  }

  @Test("an fvecs file cut short is refused, save between rows, where it is a shorter file")
  func truncatedFvecs() throws {
    let bytes = try Vectors.bytes("plain.fvecs")
    let whole = try EmbeddingFile.decode(bytes, name: "x.fvecs")
    for count in 0..<bytes.count {
      let cut = Array(bytes[..<count])
      if count > 0, count % 24 == 0 {
        let matrix = try EmbeddingFile.decode(cut, name: "x.fvecs")
        #expect(matrix.rowCount == count / 24)
        #expect(matrix.values[...] == whole.values.prefix(count / 24 * 5))
      } else {
        let error = refusal { try EmbeddingFile.decode(cut, name: "x.fvecs") }
        #expect(error?.code == .truncated, "cut at \(count)")
      }
    }
  }

  private func words(_ words: [UInt32]) -> [UInt8] {
    words.flatMap { word in withUnsafeBytes(of: word.littleEndian) { Array($0) } }
  }
}
