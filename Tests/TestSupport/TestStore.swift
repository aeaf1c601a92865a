import EnrolmentStore
import Testing

/// The kinds of stores that a test runs on: `@Test(arguments: TestStore.all)`.
public enum TestStore: String, Sendable, CaseIterable, CustomTestStringConvertible {
  case inMemory
  case sqlite

  public static let all = allCases

  public var testDescription: String { rawValue }

  /// An empty store of this kind.
  public func make() async throws -> StoreBox {
    switch self {
    case .inMemory: StoreBox(InMemoryStore())
    case .sqlite: try await StoreBox(TemporaryFolder(), .random())
    }
  }
}

/// A store, and what it takes to open it anew as after a restart.
public final class StoreBox: Sendable {
  public let store: any EnrolmentStore
  private let disk: (folder: TemporaryFolder, key: SecretKey)?

  init(_ store: any EnrolmentStore) {
    self.store = store
    disk = nil
  }

  init(_ folder: TemporaryFolder, _ key: SecretKey) async throws {
    store = try await SQLiteStore.open(.init(path: "\(folder.path)/store.db"), masterKey: MasterKey(key))
    disk = (folder, key)
  }

  /// The same store as another process would find it. A store on disk is closed first, so that nobody can use it any more.
  public func reopened() async throws -> StoreBox {
    guard let disk, let store = store as? SQLiteStore else { return self }
    await store.close()
    return try await StoreBox(disk.folder, disk.key)
  }
}
