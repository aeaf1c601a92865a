import CFaceKernels

/// The origin that rows are coded from, and the direction that they are coded without.
///
/// Embeddings of some models all lie near one direction; what tells them apart is small, and so must be the steps of the
/// codes. A row x is coded as y = R(x − m − a·u), with the centre m, a rotation R and, where the centre is long, its
/// direction u, the *axis*; the *axial component* a is kept as a number. A probe then loses its part along the axis too,
/// b·u, which leaves a shorter one for the errors of the codes to act on: q·x = q·m + a (q·u) + (q − b·u)·(x − m − a·u).
/// A frame is learnt from rows enrolled before, and never changes for a segment that uses it. Any frame whose
/// centre is no longer than 1 gives correct bounds: a poor one only prunes less.
final class CodingFrame: Sendable {
  /// Taken from a row before it is coded; `dimension` components.
  let centre: [Float]
  /// The direction of the centre, of norm 1 to within 2⁻²³; nil where the centre is short.
  let axis: [Float]?

  /// The centre's norm from which on its direction is worth a number to a row: it shortens the probes by an eighth.
  private static let leastAxialNorm = 0.5

  /// No row has been seen: rows are coded as they are.
  convenience init(dimension: Int) {
    self.init(centre: Array(repeating: 0, count: dimension))
  }

  /// The frame with a known centre.
  init(centre: [Float]) {
    self.centre = centre
    let norm = centre.reduce(0) { $0 + Double($1) * Double($1) }.squareRoot()
    axis = norm >= Self.leastAxialNorm ? centre.map { Float(Double($0) / norm) } : nil
  }

  /// The frame of a file's centre; nil for one that no rows of norm 1 have as their mean.
  convenience init?(restoring centre: [Float]) {
    let squaredNorm = centre.reduce(0) { $0 + Double($1) * Double($1) }
    // Not a number is no less than anything.
    guard squaredNorm <= Self.greatestSquaredNorm else { return nil }
    self.init(centre: centre)
  }

  /// What rounding can make of a mean of norm 1.
  private static let greatestSquaredNorm = 1.00001

  /// The mean of the rows of `segments` that are present at `version`; zero where there are none.
  convenience init(meanOf segments: [SegmentView], at version: UInt64, dimension: Int) {
    var sums = [Double](repeating: 0, count: dimension)
    var count = 0
    for view in segments {
      for row in 0..<view.count where view.segment.isPresent(row, at: version) {
        let values = view.segment.rows + row * view.segment.stride
        for index in 0..<dimension { sums[index] += Double(values[index]) }
        count += 1
      }
    }
    self.init(centre: sums.map { Float($0 / Double(max(count, 1))) })
  }

  /// Writes what `row` is coded as to `result`, of `planeDimension` elements, and returns the axial component.
  func place(_ row: UnsafePointer<Float>, in result: UnsafeMutableBufferPointer<Float>) -> Float {
    for index in centre.indices { result[index] = row[index] - centre[index] }
    for index in centre.count..<result.count { result[index] = 0 }
    var axial: Float = 0
    if let axis {
      var sum = 0.0
      for index in axis.indices { sum += (Double(row[index]) - Double(centre[index])) * Double(axis[index]) }
      axial = Float(sum)
      for index in axis.indices {
        result[index] = Float(
          Double(row[index]) - Double(centre[index]) - Double(axial) * Double(axis[index]))
      }
    }
    fk_rotate_f32(result.baseAddress!, result.count)
    return axial
  }

  /// The rotated rest of a probe without its part along the axis, and its product with the axis, which is 0 without one.
  func place(probe: [Float], planeDimension: Int) -> (rest: [Float], axialFactor: Float) {
    var rest = probe
    var axialFactor: Float = 0
    if let axis {
      axialFactor = Float(zip(probe, axis).reduce(0) { $0 + Double($1.0) * Double($1.1) })
      for index in axis.indices {
        rest[index] = Float(Double(probe[index]) - Double(axialFactor) * Double(axis[index]))
      }
    }
    rest += [Float](repeating: 0, count: planeDimension - probe.count)
    rest.withUnsafeMutableBufferPointer { fk_rotate_f32($0.baseAddress!, $0.count) }
    return (rest, axialFactor)
  }

  /// Bounds the error of p·y as computed, for parts of norm 1: both rotations err by at most `FK_ROTATION_ERROR`, and both
  /// parts are rounded to f32 once.
  static let relativeMargin = 2 * FK_ROTATION_ERROR + 2 * 0x1p-24 + 1e-9

  /// Bounds what is left out of q·x = q·m + a·b + p·y by numbers that are rounded, |a| ≤ 2 and |b| ≤ 1: b·(u·y), where a
  /// errs by 2⁻²³ and ‖u‖² by 2⁻²³ of 1, and a·(q·u − b).
  static let axialMargin = (2 + 4 + 2) * 0x1p-24 + 1e-9
}
