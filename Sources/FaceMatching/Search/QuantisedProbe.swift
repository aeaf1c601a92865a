import CFaceKernels

/// What makes estimates of a probe's scores, and bounds of their errors, of its products with the coded rows of a frame.
///
/// A row x is coded as y and a, and a probe q leaves p and b, so that q·x = q·m + a·b + p·y (`CodingFrame`). For
/// y ≈ ŷ = s·c with ‖y − ŷ‖ ≤ e, and p ≈ p̂ = t·d with ‖p − p̂‖ ≤ f: p·y − p̂·ŷ = p̂·(y − ŷ) + (p − p̂)·y, so by
/// Cauchy–Schwarz it is at most (‖p‖ + f)·e + f·‖y‖ in magnitude. `constant` adds margins: of the frame, of the defined
/// reduction and of q·m by it, and of the estimate itself, at most ten roundings of numbers below 2.
struct QuantisedProbe {
  let scale: Float
  let errorFactor: Float
  /// The product with the frame's centre, which an estimate lacks.
  let offset: Float
  let axialFactor: Float
  /// What is added to every bound, for each unit of the norm of y, and without it.
  private let relative: Double
  private let margin: Double

  /// The norm of a probe is 1 to within 2e-6.
  static let unitNormBound = 1.000002

  /// Writes the probe's codes to `codes`, of as many elements as the frame's coded rows.
  init(
    _ values: [Float], in frame: CodingFrame, kernels: Kernels, codes: UnsafeMutableBufferPointer<Int8>
  ) {
    let (rest, axialFactor) = frame.place(probe: values, planeDimension: codes.count)
    let quantisation = kernels.table.pointee.quantise_i8(rest, rest.count, codes.baseAddress!)
    let norm =
      kernels.table.pointee.squared_norm_f32(rest, rest.count).squareRoot() * Self.unitNormBound
    scale = quantisation.scale
    self.axialFactor = axialFactor
    offset = kernels.table.pointee.dot_f32(values, frame.centre, frame.centre.count)
    let error = Double(quantisation.error_norm)
    errorFactor = Float(norm + error).nextUp
    relative = error + norm * CodingFrame.relativeMargin
    margin = 2 * Self.roundingMargin(dimension: values.count) + CodingFrame.axialMargin + 2e-6
  }

  /// What is added to every bound, for rows of which y is no longer than `largestNorm`.
  func constant(largestNorm: Float) -> Float {
    Float(relative * Double(largestNorm) + margin).nextUp
  }

  /// A bound of |computed − true dot product| of the defined reduction for vectors of norm at most 1: n/16 + 4 additions
  /// of products, each within 2⁻²⁴ (Higham, *Accuracy and Stability of Numerical Algorithms*, 2nd ed., section 3.1).
  static func roundingMargin(dimension: Int) -> Double {
    Double(dimension.roundedUp(toMultipleOf: 16) / 16 + 8) * 0x1p-24 * 1.001
  }
}

/// Probes as the coded rows of one frame are multiplied with.
struct QuantisedProbes {
  let probes: [QuantisedProbe]
  /// All probes' codes, one after the other.
  let codes: [Int8]

  init(_ values: [[Float]], in frame: CodingFrame, kernels: Kernels) {
    let planeDimension = frame.centre.count.roundedUp(toMultipleOf: Int(FK_DIMENSION_STEP))
    var probes: [QuantisedProbe] = []
    codes = [Int8](unsafeUninitializedCapacity: values.count * planeDimension) { codes, count in
      for (index, values) in values.enumerated() {
        let place = UnsafeMutableBufferPointer(
          rebasing: codes[(index * planeDimension)..<((index + 1) * planeDimension)])
        probes.append(QuantisedProbe(values, in: frame, kernels: kernels, codes: place))
      }
      count = values.count * planeDimension
    }
    self.probes = probes
  }

  subscript(index: Int) -> QuantisedProbe { probes[index] }
}
