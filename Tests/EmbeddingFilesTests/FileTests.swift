import Foundation
import Testing

@testable import EmbeddingFiles

@Suite("Files and folders")
struct FileTests {
  @Test("a file that is not there is not found")
  func missingFile() throws {
    try withTemporaryFolder { folder in
      for name in ["none.npy", "none/none.npy"] {
        let error = refusal { try EmbeddingFile.read("\(folder)/\(name)") }
        #expect(error?.code == .notFound)
        #expect(error?.file == "\(folder)/\(name)")
      }
    }
  }

  @Test("an empty path and one with a NUL are no files", arguments: ["", "x\u{0}.npy"])
  func noPath(path: String) {
    #expect(refusal { try EmbeddingFile.read(path) }?.code == .notFound)
  }

  @Test("a folder, a device and a pipe are no files")
  func otherKinds() throws {
    try withTemporaryFolder { folder in
      #expect(mkfifo("\(folder)/pipe", 0o600) == 0)
      for (path, found) in [
        (folder, "a folder"), ("/dev/null", "a device or pipe"), ("\(folder)/pipe", "a device or pipe"),
      ] {
        let error = refusal { try EmbeddingFile.read(path) }
        #expect(error?.code == .wrongKind)
        #expect(error?.found == found)
      }
    }
  }

  @Test("a file that the system refuses to open is unreadable, with its reason")
  func unreadableFile() throws {
    try withTemporaryFolder { folder in
      #expect(symlink("\(folder)/loop.npy", "\(folder)/loop.npy") == 0)
      let error = refusal { try EmbeddingFile.read("\(folder)/loop.npy") }
      #expect(error?.code == .unreadable)
      #expect(error?.found.contains("symbolic links") == true)
    }
  }

  @Test("a file without permission is unreadable", .enabled(if: geteuid() != 0, "root reads everything"))
  func forbiddenFile() throws {
    try withTemporaryFolder { folder in
      try write("1,2", to: "\(folder)/x.csv")
      #expect(chmod("\(folder)/x.csv", 0) == 0)
      #expect(
        refusal { try EmbeddingFile.read("\(folder)/x.csv") }?.code
          == .unreadable)
    }
  }

  @Test("a file larger than the memory is refused instead of ending the process")
  func hugeFile() throws {
    try withTemporaryFolder { folder in
      try write("", to: "\(folder)/huge.npy")
      let size = off_t(ProcessInfo.processInfo.physicalMemory) * 2
      // Sparse: it takes no room. A file system without sparse files can't make it.
      guard truncate("\(folder)/huge.npy", size) == 0 else { return }
      #expect(
        refusal { try EmbeddingFile.read("\(folder)/huge.npy") }?.code
          == .tooLarge)
    }
  }

  @Test(
    "the format is known by content, then by extension",
    arguments: [
      ("f4-little-c-v1.npy", "x"), ("f4-little-c-v1.npy", "x.csv"), ("deflated.npz", "x.npy"),
      ("stored.npz", "x"),
      ("plain.fvecs", "x.FVECS"), ("plain.fbin", "a.csv/x.fbin"), ("plain.csv", "x.y.Csv"),
    ])
  func formatIsKnown(vector: String, name: String) throws {
    let matrix = try EmbeddingFile.decode(try Vectors.bytes(vector), name: name)
    #expect(matrix.equals(try #require(Vectors.expected[vector])))
  }

  @Test("another content and name is refused", arguments: ["x", "x.txt", "npy", ".hidden", "a.npy/x", "x."])
  func unknownFormat(name: String) throws {
    let error = refusal {
      try EmbeddingFile.decode(Array("1,2".utf8), name: name)
    }
    #expect(error?.code == .unknownFormat)
  }

  @Test("an empty file is refused in every format", arguments: EmbeddingFile.Format.allCases)
  func emptyFile(format: EmbeddingFile.Format) {
    #expect(throws: EmbeddingFileError.self) { try EmbeddingFile.decode([], name: "x.\(format)") }
  }

  @Test("a written array reads back bit by bit")
  func writtenArray() throws {
    try withTemporaryFolder { folder in
      let path = "\(folder)/x.npy"
      for (rows, dimension) in [(1, 1), (3, 5), (1000, 7)] {
        var values = (0..<rows * dimension).map { Float($0) * -0.37 }
        values[0] = .nan
        let matrix = EmbeddingMatrix(rowCount: rows, dimension: dimension, values: values)
        try EmbeddingFile.write(npy: matrix, to: path)
        let read = try EmbeddingFile.read(path)
        #expect(read.rowCount == rows && read.dimension == dimension)
        #expect(read.values.map(\.bitPattern) == values.map(\.bitPattern))
      }
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["x.npy"])
    }
  }

  @Test("a written array has numpy's own bytes")
  func writtenBytes() throws {
    try withTemporaryFolder { folder in
      let matrix = try EmbeddingFile.read(Vectors.path("f4-little-c-v1.npy"))
      try EmbeddingFile.write(npy: matrix, to: "\(folder)/x.npy")
      #expect(
        Array(try Data(contentsOf: URL(filePath: "\(folder)/x.npy")))
          == (try Vectors.bytes("f4-little-c-v1.npy")))
    }
  }

  @Test("a place that can't be written to is an error, and leaves nothing behind")
  func unwritablePlace() throws {
    try withTemporaryFolder { folder in
      let matrix = EmbeddingMatrix(rowCount: 1, dimension: 1, values: [1])
      try FileManager.default.createDirectory(
        atPath: "\(folder)/taken.npy", withIntermediateDirectories: true)
      for path in ["\(folder)/none/x.npy", "\(folder)/taken.npy"] {
        #expect(
          refusal { try EmbeddingFile.write(npy: matrix, to: path) }?.code
            == .unwritable)
      }
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["taken.npy"])
    }
  }

  @Test("a row is what lies between its bounds, and none outside")
  func rows() async {
    let matrix = EmbeddingMatrix(rowCount: 2, dimension: 3, values: [1, 2, 3, 4, 5, 6])
    #expect(Array(matrix[1]) == [4, 5, 6])
    #expect(matrix.withRow(0) { Array($0) } == [1, 2, 3])
    await #expect(processExitsWith: .failure) {
      _ = EmbeddingMatrix(rowCount: 2, dimension: 3, values: [1, 2, 3, 4, 5, 6])[2]
    }
    await #expect(processExitsWith: .failure) {
      _ = EmbeddingMatrix(rowCount: 2, dimension: 3, values: [1, 2, 3, 4, 5])
    }
  }

  @Test("what comes from a file is printed without control characters, and cut")
  func printedText() {
    #expect(printable("a\nb\u{1b}[31mé\\".utf8) == "a\\x0ab\\x1b[31m\\xc3\\xa9\\x5c")
    #expect(printable(String(repeating: "x", count: 100).utf8, limit: 5) == "xxxxx…")
    let error = refusal { try EmbeddingFile.read("no\nsuch file.npy") }
    #expect(error?.description.contains("\n") == false)
  }
}
