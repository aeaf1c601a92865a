import Glibc

/// A folder with embeddings and whose they are: `embeddings.npy` (or another format), `index.csv`, perhaps
/// `pairs.csv`.
public struct DataFolder: Sendable {
  public let path: String
  /// The file that the embeddings are from.
  public let embeddingsPath: String
  public let embeddings: EmbeddingMatrix
  /// An entry for each row of `embeddings`.
  public let index: IndexFile
  /// The folder's `pairs.csv`, which is not read here; `nil` when there is none.
  public let pairsPath: String?
  /// The folder's `pairs_dev.csv`, pairs to develop with and not to be judged by; `nil` when there is none.
  public let developmentPairsPath: String?

  /// The names of the files that `read` reads or names, as far as they are there.
  public static let fileNames =
    EmbeddingFile.Format.allCases.map { "embeddings.\($0)" } + ["index.csv", "pairs.csv", "pairs_dev.csv"]

  /// Reads the folder at `path`.
  ///
  /// Throws `missing` when there is no `embeddings` of a known format, `ambiguous` when there are several,
  /// and what `EmbeddingFile.read` and `IndexFile.read` throw.
  public static func read(_ path: String) throws(EmbeddingFileError) -> DataFolder {
    let origin = Origin(file: path)
    guard let kind = fileKind(path) else {
      throw origin.error(.notFound, expected: "a folder", found: "nothing that can be opened")
    }
    guard kind == S_IFDIR else {
      throw origin.error(.wrongKind, expected: "a folder", found: "a file")
    }
    let names = EmbeddingFile.Format.allCases.map { "embeddings.\($0)" }
    let present = names.filter { fileKind("\(path)/\($0)") != nil }
    guard let name = present.first else {
      throw origin.error(.missing, expected: "one of \(names.joined(separator: ", "))", found: "none of them")
    }
    guard present.count == 1 else {
      throw origin.error(
        .ambiguous, expected: "one file of embeddings", found: present.joined(separator: ", "))
    }
    let embeddings = try EmbeddingFile.read("\(path)/\(name)")
    func optional(_ name: String) -> String? {
      fileKind("\(path)/\(name)") == nil ? nil : "\(path)/\(name)"
    }
    return DataFolder(
      path: path, embeddingsPath: "\(path)/\(name)", embeddings: embeddings,
      index: try IndexFile.read("\(path)/index.csv", rowCount: embeddings.rowCount),
      pairsPath: optional("pairs.csv"), developmentPairsPath: optional("pairs_dev.csv"))
  }
}
