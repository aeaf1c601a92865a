import Biometrics

extension SQLiteStore {
  public func seenCaptures(after sequence: Int64, limit: Int) throws(StoreError) -> [NumberedCapture] {
    try database.all(
      "SELECT sequence, name, expiry, sealed FROM captures_seen WHERE sequence > ? ORDER BY sequence LIMIT ?",
      max(0, sequence), max(0, limit)
    ) { (row: Row) throws(StoreError) in
      let (number, name, expiry) = (try row.integer(0), try row.bytes(1), try row.instant(2))
      let identity = SealedIdentity("captures_seen", number, name, expiry)
      let content = try keyring.open(try row.bytes(3), of: nil, as: identity)
      return NumberedCapture(sequence: number, SeenCapture(name: name, expiry: expiry, content: content))
    }
  }

  func put(_ capture: SeenCapture) throws(StoreError) {
    try database.run("DELETE FROM captures_seen WHERE name = ?", capture.name)
    let last = try database.first("SELECT coalesce(max(sequence), 0) FROM captures_seen") {
      (row: Row) throws(StoreError) in try row.integer(0)
    }
    let number = (last ?? 0) + 1
    let identity = SealedIdentity("captures_seen", number, capture.name, capture.expiry)
    try database.run(
      "INSERT INTO captures_seen (sequence, name, expiry, sealed) VALUES (?, ?, ?, ?)", number, capture.name,
      capture.expiry, try keyring.seal(capture.content, of: nil, as: identity))
  }

  func forgetCaptures(expiredAt now: Instant) throws(StoreError) {
    try database.run("DELETE FROM captures_seen WHERE expiry <= ?", now)
  }
}
