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
    var norm = 0.0
    for i in 0..<count { norm += template.x[i] * template.x[i] + template.y[i] * template.y[i] }
    var (meanX, meanY) = ([Double](repeating: 0, count: count), [Double](repeating: 0, count: count))
    for frame in 0..<frames {
      let px = coordinates + frame * 2 * count
      let py = px + count
      let sums = crossSums(px, py, template.x, template.y, count)
      let (cosine, sine) = ((sums.xx + sums.yy) / norm, (sums.yx - sums.xy) / norm)
      let squared = cosine * cosine + sine * sine
      guard squared > 1e-12 else { return nil }
      Self.addRotated(px, py, sums, cosine / squared, sine / squared, &meanX, &meanY)
    }
    func centred(_ sums: [Double]) -> [Double] {
      let means = sums.map { $0 / Double(frames) }
      let centre = means.mean
      return means.map { $0 - centre }
    }
    x = centred(meanX)
    y = centred(meanY)
    let own = crossSums(x, y, x, y, count)
    gram = (own.xx, own.xy, own.yy)
    guard gram.xx * gram.yy - gram.xy * gram.xy > 1e-9 else { return nil }
  }

  /// Adds the frame, centred, turned back and scaled to the template.
  private static func addRotated(
    _ px: UnsafePointer<Double>, _ py: UnsafePointer<Double>, _ sums: CrossSums, _ cosine: Double,
    _ sine: Double,
    _ meanX: inout [Double], _ meanY: inout [Double]
  ) {
    let points = meanX.count
    let (cx, cy) = (sums.x / Double(points), sums.y / Double(points))
    meanX.withUnsafeMutableBufferPointer { meanX in
      meanY.withUnsafeMutableBufferPointer { meanY in
        for i in 0..<points {
          let (dx, dy) = (px[i] - cx, py[i] - cy)
          meanX[i] += dx * cosine + dy * sine
          meanY[i] += dy * cosine - dx * sine
        }
      }
    }
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

  /// A column over both coordinates of all points: what is left of (`first`, `second`) after its best affine map.
  func affineFree(_ first: [Double], _ second: [Double]) -> [Double] {
    affineFree(first) + affineFree(second)
  }

  /// `values` less their best linear function of x, y and 1.
  func affineFree(_ values: [Double]) -> [Double] {
    let mean = values.mean
    var (vx, vy) = (0.0, 0.0)
    for i in 0..<points {
      vx += values[i] * x[i]
      vy += values[i] * y[i]
    }
    let determinant = gram.xx * gram.yy - gram.xy * gram.xy
    let (a, b) = (
      (gram.yy * vx - gram.xy * vy) / determinant, (gram.xx * vy - gram.xy * vx) / determinant
    )
    return (0..<points).map { values[$0] - mean - a * x[$0] - b * y[$0] }
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
