import Biometrics
import CFaceKernels
import Testing

@Suite struct LayeredCodeTests {
  private func codes(_ count: Int, below end: UInt8, using generator: inout SeededGenerator) -> [UInt8] {
    (0..<count).map { _ in UInt8.random(in: 0..<end, using: &generator) }
  }

  private func pack(_ codes: [UInt8], dimension: Int, into plane: Shifted<UInt8>) {
    codes.withUnsafeBufferPointer { codes in
      for block in 0..<codes.count / (16 * dimension) {
        fk_pack_block_u3(
          codes.baseAddress! + 16 * block * dimension, dimension, plane.pointer + 6 * block * dimension)
      }
    }
  }

  @Test func `a block holds thirty-two dimensions in two lines of lower bits and one of upper ones`() {
    let memory = Memory()
    defer { memory.free() }
    var generator = SeededGenerator(seed: 1)
    let upperBits = [2, 3, 6, 7, 0, 1, 4, 5]
    for dimension in [64, 128, 576] {
      let codes = codes(16 * dimension, below: 8, using: &generator)
      let block = memory.place([UInt8](repeating: 0, count: 6 * dimension), shift: 0, filling: 99)
      pack(codes, dimension: dimension, into: block)
      var expected = [UInt8](repeating: 0, count: 6 * dimension)
      for row in 0..<16 {
        for d in 0..<dimension {
          let (code, group) = (codes[row * dimension + d], d % 32 / 4)
          let place = 192 * (d / 32) + 4 * row + d % 4
          expected[place + 64 * (group / 4)] |= (code & 3) << (2 * (group % 4))
          expected[place + 128] |= (code >> 2) << upperBits[group]
        }
      }
      #expect(firstDifference(block.values, expected) == nil, "dimension \(dimension)")
      #expect(block.isGuardIntact)
    }
  }

  @Test(arguments: Level.available)
  func `products with 3-bit blocks are exact`(level: Level) {
    var generator = SeededGenerator(seed: 2)
    for dimension in [64, 128, 192, 512, 1088] {
      for blockCount in [0, 1, 2, 3, 4, 5, 7, 8, 9, 17] {
        let codes = codes(16 * blockCount * dimension, below: 8, using: &generator)
        let query = (0..<dimension).map { _ in Int8.random(in: -127...127, using: &generator) }
        check(level, codes, query, dimension: dimension)
      }
    }
  }

  @Test(arguments: Level.available)
  func `products of extreme 3-bit codes are exact`(level: Level) {
    for dimension in [64, 4096, 65_536] {
      for (code, value) in [(7, 127), (7, -127), (0, 127), (0, -127)] as [(UInt8, Int8)] {
        let codes = [UInt8](repeating: code, count: 16 * 5 * dimension)
        check(level, codes, [Int8](repeating: value, count: dimension), dimension: dimension)
      }
    }
  }

  private func check(_ level: Level, _ codes: [UInt8], _ query: [Int8], dimension: Int) {
    let memory = Memory()
    defer { memory.free() }
    let blockCount = codes.count / (16 * dimension)
    let plane = memory.place([UInt8](repeating: 0, count: codes.count / 8 * 3), shift: 0, filling: 99)
    pack(codes, dimension: dimension, into: plane)
    let shifted = memory.place(query, shift: 3)
    let products = memory.place([Int32](repeating: 0, count: 16 * blockCount), shift: 1, filling: 99)
    level.kernels.dot_blocks_u3(plane.pointer, blockCount, dimension, shifted.pointer, products.pointer)
    let expected = (0..<16 * blockCount).map { row in
      var sum: Int32 = 0
      for d in 0..<dimension { sum += (2 * Int32(codes[row * dimension + d]) - 7) * Int32(query[d]) }
      return sum
    }
    #expect(products.values == expected, "\(blockCount) blocks, \(dimension) dimensions")
    #expect(products.isGuardIntact)
  }

  @Test(arguments: Level.available)
  func `products with picked rows of 2-bit codes are exact, and nothing behind a row counts`(level: Level) {
    var generator = SeededGenerator(seed: 7)
    let rowCount = 40
    for dimension in [64, 128, 192, 256, 320, 512, 576, 1088] {
      for isExtreme in [false, true] {
        let memory = Memory()
        defer { memory.free() }
        let codes = (0..<rowCount * dimension).map { _ in
          isExtreme ? 3 : UInt8.random(in: 0...3, using: &generator)
        }
        let query = (0..<dimension).map { _ in
          isExtreme ? -127 : Int8.random(in: -127...127, using: &generator)
        }
        let rows = memory.place([UInt8](repeating: 0, count: codes.count / 4), shift: 1, filling: 99)
        codes.withUnsafeBufferPointer {
          for row in 0..<rowCount {
            fk_pack_row_u2($0.baseAddress! + row * dimension, dimension, rows.pointer + row * dimension / 4)
          }
        }
        for count in [0, 1, 7, 8, 9, 33] {
          let indices = (0..<count).map { UInt32(($0 * 7 + 39) % rowCount) }
          let products = memory.place([Int32](repeating: 0, count: count), shift: 1, filling: 99)
          level.kernels.dot_rows_u2(
            rows.pointer, dimension, indices, count, memory.place(query, shift: 3).pointer, products.pointer)
          let expected = indices.map { index in
            (0..<dimension).reduce(Int32(0)) { sum, d in
              sum + (2 * Int32(codes[Int(index) * dimension + d]) - 3) * Int32(query[d])
            }
          }
          #expect(products.values == expected, "\(count) rows, \(dimension) dimensions")
          #expect(products.isGuardIntact)
        }
      }
    }
  }

