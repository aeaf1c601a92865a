import Testing

@testable import EmbeddingFiles

@Suite("Numpy arrays")
struct NumpyArrayTests {
  @Test(
    "every element type, byte order, layout and version reads as numpy reads it",
    arguments: Vectors.names(".npy"))
  func arrayReadsAsNumpyReadsIt(name: String) throws {
    let matrix = try EmbeddingFile.read(Vectors.path(name))
    #expect(matrix.equals(try #require(Vectors.expected[name])))
  }

  @Test("the vectors hold every element type, byte order, layout and version")
  func vectorsAreComplete() {
    for kind in ["f2", "f4", "f8"] {
      for order in ["little", "big"] {
        for layout in ["c", "f"] {
          for version in 1...3 {
            #expect(Vectors.expected["\(kind)-\(order)-\(layout)-v\(version).npy"] != nil)
          }
        }
      }
    }
  }

  @Test("every 16-bit float widens to the same number")
  func everyHalfWidens() {
    for pattern in UInt16.min...UInt16.max {
      let widened = float(ofHalf: pattern)
      let reference = Float(Float16(bitPattern: pattern))
      if reference.isNaN ? !widened.isNaN : widened.bitPattern != reference.bitPattern {
        Issue.record("0x\(String(pattern, radix: 16)) became \(widened)")
      }
    }
  }

  @Test("a large array in Fortran order is transposed, across the blocks that the transposition works in")
  func largeFortranArray() throws {
    let (rows, dimension) = (77, 19)
    let columnMajor = (0..<rows * dimension).map { Float($0 % rows * 100 + $0 / rows) }
    let bytes = array(
      "{'descr': '<f4', 'fortran_order': True, 'shape': (\(rows), \(dimension)), }", columnMajor)
    let matrix = try EmbeddingFile.decode(bytes, name: "x.npy")
    #expect(matrix.values == (0..<rows * dimension).map { Float($0 / dimension * 100 + $0 % dimension) })
  }

  @Test("a 64-bit float beyond the range of a 32-bit one is refused with its place", arguments: ["c", "f"])
  func tooLargeDouble(layout: String) {
    // Row 1, component 0 of 2 rows of 3: the fourth element in C order, the second in Fortran order.
    let error = refusal {
      try EmbeddingFile.read(Vectors.path("too-large-\(layout).npy"))
    }
    #expect(error?.code == .outOfRange)
    #expect(error?.position == .byte(128 + 8 * (layout == "c" ? 3 : 1)))
    #expect(error?.found == "a greater one in row 1, component 0")
  }

  @Test(
    "arrays that are no matrix of floats are refused",
    arguments: [
      ("object.npy", EmbeddingFileError.Code.unsupported, "elements '|O'"),
      ("structured.npy", .unsupported, "structured elements"),
      ("integer.npy", .unsupported, "elements '<i4'"),
      ("complex.npy", .unsupported, "elements '<c8'"),
      ("text.npy", .unsupported, "elements '<U3'"),
      ("three-dimensions.npy", .unsupported, "3 dimensions"),
      ("no-dimension.npy", .unsupported, "0 dimensions"),
      ("no-rows.npy", .empty, "0 rows of 5 components"),
      ("no-components.npy", .empty, "5 rows of 0 components"),
    ])
  func refusedArrays(name: String, code: EmbeddingFileError.Code, found: String) {
    let error = refusal { try EmbeddingFile.read(Vectors.path(name)) }
    #expect(error?.code == code)
    #expect(error?.found == found)
    #expect(error?.file == Vectors.path(name))
  }

