import Biometrics
import CFaceKernels
import Testing

@Suite struct PairTests {
  @Test(arguments: Level.available)
  func `a tile of pairs gives what each pair alone gives, and no score more`(level: Level) {
    let memory = Memory()
    defer { memory.free() }
    var generator = SeededGenerator(seed: 5)
    for count in Awkward.lengths {
      for (height, width) in [(0, 3), (1, 1), (3, 5), (4, 4), (5, 9), (9, 17)] {
        let stride = count + 3
        let shift = height % 4
        let a = memory.place(RowKind.ordinary.row(height * stride, using: &generator), shift: shift)
        let b = memory.place(RowKind.wide.row(width * stride, using: &generator), shift: 3 - shift)
        let scoreStride = width + 2
        let scores = memory.place([Float](repeating: -7, count: height * scoreStride), shift: shift)
        level.kernels.dot_pairs_f32(
          a.pointer, stride, height, b.pointer, stride, width, count, scores.pointer, scoreStride)
        for row in 0..<height {
          let found = (0..<scoreStride).map { bits(scores.pointer[row * scoreStride + $0]) }
          let expected =
            (0..<width).map { other in
              bits(level.kernels.dot_f32(a.pointer + row * stride, b.pointer + other * stride, count))
            } + [bits(-7), bits(-7)]
          #expect(firstDifference(found, expected) == nil, "count \(count), \(height) × \(width), row \(row)")
        }
        #expect(scores.isGuardIntact)
      }
    }
  }

  /// The f64 product, written a second time from the contract alone.
  private func defined(_ a: ArraySlice<Double>, _ b: ArraySlice<Double>) -> Double {
    var lanes = [Double](repeating: 0, count: 8)
    for (index, (x, y)) in zip(a, b).enumerated() { lanes[index % 8].addProduct(x, y) }
    for half in [4, 2, 1] { for lane in 0..<half { lanes[lane] += lanes[lane + half] } }
    return lanes[0]
  }

  @Test(arguments: Level.available)
  func `f64 products have the bits of their definition at every level`(level: Level) {
    let memory = Memory()
    defer { memory.free() }
    var generator = SeededGenerator(seed: 6)
    for count in Awkward.lengths {
      for (height, width) in [(1, 1), (3, 5), (4, 4), (5, 9)] {
        let stride = count + 1
        let a = RowKind.wide.row(height * stride, using: &generator).map(Double.init)
        let b = RowKind.ordinary.row(width * stride, using: &generator).map(Double.init)
        let (left, right) = (
          memory.place(a, shift: 1, filling: 9), memory.place(b, shift: 2, filling: 9)
        )
        let scores = memory.place([Double](repeating: -7, count: height * width), shift: 3, filling: 9)
        level.kernels.dot_pairs_f64(
          left.pointer, stride, height, right.pointer, stride, width, count, scores.pointer, width)
        let expected = (0..<height).flatMap { row in
          (0..<width).map { other in
            defined(a[row * stride..<row * stride + count], b[other * stride..<other * stride + count])
          }
        }
        #expect(
          firstDifference(scores.values.map { $0 + 0 }, expected.map { $0 + 0 }) == nil,
          "count \(count), \(height) × \(width)")
        #expect(scores.isGuardIntact)
      }
    }
  }

  @Test(arguments: Level.available)
  func `counting in bins gives the plain level's bits, scores that are not finite included`(level: Level) {
    let memory = Memory()
    defer { memory.free() }
    var generator = SeededGenerator(seed: 7)
    var bins = fk_bins(low: -1, scale: 32, limit: 64)
    let kept = fk_bin_range(first: 50, end: 60)
    for count in Awkward.lengths {
      let scores = (0..<count).map { index -> Float in
        switch index % 11 {
        case 3: [Float.nan, .infinity, -.infinity][index % 3]
        case 5: Float.random(in: -3...3, using: &generator)
        case 7: Float(Int.random(in: -32...32, using: &generator)) / 32
        default: Float.random(in: -1...1, using: &generator)
        }
      }
      func run(_ kernels: fk_kernels, wide: Bool) -> (fk_bin_sums, [Int64], [Double]) {
        let counts = memory.place([Int64](repeating: 0, count: 64), shift: 0, filling: 3)
        let collected = memory.place([Double](repeating: 0, count: count), shift: 0, filling: 3)
        let values = memory.place(scores, shift: 1)
        let wider = memory.place(scores.map(Double.init), shift: 1, filling: 9)
        let sums =
          wide
          ? kernels.bin_f64(wider.pointer, count, &bins, 0.25, kept, counts.pointer, collected.pointer)
          : kernels.bin_f32(values.pointer, count, &bins, 0.25, kept, counts.pointer, collected.pointer)
        #expect(counts.isGuardIntact && collected.isGuardIntact)
        return (sums, counts.values, Array(collected.values.prefix(sums.kept)))
      }
      let expected = run(Level.scalar.kernels, wide: false)
      #expect(expected.1.reduce(0, +) == Int64(scores.count { $0.isFinite }))
      for wide in [false, true] {
        let found = run(level.kernels, wide: wide)
        #expect(found.1 == expected.1 && found.2 == expected.2, "count \(count), wide \(wide)")
        #expect(found.0.failed == expected.0.failed && found.0.kept == expected.0.kept)
        #expect(found.0.sum == expected.0.sum && found.0.squares == expected.0.squares)
      }
    }
  }
}
