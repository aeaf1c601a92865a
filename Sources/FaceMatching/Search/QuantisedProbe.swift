import CFaceKernels

/// A probe in 8-bit form, with what bounds the error of a product with coded rows.
///
/// A row x is coded as y = R(x − m), a probe q as p = R(q), with a rotation R: q·x = q·m + p·y. For y ≈ ŷ = s·c with
/// ‖y − ŷ‖ ≤ e, and p ≈ p̂ = t·d with ‖p − p̂‖ ≤ f: p·y − p̂·ŷ = p̂·(y − ŷ) + (p − p̂)·y, so by Cauchy–Schwarz it is at
/// most (‖p‖ + f)·e + f·‖y‖ in magnitude. ‖p‖ is 1 to within 2e-6. `constant` adds margins: of the rotation
/// (`CodingFrame`), of the defined reduction and of q·m by it, and of the estimate itself, at most eight roundings of
/// numbers below 2.
struct QuantisedProbe {
  let codes: [Int8]
  let scale: Float
  let errorFactor: Float
  private let probeError: Double
  private let margin: Double

  static let unitNormBound = 1.000002

  init(_ values: [Float], planeDimension: Int, kernels: Kernels) {
    let rotated = CodingFrame.rotated(values, planeDimension: planeDimension)
    var codes = [Int8](repeating: 0, count: planeDimension)
    let quantisation = rotated.withUnsafeBufferPointer { row in
      codes.withUnsafeMutableBufferPointer {
        kernels.table.pointee.quantise_i8(row.baseAddress!, row.count, $0.baseAddress!)
      }
    }
    self.codes = codes
    scale = quantisation.scale
    probeError = Double(quantisation.error_norm)
    errorFactor = Float(Self.unitNormBound + probeError).nextUp
    margin = 2 * Self.roundingMargin(dimension: values.count) + CodingFrame.roundingMargin + 2e-6
  }

  /// What is added to every bound, for rows of which y is no longer than `largestNorm`.
  func constant(largestNorm: Float) -> Float {
    Float(probeError * Double(largestNorm) + margin).nextUp
  }

  /// A bound of |computed − true dot product| of the defined reduction for vectors of norm at most 1: n/16 + 4 additions
  /// of products, each within 2⁻²⁴ (Higham, *Accuracy and Stability of Numerical Algorithms*, 2nd ed., section 3.1).
  static func roundingMargin(dimension: Int) -> Double {
    Double(dimension.roundedUp(toMultipleOf: 16) / 16 + 8) * 0x1p-24 * 1.001
  }
}
