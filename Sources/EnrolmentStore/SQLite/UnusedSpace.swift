import Foundation

/// Space of a database file that belongs to no row, which must hold zeros: whatever else is there was erased and is still there.
///
/// Layouts: "B-tree Pages" and "The Freelist", sqlite.org/fileformat2.html, sections 1.6 and 1.5.
struct UnusedSpace {
  private let file: FileHandle
  private let pages: Int
  private static let pageBytes = Database.pageBytes
  private static let usableBytes = Database.pageBytes - Database.reservedBytes

  /// The unused space of the database at `path`; throws `unavailable` when it can't be read.
  init(of path: String) throws(StoreError) {
    guard let file = FileHandle(forReadingAtPath: path), let size = try? file.seekToEnd() else {
      throw StoreError(.unavailable, "\(path): can't be read")
    }
    self.file = file
    pages = Int(size) / Self.pageBytes
  }

  /// Where something other than zero lies: the page, from 1, and how many bytes.
  func remains() -> [(page: Int, bytes: Int)] {
    let free = freePages()
    var remains: [(page: Int, bytes: Int)] = []
    for number in stride(from: 1, through: pages, by: 1) {
      guard let page = page(number) else { continue }
      let unused = free[number].map { [$0..<Self.usableBytes] } ?? unusedRanges(of: page, number)
      let bytes = unused.reduce(0) { $0 + page[$1].count(where: { $0 != 0 }) }
      if bytes > 0 { remains.append((number, bytes)) }
    }
    return remains
  }

  /// The pages of the free list, each with the offset from which it must be empty.
  private func freePages() -> [Int: Int] {
    guard let first = page(1) else { return [:] }
    var free: [Int: Int] = [:]
    var trunk = Self.word(first, 32)
    while trunk != 0, free[trunk] == nil, let page = page(trunk) {
      let count = min(Self.word(page, 4), Self.usableBytes / 4 - 2)
      free[trunk] = 8 + 4 * count
      for index in 0..<count { free[Self.word(page, 8 + 4 * index)] = 0 }
      trunk = Self.word(page, 0)
    }
    return free
  }

  /// The gap and the free blocks of a page of a tree; none for other pages.
  private func unusedRanges(of page: [UInt8], _ number: Int) -> [Range<Int>] {
    let header = number == 1 ? 100 : 0
    guard [2, 5, 10, 13].contains(page[header]) else { return [] }
    let gap = header + (page[header] < 8 ? 12 : 8) + 2 * Self.half(page, header + 3)
    let content = Self.half(page, header + 5)
    guard gap <= content, content <= Self.usableBytes else { return [] }
    var ranges = [gap..<content]
    var block = Self.half(page, header + 1)
    while block >= content, block + 4 <= Self.usableBytes {
      let (next, length) = (Self.half(page, block), Self.half(page, block + 2))
      guard length >= 4, block + length <= Self.usableBytes, next == 0 || next > block else { break }
      ranges.append((block + 4)..<(block + length))
      block = next
    }
    return ranges
  }

  private func page(_ number: Int) -> [UInt8]? {
    guard (1...max(1, pages)).contains(number) else { return nil }
    try? file.seek(toOffset: UInt64(number - 1) * UInt64(Self.pageBytes))
    guard let data = try? file.read(upToCount: Self.pageBytes), data.count == Self.pageBytes else {
      return nil
    }
    return Array(data)
  }

  private static func half(_ page: [UInt8], _ offset: Int) -> Int {
    Int(page[offset]) << 8 | Int(page[offset + 1])
  }

  private static func word(_ page: [UInt8], _ offset: Int) -> Int {
    half(page, offset) << 16 | half(page, offset + 2)
  }
}
