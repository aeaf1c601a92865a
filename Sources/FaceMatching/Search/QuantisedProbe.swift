import CFaceKernels

/// A probe in 8-bit form, with what bounds the error of a product with 8-bit rows.
///
/// For a row x ≈ x̂ = s·c with ‖x − x̂‖ ≤ e, and the probe q ≈ q̂ = t·d with ‖q − q̂‖ ≤ f:
/// q·x − q̂·x̂ = q̂·(x − x̂) + (q − q̂)·x, so by Cauchy–Schwarz it is at most (‖q‖ + f)·e + f·‖x‖ in magnitude.
/// Both norms are 1 to within 1e-6 after normalisation. `constant` adds a margin for the rounding of the defined
/// reduction (n/16 + 4 additions of products, each within 2⁻²⁴ of at most ‖q‖·‖x‖; Higham, *Accuracy and Stability of
/// Numerical Algorithms*, 2nd ed., section 3.1) and for that of the estimate itself.
struct QuantisedProbe {
  let codes: [Int8]
  let scale: Float
  let errorFactor: Float
  let constant: Float

  static let unitNormBound = 1.000001

  init(_ values: [Float], planeDimension: Int, kernels: Kernels) {
    var codes = [Int8](repeating: 0, count: planeDimension)
    let quantisation = values.withUnsafeBufferPointer { row in
      codes.withUnsafeMutableBufferPointer {
        kernels.table.pointee.quantise_i8(row.baseAddress!, row.count, $0.baseAddress!)
      }
    }
    self.codes = codes
    scale = quantisation.scale
    let probeError = Double(quantisation.error_norm)
    errorFactor = Float(Self.unitNormBound + probeError).nextUp
    constant = Float(probeError * Self.unitNormBound + Self.roundingMargin(dimension: values.count) + 1e-6).nextUp
  }

  /// A bound of |defined score − true dot product| for unit vectors.
  static func roundingMargin(dimension: Int) -> Double {
    Double(dimension.roundedUp(toMultipleOf: 16) / 16 + 8) * 0x1p-24 * 1.001
  }
}