  @Test(
    "headers that no array has are refused",
    arguments: [
      (
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1099511627776, 512), }",
        EmbeddingFileError.Code.truncated
      ),
      ("{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904, 4), }", .truncated),
      (
        "{'descr': '<f4', 'fortran_order': False, 'shape': (9223372036854775807, 9223372036854775807), }",
        .truncated
      ),
      ("{'descr': '<f4', 'fortran_order': False, 'shape': (9223372036854775808, 1), }", .malformed),
      ("{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999999999999, 1), }", .malformed),
      ("{'descr': '<f4', 'fortran_order': False, 'shape': (-3, 2), }", .malformed),
      ("{'descr': '<f4', 'fortran_order': False, 'shape': (-3, -2), }", .malformed),
      ("{'descr': '<f4', 'fortran_order': False, 'shape': (3.0, 2), }", .malformed),
      ("{'descr': '<f4', 'fortran_order': False, 'shape': (6), }", .malformed),
      ("{'descr': '<f4', 'fortran_order': False, 'shape': 6, }", .malformed),
      ("{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2, }", .malformed),
      ("{'descr': '<f4', 'fortran_order': 'False', 'shape': (3, 2), }", .malformed),
      ("{'descr': '<f4', 'fortran_order': 0, 'shape': (3, 2), }", .malformed),
      ("{'descr': '=f4', 'fortran_order': False, 'shape': (3, 2), }", .unsupported),
      ("{'descr': '|f4', 'fortran_order': False, 'shape': (3, 2), }", .unsupported),
      ("{'descr': 'f4', 'fortran_order': False, 'shape': (3, 2), }", .unsupported),
      ("{'descr': '', 'fortran_order': False, 'shape': (3, 2), }", .unsupported),
      ("{'descr': '<f16', 'fortran_order': False, 'shape': (3, 2), }", .unsupported),
      ("{'descr': '<f\\'', 'fortran_order': False, 'shape': (3, 2), }", .malformed),
      ("{'descr': '<f4', 'fortran_order': False}", .malformed),
      ("{'descr': '<f4', 'shape': (3, 2), }", .malformed),
      ("{'shape': (3, 2), 'fortran_order': False}", .malformed),
      ("{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (3, 2), }", .malformed),
      ("{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2), 'more': 1, }", .malformed),
      ("{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2), } x", .malformed),
      ("{}", .malformed),
      ("", .malformed),
    ])
  func refusedHeaders(header: String, code: EmbeddingFileError.Code) {
    let bytes = array(header, [1, 2, 3, 4, 5, 6])
    #expect(
      refusal { try EmbeddingFile.decode(bytes, name: "x.npy") }?.code == code)
  }

  @Test(
    "headers that differ in looks alone are read",
    arguments: [
      "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2), }",
      "{\"shape\":(3,2),\"fortran_order\":False,\"descr\":\"<f4\"}",
      "  { 'descr' : '<f4' , 'fortran_order' : False , 'shape' : ( 3 , 2 , ) , }  \n",
    ])
  func acceptedHeaders(header: String) throws {
    let matrix = try EmbeddingFile.decode(array(header, [1, 2, 3, 4, 5, 6]), name: "x.npy")
    #expect(matrix == EmbeddingMatrix(rowCount: 3, dimension: 2, values: [1, 2, 3, 4, 5, 6]))
  }

  @Test("a header longer than any array's is refused before it is read")
  func longHeader() {
    let bytes = NPYHeader.magic + [2, 0, 0xff, 0xff, 0xff, 0xff] + Array("{}".utf8)
    let error = refusal { try EmbeddingFile.decode(bytes, name: "x.npy") }
    #expect(error?.code == .tooLarge)
    #expect(error?.position == .byte(8))
  }

  @Test(
    "a version of the format that is not known is refused", arguments: [(0, 0), (4, 0), (1, 1), (255, 255)])
  func unknownVersion(major: UInt8, minor: UInt8) throws {
    var bytes = try Vectors.bytes("f4-little-c-v1.npy")
    bytes[6...7] = [major, minor]
    let error = refusal { try EmbeddingFile.decode(bytes, name: "x.npy") }
    #expect(error?.code == .unsupported)
    #expect(error?.found == "\(major).\(minor)")
  }

  @Test("bytes behind the last value are refused: the shape may be wrong")
  func trailingBytes() throws {
    let bytes = try Vectors.bytes("f4-little-c-v1.npy") + [0]
    let error = refusal { try EmbeddingFile.decode(bytes, name: "x.npy") }
    #expect(error?.code == .malformed)
    #expect(error?.position == .byte(bytes.count - 1))
  }

  @Test("an array cut short at any byte is refused", arguments: Vectors.names(".npy"))
  func truncatedArray(name: String) throws {
    let bytes = try Vectors.bytes(name)
    for count in 0..<bytes.count {
      let error = refusal {
        try EmbeddingFile.decode(Array(bytes[..<count]), name: "x.npy")
      }
      #expect(error?.code == .truncated || error?.code == .malformed, "cut at \(count)")
    }
  }

  @Test(
    "a flipped bit in a header is refused, or is one that makes another sound header",
    arguments: ["f2-little-c-v1.npy", "f4-big-f-v2.npy", "f8-little-c-v3.npy"])
  func flippedHeader(name: String) throws {
    let bytes = try Vectors.bytes(name)
    let header = try NPYHeader(ByteSource(bytes, origin: Origin(file: name)))
    let original = try EmbeddingFile.decode(bytes, name: "x.npy")
    let order = try #require(bytes.firstIndex { $0 == UInt8(ascii: "<") || $0 == UInt8(ascii: ">") })
    for bit in 0..<header.dataOffset * 8 {
      var damaged = bytes
      damaged[bit / 8] ^= 1 << (bit % 8)
      guard let matrix = try? EmbeddingFile.decode(damaged, name: "x.npy") else { continue }
      // < and > differ in one bit, and the format has no checksum.
      let isOtherOrder = bit / 8 == order && damaged[order] ^ bytes[order] == 2
      #expect(isOtherOrder || matrix == original, "bit \(bit)")
    }
  }

  @Test("another content under the extension .npy is refused, whatever it is")
  func otherContent() throws {
    let error = refusal { try EmbeddingFile.decode(try Vectors.bytes("plain.fbin"), name: "x.npy") }
    #expect(error?.code == .malformed)
    #expect(error?.position == .byte(0))
  }
}

/// An array of version 1 with this header and these values.
func array(_ header: String, _ values: [Float]) -> [UInt8] {
  let length = UInt16(header.utf8.count)
  return NPYHeader.magic + [1, 0, UInt8(length & 0xff), UInt8(length >> 8)] + Array(header.utf8)
    + values.flatMap { value in withUnsafeBytes(of: value.bitPattern.littleEndian) { Array($0) } }
}
