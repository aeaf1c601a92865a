import Biometrics
import Foundation

/// The embedding spaces that are known here: the files of `models/embedding-spaces`.
package struct SpaceLibrary {
  package static let option = CommandOption.option(
    "models", "FOLDER", "where the models are (default: REVERIFY_MODELS, or models)")

  package let folder: String
  package let spaces: [(name: String, points: OperatingPoints)]

  /// Reads every space of the folder. None at all is no error; a file that is damaged, or a folder that was asked for and is
  /// not there, is one.
  package static func read(_ arguments: Arguments) throws -> SpaceLibrary {
    let chosen = arguments["models"] ?? ProcessInfo.processInfo.environment["REVERIFY_MODELS"]
    let folder = "\(chosen ?? "models")/embedding-spaces"
    let listing = try? FileManager.default.contentsOfDirectory(atPath: folder)
    // A folder that was asked for must be there; without the default one there are no known spaces.
    if listing == nil, chosen != nil { throw InputError("\(folder): expected a folder of embedding spaces") }
    let files = listing ?? []
    let spaces = try files.filter { $0.hasSuffix(".json") }.sorted().map { file in
      do {
        guard let data = FileManager.default.contents(atPath: "\(folder)/\(file)") else {
          throw InputError("\(folder)/\(file): can't be read")
        }
        return (String(file.dropLast(5)), try JSONDecoder().decode(OperatingPoints.self, from: data))
      } catch let error as DecodingError {
        throw InputError("\(folder)/\(file): \(error.shortDescription)")
      }
    }
    return SpaceLibrary(folder: folder, spaces: spaces)
  }

  package func space(named name: String) throws -> OperatingPoints {
    guard let space = spaces.first(where: { $0.name == name }) else {
      let names = spaces.map(\.name).joined(separator: ", ")
      throw UsageError("no space '\(name)' in \(folder), which has: \(names.isEmpty ? "none" : names)")
    }
    return space.points
  }

  /// The space that a file of embeddings, by its digest, is known to be of.
  package func space(ofFileWithDigest digest: String) -> OperatingPoints? {
    spaces.map(\.points).first { points in
      ([points.evidence] + points.alsoOfThisSpace).contains { $0.sha256 == digest }
    }
  }
}

extension DecodingError {
  /// Where and what, without the values.
  package var shortDescription: String {
    let context: Context =
      switch self {
      case .typeMismatch(_, let context), .valueNotFound(_, let context), .keyNotFound(_, let context),
        .dataCorrupted(let context):
        context
      @unknown default: Context(codingPath: [], debugDescription: "it can't be decoded")
      }
    let path = context.codingPath.map { $0.intValue.map(String.init) ?? $0.stringValue }.joined(
      separator: ".")
    return path.isEmpty ? context.debugDescription : "\(path): \(context.debugDescription)"
  }
}
