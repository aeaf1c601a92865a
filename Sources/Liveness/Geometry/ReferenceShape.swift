/// The mean shape of a sequence, aligned with the template and of its size, and the columns made from it.
struct ReferenceShape {
  let points: Int
  /// Centred.
  let x: [Double]
  let y: [Double]
  let relief: [Double]
  /// Σx², Σxy, Σy².
  let gram: (xx: Double, xy: Double, yy: Double)

  /// `nil` when the points of the shape lie on a line, or a frame has no extent.
  init?(_ coordinates: UnsafePointer<Double>, frames: Int, template: FaceTemplate) {
    let count = template.layout.points
    points = count
    relief = template.relief
    guard let sums = Self.sums(coordinates, frames: frames, template: template) else { return nil }
    func centred(_ sums: ArraySlice<Double>) -> [Double] {
      let means = sums.map { $0 / Double(frames) }
      let centre = sum(means, count) / Double(count)
      return means.map { $0 - centre }
    }
    x = centred(sums[..<count])
    y = centred(sums[count...])
    let own = crossSums(x, y, x, y, count)
    gram = (own.xx, own.xy, own.yy)
    guard gram.xx * gram.yy - gram.xy * gram.xy > 1e-9 else { return nil }
  }

  /// The sum of all frames, each centred, turned back and scaled to the template: all x, then all y.
  private static func sums(
    _ coordinates: UnsafePointer<Double>, frames: Int, template: FaceTemplate
  ) -> [Double]? {
    let count = template.layout.points
    let norm = dot(template.x, template.x, count) + dot(template.y, template.y, count)
    var all = [Double](repeating: 0, count: 2 * count)
    let isWhole = all.withUnsafeMutableBufferPointer { all in
      for frame in 0..<frames {
        let px = coordinates + frame * 2 * count
        let sums = crossSums(px, px + count, template.x, template.y, count)
        let turn = SIMD2(sums.xx + sums.yy, sums.yx - sums.xy) / norm
        let squared = turn.x * turn.x + turn.y * turn.y
        guard squared > 1e-12 else { return false }
        addRotated(
          px, px + count, less: SIMD2(sums.x, sums.y) / Double(count), by: turn / squared,
          to: all.baseAddress!, all.baseAddress! + count, count)
      }
      return true
    }
    return isWhole ? all : nil
  }

  /// The affine map of each frame: the point M of the shape lies at `centre` + L M in the image.
  func affineFits(_ coordinates: UnsafePointer<Double>, frames: Int) -> [AffineFit] {
    let determinant = gram.xx * gram.yy - gram.xy * gram.xy
    return (0..<frames).map { frame in
      let px = coordinates + frame * 2 * points
      let sums = crossSums(px, px + points, x, y, points)
      // Rows of the inverse of the 2 × 2 Gram matrix, times the inner products.
      let (gxx, gxy, gyy) = (gram.yy / determinant, -gram.xy / determinant, gram.xx / determinant)
      return AffineFit(
        centreX: sums.x / Double(points), centreY: sums.y / Double(points),
        xx: gxx * sums.xx + gxy * sums.xy, xy: gxx * sums.yx + gxy * sums.yy,
        yx: gxy * sums.xx + gyy * sums.xy, yy: gxy * sums.yx + gyy * sums.yy)
    }
  }

  /// A column over both coordinates of all points: what is left of (`first`, `second`) after its best affine map. `nil` stands
  /// for zeros.
  func affineFree(_ first: UnsafePointer<Double>?, _ second: UnsafePointer<Double>?) -> [Double] {
    [Double](unsafeUninitializedCapacity: 2 * points) { result, count in
      let base = result.baseAddress!
      for (values, place) in [(first, base), (second, base + points)] {
        if let values {
          writeAffineFree(values, into: place)
        } else {
          place.initialize(repeating: 0, count: points)
        }
      }
      count = 2 * points
    }
  }

  /// `values` less their best linear function of x, y and 1.
  func affineFree(_ values: UnsafePointer<Double>) -> [Double] {
    [Double](unsafeUninitializedCapacity: points) { result, count in
      writeAffineFree(values, into: result.baseAddress!)
      count = points
    }
  }

  private func writeAffineFree(_ values: UnsafePointer<Double>, into result: UnsafeMutablePointer<Double>) {
    let (vx, vy) = (dot(values, x, points), dot(values, y, points))
    let determinant = gram.xx * gram.yy - gram.xy * gram.xy
    let factor =
      SIMD2(gram.yy * vx - gram.xy * vy, gram.xx * vy - gram.xy * vx) / determinant
    subtract(sum(values, points) / Double(points), factor, of: x, y, from: values, into: result, points)
  }
}

/// An affine map from the shape to the image: rows are what x and y of the shape become.
struct AffineFit {
  let centreX, centreY: Double
  let xx, xy, yx, yy: Double

  var determinant: Double { xx * yy - xy * yx }
  /// The apparent inter-ocular distance, in image widths.
  var size: Double { determinant.magnitude.squareRoot() }
  var isUsable: Bool { determinant.magnitude > 1e-10 && determinant.isFinite }
}
