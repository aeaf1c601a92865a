import CFaceKernels

/// The origin that rows are coded from: the coded forms hold what is left of a row when the centre is taken away.
///
/// Embeddings of some models all lie near one direction; what tells them apart is small, and so must be the steps of the
/// codes. A frame is learnt from rows enrolled before, and never changes for a segment that uses it. Any frame gives
/// correct bounds: a poor one only prunes less.
final class CodingFrame: Sendable {
  /// Taken from a row before it is coded; `dimension` components.
  let centre: [Float]

  /// No row has been seen: rows are coded as they are.
  init(dimension: Int) {
    centre = Array(repeating: 0, count: dimension)
  }

  /// The frame with a known centre.
  init(centre: [Float]) {
    self.centre = centre
  }

  /// The mean of the rows of `segments` that are present at `version`; zero where there are none.
  init(meanOf segments: [SegmentView], at version: UInt64, dimension: Int) {
    var sums = [Double](repeating: 0, count: dimension)
    var count = 0
    for view in segments {
      for row in 0..<view.count where view.segment.isPresent(row, at: version) {
        let values = view.segment.rows + row * view.segment.stride
        for index in 0..<dimension { sums[index] += Double(values[index]) }
        count += 1
      }
    }
    centre = sums.map { Float($0 / Double(max(count, 1))) }
  }

  /// What `row` is coded as: the row less the centre, rotated; `result` has `planeDimension` elements.
  func place(_ row: UnsafePointer<Float>, in result: UnsafeMutableBufferPointer<Float>) {
    for index in centre.indices { result[index] = row[index] - centre[index] }
    for index in centre.count..<result.count { result[index] = 0 }
    fk_rotate_f32(result.baseAddress!, result.count)
  }

  /// The rotation alone, of a probe: q·x = q·centre + rotated(q)·rotated(x − centre).
  static func rotated(_ probe: [Float], planeDimension: Int) -> [Float] {
    var result = probe + [Float](repeating: 0, count: planeDimension - probe.count)
    result.withUnsafeMutableBufferPointer { fk_rotate_f32($0.baseAddress!, $0.count) }
    return result
  }

  /// Bounds |q·(x − centre) − rotated(q)·rotated(x − centre)| as computed, for unit q and x: both rotations err by at
  /// most `FK_ROTATION_ERROR` of a norm that is at most 2, and the difference x − centre rounds by 2⁻²⁴ of at most 2.
  static let roundingMargin = 2 * 2 * FK_ROTATION_ERROR + 2 * 0x1p-24 + 1e-9
}
