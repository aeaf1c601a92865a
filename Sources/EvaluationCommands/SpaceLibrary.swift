import Biometrics
import Foundation

/// The embedding spaces that are known here: the files of `models/embedding-spaces`.
package struct SpaceLibrary {
  package static let option = CommandOption.option(
    "models", "FOLDER", "where the models are (default: REVERIFY_MODELS, or models)")

  package let folder: String
  package let spaces: [(name: String, points: OperatingPoints)]

  private static func folder(_ arguments: Arguments) -> (path: String, isChosen: Bool) {
    let chosen = arguments["models"] ?? ProcessInfo.processInfo.environment["REVERIFY_MODELS"]
    return ("\(chosen ?? "models")/embedding-spaces", chosen != nil)
  }

  /// The files that `read` reads, as far as they are there.
  package static func files(_ arguments: Arguments) -> [String] {
    let folder = folder(arguments).path
    let files = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return files.filter { $0.hasSuffix(".json") }.sorted().map { "\(folder)/\($0)" }
  }

  /// Reads every space of the folder. None at all is no error; a file that is damaged, or a folder that was asked for and is
  /// not there, is one.
  package static func read(_ arguments: Arguments) throws -> SpaceLibrary {
    let (folder, isChosen) = folder(arguments)
    // A folder that was asked for must be there; without the default one there are no known spaces.
    if isChosen, (try? FileManager.default.contentsOfDirectory(atPath: folder)) == nil {
      throw InputError("\(folder): expected a folder of embedding spaces")
    }
    let spaces = try files(arguments).map { path in
      do {
        guard let data = FileManager.default.contents(atPath: path) else {
          throw InputError("\(path): can't be read")
        }
        let name = String(EmbeddingInput.lastComponent(path).dropLast(5))
        return (name, try JSONDecoder().decode(OperatingPoints.self, from: data))
      } catch let error as DecodingError {
        throw InputError("\(path): \(error.shortDescription)")
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
