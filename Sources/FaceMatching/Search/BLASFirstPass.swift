import CFaceKernels

/// Candidates by f32 products of a BLAS, whose order of summation is unknown.
///
/// For any order, |computed − true| ≤ γₙ·‖q‖·‖x‖ with γₙ = n·u / (1 − n·u), u = 2⁻²⁴ (Higham, *Accuracy and Stability
/// of Numerical Algorithms*, 2nd ed., equation 3.5); the defined score adds its own margin.
struct BLASFirstPass: FirstPass {
  struct Scratch {
    var products: [Float]
    var indices: [UInt32]
    var estimates: [Float]
  }

  private let blas: OpenBLAS
  private let values: [Float]
  private let dimension: Int
  private let slack: Float
  private let probeCount: Int
  let unitRows = 1024

  init(_ probes: [[Float]], blas: OpenBLAS) {
    self.blas = blas
    dimension = probes[0].count
    probeCount = probes.count
    values = probes.flatMap { $0 }
    let roundoff = Double(dimension) * 0x1p-24
    let unknownOrder = roundoff / (1 - roundoff) * QuantisedProbe.unitNormBound * QuantisedProbe.unitNormBound
    slack = Float(unknownOrder + QuantisedProbe.roundingMargin(dimension: dimension) + 1e-6).nextUp
  }

  func makeScratch() -> Scratch {
    Scratch(
      products: Array(repeating: 0, count: probeCount * unitRows),
      indices: Array(repeating: 0, count: unitRows),
      estimates: Array(repeating: 0, count: unitRows))
  }

  func scan(
    _ unit: ScanUnit, of view: SegmentView, scratch: inout Scratch, cutoff: (Int) -> Float,
    accept: (_ probe: Int, _ selection: Selection) -> Void
  ) {
    let (rows, segment) = (unit.wholeBlockRows, view.segment)
    if rows.isEmpty { return }
    blas.multiplyRows(
      values, leftCount: probeCount, leftStride: dimension,
      by: segment.rows + rows.lowerBound * segment.stride,
      rightCount: rows.count, rightStride: segment.stride, count: dimension, into: &scratch.products,
      productStride: rows.count)
    for probe in 0..<probeCount {
      let lowest = cutoff(probe) - slack
      var count = 0
      for row in 0..<rows.count where scratch.products[probe * rows.count + row] >= lowest {
        scratch.indices[count] = UInt32(row)
        scratch.estimates[count] = scratch.products[probe * rows.count + row]
        count += 1
      }
      if count == 0 { continue }
      scratch.indices.withUnsafeBufferPointer { indices in
        scratch.estimates.withUnsafeBufferPointer { estimates in
          accept(
            probe,
            Selection(
              firstRow: rows.lowerBound, indices: UnsafeBufferPointer(rebasing: indices[..<count]),
              estimates: UnsafeBufferPointer(rebasing: estimates[..<count]), constant: slack))
        }
      }
    }
  }
}
