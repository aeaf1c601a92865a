import Foundation
import Testing

@testable import EmbeddingFiles

@Suite("Data folders")
struct DataFolderTests {
  @Test(
    "a folder with embeddings of any format, an index and pairs", arguments: EmbeddingFile.Format.allCases)
  func wholeFolder(format: EmbeddingFile.Format) throws {
    let vectors: [EmbeddingFile.Format: String] = [
      .npy: "f2-big-f-v1.npy", .npz: "deflated.npz", .fvecs: "plain.fvecs", .fbin: "plain.fbin",
      .csv: "plain.csv",
    ]
    try withTemporaryFolder { folder in
      let vector = try #require(vectors[format])
      try write(try Vectors.bytes(vector), to: "\(folder)/embeddings.\(format)")
      try write("subject,image\nann,1\nbob,1\nann,2\n", to: "\(folder)/index.csv")
      let bare = try DataFolder.read(folder)
      #expect(bare.embeddings.equals(try #require(Vectors.expected[vector])))
      #expect(bare.embeddingsPath == "\(folder)/embeddings.\(format)")
      #expect(bare.index.entries.map(\.subject) == ["ann", "bob", "ann"])
      #expect(bare.pairsPath == nil)
      try write("row_a,row_b\n0,2\n", to: "\(folder)/pairs.csv")
      #expect(try DataFolder.read(folder).pairsPath == "\(folder)/pairs.csv")
    }
  }

  @Test("a folder without embeddings, with several, or without an index is refused")
  func incompleteFolder() throws {
    try withTemporaryFolder { folder in
      let none = refusal { try DataFolder.read(folder) }
      #expect(none?.code == .missing)
      #expect(none?.expected.contains("embeddings.npy, embeddings.npz") == true)

      try write(try Vectors.bytes("plain.fbin"), to: "\(folder)/embeddings.fbin")
      let withoutIndex = refusal { try DataFolder.read(folder) }
      #expect(withoutIndex?.code == .notFound)
      #expect(withoutIndex?.file == "\(folder)/index.csv")

      try write("subject,image\nann,1\n", to: "\(folder)/index.csv")
      let short = refusal { try DataFolder.read(folder) }
      #expect(short?.code == .inconsistent)

      try write(try Vectors.bytes("plain.csv"), to: "\(folder)/embeddings.csv")
      let several = refusal { try DataFolder.read(folder) }
      #expect(several?.code == .ambiguous)
      #expect(several?.found == "embeddings.fbin, embeddings.csv")
    }
  }

  @Test("what is no folder is refused")
  func noFolder() {
    let none = refusal { try DataFolder.read(Vectors.path("none")) }
    #expect(none?.code == .notFound)
    let file = refusal { try DataFolder.read(Vectors.path("plain.csv")) }
    #expect(file?.code == .wrongKind)
  }
}
