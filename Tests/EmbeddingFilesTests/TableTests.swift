import Testing

@testable import EmbeddingFiles

@Suite("Tables, indexes and pairs")
struct TableTests {
  @Test("quoted cells, CR LF, a byte-order mark and line numbers")
  func quotedCells() throws {
    let table = try CSVTable(text: "\u{feff}a,\"b\"\r\n\"x, \"\"y\"\"\r\nz\", w \r\n\"\",é\r\n\r\n")
    #expect(table.columns == ["a", "b"])
    #expect(table.rowCount == 2)
    #expect(Array(table[0]) == ["x, \"y\"\r\nz", " w "])
    #expect(Array(table[1]) == ["", "é"])
    #expect(table[1, 1] == "é")
    #expect([table.line(ofRow: 0), table.line(ofRow: 1)] == [2, 4])
  }

  @Test("a table is printed as it was read")
  func roundTrip() throws {
    let rows = [["a", "b,c", "d\"e"], ["x\ny", "", "\""], ["\r", "é", " f "]]
    let text = rows.map { CSVTable.line($0) }.joined(separator: "\n")
    let table = try CSVTable(text: text)
    #expect([table.columns] + (0..<table.rowCount).map { Array(table[$0]) } == rows)
    #expect(CSVTable.line(["fold", "row_a"]) == "fold,row_a")
  }

  @Test(
    "a damaged table is refused with its line",
    arguments: [
      ("", 1, EmbeddingFileError.Code.empty),
      ("a,a\n1,2\n", 1, .malformed),
      ("a,b\n1,2\n1\n", 3, .malformed),
      ("a,b\n1,2,3\n", 2, .malformed),
      ("a,b\n\n1,2\n", 2, .malformed),
      ("a,b\n1,\"2\n\n", 2, .truncated),
      ("a,b\n\"1\n\",2\n3\n", 4, .malformed),
    ])
  func damagedTable(text: String, line: Int, code: EmbeddingFileError.Code) {
    let error = refusal { try CSVTable(text: text) }
    #expect(error?.code == code)
    #expect(error?.position == .line(line))
  }

  @Test("bytes that are not UTF-8 are refused: repaired, two subjects could become one")
  func notUTF8() {
    let bytes = Array("a\n".utf8) + [0xff, 0x0a]
    let error = refusal {
      try CSVTable(ByteSource(bytes, origin: Origin(file: "x.csv")))
    }
    #expect(error?.code == .malformed)
    #expect(error?.position == .line(2))
  }

  @Test("an index with all columns, or the needed ones in another order")
  func index() throws {
    let full = try IndexFile(
      CSVTable(text: "row,subject,image,detected\n0,7,1,1\n1,007,b.png,0\n"), rowCount: 2)
    #expect(full.entries.map(\.subject) == ["7", "007"])
    #expect(full.entries.map(\.image) == ["1", "b.png"])
    #expect(full.entries.map(\.isDetected) == [true, false])
    let short = try IndexFile(CSVTable(text: "image,camera,subject\n1,9, ann \n"), rowCount: 1)
    #expect(short.entries == [.init(subject: " ann ", image: "1", isDetected: true)])
  }

