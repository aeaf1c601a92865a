import Foundation
import Testing

@testable import EmbeddingFiles

/// The small files beside the tests, made by `Tests/Vectors/EmbeddingFiles/generate.py`, and what numpy reads
/// in them.
enum Vectors {
  struct Expected: Decodable {
    let shape: [Int]
    let bits: [UInt32]
  }

  static let folder = packageRoot.appending(path: "Tests/Vectors/EmbeddingFiles").path

  static let packageRoot = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  /// The sound files, by name.
  static let expected: [String: Expected] = {
    do {
      let data = try Data(contentsOf: URL(filePath: path("expected.json")))
      return try JSONDecoder().decode([String: Expected].self, from: data)
    } catch {
      fatalError("expected.json: \(error)")
    }
  }()

  static func names(_ ending: String) -> [String] {
    expected.keys.filter { $0.hasSuffix(ending) }.sorted()
  }

  static func path(_ name: String) -> String { "\(folder)/\(name)" }

  static func bytes(_ name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(filePath: path(name))))
  }
}

extension EmbeddingMatrix {
  /// Whether it is what numpy read: bit by bit, but for the bits of a NaN, which are nobody's promise.
  func equals(_ expected: Vectors.Expected) -> Bool {
    [rowCount, dimension] == expected.shape && values.count == expected.bits.count
      && zip(values, expected.bits).allSatisfy {
        $0.bitPattern == $1 || $0.isNaN && Float(bitPattern: $1).isNaN
      }
  }
}

extension EmbeddingFile {
  /// Decodes `bytes` as if they were the content of the file `name`.
  static func decode(
    _ bytes: [UInt8], name: String, member: String? = nil
  ) throws(EmbeddingFileError) -> EmbeddingMatrix {
    let source = ByteSource(bytes, origin: Origin(file: name))
    return try decode(source, as: try format(of: source), member: member)
  }
}

extension CSVTable {
  init(text: String) throws(EmbeddingFileError) {
    try self.init(ByteSource(Array(text.utf8), origin: Origin(file: "table.csv")))
  }
}

/// The error that `body` throws; records an issue when it throws none, or another.
func refusal<Value>(
  _ location: SourceLocation = #_sourceLocation, of body: () throws -> Value
) -> EmbeddingFileError? {
  #expect(throws: EmbeddingFileError.self, sourceLocation: location) { _ = try body() }
}

/// Runs `body` with the path of a new folder, which is removed afterwards.
func withTemporaryFolder(_ body: (String) throws -> Void) throws {
  let folder = FileManager.default.temporaryDirectory.appending(path: "EmbeddingFilesTests-\(UUID())")
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: folder) }
  try body(folder.path)
}

func write(_ text: String, to path: String) throws {
  try write(Array(text.utf8), to: path)
}

func write(_ bytes: [UInt8], to path: String) throws {
  try Data(bytes).write(to: URL(filePath: path))
}
