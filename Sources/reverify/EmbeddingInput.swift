import Biometrics
import EmbeddingFiles
import FaceMatching
import Glibc

/// The embeddings a command works on, and whose they are where that is known.
struct EmbeddingInput {
  let name: String
  let embeddingsPath: String
  let matrix: EmbeddingMatrix
  /// A subject for each row; nil without an index.
  let subjects: [String]?
  /// The folder's pairs, where it has some.
  let pairsPath: String?
  /// The folder's pairs to develop with, where it has some.
  var developmentPairsPath: String?
  /// The index, where there is one, and what it says of detection.
  var indexPath: String?
  var isDetected: [Bool]?
  /// The image of each row, as the index names it.
  var images: [String]?

  static let options: [CommandOption] = [
    .option("data", "FOLDER", "a folder with embeddings.npy, index.csv and perhaps pairs.csv"),
    .option("embeddings", "FILE", "instead: a file of embeddings (.npy, .npz, .fvecs, .fbin, .csv)"),
    .option("index", "FILE", "whose they are: a CSV with the columns subject and image"),
  ]

  /// What the options name, or nil when they name nothing.
  static func read(_ arguments: Arguments) throws -> EmbeddingInput? {
    if let folder = arguments["data"] {
      if arguments["embeddings"] != nil || arguments["index"] != nil {
        throw UsageError(
          "--data names a folder; --embeddings and --index name single files: give one or the other")
      }
      return try read(folder: folder)
    }
    guard let file = arguments["embeddings"] else {
      if arguments["index"] != nil { throw UsageError("--index needs --embeddings") }
      return nil
    }
    let matrix = try EmbeddingFile.read(file)
    let index = try arguments["index"].map { try IndexFile.read($0, rowCount: matrix.rowCount) }
    return EmbeddingInput(
      name: lastComponent(file), embeddingsPath: file, matrix: matrix,
      subjects: index?.entries.map(\.subject), pairsPath: nil, indexPath: arguments["index"],
      isDetected: index?.entries.map(\.isDetected), images: index?.entries.map(\.image))
  }

  static func read(folder: String) throws -> EmbeddingInput {
    let data = try DataFolder.read(folder)
    return EmbeddingInput(
      name: lastComponent(folder), embeddingsPath: data.embeddingsPath, matrix: data.embeddings,
      subjects: data.index.entries.map(\.subject), pairsPath: data.pairsPath,
      developmentPairsPath: data.developmentPairsPath, indexPath: "\(folder)/index.csv",
      isDetected: data.index.entries.map(\.isDetected), images: data.index.entries.map(\.image))
  }

  static func required(_ arguments: Arguments) throws -> EmbeddingInput {
    guard let input = try read(arguments) else {
      throw UsageError("there is nothing to work on: give --data FOLDER or --embeddings FILE")
    }
    return input
  }

  /// A row as a checked embedding, or why it isn't one.
  func embedding(_ row: Int, space: EmbeddingSpace) -> Result<Embedding, EmbeddingError> {
    do throws(EmbeddingError) {
      return .success(try Embedding(Array(matrix[row]), space: space))
    } catch {
      return .failure(error)
    }
  }

  /// Every row as an embedding; those that are none are named on stderr.
  func embeddings(space: EmbeddingSpace) -> [Embedding?] {
    (0..<matrix.rowCount).map { row in
      switch embedding(row, space: space) {
      case .success(let embedding): return embedding
      case .failure(let error):
        complain("\(embeddingsPath), row \(row): \(error); the row is left out")
        return nil
      }
    }
  }

  /// The space of embeddings of which nothing is known but their file. A dimension beyond what an embedding can have
  /// is an error of the file.
  static func unnamedSpace(_ matrix: EmbeddingMatrix, path: String) throws -> EmbeddingSpace {
    guard (1...EmbeddingSpace.maximumDimension).contains(matrix.dimension) else {
      throw InputError(
        "\(path): expected embeddings of 1...\(EmbeddingSpace.maximumDimension) components, found \(matrix.dimension)"
      )
    }
    return EmbeddingSpace(
      model: "unnamed", weightsDigest: "unknown", dimension: matrix.dimension, preprocessing: "unknown")
  }

  static func lastComponent(_ path: String) -> String {
    path.split(separator: "/").last.map(String.init) ?? path
  }
}

/// Input that is readable and yet not what a command needs.
struct InputError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}
