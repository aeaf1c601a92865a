import Glibc

/// Real embeddings and sequences, read from where they lie and never copied into the repository.
///
/// The folder is `REVERIFY_SHARED`, or `shared` beside the package. Tests that need it are skipped without it.
public enum SharedData {
  public static let root: String = {
    if let chosen = getenv("REVERIFY_SHARED") { return String(cString: chosen) }
    // This file is Tests/TestSupport/SharedData.swift of the package.
    let package = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3)
    return package.joined(separator: "/") + "/../shared"
  }()

  /// The path of a data set's folder, for example `lfw-edgeface`.
  public static func folder(_ name: String) -> String { "\(root)/data/\(name)" }

  /// Whether the data set is here, for `.enabled(if:)`.
  public static func has(_ name: String) -> Bool { access(folder(name), R_OK) == 0 }
}
