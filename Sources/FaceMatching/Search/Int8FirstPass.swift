import CFaceKernels

/// Candidates by 8-bit products within a proven error bound (see `QuantisedProbe`).
struct Int8FirstPass: FirstPass {
  struct Scratch {
    var products: [Int32]
    var indices: [UInt32]
    var estimates: [Float]
  }

  /// Probes multiplied in one call: with a unit's rows, their products fit the second-level cache.
  private static let groupSize = 64

  private let probes: [QuantisedProbe]
  /// All probes' codes, one after the other.
  private let codes: [Int8]
  private let planeDimension: Int
  private let kernels: Kernels

  init(_ probes: [[Float]], kernels: Kernels) {
    let planeDimension = probes[0].count.roundedUp(toMultipleOf: Int(FK_DIMENSION_STEP))
    let quantised = probes.map { QuantisedProbe($0, planeDimension: planeDimension, kernels: kernels) }
    self.probes = quantised
    self.planeDimension = planeDimension
    self.kernels = kernels
    codes = quantised.flatMap(\.codes)
  }

  var probeCount: Int { probes.count }

  func makeScratch() -> Scratch {
    Scratch(
      products: Array(repeating: 0, count: min(probeCount, Self.groupSize) * ScanUnit.rowCount),
      indices: Array(repeating: 0, count: ScanUnit.rowCount),
      estimates: Array(repeating: 0, count: ScanUnit.rowCount))
  }

  func scan(
    _ unit: ScanUnit, of segment: Segment, scratch: inout Scratch, cutoff: (Int) -> Float,
    offer: (_ probe: Int, _ row: Int, _ estimate: Float, _ slack: Float) -> Void
  ) {
    let rows = unit.wholeBlockRows
    if rows.isEmpty { return }
    for first in stride(from: 0, to: probeCount, by: Self.groupSize) {
      let group = first..<min(first + Self.groupSize, probeCount)
      codes.withUnsafeBufferPointer { codes in
        kernels.table.pointee.dot_blocks_i8(
          segment.plane + rows.lowerBound * planeDimension, rows.count / Int(FK_BLOCK_ROWS), planeDimension,
          codes.baseAddress! + first * planeDimension, group.count, &scratch.products)
      }
      for probe in group {
        select(
          probe, rows, of: segment, productsAt: (probe - first) * rows.count, scratch: &scratch,
          cutoff: cutoff(probe), offer: offer)
      }
    }
  }

  private func select(
    _ probe: Int, _ rows: Range<Int>, of segment: Segment, productsAt offset: Int, scratch: inout Scratch,
    cutoff: Float, offer: (_ probe: Int, _ row: Int, _ estimate: Float, _ slack: Float) -> Void
  ) {
    let quantised = probes[probe]
    let errors = segment.errors + rows.lowerBound
    let count = scratch.products.withUnsafeBufferPointer { products in
      kernels.table.pointee.select_i8(
        products.baseAddress! + offset, segment.scales + rows.lowerBound, errors, rows.count, quantised.scale,
        quantised.errorFactor, quantised.constant, cutoff, &scratch.indices, &scratch.estimates)
    }
    for selected in 0..<count {
      let row = Int(scratch.indices[selected])
      offer(
        probe, rows.lowerBound + row, scratch.estimates[selected],
        (quantised.errorFactor * errors[row] + quantised.constant).nextUp)
    }
  }
}
