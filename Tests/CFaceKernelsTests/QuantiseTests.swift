import Biometrics
import CFaceKernels
import Testing

#if arch(x86_64)
  private typealias Wide = Float80
#else
  private typealias Wide = Double
#endif

@Suite struct QuantiseTests {
  /// Below this 127 / m is not a finite f32, and a row has no codes.
  private static let smallestEncoded = 127 / Float.greatestFiniteMagnitude

  private func quantise(_ row: [Float], level: Level, shift: Int = 0) -> (fk_quantisation, [Int8]) {
    let memory = Memory()
    defer { memory.free() }
    let codes = memory.place([Int8](repeating: 99, count: row.count), shift: 3 - shift)
    let quantisation = level.kernels.quantise_i8(
      memory.place(row, shift: shift).pointer, row.count, codes.pointer)
    #expect(codes.isGuardIntact)
    return (quantisation, codes.values)
  }

  private func residualNorm(_ row: [Float], _ quantisation: fk_quantisation, _ codes: [Int8]) -> Wide {
    let squares = zip(row, codes).map { value, code in
      let residual = Wide(value) - Wide(quantisation.scale) * Wide(code)
      return residual * residual
    }
    return squares.reduce(0, +).squareRoot()
  }

  @Test(arguments: Level.available)
  func `codes and scale are those of the definition`(level: Level) {
    var generator = SeededGenerator(seed: 1)
    for kind in RowKind.allCases {
      for count in Awkward.lengths {
        let row = kind.row(count, using: &generator)
        let largest = row.map(\.magnitude).max() ?? 0
        let inverse = 127 / largest
        let (found, codes) = quantise(row, level: level, shift: count % 4)
        #expect(found.scale == (inverse.isFinite ? largest / 127 : 0), "\(kind), count \(count)")
        let expected = row.map { inverse.isFinite ? Int8(($0 * inverse).rounded(.toNearestOrEven)) : 0 }
        #expect(firstDifference(codes, expected) == nil, "\(kind), count \(count)")
      }
    }
  }

  @Test(arguments: Level.available)
  func `the error bound covers the residual and hardly exceeds it`(level: Level) {
    var generator = SeededGenerator(seed: 2)
    for kind in RowKind.allCases {
      for count in Awkward.lengths {
        for round in 0..<8 {
          let row = kind.row(count, using: &generator)
          let (found, codes) = quantise(row, level: level, shift: round % 4)
          let residual = residualNorm(row, found, codes)
          let bound = Wide(found.error_norm)
          #expect(bound >= residual, "\(kind), count \(count)")
          #expect(bound <= residual * (1 + 0x1p-22) + 2 * Wide(Float.leastNonzeroMagnitude), "\(kind)")
        }
      }
    }
  }

  @Test(arguments: Level.available)
  func `every level gives the scalar level's bits`(level: Level) {
    var generator = SeededGenerator(seed: 3)
    for kind in RowKind.allCases {
      for count in Awkward.lengths {
        for shift in Awkward.shifts {
          let row = kind.row(count, using: &generator)
          let (found, codes) = quantise(row, level: level, shift: shift)
          let (expected, expectedCodes) = quantise(row, level: .scalar)
          #expect(found.scale.bitPattern == expected.scale.bitPattern, "\(kind), count \(count)")
          #expect(found.error_norm.bitPattern == expected.error_norm.bitPattern, "\(kind), count \(count)")
          #expect(firstDifference(codes, expectedCodes) == nil, "\(kind), count \(count), shift \(shift)")
        }
      }
    }
  }

  @Test(arguments: Level.available)
  func `ties go to the even code`(level: Level) {
    let row: [Float] = [127, 0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 126.5, -126.5, -127]
    let (found, codes) = quantise(row, level: level)
    #expect(found.scale == 1)
    #expect(codes == [127, 0, 2, 2, 0, -2, -2, 126, -126, -127])
    #expect(found.error_norm >= (8 * 0.25).squareRoot())
  }

  @Test(arguments: Level.available)
  func `a row of zeros has scale and error zero`(level: Level) {
    for row: [Float] in [[], [0], [0, -0.0, 0, 0, 0], .init(repeating: 0, count: 64)] {
      let (found, codes) = quantise(row, level: level)
      #expect(found.scale == 0 && found.error_norm == 0)
      #expect(codes.allSatisfy { $0 == 0 })
    }
  }

  @Test(arguments: Level.available)
  func `a row too small for a finite factor keeps its norm as the error`(level: Level) {
    let edge = Self.smallestEncoded
    for largest in [Float.leastNonzeroMagnitude, 0x1p-133, 1e-38, edge * 0.999] {
      let (found, codes) = quantise([largest, -largest, 0, largest], level: level)
      #expect(found.scale == 0 && codes == [0, 0, 0, 0])
      #expect(Double(found.error_norm) >= Double(largest) * 3.0.squareRoot())
      #expect(Double(found.error_norm) <= Double(largest) * 3.0.squareRoot() * (1 + 0x1p-22) + 0x1p-148)
    }
    let (found, codes) = quantise([edge * 1.001, -edge], level: level)
    #expect(found.scale > 0 && codes == [127, -127])
  }

  @Test(arguments: Level.available)
  func `the greatest numbers stay within the codes`(level: Level) {
    let greatest = Float.greatestFiniteMagnitude
    let (found, codes) = quantise([greatest, -greatest, greatest / 2, 0], level: level)
    #expect(codes == [127, -127, 64, 0])
    #expect(found.error_norm.isFinite)
  }

  @Test(arguments: Level.available)
  func `a row that is not finite has no codes and an infinite error`(level: Level) {
    for value in [Float.infinity, -.infinity, .nan, -.nan] {
      for count in [1, 8, 16, 17, 33] {
        var row = [Float](repeating: 1, count: count)
        row[count - 1] = value
        let (found, codes) = quantise(row, level: level)
        #expect(found.scale == 0 && found.error_norm == .infinity, "\(value), count \(count)")
        #expect(codes.allSatisfy { $0 == 0 })
      }
    }
  }
}
