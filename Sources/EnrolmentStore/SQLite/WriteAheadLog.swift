import Foundation

/// What is wrong with a database's log that SQLite would pass over in silence.
///
/// SQLite takes a log up to the first frame whose checksum fails, since a crash may have torn the last commit. A frame that
/// was damaged later looks the same, and all acknowledged commits from there on would be lost without a word. Here the rest is
/// looked at: a crash leaves at most one commit behind the break, since each was on disk before the next began, and opening
/// a store cuts the log off. Two or more behind it are damage. A single one can't be told from a torn one.
/// The format is SQLite's ("WAL file format", sqlite.org/fileformat2.html, section 4.1).
enum WriteAheadLog {
  private static let headerBytes = 32
  private static let frameHeaderBytes = 24

  /// Throws `damaged` when commits in the log of the database at `path` can't be read any more.
  static func check(of path: String) throws(StoreError) {
    guard let log = FileManager.default.contents(atPath: path + "-wal"), log.count > headerBytes else {
      return
    }
    let found = log.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) -> String? in damage(in: bytes) }
    if let damage = found { throw StoreError(.damaged, "the database's log: \(damage)") }
  }

  private static func damage(in log: UnsafeRawBufferPointer) -> String? {
    let magic = word(log, 0)
    let pageBytes = Int(word(log, 8))
    guard magic & ~1 == 0x377F_0682, pageBytes == Database.pageBytes else { return "not a log of this store" }
    var sum = Checksum(isBigEndian: magic & 1 == 1)
    sum.add(log, 0, 24)
    guard sum.isStored(log, at: 24) else { return "its header is not as it was written" }

    let frameBytes = frameHeaderBytes + pageBytes
    let salt = (word(log, 16), word(log, 20))
    var isIntact = true
    var hasForeign = false
    var commitsBehind = 0
    for frame in stride(from: headerBytes, through: log.count - frameBytes, by: frameBytes) {
      guard (word(log, frame + 8), word(log, frame + 12)) == salt else {
        // Of an earlier time, and so is all that follows, unless this frame is damaged.
        isIntact = false
        hasForeign = true
        continue
      }
      guard !hasForeign else { return "a frame is not of this log, and later ones are" }
      if isIntact {
        sum.add(log, frame, 8)
        sum.add(log, frame + frameHeaderBytes, pageBytes)
        isIntact = sum.isStored(log, at: frame + 16)
      }
      if !isIntact, word(log, frame + 4) != 0 { commitsBehind += 1 }
    }
    return commitsBehind >= 2 ? "\(commitsBehind) commits lie behind a damaged frame" : nil
  }

  private static func word(_ log: UnsafeRawBufferPointer, _ offset: Int) -> UInt32 {
    UInt32(bigEndian: log.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
  }

  /// The running checksum of a log: two sums over pairs of words.
  private struct Checksum {
    let isBigEndian: Bool
    private var first: UInt32 = 0
    private var second: UInt32 = 0

    init(isBigEndian: Bool) {
      self.isBigEndian = isBigEndian
    }

    mutating func add(_ log: UnsafeRawBufferPointer, _ offset: Int, _ count: Int) {
      var (first, second) = (first, second)
      var place = offset
      while place < offset + count {
        let pair = (
          log.loadUnaligned(fromByteOffset: place, as: UInt32.self),
          log.loadUnaligned(fromByteOffset: place + 4, as: UInt32.self)
        )
        first &+= (isBigEndian ? UInt32(bigEndian: pair.0) : UInt32(littleEndian: pair.0)) &+ second
        second &+= (isBigEndian ? UInt32(bigEndian: pair.1) : UInt32(littleEndian: pair.1)) &+ first
        place += 8
      }
      (self.first, self.second) = (first, second)
    }

    func isStored(_ log: UnsafeRawBufferPointer, at offset: Int) -> Bool {
      (word(log, offset), word(log, offset + 4)) == (first, second)
    }
  }
}
