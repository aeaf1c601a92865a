import Biometrics

/// The store in a SQLite database: durable, encrypted, for one process at a time.
///
/// A commit is on disk when it returns (write-ahead log, `synchronous=FULL`). What a row says is sealed under its
/// organisation's data key with all its other columns, so that a row that is swapped, copied or edited throws
/// `damaged`; so does a page that is not as it was written. Of the plain text only identifiers, times and counts are to be
/// seen. The process that has it open holds a claim, and a second one is refused with `inUse`.
public actor SQLiteStore: EnrolmentStore {
  public enum Access: Hashable, Sendable {
    /// Claims the store, and makes it if it isn't there.
    case readWrite
    /// Looks at a store that another process may have open, and changes nothing.
    case readOnly
  }

  /// What to do when the ledger of erasures is not where it should be.
  public enum LedgerLoss: Hashable, Sendable {
    /// Refuses to open: without it a restored backup could bring the erased back.
    case refuse
    /// Makes it anew from what the database knows.
    case accept
  }

  public struct Configuration: Sendable {
    /// The database file.
    public var path: String
    /// The ledger of erasures: a file of its own, which no restored backup may replace. Beside the database by default.
    public var ledgerPath: String
    public var access: Access
    public var ledgerLoss: LedgerLoss
    /// The layer of files below, for tests that let writes fail.
    package var files: String?
    package var ledgerDisk = LedgerDisk.system

    public init(
      path: String, ledgerPath: String? = nil, access: Access = .readWrite, ledgerLoss: LedgerLoss = .refuse
    ) {
      self.path = path
      self.ledgerPath = ledgerPath ?? path + "-erasures"
      self.access = access
      self.ledgerLoss = ledgerLoss
    }
  }

  let configuration: Configuration
  var masterKey: any MasterKeyProvider
  private nonisolated let executor: StoreExecutor
  private var connection: Database?
  private var claim: StoreClaim?
  var keyring = Keyring()
  var ledger: ErasureLedger?
  /// Erasures of the commit under way.
  var pending: [NumberedErasure] = []
  /// Whether the ledger may hold erasures that the database doesn't.
  var isLedgerAhead = false

  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// Opens the store, brings its tables up to date, unwraps its keys and applies the ledger of erasures.
  ///
  /// Throws `inUse`, `wrongKey`, `unknownVersion`, `damaged` or `unavailable`.
  public static func open(
    _ configuration: Configuration, masterKey: any MasterKeyProvider
  ) async throws(StoreError) -> SQLiteStore {
    let store = SQLiteStore(configuration, masterKey)
    do throws(StoreError) {
      try await store.start()
    } catch {
      await store.close()
      throw error
    }
    return store
  }

  private init(_ configuration: Configuration, _ masterKey: any MasterKeyProvider) {
    self.configuration = configuration
    self.masterKey = masterKey
    executor = StoreExecutor("reverify store")
  }

  private func start() async throws(StoreError) {
    if configuration.access == .readWrite {
      claim = try StoreClaim(configuration.path + "-claim")
      try makePrivateFile(configuration.path)
      try WriteAheadLog.check(of: configuration.path)
    }
    let database = try Database(configuration.path, access: configuration.access, files: configuration.files)
    connection = database
    try database.prepareStore(access: configuration.access)
    try await openKeys()
    try openLedger()
  }

  /// Writes what is in the log into the database file, and lets go of the store. Every later call throws `unavailable`.
  public func close() {
    if configuration.access == .readWrite { _ = try? connection?.checkpoint() }
    connection = nil
    ledger = nil
    keyring = Keyring()
    claim = nil
  }

  /// The connection; throws when there is none any more.
  var database: Database {
    get throws(StoreError) {
      guard let connection else { throw StoreError(.unavailable, "the store is closed") }
      return connection
    }
  }

  public func commit(_ changes: [StoreChange]) async throws(StoreError) {
    guard configuration.access == .readWrite else {
      throw StoreError(.unavailable, "the store is open for reading only")
    }
    let keys = try await newKeys(for: changes)
    if isLedgerAhead { try catchUpWithLedger() }
    try transaction { () throws(StoreError) in
      try add(keys)
      for change in changes { try make(change) }
    }
    // Erased values are still in the log until it is written back and cut off.
    if changes.contains(where: \.isErasure) { _ = try? database.checkpoint() }
  }

  /// Makes all that `body` does durable, or nothing of it.
  func transaction(_ body: () throws(StoreError) -> Void) throws(StoreError) {
    let database = try database
    let keys = keyring
    let position = ledger?.position
    pending = []
    database.hasLostSync = false
    try database.run("BEGIN IMMEDIATE")
    do throws(StoreError) {
      try body()
      try recordPendingErasures()
      try database.run("COMMIT")
      isLedgerAhead = false
    } catch {
      keyring = keys
      if database.isInTransaction { _ = try? database.run("ROLLBACK") }
      // After a failed sync nobody knows what is on the disk, and asking again would not tell: the store has to be opened anew.
      if database.hasLostSync || database.isInTransaction {
        connection = nil
      } else if !pending.isEmpty, let ledger, let position, ledger.takeBack(to: position) {
        isLedgerAhead = false
      }
      throw error
    }
  }
}

extension StoreChange {
  var isErasure: Bool {
    if case .erase = self { true } else { false }
  }
}
