import Biometrics
import Glibc

/// The file of erasures that no restored backup may replace: each entry one line, chained by a keyed hash.
///
/// The first line names the store; each other is a `NumberedErasure` as JSON, a tab, and H(key, digest of the line
/// before, JSON) in hexadecimal, H being BLAKE2b-256 under a key of the store. A last line without its end was cut off while
/// it was written, and was not acknowledged: it is dropped.
final class ErasureLedger {
  private let path: String
  private let key: SecretKey
  private let disk: LedgerDisk
  private let descriptor: Int32
  private(set) var entries: [NumberedErasure] = []
  private var last: Digest
  private var end: Int

  private static let title = "reverify erasure ledger 1 "

  /// Opens the ledger of `store`, or begins it if `mayBegin`. Throws `damaged` when it is missing, another store's, or not as
  /// it was written.
  init(
    _ path: String, store: String, key: SecretKey, mayBegin: Bool, access: SQLiteStore.Access,
    disk: LedgerDisk = .system
  ) throws(StoreError) {
    self.path = path
    self.key = key
    self.disk = disk
    let flags = access == .readOnly ? O_RDONLY : O_RDWR | O_APPEND
    if mayBegin, access == .readWrite { try makePrivateFile(path) }
    let descriptor = Glibc.open(path, flags | O_CLOEXEC)
    if descriptor < 0, errno == ENOENT {
      throw StoreError(.damaged, "the ledger of erasures \(path) is missing")
    }
    guard descriptor >= 0 else { throw StoreError(.unavailable, "ledger \(path): \(systemError())") }
    self.descriptor = descriptor
    let title = Self.title + store
    last = key.keyedDigest(of: Array(title.utf8))
    end = 0
    let content = try Self.read(descriptor, path)
    guard let firstEnd = content.firstIndex(of: UInt8(ascii: "\n")) else {
      guard mayBegin, access == .readWrite else { throw damaged(0) }
      try begin(title)
      return
    }
    guard content[..<firstEnd].elementsEqual(title.utf8) else { throw damaged(0) }
    try parse(content[(firstEnd + 1)...])
    // What is left of a torn entry must go before another is added behind it.
    if access == .readWrite, end < content.count {
      guard disk.truncate(descriptor, off_t(end)) == 0, disk.synchronise(descriptor) == 0 else {
        throw unavailable()
      }
    }
  }

  deinit { Glibc.close(descriptor) }

  /// Adds entries, on disk when it returns. After an error they have to be taken back, or the ledger opened anew.
  func append(_ new: [NumberedErasure]) throws(StoreError) {
    var lines: [UInt8] = []
    var digest = last
    for entry in new {
      let json = RecordCoding.encode(entry)
      digest = link(json, after: digest)
      lines += json + [UInt8(ascii: "\t")] + Array(digest.description.utf8) + [UInt8(ascii: "\n")]
    }
    try write(lines)
    entries += new
    last = digest
    end += lines.count
  }

  /// Where the ledger ends.
  struct Position {
    fileprivate let entries: Int
    fileprivate let last: Digest
    fileprivate let end: Int
  }

  var position: Position { Position(entries: entries.count, last: last, end: end) }

  /// Takes back what was added after `position`, since its commit did not happen; false when it may be on the disk still.
  func takeBack(to position: Position) -> Bool {
    guard disk.truncate(descriptor, off_t(position.end)) == 0, disk.synchronise(descriptor) == 0 else {
      return false
    }
    entries.removeLast(entries.count - position.entries)
    (last, end) = (position.last, position.end)
    return true
  }

  private func begin(_ title: String) throws(StoreError) {
    guard disk.truncate(descriptor, 0) == 0 else { throw unavailable() }
    let line = Array((title + "\n").utf8)
    try write(line)
    end = line.count
  }

  private func parse(_ content: ArraySlice<UInt8>) throws(StoreError) {
    var rest = content
    while let lineEnd = rest.firstIndex(of: UInt8(ascii: "\n")) {
      let line = rest[..<lineEnd]
      let number = Int64(entries.count + 1)
      guard let tab = line.lastIndex(of: UInt8(ascii: "\t")) else { throw damaged(number) }
      let json = Array(line[..<tab])
      let digest = link(json, after: last)
      guard digest.description.utf8.elementsEqual(line[(tab + 1)...]) else { throw damaged(number) }
      let entry = try RecordCoding.decode(NumberedErasure.self, from: json, "ledger \(path), entry \(number)")
      guard entry.sequence == number else { throw damaged(number) }
      entries.append(entry)
      last = digest
      rest = rest[(lineEnd + 1)...]
    }
    end = rest.startIndex
  }

  private func link(_ json: [UInt8], after previous: Digest) -> Digest {
    key.keyedDigest(of: previous.bytes + json)
  }

  private func write(_ bytes: [UInt8]) throws(StoreError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { disk.write(descriptor, $0) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw unavailable() }
      rest = rest.dropFirst(count)
    }
    guard disk.synchronise(descriptor) == 0 else { throw unavailable() }
  }

  private static func read(_ descriptor: Int32, _ path: String) throws(StoreError) -> [UInt8] {
    var content: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = Glibc.read(descriptor, &piece, piece.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw StoreError(.unavailable, "ledger \(path): \(systemError())") }
      guard count > 0 else { return content }
      content += piece[..<count]
    }
  }

  private func unavailable() -> StoreError {
    StoreError(.unavailable, "ledger \(path): \(systemError())")
  }

  private func damaged(_ entry: Int64) -> StoreError {
    StoreError(
      .damaged,
      entry == 0
        ? "ledger \(path): not this store's" : "ledger \(path), entry \(entry): not as it was written")
  }
}

/// The calls by which a ledger reaches the disk, each as the system's of that name, so that tests can let them fail.
package struct LedgerDisk: Sendable {
  package var write: @Sendable (Int32, UnsafeRawBufferPointer) -> Int
  package var synchronise: @Sendable (Int32) -> Int32
  package var truncate: @Sendable (Int32, off_t) -> Int32

  package init(
    write: @escaping @Sendable (Int32, UnsafeRawBufferPointer) -> Int,
    synchronise: @escaping @Sendable (Int32) -> Int32, truncate: @escaping @Sendable (Int32, off_t) -> Int32
  ) {
    (self.write, self.synchronise, self.truncate) = (write, synchronise, truncate)
  }

  package static let system = LedgerDisk(
    write: { Glibc.write($0, $1.baseAddress, $1.count) }, synchronise: { fdatasync($0) },
    truncate: { ftruncate($0, $1) })
}
