/// The tables of a store and how older ones become them. `Documentation/Formats/Store.md` describes them.
enum Schema {
  /// Marks a database as a store of this package: "RVst".
  static let applicationID: Int64 = 0x5256_7374
  static let version = Int64(migrations.count)

  /// What leads from version n to n + 1, for n from 0. What stands here is never changed, only added to.
  static let migrations: [[String]] = [first, second, third]

  /// So that a copy of an earlier capture is told after a restart.
  private static let third = [
    """
    CREATE TABLE captures_seen (
      sequence INTEGER PRIMARY KEY, name BLOB NOT NULL UNIQUE, expiry INTEGER NOT NULL, sealed BLOB NOT NULL) STRICT
    """,
    "CREATE INDEX captures_seen_by_expiry ON captures_seen (expiry)",
  ]

  /// So that what was still being prepared is found without looking at every session.
  private static let second = [
    "CREATE INDEX sessions_preparing ON sessions (organisation, sequence) WHERE preparation = 'preparing'"
  ]

  private static let first = [
    "CREATE TABLE store (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID, STRICT",
    """
    CREATE TABLE keys (
      owner INTEGER NOT NULL, organisation TEXT NOT NULL, purpose TEXT NOT NULL, generation INTEGER NOT NULL,
      wrapped BLOB NOT NULL, PRIMARY KEY (owner, organisation, purpose, generation)) WITHOUT ROWID, STRICT
    """,
    "CREATE TABLE gallery (id INTEGER PRIMARY KEY, sealed BLOB NOT NULL) STRICT",
    """
    CREATE TABLE registers (
      name TEXT NOT NULL, organisation TEXT NOT NULL, sealed BLOB NOT NULL,
      PRIMARY KEY (organisation, name)) WITHOUT ROWID, STRICT
    """,
    "CREATE TABLE organisations (id TEXT PRIMARY KEY, sealed BLOB NOT NULL) WITHOUT ROWID, STRICT",
    """
    CREATE TABLE workflows (
      organisation TEXT NOT NULL REFERENCES organisations, id TEXT NOT NULL, sealed BLOB NOT NULL,
      PRIMARY KEY (organisation, id)) WITHOUT ROWID, STRICT
    """,
    """
    CREATE TABLE users (
      organisation TEXT NOT NULL REFERENCES organisations, id TEXT NOT NULL, email_hash BLOB NOT NULL,
      sealed BLOB NOT NULL, PRIMARY KEY (organisation, id), UNIQUE (organisation, email_hash)) WITHOUT ROWID, STRICT
    """,
    """
    CREATE TABLE api_keys (
      id TEXT PRIMARY KEY, digest BLOB NOT NULL UNIQUE, organisation TEXT NOT NULL REFERENCES organisations,
      sealed BLOB NOT NULL) WITHOUT ROWID, STRICT
    """,
    """
    CREATE TABLE balances (
      organisation TEXT PRIMARY KEY REFERENCES organisations, sealed BLOB NOT NULL) WITHOUT ROWID, STRICT
    """,
    """
    CREATE TABLE sessions (
      organisation TEXT NOT NULL, sequence INTEGER NOT NULL, id TEXT NOT NULL, user TEXT NOT NULL,
      workflow TEXT NOT NULL, approved_at INTEGER NOT NULL, preparation TEXT NOT NULL, sealed BLOB NOT NULL,
      PRIMARY KEY (organisation, sequence), UNIQUE (organisation, id),
      FOREIGN KEY (organisation, user) REFERENCES users (organisation, id),
      FOREIGN KEY (organisation, workflow) REFERENCES workflows (organisation, id)) WITHOUT ROWID, STRICT
    """,
    "CREATE INDEX sessions_of_user ON sessions (organisation, user, sequence)",
    "CREATE INDEX sessions_by_age ON sessions (organisation, workflow, approved_at)",
    """
    CREATE TABLE session_embeddings (
      organisation TEXT NOT NULL, sequence INTEGER NOT NULL, sealed BLOB NOT NULL,
      PRIMARY KEY (organisation, sequence),
      FOREIGN KEY (organisation, sequence) REFERENCES sessions ON DELETE CASCADE) STRICT
    """,
    """
    CREATE TABLE re_verifications (
      id TEXT PRIMARY KEY, organisation TEXT NOT NULL, workflow TEXT NOT NULL, user TEXT NOT NULL,
      expiry INTEGER NOT NULL, revision INTEGER NOT NULL, sealed BLOB NOT NULL) STRICT
    """,
    """
    CREATE TABLE evidence (
      re_verification TEXT NOT NULL REFERENCES re_verifications, attempt INTEGER NOT NULL,
      organisation TEXT NOT NULL, workflow TEXT NOT NULL, user TEXT NOT NULL, judged_at INTEGER NOT NULL,
      sealed BLOB NOT NULL, PRIMARY KEY (re_verification, attempt)) STRICT
    """,
    "CREATE INDEX evidence_of_user ON evidence (organisation, user)",
    "CREATE INDEX evidence_by_age ON evidence (organisation, workflow, judged_at)",
    """
    CREATE TABLE failures (
      organisation TEXT NOT NULL, user TEXT NOT NULL, revision INTEGER NOT NULL, sealed BLOB NOT NULL,
      PRIMARY KEY (organisation, user)) WITHOUT ROWID, STRICT
    """,
    """
    CREATE TABLE decisions (
      organisation TEXT NOT NULL, sequence INTEGER NOT NULL, sealed BLOB NOT NULL,
      PRIMARY KEY (organisation, sequence)) STRICT
    """,
    """
    CREATE TABLE erasures (
      sequence INTEGER PRIMARY KEY, organisation TEXT NOT NULL, kind TEXT NOT NULL, id TEXT NOT NULL,
      sealed BLOB NOT NULL, UNIQUE (organisation, kind, id)) STRICT
    """,
  ]
}
