import Biometrics
import Foundation

/// The folder beside a store in which snapshots of its gallery lie, one file an organisation.
///
/// A file's name tells whose it is and under which key, so that one under another key is known from a damaged one. The
/// files hold what the store holds and nothing else: losing them costs time. What they are is the engine's affair; what was
/// erased is in none of them, which is the store's (`SQLiteStore.commit`).
public struct SnapshotFolder: Sendable {
  /// Where an organisation's snapshot lies, and the key it is sealed under.
  public struct File: Sendable {
    public let path: String
    public let key: SecretKey
  }

  public let path: String
  private let key: @Sendable (OrganisationID) async throws(StoreError) -> SecretKey

  init(_ path: String, key: @escaping @Sendable (OrganisationID) async throws(StoreError) -> SecretKey) {
    self.path = path
    self.key = key
  }

  /// The organisation's file, there or not.
  public func file(of organisation: OrganisationID) async throws(StoreError) -> File {
    let key = try await key(organisation)
    let mark = key.keyedDigest(of: Array("reverify snapshot name 1".utf8)).description.prefix(16)
    return File(path: "\(path)/\(Self.prefix(of: organisation))\(mark).gallery", key: key)
  }

  /// The paths of all files in the folder, those that a writer left half done among them.
  public func files() throws(StoreError) -> [String] {
    try Self.names(in: path).map { "\(path)/\($0)" }
  }

  /// The paths of the organisation's files: its own, those under other keys, and what a writer left half done.
  public func files(of organisation: OrganisationID) throws(StoreError) -> [String] {
    let prefix = Self.prefix(of: organisation)
    return try Self.names(in: path).filter { $0.hasPrefix(prefix) }.map { "\(path)/\($0)" }
  }

  /// Makes the folder, for its owner alone, unless it is there.
  public func make() throws(StoreError) {
    guard mkdir(path, 0o700) != 0 else {
      return try synchronise(URL(filePath: path).deletingLastPathComponent().path)
    }
    guard errno == EEXIST else { throw StoreError(.unavailable, "\(path): \(systemError())") }
  }

  /// Removes these files, off the disk when it returns; those that aren't there are no error.
  public func remove(_ files: [String]) throws(StoreError) {
    guard !files.isEmpty else { return }
    for file in files where unlink(file) != 0 && errno != ENOENT {
      throw StoreError(.unavailable, "snapshot \(file): \(systemError())")
    }
    try synchronise(path)
  }

  private static func names(in path: String) throws(StoreError) -> [String] {
    do {
      return try FileManager.default.contentsOfDirectory(atPath: path).sorted()
    } catch {
      var status = stat()
      if lstat(path, &status) != 0, errno == ENOENT { return [] }
      throw StoreError(.unavailable, "snapshots \(path): can't be listed")
    }
  }

  private static func prefix(of organisation: OrganisationID) -> String {
    let name = Digest(of: Array("reverify snapshot of 1 \(organisation.rawValue)".utf8)).description
    return "\(name.prefix(32))-"
  }
}
