import CFaceKernels

/// Candidates by f32 products of a BLAS, whose order of summation is unknown.
///
/// For any order, |computed − true| ≤ γₙ·‖q‖·‖x‖ with γₙ = n·u / (1 − n·u), u = 2⁻²⁴ (Higham, *Accuracy and Stability
/// of Numerical Algorithms*, 2nd ed., equation 3.5); the defined score adds its own margin.
struct BLASFirstPass: FirstPass {
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

  func makeScratch() -> [Float] {
    Array(repeating: 0, count: probeCount * unitRows)
  }

  func scan(
    _ unit: ScanUnit, of view: SegmentView, scratch: inout [Float], cutoff: (Int) -> Float,
    offer: (_ probe: Int, _ row: Int, _ estimate: Float, _ slack: Float) -> Void
  ) {
    let (rows, segment) = (unit.wholeBlockRows, view.segment)
    if rows.isEmpty { return }
    scratch.withUnsafeMutableBufferPointer { products in
      blas.multiplyRows(
        values, leftCount: probeCount, leftStride: dimension,
        by: segment.rows + rows.lowerBound * segment.stride,
        rightCount: rows.count, rightStride: segment.stride, count: dimension, into: products.baseAddress!,
        productStride: rows.count)
      for probe in 0..<probeCount {
        let lowest = cutoff(probe) - slack
        let estimates = products.baseAddress! + probe * rows.count
        for row in 0..<rows.count where estimates[row] >= lowest {
          offer(probe, rows.lowerBound + row, estimates[row], slack)
        }
      }
    }
  }
}
