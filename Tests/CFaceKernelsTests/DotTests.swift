import Biometrics
import CFaceKernels
import Testing

@Suite struct DotTests {
  /// The defined reduction, written a second time from the contract alone.
  private func definedReduction(_ a: [Float], _ b: [Float]) -> Float {
    var lanes = [Float](repeating: 0, count: 16)
    let padding = [Float](repeating: 0, count: (16 - a.count % 16) % 16)
    for (index, (x, y)) in zip(a + padding, b + padding).enumerated() { lanes[index % 16].addProduct(x, y) }
    for half in [8, 4, 2, 1] { for lane in 0..<half { lanes[lane] += lanes[lane + half] } }
    return lanes[0]
  }

  @Test(arguments: Level.available)
  func `small integers give the exact sum`(level: Level) {
    let memory = Memory()
    defer { memory.free() }
    var generator = SeededGenerator(seed: 1)
    for count in Awkward.lengths {
      for shift in Awkward.shifts {
        let a = RowKind.integers.row(count, using: &generator)
        let b = RowKind.integers.row(count, using: &generator)
        let found = level.kernels.dot_f32(
          memory.place(a, shift: shift).pointer, memory.place(b, shift: 3 - shift).pointer, count)
        #expect(
          Int(found) == zip(a, b).reduce(0) { $0 + Int($1.0) * Int($1.1) }, "count \(count), shift \(shift)")
      }
    }
  }

  @Test(arguments: Level.available)
  func `every level gives the bits of the defined reduction`(level: Level) {
    let memory = Memory()
    defer { memory.free() }
    var generator = SeededGenerator(seed: 2)
    for kind in RowKind.allCases {
      for count in Awkward.lengths {
        for shift in Awkward.shifts {
          let a = kind.row(count, using: &generator)
          let b = kind.row(count, using: &generator)
          let left = memory.place(a, shift: shift)
          let right = memory.place(b, shift: 3 - shift)
          let found = level.kernels.dot_f32(left.pointer, right.pointer, count)
          #expect(bits(found) == bits(definedReduction(a, b)), "\(kind), count \(count), shift \(shift)")
        }
      }
    }
  }

  /// The bound of dot_f32_scalar.c: as many roundings a lane as it has elements, and four additions of lanes.
  @Test(arguments: Level.available)
  func `the sum is within its bound of the exact one`(level: Level) {
    var generator = SeededGenerator(seed: 3)
    for count in Awkward.lengths {
      let a = RowKind.ordinary.row(count, using: &generator)
      let b = RowKind.ordinary.row(count, using: &generator)
      let products = zip(a, b).map { Double($0) * Double($1) }
      let roundings = Double((count + 15) / 16 + 4) * 0x1p-24
      let bound = roundings / (1 - roundings) * products.reduce(0) { $0 + $1.magnitude } * (1 + 1e-12)
      let error = Double(level.kernels.dot_f32(a, b, count)) - products.reduce(0, +)
      #expect(error.magnitude <= bound, "count \(count)")
    }
  }

  @Test(arguments: Level.available)
  func `rows give what each row alone gives, and no score more`(level: Level) {
    let memory = Memory()
    defer { memory.free() }
    var generator = SeededGenerator(seed: 4)
    for count in Awkward.lengths {
      for rowCount in 0...11 {
        let stride = count + 3
        let shift = rowCount % 4
        let query = memory.place(RowKind.ordinary.row(count, using: &generator), shift: shift)
        let rows = memory.place(RowKind.wide.row(rowCount * stride, using: &generator), shift: 3 - shift)
        let scores = memory.place([Float](repeating: 0, count: rowCount), shift: shift)
        level.kernels.dot_rows_f32(query.pointer, rows.pointer, stride, rowCount, count, scores.pointer)
        let expected = (0..<rowCount).map {
          level.kernels.dot_f32(query.pointer, rows.pointer + $0 * stride, count)
        }
        #expect(
          firstDifference(scores.values.map(bits), expected.map(bits)) == nil,
          "count \(count), \(rowCount) rows")
        #expect(scores.isGuardIntact)
      }
    }
  }

  @Test(arguments: Level.available)
  func `padding turns the negative zero of a lane into a positive one`(level: Level) {
    let small = [Float](repeating: 1e-30, count: 17)
    let negative = [Float](repeating: -1e-30, count: 17)
    #expect(level.kernels.dot_f32(small, negative, 16).bitPattern == (-0.0 as Float).bitPattern)
    #expect(level.kernels.dot_f32(small, negative, 17).bitPattern == (0.0 as Float).bitPattern)
  }
}
