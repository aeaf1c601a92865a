import CFaceKernels

/// Candidates by products of coded rows within a proven error bound (see `QuantisedProbe`).
///
/// A single probe waits for memory, so it reads the coarse plane; several wait for arithmetic and read the fine one.
struct CodedFirstPass: FirstPass {
  struct Scratch {
    var products: [Int32]
    var indices: [UInt32]
    var estimates: [Float]
    /// For each frame met: the probes' products with its centre.
    var offsets: [ObjectIdentifier: [Float]] = [:]
  }

  /// Probes multiplied in one call: with a unit's rows, their products fit the second-level cache.
  private static let groupSize = 64

  private let values: [[Float]]
  private let probes: [QuantisedProbe]
  /// All probes' codes, one after the other.
  private let codes: [Int8]
  private let planeDimension: Int
  private let kernels: Kernels

  init(_ probes: [[Float]], kernels: Kernels) {
    let planeDimension = probes[0].count.roundedUp(toMultipleOf: Int(FK_DIMENSION_STEP))
    values = probes
    let quantised = probes.map { QuantisedProbe($0, planeDimension: planeDimension, kernels: kernels) }
    self.probes = quantised
    self.planeDimension = planeDimension
    self.kernels = kernels
    codes = quantised.flatMap(\.codes)
  }

  var unitRows: Int { probes.count == 1 ? 8192 : 1024 }

  func makeScratch() -> Scratch {
    Scratch(
      products: Array(repeating: 0, count: min(probes.count, Self.groupSize) * unitRows),
      indices: Array(repeating: 0, count: unitRows), estimates: Array(repeating: 0, count: unitRows))
  }

  func scan(
    _ unit: ScanUnit, of view: SegmentView, scratch: inout Scratch, cutoff: (Int) -> Float,
    accept: (_ probe: Int, _ selection: Selection) -> Void
  ) {
    let rows = unit.wholeBlockRows
    if rows.isEmpty { return }
    let offsets = offsets(view.segment.frame, &scratch)
    let (plane, block) = (
      probes.count == 1 ? view.segment.coarse : view.segment.fine, rows.lowerBound / Int(FK_BLOCK_ROWS)
    )
    for first in stride(from: 0, to: probes.count, by: Self.groupSize) {
      let group = first..<min(first + Self.groupSize, probes.count)
      multiply(
        group, plane.block(block), blockCount: rows.count / Int(FK_BLOCK_ROWS), into: &scratch.products)
      for probe in group {
        select(
          probe, rows, of: plane, largestNorm: view.largestNorm, productsAt: (probe - first) * rows.count,
          offset: offsets[probe], scratch: &scratch, cutoff: cutoff(probe), accept: accept)
      }
    }
  }

  private func offsets(_ frame: CodingFrame, _ scratch: inout Scratch) -> [Float] {
    if let known = scratch.offsets[ObjectIdentifier(frame)] { return known }
    let offsets = values.map { kernels.table.pointee.dot_f32($0, frame.centre, frame.centre.count) }
    scratch.offsets[ObjectIdentifier(frame)] = offsets
    return offsets
  }

  private func multiply(
    _ group: Range<Int>, _ blocks: UnsafePointer<UInt8>, blockCount: Int, into products: inout [Int32]
  ) {
    codes.withUnsafeBufferPointer { codes in
      let codes = codes.baseAddress! + group.lowerBound * planeDimension
      if probes.count == 1 {
        kernels.table.pointee.dot_blocks_u4(blocks, blockCount, planeDimension, codes, &products)
      } else {
        kernels.table.pointee.dot_blocks_i8(blocks, blockCount, planeDimension, codes, group.count, &products)
      }
    }
  }

  private func select(
    _ probe: Int, _ rows: Range<Int>, of plane: CodePlane, largestNorm: Float, productsAt position: Int,
    offset: Float, scratch: inout Scratch, cutoff: Float,
    accept: (_ probe: Int, _ selection: Selection) -> Void
  ) {
    let quantised = probes[probe]
    let constant = quantised.constant(largestNorm: largestNorm)
    let errors = plane.errors + rows.lowerBound
    let count = scratch.products.withUnsafeBufferPointer { products in
      kernels.table.pointee.select_i8(
        products.baseAddress! + position, plane.scales + rows.lowerBound, errors, rows.count, quantised.scale,
        quantised.errorFactor, constant, cutoff - offset, &scratch.indices, &scratch.estimates)
    }
    if count == 0 { return }
    scratch.indices.withUnsafeBufferPointer { indices in
      scratch.estimates.withUnsafeBufferPointer { estimates in
        accept(
          probe,
          Selection(
            firstRow: rows.lowerBound, indices: UnsafeBufferPointer(rebasing: indices[..<count]),
            estimates: UnsafeBufferPointer(rebasing: estimates[..<count]), offset: offset, errors: errors,
            errorFactor: quantised.errorFactor, constant: constant))
      }
    }
  }
}
