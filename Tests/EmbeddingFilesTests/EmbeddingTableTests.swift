import Testing

@testable import EmbeddingFiles

@Suite("Tables of embeddings")
struct EmbeddingTableTests {
  @Test("tables written by numpy, with and without header, read back", arguments: Vectors.names(".csv"))
  func tableReads(name: String) throws {
    let matrix = try EmbeddingFile.read(Vectors.path(name))
    #expect(matrix.equals(try #require(Vectors.expected[name])))
  }

  @Test(
    "what is a component, a header, a label",
    arguments: [
      ("1,2\n3,4", 2, [1, 2, 3, 4]),
      ("1,2\r\n3,4\r\n", 2, [1, 2, 3, 4]),
      ("\u{feff}x,y\n1,2\n3,4\n\n\n", 2, [1, 2, 3, 4]),
      ("1,2", 2, [1, 2]),
      ("7\n", 1, [7]),
      ("name,x,y\nann,1,2\nbob,3,4", 2, [1, 2, 3, 4]),
      ("ann,1,2\nbob,3,4", 2, [1, 2, 3, 4]),
      ("ann,1,2", 2, [1, 2]),
      ("1,ann,2", 2, [1, 2]),
      ("row,subject,image,detected,x,y\n0,7,1,1,1,2\n1,8,a.png,0,3,4", 2, [1, 2, 3, 4]),
      ("x,\"y, or\nz\"\n\"1\", \"2\"\n".replacing(", \"2", with: ",\"2"), 2, [1, 2]),
      (" 1 ,\t2\n+3e0,.4E+1", 2, [1, 2, 3, 4]),
      // Names that are numbers can't be told from a row.
      ("0,1\n1,2\n3,4", 2, [0, 1, 1, 2, 3, 4]),
    ] as [(String, Int, [Float])])
  func components(text: String, dimension: Int, values: [Float]) throws {
    let matrix = try EmbeddingFile.decode(Array(text.utf8), name: "x.csv")
    #expect(
      matrix == EmbeddingMatrix(rowCount: values.count / dimension, dimension: dimension, values: values))
  }

  @Test(
    "a damaged table is refused with its line",
    arguments: [
      ("", 1, EmbeddingFileError.Code.empty),
      ("\n\n", 1, .empty),
      ("x,y", 1, .empty),
      ("x,y\n", 1, .empty),
      ("x,y\na,b\n", 2, .malformed),
      ("row,subject\n1,2\n", 2, .malformed),
      ("1,2\n3\n", 2, .malformed),
      ("1,2\n3,4\n5,6,7\n", 3, .malformed),
      ("1,2\n3,4\n5,\n", 3, .malformed),
      ("1,2\n3,4\n5,six\n", 3, .malformed),
      ("x,y\n1,2\n3,four\n", 3, .malformed),
      ("x,y\n1,two\n3,4\n5,6", 3, .malformed),
      ("x,2\n1,2\n3,4\n", 1, .malformed),
      (",0,1\n0,0.5,0.5\n", 1, .malformed),
      ("1,2\n\n3,4\n", 2, .malformed),
      ("1,2\r3,4\r", 1, .malformed),
      ("1,2\n3,\"4\n", 2, .truncated),
      ("1,2\n3,\"4\"5\n", 2, .malformed),
      ("1,2\n3,4\"\n", 2, .malformed),
      ("1,2\n\"3\n\",4\n5,\"six\"\n", 2, .malformed),
      ("1,2\n3,0x10\n", 2, .malformed),
      ("1;2\n3;4\n", 2, .malformed),
      ("1,2\n3,1e39\n", 2, .outOfRange),
      ("-1e39,2\n3,4\n", 1, .outOfRange),
    ])
  func damagedTable(text: String, line: Int, code: EmbeddingFileError.Code) {
    let error = refusal {
      try EmbeddingFile.decode(Array(text.utf8), name: "x.csv")
    }
    #expect(error?.code == code)
    #expect(error?.position == .line(line))
  }

  @Test("infinities and NaN stay what they are")
  func specialNumbers() throws {
    let matrix = try EmbeddingFile.decode(Array("inf,-Infinity,nan,-NaN,1\n".utf8), name: "x.csv")
    #expect(matrix.values[0] == .infinity && matrix.values[1] == -.infinity)
    #expect(matrix.values[2].isNaN && matrix.values[3].isNaN)
  }

  @Test("errors show no cell")
  func errorsShowNoCell() {
    for text in [
      "0.125,2\n0.375,0.625x\n", "0.125,2\n0.375\n", "0.125,2\n0.375,1e99\n", "0.125,x\n0.375,2\n",
    ] {
      let error = refusal {
        try EmbeddingFile.decode(Array(text.utf8), name: "x.csv")
      }
      for part in ["125", "375", "625", "99"] { #expect(error?.description.contains(part) == false) }
    }
  }

  @Test(
    "a table cut short at any byte is refused or read as far as it goes", arguments: Vectors.names(".csv"))
  func truncatedTable(name: String) throws {
    let bytes = try Vectors.bytes(name)
    let whole = try EmbeddingFile.decode(bytes, name: "x.csv")
    for count in 0..<bytes.count {
      guard let matrix = try? EmbeddingFile.decode(Array(bytes[..<count]), name: "x.csv") else { continue }
      // The last number may have lost digits, and a first line alone may be anything.
      guard matrix.dimension == whole.dimension, matrix.rowCount > 1 else { continue }
      #expect(matrix.values.dropLast() == whole.values.prefix(matrix.values.count - 1), "cut at \(count)")
    }
  }
}