  @Test(
    "an index that does not fit its embeddings is refused",
    arguments: [
      ("subject\nann\nbob\n", 1, EmbeddingFileError.Code.missing),
      ("image\n1\n2\n", 1, .missing),
      ("subject,image\nann,1\n", nil, .inconsistent),
      ("subject,image\nann,1\nbob,2\ncid,3\n", nil, .inconsistent),
      ("subject,image\n", nil, .inconsistent),
      ("subject,image\nann,1\n,2\n", 3, .malformed),
      ("row,subject,image\n1,ann,1\n0,bob,2\n", 2, .inconsistent),
      ("row,subject,image\n0,ann,1\n0,bob,2\n", 3, .inconsistent),
      ("row,subject,image\n0,ann,1\n2,bob,2\n", 3, .outOfRange),
      ("row,subject,image\n0,ann,1\n-1,bob,2\n", 3, .malformed),
      ("row,subject,image\n0,ann,1\n1.0,bob,2\n", 3, .malformed),
      ("row,subject,image\n0,ann,1\n,bob,2\n", 3, .malformed),
      ("row,subject,image\n0,ann,1\n99999999999999999999,bob,2\n", 3, .outOfRange),
      ("subject,image,detected\nann,1,1\nbob,2,2\n", 3, .outOfRange),
      ("subject,image,detected\nann,1,yes\nbob,2,1\n", 2, .malformed),
    ] as [(String, Int?, EmbeddingFileError.Code)])
  func refusedIndex(text: String, line: Int?, code: EmbeddingFileError.Code) {
    let error = refusal {
      try IndexFile(try CSVTable(text: text), rowCount: 2)
    }
    #expect(error?.code == code)
    #expect(error?.position == line.map { .line($0) })
    for subject in ["ann", "bob", "cid"] { #expect(error?.description.contains(subject) == false) }
  }

  @Test("pairs keep their own columns in order")
  func pairs() throws {
    let text = "split,row_b,row_a,same,fold\ntrain,2,0,1,3\n\"a,b\",1,1,0,10\n"
    let file = try PairsFile(CSVTable(text: text), rowCount: 3)
    #expect(
      file.pairs == [
        .init(rowA: 0, rowB: 2, isMated: true, fold: 3), .init(rowA: 1, rowB: 1, isMated: false, fold: 10),
      ])
    let printed = [file.table.columns] + (0..<2).map { Array(file.table[$0]) }
    #expect(printed.map { CSVTable.line($0) + "\n" }.joined() == text)
    let bare = try PairsFile(CSVTable(text: "row_a,row_b\n0,1\n"), rowCount: 2)
    #expect(bare.pairs == [.init(rowA: 0, rowB: 1, isMated: nil, fold: nil)])
  }

  @Test("pairs to develop with say which part they are of")
  func developmentPairs() throws {
    func splits(_ text: String) throws(EmbeddingFileError) -> [DevelopmentSplit] {
      try PairsFile(CSVTable(text: text), rowCount: 3).developmentSplits()
    }
    #expect(try splits("split,row_a,row_b,same\ntrain,0,1,1\ntest,0,2,0\n") == [.train, .test])
    #expect(refusal { _ = try splits("row_a,row_b,same\n0,1,1\n") }?.code == .missing)
    #expect(refusal { _ = try splits("split,row_a,row_b\ntrain,0,1\n") }?.code == .missing)
    let error = refusal { _ = try splits("split,row_a,row_b,same\ntrain,0,1,1\nvalid,0,1,1\n") }
    #expect(error?.code == .malformed && error?.position == .line(3))
  }

  @Test(
    "pairs that do not fit their embeddings are refused",
    arguments: [
      ("row_a\n0\n", 1, EmbeddingFileError.Code.missing),
      ("row_b,rowa\n0,1\n", 1, .missing),
      ("row_a,row_b\n", nil, .empty),
      ("row_a,row_b\n0,1\n0,3\n", 3, .outOfRange),
      ("row_a,row_b\n-1,1\n", 2, .malformed),
      ("row_a,row_b\nx,1\n", 2, .malformed),
      ("row_a,row_b,same\n0,1,\n", 2, .malformed),
      ("row_a,row_b,same\n0,1,2\n", 2, .outOfRange),
      ("row_a,row_b,fold\n0,1,a\n", 2, .malformed),
    ] as [(String, Int?, EmbeddingFileError.Code)])
  func refusedPairs(text: String, line: Int?, code: EmbeddingFileError.Code) {
    let error = refusal {
      try PairsFile(try CSVTable(text: text), rowCount: 3)
    }
    #expect(error?.code == code)
    #expect(error?.position == line.map { .line($0) })
  }
}
