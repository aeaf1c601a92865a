import Biometrics
import CFaceKernels
import Testing

@Suite struct NormTests {
  private func definedReduction(_ row: [Float]) -> Double {
    var lanes = [Double](repeating: 0, count: 8)
    for (index, value) in row.enumerated() { lanes[index % 8] += Double(value) * Double(value) }
    for half in [4, 2, 1] { for lane in 0..<half { lanes[lane] += lanes[lane + half] } }
    return lanes[0]
  }

  @Test(arguments: Level.available)
  func `the sum of squares has the bits of its definition`(level: Level) {
    let memory = Memory()
    defer { memory.free() }
    var generator = SeededGenerator(seed: 1)
    for kind in RowKind.allCases {
      for count in Awkward.lengths {
        for shift in Awkward.shifts {
          let row = kind.row(count, using: &generator)
          let found = level.kernels.squared_norm_f32(memory.place(row, shift: shift).pointer, count)
          #expect(
            found.bitPattern == definedReduction(row).bitPattern, "\(kind), count \(count), shift \(shift)")
        }
      }
    }
  }

  @Test(arguments: Level.available)
  func `the sum of squares neither overflows nor underflows`(level: Level) {
    let greatest = [Float](repeating: .greatestFiniteMagnitude, count: 513)
    let square = Double(Float.greatestFiniteMagnitude) * Double(Float.greatestFiniteMagnitude)
    #expect((level.kernels.squared_norm_f32(greatest, 513) / (513 * square) - 1).magnitude < 1e-13)
    let least = [Float](repeating: .leastNonzeroMagnitude, count: 513)
    #expect(level.kernels.squared_norm_f32(least, 513) == 513 * 0x1p-298)
  }

  /// Where the product with 1 / norm often rounds the other way.
  @Test(arguments: Level.available)
  func `a quotient in the middle between two numbers is divided in f64`(level: Level) {
    var generator = SeededGenerator(seed: 3)
    for _ in 0..<2000 {
      let quotient = Float.random(in: 1..<2, using: &generator)
      let value = Float.random(in: 1..<2, using: &generator)
      let norm = Double(value) / ((Double(quotient) + Double(quotient.nextUp)) / 2)
      var result = [Float](repeating: 0, count: 19)
      level.kernels.divide_f32([Float](repeating: value, count: 19), norm, 19, &result)
      #expect(result.allSatisfy { $0 == Float(Double(value) / norm) }, "\(value) / \(norm)")
    }
  }

  @Test(arguments: Level.available)
  func `a quotient is rounded to f64 and then to f32, in place or not`(level: Level) {
    let memory = Memory()
    defer { memory.free() }
    var generator = SeededGenerator(seed: 2)
    for kind in RowKind.allCases {
      for count in Awkward.lengths {
        for shift in Awkward.shifts {
          let values = kind.row(count, using: &generator)
          let square = definedReduction(values)
          for norm in [square > 0 ? square.squareRoot() : 1, 3, 1e-30, 1e30] {
            let row = memory.place(values, shift: shift)
            let result = memory.place([Float](repeating: 0, count: count), shift: 3 - shift)
            let expected = values.map { Float(Double($0) / norm).bitPattern }
            level.kernels.divide_f32(row.pointer, norm, count, result.pointer)
            level.kernels.divide_f32(row.pointer, norm, count, row.pointer)
            #expect(
              firstDifference(result.values.map(\.bitPattern), expected) == nil,
              "\(kind), count \(count), norm \(norm)")
            #expect(
              row.values.map(\.bitPattern) == expected, "\(kind), count \(count), norm \(norm), in place")
            #expect(result.isGuardIntact && row.isGuardIntact)
          }
        }
      }
    }
  }
}
