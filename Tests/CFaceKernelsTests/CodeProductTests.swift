import Biometrics
import CFaceKernels
import Testing

@Suite struct CodeProductTests {
  private func codes(_ count: Int, using generator: inout SeededGenerator) -> [Int8] {
    (0..<count).map { _ in Int8.random(in: -127...127, using: &generator) }
  }

  private func sum(_ a: some Sequence<Int8>, _ b: some Sequence<Int8>) -> Int32 {
    zip(a, b).reduce(0) { $0 + Int32($1.0) * Int32($1.1) }
  }

  @Test(arguments: Level.available)
  func `the product of codes is exact`(level: Level) {
    let memory = Memory()
    defer { memory.free() }
    var generator = SeededGenerator(seed: 1)
    for count in Awkward.lengths {
      for shift in Awkward.shifts {
        let a = codes(count, using: &generator)
        let b = codes(count, using: &generator)
        let left = memory.place(a, shift: shift)
        let right = memory.place(b, shift: 3 - shift)
        #expect(
          level.kernels.dot_i8(left.pointer, right.pointer, count) == sum(a, b), "count \(count), \(shift)")
      }
    }
  }

  @Test(arguments: Level.available)
  func `extreme codes are exact up to the promised length`(level: Level) {
    for count in [1, 31, 64, 513, 133_000] {
      for (x, y) in [(127, 127), (127, -127), (-127, 127), (-127, -127)] as [(Int8, Int8)] {
        let a = [Int8](repeating: x, count: count)
        let b = [Int8](repeating: y, count: count)
        #expect(
          level.kernels.dot_i8(a, b, count) == Int32(x) * Int32(y) * Int32(count), "\(x) * \(y), \(count)")
      }
    }
  }

  @Test func `a block is interleaved in groups of four dimensions and filled with code zero`() {
    let memory = Memory()
    defer { memory.free() }
    var generator = SeededGenerator(seed: 2)
    for (count, dimension) in [
      (0, 64), (1, 64), (3, 64), (62, 64), (64, 64), (65, 128), (512, 512), (513, 576),
    ] {
      let stride = count + 5
      let rows = codes(16 * stride, using: &generator)
      let block = memory.place([UInt8](repeating: 0, count: 16 * dimension), shift: 0, filling: 99)
      fk_pack_block(rows, stride, count, dimension, block.pointer)
      var expected = [UInt8](repeating: 128, count: 16 * dimension)
      for row in 0..<16 {
        for d in 0..<count {
          expected[64 * (d / 4) + 4 * row + d % 4] = UInt8(Int(rows[row * stride + d]) + 128)
        }
      }
      #expect(firstDifference(block.values, expected) == nil, "count \(count), dimension \(dimension)")
      #expect(block.isGuardIntact)
    }
  }

  @Test(arguments: Level.available)
  func `products with blocks are those of each row and query`(level: Level) {
    var generator = SeededGenerator(seed: 3)
    let rows = codes(9 * 16 * 1088, using: &generator)
    let queries = codes(64 * 1088, using: &generator)
    // Every count of blocks with every count of queries once; the longer rows where tiles and remainders meet.
    let wholeGrid = (0...9).flatMap { blocks in
      [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 24, 25, 64].map { (64, blocks, $0) }
    }
    let longRows = [128, 512, 576, 1088].flatMap { [($0, 9, 1), ($0, 5, 7), ($0, 4, 25)] }
    for (dimension, blocks, queryCount) in wholeGrid + longRows + [(512, 9, 64)] {
      check(
        level, dimension: dimension, rows: Array(rows.prefix(16 * blocks * dimension)),
        queries: Array(queries.prefix(queryCount * dimension)))
    }
  }

  @Test(arguments: Level.available)
  func `products of extreme codes with blocks are exact`(level: Level) {
    for dimension in [64, 1088, 8192] {
      for (x, y) in [(127, 127), (127, -127), (-127, 127), (-127, -127)] as [(Int8, Int8)] {
        let rows = [Int8](repeating: x, count: 5 * 16 * dimension)
        check(level, dimension: dimension, rows: rows, queries: .init(repeating: y, count: 7 * dimension))
      }
    }
  }

  @Test(arguments: Level.available)
  func `more queries than a level takes at once are all answered`(level: Level) {
    var generator = SeededGenerator(seed: 4)
    let rows = codes(5 * 16 * 64, using: &generator)
    for queryCount in [255, 256, 257, 513] {
      check(level, dimension: 64, rows: rows, queries: codes(queryCount * 64, using: &generator))
    }
  }

  private func check(_ level: Level, dimension: Int, rows: [Int8], queries: [Int8]) {
    let memory = Memory()
    defer { memory.free() }
    let blockCount = rows.count / (16 * dimension)
    let queryCount = queries.count / dimension
    let plane = memory.place([UInt8](repeating: 0, count: rows.count), shift: 0, filling: 99)
    rows.withUnsafeBufferPointer { rows in
      for block in 0..<blockCount {
        let first = 16 * block * dimension
        fk_pack_block(rows.baseAddress! + first, dimension, dimension, dimension, plane.pointer + first)
      }
    }
    let shiftedQueries = memory.place(queries, shift: 3)
    let products = memory.place(
      [Int32](repeating: 0, count: queryCount * blockCount * 16), shift: 1, filling: 99)
    level.kernels.dot_blocks_i8(
      plane.pointer, blockCount, dimension, shiftedQueries.pointer, queryCount, products.pointer)
    // The exact products of single rows are tested above, at every level.
    let row = memory.place(rows, shift: 0)
    let expected = (0..<queryCount).flatMap { query in
      (0..<16 * blockCount).map {
        level.kernels.dot_i8(
          row.pointer + $0 * dimension, shiftedQueries.pointer + query * dimension, dimension)
      }
    }
    #expect(
      products.values == expected, "\(blockCount) blocks, \(queryCount) queries, \(dimension) dimensions")
    #expect(products.isGuardIntact)
  }
}