  @Test func `the error bounds of both layers cover the residual and hardly exceed it`() {
    var generator = SeededGenerator(seed: 3)
    for kind in RowKind.allCases {
      for count in Awkward.lengths where count > 0 {
        let row = kind.row(count, using: &generator)
        var codes = [UInt8](repeating: 99, count: count)
        let found = fk_quantise_u5(row, count, &codes)
        #expect(codes.allSatisfy { $0 <= 31 })
        checkBound(
          found.error_norm, row, codes.map { Double(found.scale) * Double(2 * Int($0) - 31) }, "\(kind)")
        checkBound(
          found.upper_error_norm, row, codes.map { Double(found.scale) * Double(4 * (2 * Int($0 / 4) - 7)) },
          "\(kind), upper bits")
      }
    }
  }

  private func checkBound(_ bound: Float, _ row: [Float], _ decoded: [Double], _ what: String) {
    let residual = zip(row, decoded).reduce(0.0) { $0 + (Double($1.0) - $1.1) * (Double($1.0) - $1.1) }
      .squareRoot()
    #expect(Double(bound) >= residual * (1 - 0x1p-40), "\(what), count \(row.count)")
    // A norm beyond what f32 holds is bounded by infinity alone.
    let most = residual * (1 + 0x1p-22) + 2 * Double(Float.leastNonzeroMagnitude)
    #expect(Float(most).isInfinite || Double(bound) <= most, "\(what), count \(row.count)")
  }

  @Test func `normal components lose 0.07 and 0.195 of their norm, and a row that is no number has no bound`()
  {
    var generator = SeededGenerator(seed: 4)
    let row = (0..<4096).map { _ in generator.nextNearlyNormal() }
    let norm = row.reduce(0.0) { $0 + Double($1) * Double($1) }.squareRoot()
    var codes = [UInt8](repeating: 0, count: row.count)
    let found = fk_quantise_u5(row, row.count, &codes)
    #expect((0.062...0.075).contains(Double(found.error_norm) / norm))
    #expect((0.188...0.2).contains(Double(found.upper_error_norm) / norm))
    for bad in [Float.nan, .infinity, -.infinity] {
      let found = fk_quantise_u5([1, bad, 2], 3, &codes)
      #expect(found.error_norm == .infinity && found.upper_error_norm == .infinity)
    }
  }

  @Test func `the rotation keeps norms and products within its stated error`() {
    var generator = SeededGenerator(seed: 5)
    for count in [1, 64, 128, 192, 320, 512, 576, 4096] {
      var left = (0..<count).map { _ in generator.nextNearlyNormal() }
      var right = (0..<count).map { _ in generator.nextNearlyNormal() }
      func product(_ a: [Float], _ b: [Float]) -> Double {
        zip(a, b).reduce(0) { $0 + Double($1.0) * Double($1.1) }
      }
      let (before, leftNorm, rightNorm) = (
        product(left, right), product(left, left).squareRoot(), product(right, right).squareRoot()
      )
      fk_rotate_f32(&left, count)
      fk_rotate_f32(&right, count)
      let allowed = 2.1 * FK_ROTATION_ERROR * leftNorm * rightNorm
      #expect(abs(product(left, right) - before) <= allowed, "count \(count)")
      #expect(abs(product(left, left).squareRoot() - leftNorm) <= 1.1 * FK_ROTATION_ERROR * leftNorm)
    }
  }

  @Test func `the rotation spreads a single component over all`() {
    var row = [Float](repeating: 0, count: 512)
    row[37] = 1
    fk_rotate_f32(&row, row.count)
    let expected = 1 / Float(512).squareRoot()
    #expect(row.allSatisfy { abs($0.magnitude - expected) < 1e-7 })
    #expect(row.contains { $0 > 0 } && row.contains { $0 < 0 })
  }

  @Test(arguments: Level.available)
  func `scattered rows get the scores of single ones`(level: Level) {
    var generator = SeededGenerator(seed: 6)
    let count = 37
    let values = (0..<20 * count).map { _ in generator.nextNearlyNormal() }
    let query = (0..<count).map { _ in generator.nextNearlyNormal() }
    values.withUnsafeBufferPointer { values in
      for rowCount in [0, 1, 3, 4, 5, 20] {
        let rows = (0..<rowCount).map { values.baseAddress! + (7 * $0 % 20) * count }
        var scores = [Float](repeating: 0, count: rowCount)
        fk_dot_scattered_f32(fk_kernels_at(level.code)!, query, rows, rowCount, count, &scores)
        #expect(scores == rows.map { level.kernels.dot_f32(query, $0, count) })
      }
    }
  }
}
