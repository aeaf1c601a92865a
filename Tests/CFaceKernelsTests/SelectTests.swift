import Biometrics
import CFaceKernels
import Testing

@Suite struct SelectTests {
  /// What a search hands to the kernel.
  private struct Rows {
    var products: [Int32], scales: [Float], errors: [Float], axial: [Float]?
    let axialFactor: Float = 0.73
    let queryScale: Float = 0.0031, errorFactor: Float = 1.01, constant: Float = 0.002

    init(_ count: Int, seed: UInt64, isAxial: Bool = false) {
      var generator = SeededGenerator(seed: seed)
      products = (0..<count).map { _ in Int32.random(in: -1_000_000...1_000_000, using: &generator) }
      scales = (0..<count).map { _ in Float.random(in: 0.0009...0.0011, using: &generator) }
      errors = (0..<count).map { _ in Float.random(in: 0.01...0.02, using: &generator) }
      axial = isAxial ? (0..<count).map { _ in Float.random(in: -1...1, using: &generator) } : nil
    }

    func estimate(_ index: Int) -> Float {
      let scaled = queryScale * Float(products[index])
      let estimate = scales[index] * scaled
      guard let axial else { return estimate }
      let along = axialFactor * axial[index]
      return estimate + along
    }

    func bound(_ index: Int) -> Float {
      let spread = errorFactor * errors[index]
      let margin = spread + constant
      return estimate(index) + margin
    }

    func passing(_ cutoff: Float) -> [Int] { products.indices.filter { bound($0) >= cutoff } }

    func select(_ level: Level, cutoff: Float, shift: Int) -> (indices: [Int], estimates: [Float]) {
      let memory = Memory()
      defer { memory.free() }
      let indices = memory.place([UInt32](repeating: 0, count: products.count), shift: shift, filling: 99)
      let estimates = memory.place([Float](repeating: 0, count: products.count), shift: shift)
      let count = level.kernels.select_i8(
        memory.place(products, shift: shift, filling: .max).pointer,
        memory.place(scales, shift: 3 - shift).pointer,
        memory.place(errors, shift: shift).pointer, axial.map { memory.place($0, shift: 3 - shift).pointer },
        products.count, queryScale, axialFactor, errorFactor, constant, cutoff, indices.pointer,
        estimates.pointer)
      #expect(indices.isGuardIntact && estimates.isGuardIntact)
      return (indices.values.prefix(count).map(Int.init), Array(estimates.values.prefix(count)))
    }
  }

  private func check(_ rows: Rows, _ level: Level, cutoff: Float, shift: Int = 0) {
    let found = rows.select(level, cutoff: cutoff, shift: shift)
    #expect(
      found.indices == rows.passing(cutoff), "cutoff \(cutoff), \(rows.products.count) rows, shift \(shift)")
    #expect(
      firstDifference(found.estimates.map(\.bitPattern), found.indices.map { rows.estimate($0).bitPattern })
        == nil)
  }

  @Test(arguments: Level.available)
  func `the rows that a plain loop selects are selected`(level: Level) {
    for (count, isAxial) in stride(from: 0, through: 160, by: 16).flatMap({ [($0, false), ($0, true)] }) {
      let rows = Rows(count, seed: UInt64(count), isAxial: isAxial)
      for shift in Awkward.shifts {
        for cutoff: Float in [-.infinity, -10, -1, 0, 1, 2, 3, 10, .infinity] {
          check(rows, level, cutoff: cutoff, shift: shift)
        }
      }
    }
  }

  @Test(arguments: Level.available)
  func `a row exactly at the cutoff is selected, and not one step above it`(level: Level) {
    let rows = Rows(64, seed: 1)
    for index in rows.products.indices {
      #expect(rows.select(level, cutoff: rows.bound(index), shift: 0).indices.contains(index))
      #expect(!rows.select(level, cutoff: rows.bound(index).nextUp, shift: 0).indices.contains(index))
    }
  }

  /// Were a multiplication and an addition fused anywhere, some of these bounds would differ in their last bit.
  @Test(arguments: Level.available)
  func `no step is fused with another`(level: Level) {
    for rows in [Rows(16 * 16, seed: 2), Rows(16 * 16, seed: 2, isAxial: true)] {
      for index in rows.products.indices { check(rows, level, cutoff: rows.bound(index)) }
    }
  }

  @Test(arguments: Level.available)
  func `NaN is never selected`(level: Level) {
    for cutoff: Float in [-.infinity, 0, .nan] {
      var rows = Rows(48, seed: 3)
      for index in stride(from: 0, to: 48, by: 3) { rows.scales[index] = .nan }
      for index in stride(from: 1, to: 48, by: 6) { rows.errors[index] = .nan }
      let found = rows.select(level, cutoff: cutoff, shift: 0).indices
      #expect(found.allSatisfy { $0 % 3 != 0 && $0 % 6 != 1 })
      #expect(found == rows.passing(cutoff))
      #expect(cutoff.isNaN ? found.isEmpty : !found.isEmpty)
    }
  }

  @Test(arguments: Level.available)
  func `the greatest products are rounded to f32 alike`(level: Level) {
    var rows = Rows(32, seed: 4)
    rows.products = (0..<32).map { $0 % 2 == 0 ? Int32.max - $0 : Int32.min + $0 }
    check(rows, level, cutoff: -.infinity)
    check(rows, level, cutoff: 0)
  }

  @Test(arguments: Level.available)
  func `what a finer look leaves is what a plain loop leaves, in order, bits of the estimates included`(
    level: Level
  ) {
    for count in [0, 1, 15, 16, 17, 33, 160] {
      let rows = Rows(max(count, 1) * 3, seed: UInt64(count + 7))
      let picked = (0..<count).map { UInt32(3 * $0 + $0 % 3) }
      let coarse = (0..<count).map { Float($0 % 11) * 0.13 - 0.5 }
      func refined(_ position: Int) -> (estimate: Float, bound: Float) {
        let row = Int(picked[position])
        let scaled = rows.queryScale * Float(rows.products[position])
        let refinement = (rows.scales[row] * 0.25) * scaled
        let spread = rows.errorFactor * rows.errors[row]
        let (estimate, margin) = (coarse[position] + refinement, spread + rows.constant)
        return (estimate, estimate + margin)
      }
      let cutoffs =
        [-.infinity, 0, .infinity]
        + (count > 0 ? [refined(count / 2).bound, refined(count / 2).bound.nextUp] : [])
      for cutoff in cutoffs {
        let memory = Memory()
        defer { memory.free() }
        let indices = memory.place(picked, shift: 1, filling: 99)
        let estimates = memory.place(coarse, shift: 2)
        let kept = level.kernels.refine_u2(
          memory.place(rows.products, shift: 3, filling: .max).pointer, rows.scales, rows.errors, count,
          rows.queryScale,
          rows.errorFactor, rows.constant, cutoff, indices.pointer, estimates.pointer)
        let expected = (0..<count).filter { refined($0).bound >= cutoff }
        #expect(
          Array(indices.values.prefix(kept)) == expected.map { picked[$0] }, "\(count) rows, cutoff \(cutoff)"
        )
        #expect(
          estimates.values.prefix(kept).map(\.bitPattern) == expected.map { refined($0).estimate.bitPattern })
        #expect(indices.isGuardIntact && estimates.isGuardIntact)
      }
    }
  }
}
